// The working of a drill, shown after its answer: pieces by odds, stacks, and value chips.

import { stacksOf } from "../felt/pieces.js";
import { el } from "../shared/dom.js";
import { money as inFull } from "../shared/money.js";
import { stacksText } from "./score.js";

/** @typedef {import("./score.js").Drill} Drill */

/** An amount with the short sign of its currency: a table has one. @param {number} cents @param {string} currency */
export const money = (cents, currency) => inFull(cents, currency, undefined, "narrowSymbol");

/** Every line of the sum, and the total. @param {Drill} drill @param {string} currency */
export function sumTable({ lines, pieces, value, amount }, currency) {
  const rows = lines.map(({ label, placed, counts, odds, out }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, label),
      el("td", {}, placed === counts ? `${counts} × ${odds}` : `${placed} ÷ 5 × ${odds}`),
      el("td", { class: "out" }, `= ${out}`),
    ),
  );
  const total = el(
    "tr",
    {},
    el("th", { scope: "row" }, `${pieces} pieces × ${money(value, currency)}`),
    el("td", {}, `= ${money(amount, currency)}`),
    el("td", { class: "out" }, `= ${pieces}`),
  );
  return el("table", { class: "sums" }, el("tbody", {}, ...rows), el("tfoot", {}, total));
}

/** How to add it up faster: all pieces at the same odds together. @param {Drill} drill */
export function tipOf({ sums, pieces }) {
  const terms = sums.map(({ counts, odds }) => `${counts} × ${odds}`).join(" + ");
  return `By odds: ${terms} = ${pieces}.`;
}

/** The payment cut into stacks, and the same in value chips. @param {Drill} drill @param {string} currency */
export function cutOf({ chip, pieces, stacks, cash }, currency) {
  const chips = cash.map(([value, count]) => `${count} × ${money(value, currency)}`).join(" + ");
  return el(
    "div",
    { class: "cut" },
    el("p", {}, el("b", {}, stacksText(stacks))),
    el("p", { class: "soft" }, `In value chips: ${chips}`),
    stacksOf(chip, pieces),
  );
}
