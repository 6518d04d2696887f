// The public display: one table, or several in rotation. It reloads when the server has a newer version.

import { button, el, marked, shown, text } from "../shared/dom.js";
import { enrol } from "../shared/enrolment.js";
import { addResponse } from "../shared/fetched.js";
import { addFelt, fetchFelt } from "../shared/felt_cache.js";
import { pageDataOf, parametersOf, Session } from "../shared/session.js";
import { Preferences } from "../shared/preferences.js";
import { languageOf, refusalText, say, useLanguage } from "../shared/text.js";
import { authorityRule, oneTable, phase, RULES, rulesAddress } from "./one_table.js";
import { Rotation, rotationText, severalTables } from "./several_tables.js";
import { announcementOf, displayOf, nameOf } from "./table_state.js";

/**
 * @typedef {import("../shared/store.js").State} State
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 * @typedef {import("../shared/session.js").PageData & {felts?: Record<string, import("../shared/types/wire.js").FeltSpec>,
 *   authority?: Record<string, {clause: string, says: string, governs: string}>}} BoardData with the felts of its tables by hash, and the
 *   clause on which result is authoritative by rulebook
 */

const TICK_MS = 200;

async function openBoard() {
  const host = document.querySelector("main.app.board");
  if (!(host instanceof HTMLElement)) return;
  const parameters = parametersOf(location);
  // A display that players pass by has its language in its address; another has that of its browser.
  const chosen = languageOf(parameters.lang, new Preferences(localStorage).now.lang, navigator.languages);
  if (!(await useLanguage(chosen))) await useLanguage("en");
  const pageData = /** @type {BoardData} */ (pageDataOf(document));
  for (const [hash, felt] of Object.entries(pageData.felts ?? {})) addFelt(hash, felt);
  for (const [rulebook, clause] of Object.entries(pageData.authority ?? {})) {
    addResponse(rulesAddress(rulebook), RULES, {
      authority: clause.clause,
      governs: clause.governs,
      clauses: [clause],
    });
  }
  const session = new Session({ pageData, parameters });
  const recovery = new Recovery(session);
  const screen = display(session, recovery);
  const entry = el("div", { class: "entry" });
  host.replaceChildren(entry, screen.node);
  session.draw = screen.update;
  setInterval(() => {
    recovery.tick();
    screen.update(session.view);
  }, TICK_MS);
  enrol(session, entry);
  shown(screen.node, entry.childElementCount === 0);
  entry.addEventListener("submit", () => shown(screen.node, true));
}

/** The content of the display. @param {Session} session @param {Recovery} recovery */
function display(session, recovery) {
  const [one, many, foot, turns] = [oneTable(), severalTables(), phase(), new Rotation()];
  const rule = el("p", { class: "rule" });
  const place = el("p", { class: "place" });
  const ears = el("p", { class: "unseen", role: "status", "aria-live": "polite" });
  const anew = button(say("board.enrol"), () => (session.storage.forget(), location.reload()), { hidden: true });
  const bottom = el("footer", { class: "foot" }, foot.node, rule, anew, place);
  const node = el("div", { class: "display" }, one.node, many.node, bottom, ears);
  const demo = document.querySelector("body > .demo");
  if (demo instanceof HTMLElement) place.before(demo);
  const arrived = () => session.redraw();
  /** @param {State} view */
  const update = (view) => {
    const now = session.now();
    const all = inOrder(session, view).map((table) => {
      const felt = fetchFelt(table.felt, arrived);
      // Until the ball lies in its pocket, the display is that of a running ball.
      const seen = one.isLanding(table, now)
        ? { ...table, pocket: null, phase: RUNNING, numbers: before(table) }
        : table;
      return { table: seen, sent: table, felt, display: displayOf(seen, felt, recovery.isFresh), arrived, now };
    });
    const only = all.length === 1 ? all[0] : null;
    shown(one.node, all.length < 2);
    shown(many.node, all.length > 1);
    const chosen = turns.shows(all, performance.now());
    if (all.length > 1) many.update(chosen, now);
    else one.update(only ?? { ...empty(), arrived });
    if (only) reportShown(session, one.node, only.table, only.display);
    foot.update(recovery.isFresh ? only?.table : undefined, now);
    shown(foot.node, all.length < 2);
    text(rule, only ? authorityRule(only.table.rulebook, arrived) : rotationText(all, chosen));
    text(place, only ? nameOf(only.table.table) : session.pageData.venue);
    text(
      ears,
      all
        .map(({ table, display }) => announcementOf(table.table, display))
        .filter(Boolean)
        .join(". "),
    );
    ended(session, anew, place);
  };
  return { node, update };
}

