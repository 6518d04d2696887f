// The cashier console: ticket scanner, pending signatures and the parts of the cashier desk.

import { openConsole } from "../console/console.js";
import { durationOf, labelOf } from "../console/text.js";
import { isModalOpen } from "../shared/dialog.js";
import { each, el, field, form, shown, text } from "../shared/dom.js";
import { drawerCard } from "./drawer.js";
import { heldWins, payables } from "./hand_pays.js";
import { payout } from "./payout.js";
import { CashierState } from "./state.js";
import { ticketCard } from "./tickets.js";

/** @typedef {import("../shared/types/console.js").ProposalRow} ProposalRow */

/**
 * What is paid without a ticket: held wins and payables.
 * @param {CashierState} state
 * @returns {import("../console/client.js").Part}
 */
function handPays(state) {
  const parts = [payables(state), heldWins(state)];
  const node = el("div", { class: "settles" }, ...parts.map((part) => part.node));
  const update = (/** @type {import("../shared/store.js").State} */ view) => parts.forEach((part) => part.update(view));
  return { node, update };
}

/** @param {import("../console/client.js").ConsoleClient} client @returns {import("../console/console.js").ConsoleContent} */
export function cashier(client) {
  const state = new CashierState(client);
  return {
    title: () => "Cashier",
    pills: ({ floor }) => [
      state.drawer
        ? { key: "drawer", says: `Drawer ${state.drawer.drawer}`, look: "ok" }
        : { key: "drawer", says: "No drawer", look: "warn" },
      ...((floor?.holds ?? []).length > 0
        ? [{ key: "holds", says: `${floor?.holds?.length} held`, look: /** @type {const} */ ("warn") }]
        : []),
      ...((floor?.debts ?? []).some(({ payable }) => payable > 0)
        ? [{ key: "payables", says: "Payables", look: /** @type {const} */ ("warn") }]
        : []),
    ],
    parts: [
      scan(state),
      ticketCard(state),
      payout(state),
      handPays(state),
      drawerCard(state),
      pendingSignatures(state),
    ],
  };
}

// The scanner field has the focus whenever nothing else needs it: a scanner types and presses Enter.

/** @param {import("./state.js").CashierState} state @returns {import("../console/client.js").Part} */
function scan(state) {
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
      if (number.trim()) void state.lookUp(number.trim());
    },
    field("Number of a slip or ticket", input),
    el("button", {}, "Look up"),
  );
  const node = el("section", { class: "card scan", "aria-label": "Scanner" }, made);
  const isFree = () => state.client.who !== null && !isModalOpen();
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
    if (state.client.who === null) input.value = "";
    if (document.activeElement === document.body || document.activeElement === null) back();
  };
  const update = () => {
    if (state.syncPerson()) input.value = "";
    tick();
  };
  return { node, update, tick };
}

/** @param {KeyboardEvent} event */
const isTyped = ({ key, ctrlKey, altKey, metaKey }) => /^[0-9A-Za-z-]$/.test(key) && !(ctrlKey || altKey || metaKey);

/** @param {EventTarget | null} target */
const isField = (target) => target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

// First signatures that wait for the second.

/** @param {import("./state.js").CashierState} state @returns {import("../console/client.js").Part} */
export function pendingSignatures(state) {
  const list = el("ul", {});
  const node = el(
    "section",
    { class: "card waiting", "aria-label": "Waiting for a second signature" },
    el("h2", {}, "Waiting for a second signature"),
    list,
  );
  const update = () => {
    const rows = state.client.view.floor?.proposals ?? [];
    shown(node, rows.length > 0);
    each(
      list,
      rows,
      ({ proposal }) => proposal,
      () => el("li", {}),
      (item, row) => text(item, wordsOf(row, state.client.session.now())),
    );
  };
  return { node, update, tick: update };
}

/** @param {ProposalRow} row @param {number | null} now */
function wordsOf({ command, person, expires_at_us: until }, now) {
  const { type, sequence } = /** @type {{type: string, sequence?: number}} */ (command);
  const what = labelOf(type.replace(/(?<!^)([A-Z])/g, " $1").toLowerCase());
  return `${what}${sequence ? ` ${sequence}` : ""}, signed by ${person}: ${durationOf(until - (now ?? until))} left`;
}

await openConsole("cashier", cashier);
