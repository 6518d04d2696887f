// Refusals: each is told once, at the spot that was touched where there was one, and to whoever listens.

import { amount } from "../kit/money.js";
import { isCovered } from "../kit/sheet.js";
import { refusalWords, say } from "../kit/words.js";

/**
 * @typedef {import("./ui.js").Ui} Ui
 * @typedef {import("../kit/types.js").No} No
 */

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
      // What was asked for in a sheet is answered there.
      if (!isCovered()) tell.bubble(table, spot, words, clause);
    }
  };
}
