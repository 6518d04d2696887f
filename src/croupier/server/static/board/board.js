// The board: a display for everybody. It shows no number that it has not just been told.

import { button, el, marked, shown, text } from "../kit/dom.js";
import { felt } from "../kit/felts.js";
import { placeOf, Session, wantedBy } from "../kit/session.js";
import { use } from "../kit/words.js";
import { enrol } from "../staff/enrol.js";
import { counts, phase } from "./foot.js";
import { Healing } from "./healing.js";
import { several } from "./several.js";
import { spoken, tellingOf } from "./telling.js";
import { Turns, turnWords } from "./turns.js";
import { whole } from "./whole.js";

const TICK_MS = 200;

/** @typedef {import("../kit/store.js").State} State */

export async function openBoard() {
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

/** Everything that is on the display. @param {Session} session @param {Healing} healing */
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

/** The tables in the order in which the house lists them. @param {Session} session @param {State} view */
function inOrder({ place }, { tables }) {
  const listed = place.tables.map(({ table }) => tables[table]).filter((one) => one !== undefined);
  const others = Object.values(tables).filter((one) => !listed.includes(one));
  return [...listed, ...others].map(({ state }) => state);
}

/** What there is before the house has said anything. */
const NOTHING = {
  table: /** @type {import("../kit/types.js").TableState} */ (/** @type {unknown} */ ({ numbers: [] })),
  felt: null,
  telling: tellingOf(undefined, null, false),
};

/** A display that was turned away says why, and lets somebody enrol it. @param {Session} session
 * @param {HTMLElement} anew @param {HTMLElement} place */
function ended(session, anew, place) {
  const isEnded = session.state.line === "ended";
  shown(anew, isEnded);
  marked(document.body, "data-ended", isEnded || null);
  if (isEnded) text(place, session.bye?.says ?? "The house has shut this door.");
}
