// What has to be told now: the worst first, in the house's words and with the clause behind them.

import { el, marked, shown, text } from "../kit/dom.js";
import { say } from "../kit/words.js";

/** So long a message of the house is shown before it is left to the log. */
const MESSAGE_US = 20_000_000;
/** So many are shown at once. */
const MESSAGES_MOST = 2;

/**
 * @typedef {import("./ui.js").Ui} Ui
 * @typedef {{says: string, clause?: string | null, look: "stop" | "warn" | "calm", house?: boolean}} Word
 *   with whether it is in the house's own words, which are not translated
 */

/** @param {Ui} ui */
export function told(ui) {
  const words = el("span", { dir: "auto" });
  const clause = el("small", {});
  const node = el("p", { class: "told", hidden: true }, words, " ", clause);
  const news = newest(ui);
  const update = () => {
    const standing = [...lineWords(ui), ...ui.tables().flatMap((name) => tableWords(ui, name))];
    // What can wait, such as that somebody sits idle, hides no message of the house.
    const word = [...standing.filter(({ look }) => look !== "calm"), ...news(), ...standing][0];
    shown(node, word !== undefined);
    text(words, word?.says);
    marked(words, "lang", word?.house ? "en" : null);
    text(clause, word?.clause ? say("clause", { clause: word.clause }) : "");
    marked(node, "data-look", word?.look);
  };
  return { node, update };
}

/** Out of service, and a line that is lost with what becomes of the bets. @param {Ui} ui @returns {Word[]} */
export function lineWords(ui) {
  const { seat, line } = ui.view();
  const out = seat?.out_of_service;
  if (seat && seat.in_service === false)
    return [{ says: out?.says ?? say("told.service"), clause: out?.clause, look: "stop", house: Boolean(out) }];
  if (line !== "lost") return [];
  const rule = ui.data()?.line_lost;
  const staked = Object.values(seat?.games ?? {}).some((/** @type {any} */ game) => game.staked > 0);
  if (!rule || !staked) return [{ says: say("told.lost"), look: "stop" }];
  return [{ says: say("told.lost-with-bets", { rule: rule.says }), clause: rule.clause, look: "stop" }];
}

/** What became of a round, and what must be changed before the close.
 * @param {Ui} ui @param {string} name @returns {Word[]} */
export function tableWords(ui, name) {
  const { notice } = ui.table(name) ?? {};
  const { warning, idle, staked = 0 } = ui.mine(name) ?? {};
  const of = (/** @type {string} */ says) => (ui.tables().length > 1 ? say("told.of", { table: name, says }) : says);
  /** @type {Word[]} */
  const found = [];
  if (warning) found.push({ says: of(warning), look: "stop", house: true });
  if (notice) found.push({ says: of(notice.says), clause: notice.clause, look: "warn", house: true });
  // Whoever has chips on the felt by now is idle no longer.
  if (idle && staked === 0)
    found.push({ says: of(say("told.idle", { n: idle.spins })), clause: idle.clause, look: "calm" });
  return found;
}

/** Messages of the house, for a while after they came. @param {Ui} ui @returns {() => Word[]} */
function newest(ui) {
  let [known, fresh, until] = [/** @type {string[] | null} */ (null), /** @type {string[]} */ ([]), 0];
  return () => {
    const { seat } = ui.view();
    if (!seat) return [];
    const now = ui.session.now() ?? 0;
    /** @type {string[]} */
    const messages = seat.messages ?? [];
    // Those that were there when the page was opened are in the log.
    if (known !== null && messages.length > 0 && messages.join("\n") !== known.join("\n")) {
      // At one close there may be several; the house keeps only so many.
      const news = messages.slice(Math.min(known.length, messages.length - 1));
      fresh = [...(now < until ? fresh : []), ...news].slice(-MESSAGES_MOST);
      until = now + MESSAGE_US;
    }
    known = messages;
    return now < until ? [{ says: fresh.join(" "), look: "calm", house: true }] : [];
  };
}
