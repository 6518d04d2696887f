// A session: the line, the store, the clock and the memory of one page, drawn at most once a frame.

import { Keeper } from "./keeper.js";
import { Line } from "./socket.js";
import * as store from "./store.js";

/** What the document says of its place: {door, venue, mode, tables}. */
export const placeOf = (document) => JSON.parse(document.getElementById("place").textContent);

/** What an address asks for, after # or ?: a code to join with, a table, and which of several seats of this browser. */
export const wantedBy = (location) =>
  Object.fromEntries(new URLSearchParams(location.hash.slice(1) || location.search));

export class Session {
  /** @param {{place: any, wanted?: Record<string, string>, storage?: Storage, Socket?: typeof WebSocket}} wiring */
  constructor({ place, wanted = {}, storage = localStorage, Socket = WebSocket }) {
    this.place = place;
    this.wanted = wanted;
    this.keeper = new Keeper(storage, wanted.seat ? `${place.door}:${wanted.seat}` : place.door);
    this.state = store.begun();
    this.bye = null; // why the house shut the door, where it did
    this.joining = null; // {join, table} while this device enrols itself
    this.hears = {}; // what a page does on frames of its own, by their tag
    this.draw = (_view) => {};
    this.due = false;
    this.line = new Line({
      url: wire(document.baseURI),
      hello: () => this.#hello(),
      frame: (frame) => this.#frame(frame),
      line: (is) => this.#lineIs(is),
      Socket,
    });
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

  /** Come in, as a device that is known here, or by enrolling in a demonstration. */
  enter(joining = null) {
    this.joining = joining;
    this.bye = null;
    this.line.open();
    this.redraw();
  }

  /** Ask the house for something in its own words; with a guess at what it will do to the chips. */
  ask(command, guess = null) {
    return this.wish("ask", { command }, guess);
  }

  /** Send something under a key of its own. Nothing is sent, and null given, while there is no line. */
  wish(t, fields = {}, guess = null) {
    if (!store.isReady(this.state)) return null;
    const id = this.keeper.use(store.nextNumber(this.state, this.keeper.used));
    const message = { t, id, epoch: this.state.epoch, ...fields };
    this.state = store.asked(this.state, message, guess);
    this.line.send(message);
    this.redraw();
    return id;
  }

  /** Say something that is no command. */
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
    if (this.joining) return { t: "hello", door, join: this.joining.join ?? "", table };
    return { t: "hello", door, device: known?.device ?? "", key: known?.key ?? "", table };
  }

  #frame(frame) {
    if (frame.t === "enrolled") {
      this.keeper.enrol(frame.device, frame.key);
      this.joining = null;
    }
    if (frame.t === "bye") this.bye = frame.refusal;
    const [state, send] = store.told(this.state, frame);
    this.state = state;
    for (const message of send) this.line.send(message);
    this.hears[frame.t]?.(frame);
    this.redraw();
  }

  #lineIs(is) {
    this.state = store.lineIs(this.state, is);
    this.redraw();
  }
}

function wire(base) {
  const url = new URL("wire", base);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.search = url.hash = "";
  return url.href;
}
