// The public display: one table, or several in rotation. It reloads when the server has a newer version.

import { enrol } from "../console/console.js";
import { button, el, marked, shown, text } from "../shared/dom.js";
import { felt } from "../shared/felt_cache.js";
import { placeOf, Session, wantedBy } from "../shared/session.js";
import { use } from "../shared/text.js";
import { counts, phase, whole } from "./one_table.js";
import { several, Turns, turnWords } from "./several_tables.js";
import { spoken, tellingOf } from "./table_state.js";

/** @typedef {import("../shared/store.js").State} State */

const TICK_MS = 200;

async function openBoard() {
  const host = document.querySelector("main.door.board");
  if (!(host instanceof HTMLElement)) return;
  await use("en");
  const session = new Session({ place: placeOf(document), wanted: wantedBy(location) });
  const healing = new Healing(session);
  const screen = display(session, healing);
  const entry = el("div", { class: "entry" });
  host.replaceChildren(entry, screen.node);
  session.draw = screen.update;
  setInterval(() => {
    healing.tick();
    screen.update(session.view);
  }, TICK_MS);
  enrol(session, entry);
  shown(screen.node, entry.childElementCount === 0);
  entry.addEventListener("submit", () => shown(screen.node, true));
}

/** The content of the display. @param {Session} session @param {Healing} healing */
function display(session, healing) {
  const [one, many, foot, turns] = [whole(), several(), phase(), new Turns()];
  const rule = el("p", { class: "rule" });
  const place = el("p", { class: "place" });
  const ears = el("p", { class: "ears", role: "status", "aria-live": "polite" });
  const anew = button("Enrol this display anew", () => (session.keeper.forget(), location.reload()), { hidden: true });
  const bottom = el("footer", { class: "foot" }, foot.node, rule, anew, place);
  const node = el("div", { class: "display" }, one.node, many.node, bottom, ears);
  const demo = document.querySelector("body > .demo");
  if (demo instanceof HTMLElement) place.before(demo);
  const arrived = () => session.redraw();
  /** @param {State} view */
  const update = (view) => {
    const all = inOrder(session, view).map((table) => {
      const cloth = felt(table.felt, arrived);
      return { table, felt: cloth, telling: tellingOf(table, cloth, healing.isFresh), arrived };
    });
    const [now, only] = [session.now(), all.length === 1 ? all[0] : null];
    shown(one.node, all.length < 2);
    shown(many.node, all.length > 1);
    const chosen = turns.shows(all, performance.now());
    if (all.length > 1) many.update(chosen, now);
    else one.update(only ?? { ...NOTHING, arrived });
    foot.update(healing.isFresh ? only?.table : undefined, now);
    shown(foot.node, all.length < 2);
    text(rule, only ? counts(only.table.rulebook, arrived) : turnWords(all, chosen));
    text(place, only ? `Table ${only.table.table}` : session.place.venue);
    text(
      ears,
      all
        .map(({ table, telling }) => spoken(table.table, telling))
        .filter(Boolean)
        .join(". "),
    );
    ended(session, anew, place);
  };
  return { node, update };
}

/** The tables in the configured order. @param {Session} session @param {State} view */
function inOrder({ place }, { tables }) {
  const listed = place.tables.map(({ table }) => tables[table]).filter((one) => one !== undefined);
  const others = Object.values(tables).filter((one) => !listed.includes(one));
  return [...listed, ...others].map(({ state }) => state);
}

/** The state before the first snapshot. */
const NOTHING = {
  table: /** @type {import("../shared/types/wire.js").TableState} */ (/** @type {unknown} */ ({ numbers: [] })),
  felt: null,
  telling: tellingOf(undefined, null, false),
};

/**
 * A display whose connection the server ended shows why, and can be enrolled again.
 * @param {Session} session
 * @param {HTMLElement} anew @param {HTMLElement} place
 */
function ended(session, anew, place) {
  const isEnded = session.state.line === "ended";
  shown(anew, isEnded);
  marked(document.body, "data-ended", isEnded || null);
  if (isEnded) text(place, session.bye?.says ?? "The house has shut this door.");
}

// Recovery: an unattended display detects that it is out of date, and reloads when possible.

/** A frame arrives at least every five seconds; after this time without one, the content may be out of date. */
const STALE_MS = 12_000;
/** After this time without a connection the page reloads, and tries again at this interval. */
const RELOAD_MS = 600_000;
const AGAIN_MS = 30_000;

class Healing {
  /** @param {import("../shared/session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.heardAt = performance.now();
    this.wellAt = performance.now();
    this.triedAt = 0;
    /** The server run that this page was loaded from. */
    this.epoch = 0;
    session.hearsAll = (frame) => this.#hear(frame);
  }

  /** Whether the content is current. */
  get isFresh() {
    const { line, waits } = this.session.state;
    return line === "up" && !waits && performance.now() - this.heardAt < STALE_MS;
  }

  /** Check whether to reload. */
  tick() {
    const now = performance.now();
    if (this.isFresh) this.wellAt = now;
    // The same display was opened in another window, which has taken over.
    if (this.session.bye?.code === "evicted" || now - this.wellAt < RELOAD_MS || now - this.triedAt < AGAIN_MS) return;
    this.triedAt = now;
    // Reload only if the server responds; otherwise the browser would show its error page.
    fetch(new URL("health", document.baseURI)).then(
      () => location.reload(),
      () => {},
    );
  }

  /** @param {import("../shared/types/wire.js").Told} frame */
  #hear(frame) {
    this.heardAt = performance.now();
    if (frame.t !== "welcome") return;
    // After a restart the server may have another version, so reload.
    if (this.epoch !== 0 && frame.epoch !== this.epoch) location.reload();
    this.epoch = frame.epoch;
  }
}

await openBoard();
