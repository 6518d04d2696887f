// The keeper: what a page remembers of itself between visits: its device, its key, and the last number it asked under.

export class Keeper {
  /** @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} storage
   * @param {string} name of the page, and of the seat where a browser has several */
  constructor(storage, name) {
    this.storage = storage;
    this.name = `croupier:${name}`;
  }

  /** The device and its key, or null where it was never enrolled. @returns {{device: string, key: string} | null} */
  get device() {
    return this.#read()?.device ? this.#read() : null;
  }

  /** @param {string} device @param {string} key */
  enrol(device, key) {
    this.storage.setItem(this.name, JSON.stringify({ device, key }));
  }

  forget() {
    this.storage.removeItem(this.name);
  }

  /** The last number used for a command of this device. */
  get used() {
    return Number(this.storage.getItem(this.#numbers) ?? 0);
  }

  /** Keep a number before it is sent, so that no later page uses it for anything else. @param {number} number */
  use(number) {
    this.storage.setItem(this.#numbers, String(number));
    return number;
  }

  get #numbers() {
    return `croupier:number:${this.device?.device ?? ""}`;
  }

  #read() {
    try {
      return JSON.parse(this.storage.getItem(this.name) ?? "null");
    } catch {
      return null;
    }
  }
}
