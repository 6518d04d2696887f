// The session of a page: connection, store, clock and local storage. It draws at most once a frame.

import { Line } from "./connection.js";
import * as store from "./store.js";

/**
 * @typedef {import("./store.js").Guess} Guess
 * @typedef {import("./store.js").State} State
 */

/**
 * @typedef {object} Place what a document says of its own
 * @property {string} door
 * @property {string} venue
 * @property {string} mode
 * @property {{table: string, rulebook: string, title: string}[]} tables
 */

/** What the document says of its place. @param {Document} document @returns {Place} */
export const placeOf = (document) => JSON.parse(document.getElementById("place")?.textContent ?? "null");

/** What an address asks for, after # or ?: a code to join with, a table, and which of several seats of this browser.
 * @param {Location} location @returns {Record<string, string>} */
export const wantedBy = (location) =>
  Object.fromEntries(new URLSearchParams(location.hash.slice(1) || location.search));

/** A code to join with is for this page alone, and is not left in the address for the next one to see.
 * @param {Record<string, string>} wanted */
export function hideCode({ join: _join, ...rest }) {
  const kept = new URLSearchParams(rest).toString();
  history.replaceState(null, "", location.pathname + (kept && `#${kept}`));
}

/** The version of the wire protocol that these modules speak. */
export const PROTOCOL = 1;
/** After so long without an answer it is asked whether anybody hears. */
const DOUBT_MS = 500;

export class Session {
  /** @param {{place: Place, wanted?: Record<string, string>, storage?: Storage, Socket?: typeof WebSocket}} wiring */
  constructor({ place, wanted = {}, storage = localStorage, Socket = WebSocket }) {
    this.place = place;
    this.wanted = wanted;
    this.keeper = new Keeper(storage, wanted.seat ? `${place.door}:${wanted.seat}` : place.door);
    this.state = store.begun();
    /** Why the house shut the door, where it did. @type {{code: string, says: string} | null} */
    this.bye = null;
    /** How this device enrols itself, while it does. @type {{join?: string, table?: string} | null} */
    this.joining = null;
    /** What a page does on frames of its own, by their tag. @type {Record<string, (frame: any) => void>} */
    this.hears = {};
    /** What a page does on every frame, before anything else. @type {(frame: any) => void} */
    this.hearsAll = () => {};
    /** @type {(view: any) => void} */
    this.draw = () => {};
    this.due = false;
    this.line = new Line({
      url: wire(document.baseURI),
      hello: () => this.#hello(),
      frame: (frame) => this.#frame(frame),
      line: (is) => this.#lineIs(is),
      Socket,
    });
    addEventListener("offline", () => this.line.cut());
  }

  get demo() {
    return this.place.mode === "demo";
  }

  get view() {
    return store.view(this.state);
  }

  now() {
    return this.line.now();
  }

  /** Come in, as a device that is known here, or by enrolling in a demonstration.
   * @param {{join?: string, table?: string} | null} [joining] */
  enter(joining = null) {
    this.joining = joining;
    this.bye = null;
    this.line.open();
    this.redraw();
  }

  /** Ask the house for something in its own words; with a guess at what it will do to the chips.
   * @param {object} command @param {Guess | null} [guess] @returns {number | null} */
  ask(command, guess = null) {
    return this.wish("ask", { command }, guess);
  }

  /** Send something under a key of its own. Nothing is sent, and null given, while there is no line.
   * @param {string} t @param {object} [fields] @param {Guess | null} [guess] @returns {number | null} */
  wish(t, fields = {}, guess = null) {
    if (!store.isReady(this.state)) return null;
    const id = this.keeper.use(store.nextNumber(this.state, this.keeper.used));
    const message = { t, id, epoch: this.state.epoch, ...fields };
    this.state = store.asked(this.state, message, guess);
    this.line.send(message);
    setTimeout(() => this.#doubt(id), DOUBT_MS);
    this.redraw();
    return id;
  }

  /** Ask whether the line still holds where a wish has had no answer. @param {number} id */
  #doubt(id) {
    if (this.state.pending.some(({ message }) => message.id === id)) this.line.probe();
  }

  /** Say something that is no command. @param {object} message */
  say(message) {
    return this.line.send(message);
  }

  redraw() {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      this.due = false;
      this.draw(this.view);
    });
  }

  #hello() {
    const { door } = this.place;
    const known = this.keeper.device;
    const table = this.joining?.table ?? this.wanted.table ?? "";
    if (this.joining) return { t: "hello", door, protocol: PROTOCOL, join: this.joining.join ?? "", table };
    return { t: "hello", door, protocol: PROTOCOL, device: known?.device ?? "", key: known?.key ?? "", table };
  }

  /** @param {any} frame */
  #frame(frame) {
    if (frame.t === "enrolled") {
      this.keeper.enrol(frame.device, frame.key);
      this.joining = null;
    }
    if (frame.t === "bye") this.bye = frame.refusal;
    const [state, send] = store.told(this.state, frame);
    this.state = state;
    for (const message of send) this.line.send(message);
    this.hearsAll(frame);
    this.hears[frame.t]?.(frame);
    this.redraw();
  }

  /** @param {string} is */
  #lineIs(is) {
    this.state = store.lineIs(this.state, is);
    this.redraw();
  }
}

/** @param {string} base */
function wire(base) {
  const url = new URL("wire", base);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.search = url.hash = "";
  return url.href;
}

// The keeper: what a page remembers of itself between visits: its device, its key, and the last number it asked under.

class Keeper {
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
