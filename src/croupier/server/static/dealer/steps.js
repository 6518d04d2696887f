// The steps of the round: what was done and when, the one that is next, and who takes those to come.

import { secondsLeft } from "../kit/clock.js";
import { button, each, el, enabled, marked, text } from "../kit/dom.js";
import { isReady } from "../kit/store.js";
import { citing, timeOf } from "../staff/words.js";
import { callNoSpin } from "./nospin.js";

/**
 * @typedef {import("../kit/consoles.js").StepRow} StepRow
 * @typedef {import("./deal.js").Deal} Deal
 */

/** Who takes a step that is not the dealer's. @type {Record<string, string>} */
const BY = { auto: "By itself", wheel: "By the wheel", pit: "By the pit" };

/** @param {Deal} deal @returns {import("../staff/desk.js").Part} */
export function steps(deal) {
  const node = el("ol", { class: "steps", "aria-label": "The round, step by step" });
  const draw = () => {
    marked(node, "data-off", isReady(deal.desk.view) ? null : "true");
    each(node, numbered(deal), ({ row }) => row.step, (item) => step(deal, item.row), (item, { row, place }) => {
      const key = /** @type {HTMLButtonElement} */ (item.firstElementChild);
      marked(item, "data-is", standing(deal, row));
      marked(item, "aria-current", row.next ? "step" : null);
      text(key.querySelector("i"), row.at_us === null ? place : "✓");
      text(key.querySelector("b"), row.words);
      text(key.querySelector("small"), about(deal, row));
      enabled(key, deal.free && row.command !== null);
    });
  };
  return { node, update: draw, tick: draw };
}

/** Take a step as it stands now: a number is said where the numbers are, and a no spin is confirmed.
 * @param {Deal} deal @param {StepRow} row */
export function takeStep(deal, row) {
  if (row.step === "no_spin") callNoSpin(deal, row.command);
  else if (row === deal.wants) /** @type {HTMLElement | null} */ (document.querySelector(".numbers .say"))?.focus();
  else void deal.take(row);
}

/** @param {Deal} deal @param {StepRow} row */
function step(deal, { step: name }) {
  const press = () => {
    const row = deal.steps.find((one) => one.step === name);
    if (row) takeStep(deal, row);
  };
  const key = button(el("i", { "aria-hidden": "true" }), press, { "data-step": name });
  key.append(el("span", {}, el("b", {}), el("small", {})));
  return el("li", {}, key);
}

/** @param {Deal} deal */
const numbered = ({ steps: rows }) => rows.map((row, place) => ({ row, place: place + 1 }));

/** How a step stands: taken, next for the dealer, next for somebody else, open to be taken early, or to come.
 * @param {Deal} deal @param {StepRow} row */
function standing({ wants }, row) {
  if (row.at_us !== null) return "taken";
  if (!row.next) return row.command ? "open" : "to-come";
  if (row.waits) return "waits";
  return row.by === "dealer" || row === wants ? "next" : "others";
}

/** What there is to know of a step: when it was taken, why it waits, what is called with it, or who takes it.
 * @param {Deal} deal @param {StepRow} row */
function about({ desk, floor }, row) {
  const left = secondsLeft(row.due_us, desk.session.now());
  const by = left === null ? BY[row.by] : `${BY[row.by] ?? "By itself"} in ${left} s`;
  if (row.at_us !== null) return timeOf(row.at_us);
  if (row.waits) return citing(row.waits);
  if (row.step === "confirm" && row.next) return `The sensor reads ${floor?.reported ?? "nothing"}`;
  if (row.asks.length > 0 && row.by === "wheel") return `${by}, or entered here`;
  if (row.command && !row.next) return "May be taken already";
  const mine = row.by === "dealer" && left === null;
  return [row.says && `Call “${row.says}”`, mine ? "" : by].filter(Boolean).join(" · ");
}
