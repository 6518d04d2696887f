// Screen reader announcements and refusals.

import { isModalOpen } from "../shared/dialog.js";
import { el } from "../shared/dom.js";
import { drawnText } from "../shared/multiples.js";
import { refusalText, say } from "../shared/text.js";
import { statusText } from "./game_status.js";
import { connectionNotices, ofTable, tableNotices } from "./notices.js";
import { fundingText, insertMoney } from "./dialogs/funding.js";
import { amount } from "./money.js";

/**
 * @typedef {import("../shared/types/wire.js").RefusalBody} Refusal
 * @typedef {import("./controller.js").Controller} Controller
 * @typedef {import("../felt/aim.js").Remedy} Remedy
 */

/** The seconds that are announced. */
const ANNOUNCED_AT = [10, 5];

/** The regions that screen readers read out. A text that is said again is put in again. */
export class Announcer {
  /** @param {Controller} ui */
  constructor(ui) {
    this.ui = ui;
    this.polite = el("p", { "aria-live": "polite", class: "unseen", "data-live": "phase" });
    this.urgent = el("p", { "aria-live": "assertive", class: "unseen", "data-live": "refusal" });
    /** The last announcement by subject. @type {Map<string, string>} */
    this.last = new Map();
  }

  /** Say what is new of the tables. */
  announce() {
    const { ui } = this;
    const words = [];
    for (const name of ui.tables()) {
      const status = statusAnnouncement(ui, name);
      if (this.#isNews(`phase ${name}`, status)) words.push(ofTable(ui, name, status));
      const drawn = drawnText(ui.table(name)?.multiples);
      if (this.#isNews(`drawn ${name}`, drawn)) words.push(ofTable(ui, name, drawn));
      const seconds = ui.seconds(name);
      const left = seconds !== null && ANNOUNCED_AT.includes(seconds) ? say("seconds", { n: seconds }) : "";
      if (this.#isNews(`seconds ${name}`, left)) words.push(ofTable(ui, name, left));
    }
    const rest = [...connectionNotices(ui), ...ui.tables().flatMap((name) => tableNotices(ui, name))]
      .map(({ says }) => says)
      .join(" ");
    if (this.#isNews("notice", rest)) words.push(rest);
    if (words.length > 0) this.polite.textContent = words.join(". ");
  }

  /** @param {string} words @param {string} clause */
  refuse(words, clause) {
    // Clear first, so that an identical text is announced again.
    this.urgent.textContent = "";
    this.urgent.textContent = clause ? `${words} ${clause}` : words;
  }

  /** @param {string} of the subject @param {string} words */
  #isNews(of, words) {
    const known = this.last.get(of);
    this.last.set(of, words);
    return known !== words && words !== "";
  }
}

/** The status as text; with a winning number also the amount won. @param {Controller} ui @param {string} name */
function statusAnnouncement(ui, name) {
  const status = ui.status(name);
  const words = statusText(ui, name, status);
  const won = ui.table(name)?.corrected ? 0 : (ui.game(name)?.net ?? 0);
  return status.is === "winning" && won > 0 ? say("announce.won", { words, won: amount(won) }) : words;
}

// Refusals: each is shown once, at the spot that was pressed if there was one, and announced.

/**
 * @param {Controller} ui
 * @param {{bubble: (table: string, spot: string | null, words: string, clause: string, remedy: Remedy | null) => void,
 *   refuse: (words: string, clause: string) => void}} tell
 */
export function showRefusals(ui, tell) {
  /** @type {WeakSet<Refusal>} */
  const seen = new WeakSet(ui.view().refusals);
  return () => {
    const news = /** @type {Refusal[]} */ (ui.view().refusals).filter((no) => !seen.has(no));
    for (const no of news.reverse()) {
      seen.add(no);
      const { table, spot } = ui.pressedAt.get(no) ?? { table: ui.focus(), spot: null };
      const clause = no.clause ? say("clause", { clause: no.clause }) : "";
      const remedied = remedyOf(ui, no, table);
      const words = remedied?.title ?? refusalText(no, amount);
      tell.refuse(words, clause);
      // A request made in a dialog is answered there.
      if (!isModalOpen()) tell.bubble(table, spot, words, clause, remedied);
    }
    return news.length;
  };
}

// Remedies: what a player can do about a refusal.

/**
 * @param {Controller} ui @param {Refusal} no @param {string} table
 * @returns {Remedy & {title: string} | null}
 */
function remedyOf(ui, no, table) {
  const facts = /** @type {Record<string, any>} */ (no.facts ?? {});
  if (no.code === "credit_short") {
    const title = say("remedy.need", { cost: amount(Number(facts.cost)) });
    const credit = say("remedy.credit", { credit: amount(Number(facts.credit)) });
    if (!ui.session.demo) return { title, about: `${credit} ${fundingText(ui)}`, words: "", act: null };
    return { title, about: credit, words: say("action.insert"), act: () => insertMoney(ui) };
  }
  if (no.code === "own_limit" || no.code === "play_paused") {
    const act = () => ui.dialogs.own();
    return { title: refusalText(no, amount), about: say("own.yours"), words: say("menu.own"), act };
  }
  if (no.code !== "stake_under_minimum") return null;
  const [spot, least, stake] = [String(facts.spot), Number(facts.minimum), Number(facts.stake)];
  const kind = ui.data(table)?.spotsByKey.get(spot)?.kind;
  if (!kind) return null;
  const segment = ui.data(table)?.kinds.find((one) => one.kind === kind)?.segment;
  const title = say(segment !== "inside" ? "remedy.outside" : "remedy.inside", { least: amount(least) });
  const about = say("remedy.chip", { stake: amount(stake) });
  return {
    title,
    about,
    words: say("remedy.place", { least: amount(least) }),
    act: () => ui.place(table, spot, least),
  };
}
