// The session of a page: connection, store, clock and local storage. It draws at most once a frame.

import { Connection } from "./connection.js";
import * as store from "./store.js";

/**
 * @typedef {import("./page_data.js").PageData} PageData
 * @typedef {import("./store.js").Answer} Answer
 * @typedef {import("./store.js").Guess} Guess
 * @typedef {import("./store.js").State} State
 * @typedef {import("./types/wire.js").OutboundMessage} OutboundMessage
 * @typedef {{[T in OutboundMessage["t"]]?: (frame: Extract<OutboundMessage, {t: T}>) => void}} Handlers
 */

/**
 * The parameters of the address, after # or ?: an enrolment code, a table, and which of several seats of this browser.
 * @param {Location} location @returns {Record<string, string>}
 */
export const parametersOf = (location) =>
  Object.fromEntries(new URLSearchParams(location.hash.slice(1) || location.search));

/**
 * Remove the enrolment code from the address bar, so that the next reader does not see it.
 * @param {Record<string, string>} parameters
 */
export function hideCode({ join: _join, ...rest }) {
  const kept = new URLSearchParams(rest).toString();
  history.replaceState(null, "", location.pathname + (kept && `#${kept}`));
}

/** The version of the wire protocol that these modules implement. */
export const PROTOCOL = 1;
/** A request without a response for this long triggers a connection check. */
const CHECK_AFTER_MS = 500;

export class Session {
  /** @param {{pageData: PageData, parameters?: Record<string, string>, storage?: Storage, Socket?: typeof WebSocket}} options */
  constructor({ pageData, parameters = {}, storage = localStorage, Socket = WebSocket }) {
    this.pageData = pageData;
    this.parameters = parameters;
    this.storage = new DeviceStorage(
      storage,
      parameters.seat ? `${pageData.screen}:${parameters.seat}` : pageData.screen,
      parameters.table,
    );
    this.state = store.initialState();
    /** The refusal with which the server ended the connection. @type {{code: string, says: string} | null} */
    this.bye = null;
    /** The enrolment in progress. @type {{join?: string, table?: string} | null} */
    this.enrolment = null;
    /** Handlers of frames by tag. @type {Handlers} */
    this.handlers = {};
    /** Called with every frame, before the handlers. @type {(frame: OutboundMessage) => void} */
    this.onFrame = () => {};
    /** @type {(view: import("./store.js").View) => void} */
    this.draw = () => {};
    this.due = false;
    this.connection = new Connection({
      urls: socketUrls(document.baseURI, pageData.addresses ?? []),
      hello: () => this.#hello(),
      onFrame: (frame) => this.#frame(frame),
      onState: (state) => this.#setConnection(state),
      Socket,
      early: /** @type {any} */ (globalThis).earlySocket,
    });
    addEventListener("offline", () => this.connection.disconnect());
  }

  get demo() {
    return this.pageData.mode === "demo";
  }

  get view() {
    return store.view(this.state);
  }

  now() {
    return this.connection.now();
  }

  /**
   * Connect as the stored device, or by enrolling in a demonstration.
   * @param {{join?: string, table?: string} | null} [enrolment]
   */
  connect(enrolment = null) {
    this.enrolment = enrolment;
    this.bye = null;
    this.connection.open();
    this.redraw();
  }

  /**
   * Send a command, with an optimistic guess at its effect on the chips.
   * @param {object} command @param {Guess | null} [guess] @returns {Promise<Answer> | null}
   */
  sendCommand(command, guess = null) {
    return this.sendRequest("ask", { command }, guess);
  }

  /**
   * Send a request under a new id; the response follows. Returns null, and sends nothing, while there is no connection.
   * @param {string} t @param {object} [fields] @param {Guess | null} [guess] @returns {Promise<Answer> | null}
   */
  sendRequest(t, fields = {}, guess = null) {
    if (!store.isReady(this.state)) return null;
    const id = this.storage.saveId(store.nextId(this.state, this.storage.lastId));
    const message = { t, id, epoch: this.state.epoch, ...fields };
    /** @type {Promise<Answer>} */
    const answer = new Promise((answered) => this.change(store.addRequest, message, guess, answered));
    this.connection.send(message);
    setTimeout(() => this.#checkPending(id), CHECK_AFTER_MS);
    return answer;
  }

  /** Check the connection if a request is still pending. @param {number} id */
  #checkPending(id) {
    if (this.state.pending.some(({ message }) => message.id === id)) this.connection.probe();
  }

  /** A person has signed out: what was shown to, or awaited by, the person is forgotten. */
  signOut() {
    const { pending } = this.state;
    this.change(store.forgetPerson);
    for (const { answered } of pending) answered(store.UNANSWERED);
  }

  /** Send a message that is not a command. @param {object} message */
  send(message) {
    return this.connection.send(message);
  }

  /**
   * Change the state: nothing else writes it.
   * @template {unknown[]} A
   * @param {(state: import("./store.js").State, ...given: A) => import("./store.js").State} reduce @param {A} given
   */
  change(reduce, ...given) {
    this.state = reduce(this.state, ...given);
    this.redraw();
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
    const { screen } = this.pageData;
    const known = this.storage.device;
    const table = this.enrolment?.table ?? this.parameters.table ?? "";
    if (this.enrolment) return { t: "hello", screen, protocol: PROTOCOL, join: this.enrolment.join ?? "", table };
    return { t: "hello", screen, protocol: PROTOCOL, device: known?.device ?? "", key: known?.key ?? "", table };
  }

