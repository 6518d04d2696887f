// The cashier console: ticket scanner, pending signatures and the parts of the cashier desk.

import { openConsole } from "../console/console.js";
import { spanOf, wordOf } from "../console/text.js";
import { isCovered } from "../shared/dialog.js";
import { each, el, field, form, shown, text } from "../shared/dom.js";
import { drawerCard } from "./drawer.js";
import { holds, payables } from "./hand_pays.js";
import { payout } from "./payout.js";
import { Till } from "./state.js";
import { ticketCard } from "./tickets.js";

/** @typedef {import("../shared/types/console.js").ProposalRow} ProposalRow */

/**
 * What is paid without a ticket: held wins and payables.
 * @param {Till} till
 * @returns {import("../console/client.js").Part}
 */
function settles(till) {
  const parts = [payables(till), holds(till)];
  const node = el("div", { class: "settles" }, ...parts.map((part) => part.node));
  const update = (/** @type {import("../shared/store.js").State} */ view) => parts.forEach((part) => part.update(view));
  return { node, update };
}

/** @param {import("../console/client.js").Desk} desk @returns {import("../console/console.js").Furniture} */
export function cashier(desk) {
  const till = new Till(desk);
  return {
    title: () => "Cashier",
    pills: ({ floor }) => [
      till.drawer
        ? { key: "drawer", says: `Drawer ${till.drawer.drawer}`, look: "ok" }
        : { key: "drawer", says: "No drawer", look: "warn" },
      ...((floor?.holds ?? []).length > 0
        ? [{ key: "holds", says: `${floor?.holds?.length} held`, look: /** @type {const} */ ("warn") }]
        : []),
      ...((floor?.debts ?? []).some(({ payable }) => payable > 0)
        ? [{ key: "payables", says: "Payables", look: /** @type {const} */ ("warn") }]
        : []),
    ],
    parts: [scan(till), ticketCard(till), payout(till), settles(till), drawerCard(till), waiting(till)],
  };
}

// The scanner field has the focus whenever nothing else needs it: a scanner types and presses Enter.

/** @param {import("./state.js").Till} till @returns {import("../console/client.js").Part} */
function scan(till) {
  const input = el("input", {
    name: "number",
    inputmode: "numeric",
    autocomplete: "off",
    maxlength: 32,
    placeholder: "Scan, or type the 18 digits",
  });
  const made = form(
    { class: "row" },
    ({ number }) => {
      input.value = "";
      if (number.trim()) void till.lookUp(number.trim());
    },
    field("Number of a slip or ticket", input),
    el("button", {}, "Look up"),
  );
  const node = el("section", { class: "card scan", "aria-label": "Scanner" }, made);
  const isFree = () => till.desk.who !== null && !isCovered();
  const back = () => {
    if (!isFree()) return;
    input.focus();
    // Leftover text is not part of the next number.
    input.select();
  };
  document.addEventListener("keydown", (event) => {
    if (isFree() && isTyped(event) && !isField(event.target)) back();
  });
  // After a press the focus returns to the scanner field. A dialog that the press opened keeps it.
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest("button")) back();
  });
  document.addEventListener("close", () => requestAnimationFrame(back), true);
  const tick = () => {
    if (till.desk.who === null) input.value = "";
    if (document.activeElement === document.body || document.activeElement === null) back();
  };
  const update = () => {
    if (till.belong()) input.value = "";
    tick();
  };
  return { node, update, tick };
}

/** @param {KeyboardEvent} event */
const isTyped = ({ key, ctrlKey, altKey, metaKey }) => /^[0-9A-Za-z-]$/.test(key) && !(ctrlKey || altKey || metaKey);

/** @param {EventTarget | null} target */
const isField = (target) => target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

// First signatures that wait for the second.

/** @param {import("./state.js").Till} till @returns {import("../console/client.js").Part} */
export function waiting(till) {
  const list = el("ul", {});
  const node = el(
    "section",
    { class: "card waiting", "aria-label": "Waiting for a second signature" },
    el("h2", {}, "Waiting for a second signature"),
    list,
  );
  const update = () => {
    const rows = till.desk.view.floor?.proposals ?? [];
    shown(node, rows.length > 0);
    each(
      list,
      rows,
      ({ proposal }) => proposal,
      () => el("li", {}),
      (item, row) => text(item, wordsOf(row, till.desk.session.now())),
    );
  };
  return { node, update, tick: update };
}

/** @param {ProposalRow} row @param {number | null} now */
function wordsOf({ command, person, expires_at_us: until }, now) {
  const { type, sequence } = /** @type {{type: string, sequence?: number}} */ (command);
  const what = wordOf(type.replace(/(?<!^)([A-Z])/g, " $1").toLowerCase());
  return `${what}${sequence ? ` ${sequence}` : ""}, signed by ${person}: ${spanOf(until - (now ?? until))} left`;
}

await openConsole("cashier", cashier);