/** The last number that was reported for each table, with its round. @type {Map<string, string>} */
const reported = new Map();

/**
 * Report what the display shows as the number of a round, once: the house compares it with the result.
 * @param {Session} session @param {HTMLElement} node the content @param {TableState} table @param {import("./table_state.js").TableDisplay} display
 */
function reportShown(session, node, { table, round }, display) {
  const number = display.is === "number" ? (node.querySelector(".number")?.textContent ?? "") : "";
  if (!number || reported.get(table) === `${round} ${number}`) return;
  if (session.send({ t: "displayed", table, round, number })) reported.set(table, `${round} ${number}`);
}

const RUNNING = /** @type {const} */ ("running");

/** The numbers before that of this round. @param {import("../shared/types/wire.js").TableState} table */
const before = ({ numbers = [], pocket }) => (numbers[0] === pocket ? numbers.slice(1) : numbers);

/** The tables in the configured order. @param {Session} session @param {State} view */
function inOrder({ pageData: place, parameters }, { tables }) {
  const only = tables[parameters.table ?? ""];
  if (only) return [only.state];
  const listed = place.tables.map(({ table }) => tables[table]).filter((one) => one !== undefined);
  const others = Object.values(tables).filter((one) => !listed.includes(one));
  return [...listed, ...others].map(({ state }) => state);
}

/** The state before the first snapshot. */
const empty = () => ({
  table: /** @type {import("../shared/types/wire.js").TableState} */ (/** @type {unknown} */ ({ numbers: [] })),
  felt: null,
  display: displayOf(undefined, null, false),
});

/**
 * A display whose connection the server ended shows why, and can be enrolled again.
 * @param {Session} session
 * @param {HTMLElement} anew @param {HTMLElement} place
 */
function ended(session, anew, place) {
  const isEnded = session.state.connection === "ended";
  shown(anew, isEnded);
  marked(document.body, "data-ended", isEnded || null);
  if (isEnded) text(place, session.bye ? refusalText(session.bye, String) : say("status.ended"));
}

// Recovery: an unattended display detects that it is out of date, and reloads when possible.

/** A frame arrives at least every five seconds; after this time without one, the content may be out of date. */
const STALE_MS = 12_000;
/** After this time without a connection the page reloads, and tries again at this interval. */
const RELOAD_MS = 600_000;
const AGAIN_MS = 30_000;

class Recovery {
  /** @param {import("../shared/session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.receivedAt = performance.now();
    this.freshAt = performance.now();
    this.triedAt = 0;
    /** The server run that this page was loaded from. */
    this.epoch = 0;
    session.onFrame = (frame) => this.#receive(frame);
  }

  /** Whether the content is current. */
  get isFresh() {
    const { connection, awaitsSnapshot } = this.session.state;
    return connection === "up" && !awaitsSnapshot && performance.now() - this.receivedAt < STALE_MS;
  }

  /** Check whether to reload. */
  tick() {
    const now = performance.now();
    if (this.isFresh) this.freshAt = now;
    // The same display was opened in another window, which has taken over.
    if (this.session.bye?.code === "evicted" || now - this.freshAt < RELOAD_MS || now - this.triedAt < AGAIN_MS) return;
    this.triedAt = now;
    // Reload only if the server responds; otherwise the browser would show its error page.
    fetch(new URL("health", document.baseURI)).then(
      () => location.reload(),
      () => {},
    );
  }

  /** @param {import("../shared/types/wire.js").OutboundMessage} frame */
  #receive(frame) {
    this.receivedAt = performance.now();
    if (frame.t !== "welcome") return;
    // After a restart the server may have another version, so reload.
    if (this.epoch !== 0 && frame.epoch !== this.epoch) location.reload();
    this.epoch = frame.epoch;
  }
}

await openBoard();
