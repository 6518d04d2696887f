// The working of a drill, shown after its answer: pieces by odds, stacks, and value chips.

import { stacksOf } from "../felt/pieces.js";
import { money as inFull } from "../shared/money.js";
import { h } from "../shared/render.js";
import { locale, say } from "../shared/text.js";
import { lineName } from "./score.js";

/** @typedef {import("./score.js").Drill} Drill */

/** An amount with the short sign of its currency: a table has one. @param {number} cents @param {string} currency */
export const money = (cents, currency) => inFull(cents, currency, locale(), "narrowSymbol");

/** Every line of the sum, and the total. @param {Drill} drill @param {string} currency */
export function sumTable({ lines, pieces, value, amount }, currency) {
  const row = (/** @type {string} */ name, /** @type {string} */ sum, /** @type {number} */ out) =>
    h("tr", null, h("th", { scope: "row" }, name), h("td", null, sum), h("td", { class: "out" }, `= ${out}`));
  return h(
    "table",
    { class: "sums" },
    h(
      "tbody",
      null,
      lines.map((line) => {
        const { placed, counts, odds, out } = line;
        return row(lineName(line), placed === counts ? `${counts} × ${odds}` : `${placed} ÷ 5 × ${odds}`, out);
      }),
    ),
    h(
      "tfoot",
      null,
      row(say("trainer.total", { n: pieces, value: money(value, currency) }), `= ${money(amount, currency)}`, pieces),
    ),
  );
}

/** How to add it up faster: all pieces at the same odds together. @param {Drill} drill */
export const tipOf = ({ sums, pieces }) =>
  say("trainer.by-odds", { sum: sums.map(({ counts, odds }) => `${counts} × ${odds}`).join(" + "), n: pieces });

/** The payment cut into stacks, and the same in value chips. @param {Drill} drill @param {string} currency */
export function cutOf({ chip, pieces, stacks: [full, rest], cash }, currency) {
  const chips = cash.map(([value, count]) => `${count} × ${money(value, currency)}`).join(" + ");
  const cut = full === 0
    ? say("trainer.pieces", { n: rest })
    : `${say("trainer.stacks", { full })}${rest ? ` + ${rest}` : ""}`;
  return h(
    "div",
    { class: "cut" },
    h("p", null, h("b", null, cut)),
    h("p", { class: "soft" }, say("trainer.in-value-chips", { chips })),
    stacksOf(chip, pieces),
  );
}
