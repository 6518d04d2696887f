// The WebSocket connection: hello, heartbeat, reconnect and clock synchronisation.

import * as clocks from "./table_status.js";

/** @typedef {import("./types/wire.js").OutboundMessage} OutboundMessage */

/** The state of an open socket; before it is that of one that is being opened. */
const OPEN = 1;
const WAITS_MS = [250, 500, 1000, 2000, 3000];
const PINGS_AT_FIRST = 5;
const PING_FIRST_MS = 200;
const PING_EVERY_MS = 5000;
const PONG_MOST_MS = 4000;
/** A pong is expected sooner while a request is pending. */
const PONG_SOON_MS = 1500;
/** How long a connection may be down before it is reported as lost. */
const LOST_AFTER_MS = 600;
/** Refusals at the handshake that are worth another try. Any other refusal would come again. */
const TRANSIENT = new Set(["busy", "too_fast", "disk_low", "command_failed"]);

/**
 * How long to wait before the next attempt: longer each time, with jitter once the longest wait is reached.
 * @param {number} tries @param {number} chance between 0 and 1
 */
export const retryDelay = (tries, chance) => {
  const ms = WAITS_MS[Math.min(tries, WAITS_MS.length - 1)];
  return tries < WAITS_MS.length - 1 ? ms : Math.round(ms * (0.8 + 0.4 * chance));
};

export class Connection {
  /**
   * @param {{urls: string[], hello: () => object, onFrame: (frame: OutboundMessage) => void, onState: (state: string) => void,
   *   Socket?: typeof WebSocket, early?: WebSocket | null}} wiring `onState` receives "up", "down", "lost" and "ended"; a
   *   socket that is being opened already is used for the first connection
   */
  constructor({ urls, hello, onFrame, onState, Socket = WebSocket, early = null }) {
    /** Where the house is reached, and which of these addresses is used. */
    this.urls = urls;
    this.at = 0;
    this.hello = hello;
    this.onFrame = onFrame;
    this.onState = onState;
    this.Socket = Socket;
    this.early = early;
    this.clock = clocks.newClock();
    /** @type {WebSocket | null} */
    this.socket = null;
    this.tries = 0;
    this.pings = 0;
    /** When each ping was sent. @type {Map<number, number>} */
    this.sentAt = new Map();
    /** @type {Record<string, ReturnType<typeof setTimeout> | undefined>} */
    this.timers = {};
    /**
     * The timer until the connection is reported as lost. It runs through all attempts.
     * @type {ReturnType<typeof setTimeout> | undefined}
     */
    this.lost = undefined;
    this.up = false;
    this.ended = false;
  }

  open() {
    this.#stopTimers();
    this.ended = false;
    this.lost ??= setTimeout(() => this.onState("lost"), LOST_AFTER_MS);
    // One socket at a time: a device must not enrol once for each socket.
    this.socket?.close();
    const early = this.#takeEarly();
    const socket = early ?? new this.Socket(this.urls[this.at]);
    this.socket = socket;
    this.#later("welcome", PONG_MOST_MS, () => this.#disconnected());
    socket.onopen = () => socket === this.socket && this.send(this.hello());
    socket.onmessage = (event) => socket === this.socket && this.#receive(JSON.parse(event.data));
    socket.onclose = () => socket === this.socket && this.#disconnected();
    if (early?.readyState === OPEN) this.send(this.hello());
  }

  /** The socket that the document began to open, once, unless it is closed already. */
  #takeEarly() {
    const { early } = this;
    this.early = null;
    return early && early.readyState <= OPEN && early.url === this.urls[this.at] ? early : null;
  }

  /** Send a message. Returns false when there is no open socket. @param {object} message */
  send(message) {
    if (this.socket?.readyState !== OPEN) return false;
    this.socket.send(JSON.stringify(message));
    return true;
  }

  /** Check that the connection is alive, with the shorter timeout. */
  probe() {
    if (!this.up) return;
    this.#ping();
    clearTimeout(this.timers.pong);
    this.timers.pong = setTimeout(() => this.#disconnected(), PONG_SOON_MS);
  }

  /** The browser reports that it is offline. */
  disconnect() {
    if (this.up) this.#disconnected();
  }

  now() {
    return clocks.serverNow(this.clock, performance.now());
  }

  /** @param {OutboundMessage} frame */
  #receive(frame) {
    if (frame.t === "pong") this.#pong(frame);
    if (frame.t === "welcome") this.#connected(frame);
    if (frame.t === "bye") {
      this.ended = frame.refusal.code === "evicted" || !(this.up || TRANSIENT.has(frame.refusal.code));
    }
    this.onFrame(frame);
  }

  /** @param {{now_us: number}} welcome */
  #connected(welcome) {
    this.tries = 0;
    this.up = true;
    clearTimeout(this.lost);
    this.lost = undefined;
    clearTimeout(this.timers.welcome);
    const local = performance.now();
    // A rough first sample, worse than any pong. Samples of an earlier connection are out of date.
    this.clock = clocks.addSample(clocks.newClock(), {
      sent: local - 10_000,
      got: local + 10_000,
      house: welcome.now_us,
    });
    this.pings = 0;
    this.#ping();
    this.onState("up");
  }

  #ping() {
    this.pings += 1;
    this.sentAt.set(this.pings, performance.now());
    this.send({ t: "ping", c: this.pings });
    this.timers.pong ??= setTimeout(() => this.#disconnected(), PONG_MOST_MS);
    this.#later("ping", this.pings < PINGS_AT_FIRST ? PING_FIRST_MS : PING_EVERY_MS, () => this.#ping());
  }

  /** @param {{c: number, now_us: number}} frame */
  #pong(frame) {
    clearTimeout(this.timers.pong);
    this.timers.pong = undefined;
    const sent = this.sentAt.get(frame.c);
    this.sentAt.delete(frame.c);
    if (sent !== undefined) {
      this.clock = clocks.addSample(this.clock, { sent, got: performance.now(), house: frame.now_us });
    }
  }

  #disconnected() {
    this.#stopTimers();
    const socket = this.socket;
    this.socket = null;
    socket?.close();
    this.sentAt.clear();
    if (this.up) this.onState("down");
    this.up = false;
    if (this.ended) {
      this.#end();
      return;
    }
    this.lost ??= setTimeout(() => this.onState("lost"), LOST_AFTER_MS);
    this.at = (this.at + 1) % this.urls.length;
    this.#later("again", retryDelay(this.tries, Math.random()), () => this.open());
    this.tries += 1;
  }

  #end() {
    clearTimeout(this.lost);
    this.lost = undefined;
    this.onState("ended");
  }

  /** @param {string} name @param {number} ms @param {() => void} act */
  #later(name, ms, act) {
    clearTimeout(this.timers[name]);
    this.timers[name] = setTimeout(act, ms);
  }

  #stopTimers() {
    for (const timer of Object.values(this.timers)) clearTimeout(timer);
    this.timers = {};
  }
}
