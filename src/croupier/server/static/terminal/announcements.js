// Screen reader announcements and refusals.

import { isCovered } from "../shared/dialog.js";
import { el } from "../shared/dom.js";
import { amount } from "../shared/money.js";
import { refusalWords, say } from "../shared/text.js";
import { momentWords } from "./game_status.js";
import { lineWords, tableWords } from "./notices.js";

/**
 * @typedef {import("../shared/types/wire.js").No} No
 * @typedef {import("./controller.js").Ui} Ui
 */

/** The seconds that are announced. */
const SAID_AT = [10, 5];

/** @param {Ui} ui */
export function announcer(ui) {
  const polite = el("p", { "aria-live": "polite", class: "unseen", "data-live": "phase" });
  const urgent = el("p", { "aria-live": "assertive", class: "unseen", "data-live": "refusal" });
  const node = el("div", { class: "live" }, polite, urgent);
  /** The last announcement by subject. @type {Map<string, string>} */
  const said = new Map();
  const isNews = (/** @type {string} */ of, /** @type {string} */ words) => {
    const known = said.get(of);
    said.set(of, words);
    return known !== words && words !== "";
  };

  const update = () => {
    const words = [];
    for (const name of ui.tables()) {
      const moment = phaseWords(ui, name);
      if (isNews(`phase ${name}`, moment)) words.push(ofTable(ui, name, moment));
    }
    const rest = [...lineWords(ui), ...ui.tables().flatMap((name) => tableWords(ui, name))]
      .map(({ says }) => says)
      .join(" ");
    if (isNews("told", rest)) words.push(rest);
    if (words.length > 0) polite.textContent = words.join(". ");
  };
  const tick = () => {
    for (const name of ui.tables()) {
      const seconds = ui.seconds(name);
      const words = seconds !== null && SAID_AT.includes(seconds) ? say("seconds", { n: seconds }) : "";
      if (isNews(`seconds ${name}`, words)) polite.textContent = ofTable(ui, name, words);
    }
  };
  /** @param {string} words @param {string} clause */
  const refuse = (words, clause) => {
    // Clear first, so that an identical text is announced again.
    urgent.textContent = "";
    urgent.textContent = clause ? `${words} ${clause}` : words;
  };
  return { node, update, tick, refuse };
}

/** @param {Ui} ui @param {string} name @param {string} words */
const ofTable = (ui, name, words) => (ui.tables().length > 1 ? say("told.of", { table: name, says: words }) : words);

/** The status as text; with a winning number also the amount won. @param {Ui} ui @param {string} name */
function phaseWords(ui, name) {
  const moment = ui.moment(name);
  const words = momentWords(ui, name, moment);
  const won = ui.mine(name)?.won ?? 0;
  return moment.is === "winning" && won > 0 ? say("announce.won", { words, won: amount(won) }) : words;
}

// Refusals: each is shown once, at the spot that was pressed if there was one, and announced.

/**
 * @param {Ui} ui
 * @param {{bubble: (table: string, spot: string | null, words: string, clause: string) => void,
 *   refuse: (words: string, clause: string) => void}} tell
 */
export function refusals(ui, tell) {
  /** @type {WeakSet<No>} */
  const seen = new WeakSet(ui.view().said);
  return () => {
    const news = /** @type {No[]} */ (ui.view().said).filter((no) => !seen.has(no));
    for (const no of news.reverse()) {
      seen.add(no);
      const { table, spot } = ui.touched.get(no.id ?? -1) ?? { table: ui.focus(), spot: null };
      const words = refusalWords(no, amount);
      const clause = no.clause ? say("clause", { clause: no.clause }) : "";
      tell.refuse(words, clause);
      // A request made in a dialog is answered there.
      if (!isCovered()) tell.bubble(table, spot, words, clause);
    }
  };
}
