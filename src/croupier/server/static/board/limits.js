// The limits of a table, as the house tells them: kinds of bet that have the same stand together.

import { el, shown } from "../kit/dom.js";
import { money } from "../kit/money.js";
import { fetched } from "./fetched.js";

/**
 * @typedef {import("../kit/consoles.js").LimitsRow} LimitsRow
 * @typedef {import("../kit/felts.js").Felt} Felt
 */

/** @returns {{node: HTMLElement, update: (told: LimitsRow | null, felt: Felt | null) => void}} */
export function limits() {
  const list = el("dl", {});
  const node = el("section", { class: "limits", "aria-label": "Table limits" }, el("h2", {}, "Table limits"), list);
  /** What is drawn already. @type {[LimitsRow | null, Felt | null]} */
  let drawn = [null, null];
  /** @param {LimitsRow | null} told @param {Felt | null} felt */
  const update = (told, felt) => {
    shown(node, told !== null && felt !== null);
    if (!told || !felt || (told === drawn[0] && felt === drawn[1])) return;
    drawn = [told, felt];
    list.replaceChildren(...rowsOf(told, felt).flatMap(([name, bounds]) => [el("dt", {}, name), el("dd", {}, bounds)]));
  };
  return { node, update };
}

/** The limits of a table, anew with each round: they change between two.
 * @param {import("../kit/types.js").TableState} table @param {() => void} arrived @returns {LimitsRow | null} */
export const limitsOf = ({ table, round, rulebook }, arrived) =>
  fetched(`limits/${encodeURIComponent(table)}.json`, `${rulebook} ${round}`, arrived);

/** @param {LimitsRow} told @param {Felt} felt @returns {[string, string][]} */
function rowsOf({ kinds, total_least: least, total_most: most }, felt) {
  /** @type {Map<string, string[]>} */
  const alike = new Map();
  for (const { kind, name } of felt.kinds) {
    const [, from = null, to = null] = kinds.find(([one]) => one === kind) ?? [];
    const bounds = boundsOf(from, to, felt.currency);
    alike.set(bounds, [...(alike.get(bounds) ?? []), name]);
  }
  const rows = [...alike].map(([bounds, names]) => /** @type {[string, string]} */ ([names.join(", "), bounds]));
  return least || most ? [...rows, ["All bets together", boundsOf(least, most, felt.currency)]] : rows;
}

/** @param {number | null} least @param {number | null} most @param {string} currency */
function boundsOf(least, most, currency) {
  const write = (/** @type {number} */ cents) => money(cents, currency, "en", "narrowSymbol");
  if (least && most) return `${write(least)} to ${write(most)}`;
  return least ? `from ${write(least)}` : most ? `up to ${write(most)}` : "no limit";
}
