// The public display: one table, or several in rotation. It reloads when the server has a newer version.

import { enrol } from "../shared/enrolment.js";
import { addResponse } from "../shared/fetched.js";
import { addFelt, fetchFelt } from "../shared/felt_cache.js";
import { button, h, render } from "../shared/render.js";
import { pageDataOf } from "../shared/page_data.js";
import { parametersOf, Session } from "../shared/session.js";
import { Preferences } from "../shared/preferences.js";
import { languageOf, refusalText, say, tableName, useLanguage } from "../shared/text.js";
import { Attract } from "./attract.js";
import { LiveWheel } from "./live_wheel.js";
import { authorityRule, oneTable, phase, RULES, rulesAddress } from "./one_table.js";
import { Recovery } from "./recovery.js";
import { Rotation, rotationText, severalTables } from "./several_tables.js";
import { announcementOf, displayOf } from "./table_state.js";

/**
 * @typedef {import("../shared/store.js").State} State
 * @typedef {import("../shared/types/wire.js").TableState} TableState
 * @typedef {import("../shared/page_data.js").PageData & {felts?: Record<string, import("../shared/types/wire.js").FeltSpec>,
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
  // The foot of the display has the mark of a demonstration.
  document.querySelector("body > .demo")?.remove();
  const session = new Session({ pageData, parameters });
  const recovery = new Recovery(session);
  const display = new Display(session, recovery);
  const entry = document.createElement("div");
  entry.className = "entry";
  session.draw = (view) => {
    display.observe(view);
    // A display that is not enrolled asks for its key, and shows nothing else.
    render(host, entry, entry.childElementCount === 0 && display.draw());
    display.report();
    document.body.toggleAttribute("data-ended", session.state.connection === "ended");
  };
  setInterval(() => {
    recovery.tick();
    session.draw(session.view);
  }, TICK_MS);
  enrol(session, entry);
  session.draw(session.view);
}

/** The content of the display. */
class Display {
  #turns = new Rotation();
  #attract = new Attract();
  /** @type {Map<string, LiveWheel>} */
  #wheels = new Map();
  /** The last number that was reported for each table, with its round. @type {Map<string, string>} */
  #reported = new Map();
  /** All tables as they are shown, and those whose turn it is. @type {Record<"all" | "chosen", import("./one_table.js").Shown[]>} */
  #shows = { all: [], chosen: [] };

  /** @param {Session} session @param {Recovery} recovery */
  constructor(session, recovery) {
    this.session = session;
    this.recovery = recovery;
  }

  /** The only table, as it is shown. */
  get #only() {
    const { all } = this.#shows;
    return all.length === 1 ? all[0] : null;
  }

  /** Take in what the tables and the clock say. @param {State} view */
  observe(view) {
    const now = this.session.now();
    const all = inOrder(this.session, view).map((sent) => this.#shown(sent, now, () => this.session.redraw()));
    this.#shows = { all, chosen: this.#turns.shows(all, performance.now()) };
  }

  draw() {
    const { session, recovery } = this;
    const { all, chosen } = this.#shows;
    const arrived = () => session.redraw();
    const now = session.now();
    const one = this.#only ?? empty(arrived);
    const announced = all.map(({ table, display }) => announcementOf(table.table, display)).filter(Boolean);
    const isEnded = session.state.connection === "ended";
    const again = () => {
      session.storage.forget();
      location.reload();
    };
    return h(
      "div",
      { class: "display" },
      all.length < 2
        ? oneTable(one, this.#wheelOf(one.table.table), this.#attract)
        : severalTables(chosen, (table) => this.#wheelOf(table)),
      h(
        "footer",
        { class: "foot" },
        all.length < 2 && phase(recovery.isFresh ? this.#only?.table : undefined, now),
        h(
          "p",
          { class: "rule" },
          this.#only ? authorityRule(this.#only.table.rulebook, arrived) : rotationText(all, chosen),
        ),
        // A display whose connection the server ended shows why, and can be enrolled again.
        isEnded && button(say("board.enrol"), again),
        session.demo && h("p", { class: "demo" }, say("top-bar.demo")),
        h("p", { class: "place" }, isEnded ? this.#endText() : this.#only ? tableName(one.table.table) : this.#venue()),
      ),
      h("p", { class: "unseen", role: "status", "aria-live": "polite" }, announced.join(". ")),
    );
  }

  /** @param {TableState} sent @param {number | null} now @param {() => void} arrived @returns {import("./one_table.js").Shown} */
  #shown(sent, now, arrived) {
    const felt = fetchFelt(sent.felt, arrived);
    // Until the ball lies in its pocket, the display is that of a running ball.
    const table = this.#wheelOf(sent.table).isLanding(sent, now)
      ? { ...sent, pocket: null, phase: RUNNING, numbers: before(sent) }
      : sent;
    return { table, sent, felt, display: displayOf(table, felt, this.recovery.isFresh), arrived, now };
  }

  /** @param {string} table */
  #wheelOf(table) {
    const wheel = this.#wheels.get(table) ?? new LiveWheel();
    this.#wheels.set(table, wheel);
    return wheel;
  }

  #venue() {
    return this.session.pageData.venue;
  }

  #endText() {
    return this.session.bye ? refusalText(this.session.bye, String) : say("status.ended");
  }

  /** Report what the display shows as the number of a round, once: the house compares it with the result. */
  report() {
    const { session } = this;
    if (!this.#only || this.#only.display.is !== "number") return;
    const { table, round } = this.#only.table;
    const number = document.querySelector(".whole .number")?.textContent ?? "";
    if (!number || this.#reported.get(table) === `${round} ${number}`) return;
    if (session.send({ t: "displayed", table, round, number })) this.#reported.set(table, `${round} ${number}`);
  }
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

/** What is shown before the first snapshot. @param {() => void} arrived @returns {import("./one_table.js").Shown} */
function empty(arrived) {
  const table = /** @type {TableState} */ (/** @type {unknown} */ ({ table: "", numbers: [] }));
  return { table, sent: table, felt: null, display: displayOf(undefined, null, false), arrived, now: null };
}

await openBoard();
