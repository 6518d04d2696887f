// The session of a page: connection, store, clock and local storage. It draws at most once a frame.

import { Line } from "./connection.js";
import * as store from "./store.js";

/**
 * @typedef {import("./store.js").Guess} Guess
 * @typedef {import("./store.js").State} State
 * @typedef {import("./types/wire.js").Told} Told
 */

/**
 * @typedef {object} Place the data that the server writes into the page
 * @property {string} screen
 * @property {string} venue
 * @property {string} mode
 * @property {{table: string, rulebook: string, title: string}[]} tables
 */

/** The data that the server wrote into the page. @param {Document} document @returns {Place} */
export const placeOf = (document) => JSON.parse(document.getElementById("place")?.textContent ?? "null");

/**
 * The parameters of the address, after # or ?: an enrolment code, a table, and which of several seats of this browser.
 * @param {Location} location @returns {Record<string, string>}
 */
export const wantedBy = (location) =>
  Object.fromEntries(new URLSearchParams(location.hash.slice(1) || location.search));

/**
 * Remove the enrolment code from the address bar, so that the next reader does not see it.
 * @param {Record<string, string>} wanted
 */
export function hideCode({ join: _join, ...rest }) {
  const kept = new URLSearchParams(rest).toString();
  history.replaceState(null, "", location.pathname + (kept && `#${kept}`));
}

/** The version of the wire protocol that these modules implement. */
export const PROTOCOL = 1;
/** A request without a response for this long triggers a connection check. */
const DOUBT_MS = 500;

export class Session {
  /** @param {{place: Place, wanted?: Record<string, string>, storage?: Storage, Socket?: typeof WebSocket}} wiring */
  constructor({ place, wanted = {}, storage = localStorage, Socket = WebSocket }) {
    this.place = place;
    this.wanted = wanted;
    this.keeper = new Keeper(storage, wanted.seat ? `${place.screen}:${wanted.seat}` : place.screen);
    this.state = store.begun();
    /** The refusal with which the server ended the connection. @type {{code: string, says: string} | null} */
    this.bye = null;
    /** The enrolment in progress. @type {{join?: string, table?: string} | null} */
    this.joining = null;
    /** Handlers of frames by tag. @type {Record<string, (frame: any) => void>} */
    this.hears = {};
    /** Called with every frame, before the handlers. @type {(frame: Told) => void} */
    this.hearsAll = () => {};
    /** @type {(view: import("./store.js").View) => void} */
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

  /**
   * Connect as the stored device, or by enrolling in a demonstration.
   * @param {{join?: string, table?: string} | null} [joining]
   */
  enter(joining = null) {
    this.joining = joining;
    this.bye = null;
    this.line.open();
    this.redraw();
  }

  /**
   * Send a command, with an optimistic guess at its effect on the chips.
   * @param {object} command @param {Guess | null} [guess] @returns {number | null}
   */
  ask(command, guess = null) {
    return this.wish("ask", { command }, guess);
  }

  /**
   * Send a request under a new id. Returns null, and sends nothing, while there is no connection.
   * @param {string} t @param {object} [fields] @param {Guess | null} [guess] @returns {number | null}
   */
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

  /** Check the connection if a request is still pending. @param {number} id */
  #doubt(id) {
    if (this.state.pending.some(({ message }) => message.id === id)) this.line.probe();
  }

  /** Send a message that is not a command. @param {object} message */
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
    const { screen } = this.place;
    const known = this.keeper.device;
    const table = this.joining?.table ?? this.wanted.table ?? "";
    if (this.joining) return { t: "hello", screen, protocol: PROTOCOL, join: this.joining.join ?? "", table };
    return { t: "hello", screen, protocol: PROTOCOL, device: known?.device ?? "", key: known?.key ?? "", table };
  }

  /** @param {Told} frame */
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

// What a page stores between visits: its device, its key, and the last request id.

class Keeper {
  /** @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} storage
   * @param {string} name of the page, and of the seat where the browser has several */
  constructor(storage, name) {
    this.storage = storage;
    this.name = `croupier:${name}`;
  }

  /** The device and its key, or null if it is not enrolled. @returns {{device: string, key: string} | null} */
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

  /** The last request id of this device. */
  get used() {
    return Number(this.storage.getItem(this.#numbers) ?? 0);
  }

  /** Store an id before it is sent, so that no later page reuses it. @param {number} number */
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
