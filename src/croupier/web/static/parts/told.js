// What has to be told now: the worst first, in the house's words and with the clause behind them.

import { el, marked, shown, text } from "../kit/dom.js";
import { say } from "../kit/words.js";

/** So long a message of the house is shown before it is left to the log. */
const MESSAGE_US = 20_000_000;

/**
 * @typedef {import("./ui.js").Ui} Ui
 * @typedef {{says: string, clause?: string | null, look: "stop" | "warn" | "calm"}} Word
 */

/** @param {Ui} ui */
export function told(ui) {
  const words = el("span", {});
  const clause = el("small", {});
  const node = el("p", { class: "told", hidden: true }, words, " ", clause);
  const news = newest(ui);
  const update = () => {
    const word = [...lineWords(ui), ...ui.tables().flatMap((name) => tableWords(ui, name)), ...news()][0];
    shown(node, word !== undefined);
    text(words, word?.says);
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
    return [{ says: out?.says ?? say("told.service"), clause: out?.clause, look: "stop" }];
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
  const { warning, idle } = ui.mine(name) ?? {};
  const of = (/** @type {string} */ says) => (ui.tables().length > 1 ? say("told.of", { table: name, says }) : says);
  return [
    ...(notice ? [{ says: of(notice.says), clause: notice.clause, look: /** @type {const} */ ("warn") }] : []),
    ...(warning ? [{ says: of(warning), look: /** @type {const} */ ("stop") }] : []),
    ...(idle
      ? [{ says: of(say("told.idle", { n: idle.spins })), clause: idle.clause, look: /** @type {const} */ ("calm") }]
      : []),
  ];
}

/** A message of the house, for a while after it came. @param {Ui} ui @returns {() => Word[]} */
function newest(ui) {
  let [known, until] = [/** @type {string | null} */ (null), 0];
  return () => {
    const { seat } = ui.view();
    if (!seat) return [];
    const now = ui.session.now() ?? 0;
    const messages = seat.messages ?? [];
    const list = JSON.stringify(messages);
    // Those that were there when the page was opened are in the log.
    if (known !== null && list !== known && messages.length > 0) until = now + MESSAGE_US;
    known = list;
    return now < until ? [{ says: messages.at(-1), look: "calm" }] : [];
  };
}