  /** @param {OutboundMessage} frame */
  #frame(frame) {
    if (frame.t === "enrolled") {
      this.storage.enrol(frame.device, frame.key);
      if (this.enrolment?.join) this.storage.code = this.enrolment.join;
      this.enrolment = null;
    }
    if (frame.t === "bye") this.bye = frame.refusal;
    if (frame.t === "welcome") setTimeout(() => registerPage(this.pageData.screen), STORE_AFTER_MS);
    if (frame.t === "snap" && frame.seat?.games) this.storage.saveTables(Object.keys(frame.seat.games));
    const before = this.state;
    const [state, send] = store.receive(before, frame);
    this.state = state;
    for (const message of send) this.connection.send(message);
    for (const request of before.pending) {
      if (!state.pending.includes(request)) request.answered(store.answerTo(state, request, frame));
    }
    this.onFrame(frame);
    /** @type {((frame: OutboundMessage) => void) | undefined} */ (this.handlers[frame.t])?.(frame);
    this.redraw();
  }

  /** @param {string} is */
  #setConnection(is) {
    this.change(store.setConnection, is);
  }
}

/** The most seats of one browser that are remembered. */
const SEATS_MOST = 8;
/** How long after it has connected a page is stored, so that nothing competes with its start. */
const STORE_AFTER_MS = 2000;

/**
 * Once it is connected, a page is stored in the browser, so that it starts without a network, and may be installed.
 * @param {string} screen
 */
function registerPage(screen) {
  if (document.querySelector("link[rel=manifest]")) return;
  const href = new URL(`manifest/${screen}.json`, document.baseURI).href;
  document.head.append(Object.assign(document.createElement("link"), { rel: "manifest", href }));
  // There is a service worker over TLS and on localhost only.
  void navigator.serviceWorker?.register(new URL("service-worker.js", document.baseURI)).catch(() => null);
}

/**
 * The addresses of the house: that of the page first, and each once.
 * @param {string} base @param {string[]} others
 */
const socketUrls = (base, others) => [...new Set([base, ...others].map(socketUrl))];

/** @param {string} base */
function socketUrl(base) {
  const url = new URL("wire", base);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  url.search = url.hash = "";
  return url.href;
}

// What a page stores between visits: its device, its key, its other seats, and the last request id.

/** @typedef {{device: string, key: string, tables?: string[]}} Device a device, and the tables that it plays at */

export class DeviceStorage {
  /** @param {Pick<Storage, "getItem" | "setItem" | "removeItem">} storage
   * @param {string} name of the page, and of the seat where the browser has several
   * @param {string} [table] that is wanted */
  constructor(storage, name, table) {
    this.storage = storage;
    this.name = `croupier:${name}`;
    this.table = table;
  }

  /**
   * The device and its key, or null if it is not enrolled. Where a table is wanted, it is the seat at that table that
   * this browser had last.
   * @returns {Device | null}
   */
  get device() {
    const last = this.#read(this.name);
    const plays = (/** @type {Device} */ { tables }) => !tables || !this.table || tables.includes(this.table);
    return [last, ...this.#seats()].find((one) => one?.device && plays(one)) ?? null;
  }

  /** @param {string} device @param {string} key */
  enrol(device, key) {
    this.storage.setItem(this.name, JSON.stringify({ device, key }));
  }

  /** Remember at which tables the device plays, and the device among the seats of this browser. @param {string[]} tables */
  saveTables(tables) {
    const { device } = this;
    if (!device) return;
    const seat = { device: device.device, key: device.key, tables };
    this.storage.setItem(this.name, JSON.stringify(seat));
    const others = this.#seats().filter((one) => one.device !== seat.device);
    this.storage.setItem(`${this.name}:seats`, JSON.stringify([seat, ...others].slice(0, SEATS_MOST)));
  }

  /** The code with which this browser joined over the network: another seat takes it again. @returns {string} */
  get code() {
    return this.storage.getItem("croupier:join") ?? "";
  }

  set code(code) {
    this.storage.setItem("croupier:join", code);
  }

  forget() {
    const gone = this.device?.device;
    this.storage.removeItem(this.name);
    this.storage.setItem(`${this.name}:seats`, JSON.stringify(this.#seats().filter(({ device }) => device !== gone)));
  }

  /** @returns {Device[]} */
  #seats() {
    const kept = this.#read(`${this.name}:seats`);
    return Array.isArray(kept) ? kept : [];
  }

  /** The last request id of this device. */
  get lastId() {
    return Number(this.storage.getItem(this.#idKey) ?? 0);
  }

  /** Store an id before it is sent, so that no later page reuses it. @param {number} number */
  saveId(number) {
    this.storage.setItem(this.#idKey, String(number));
    return number;
  }

  get #idKey() {
    return `croupier:number:${this.device?.device ?? ""}`;
  }

  /** @param {string} name */
  #read(name) {
    try {
      return JSON.parse(this.storage.getItem(name) ?? "null");
    } catch {
      return null;
    }
  }
}
