// The cashier console: ticket scanner, pending signatures and the parts of the cashier desk.

import { openConsole } from "../console/console.js";
import { openDayReport } from "../console/documents.js";
import { durationOf, figure } from "../console/text.js";
import { commandText } from "../console/widgets.js";
import { isModalOpen } from "../shared/dialog.js";
import { each, el, field, form, icon, shown, text } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { drawerCard, movementsOf } from "./drawer.js";
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
    title: () => say("cashier.title"),
    pills: ({ floor }) => [
      state.drawer
        ? { key: "drawer", says: say("cashier.drawer", { drawer: state.drawer.drawer }), look: "ok" }
        : { key: "drawer", says: say("cashier.no-drawer"), look: "warn" },
      ...((floor?.holds ?? []).length > 0
        ? [{ key: "holds", says: say("cashier.held", { n: floor?.holds?.length ?? 0 }), look: /** @type {const} */ ("warn") }]
        : []),
      ...((floor?.debts ?? []).some(({ payable }) => payable > 0)
        ? [{ key: "payables", says: say("cashier.payables"), look: /** @type {const} */ ("warn") }]
        : []),
    ],
    parts: [
      today(state),
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
    placeholder: say("cashier.scan-here"),
  });
  const made = form(
    { class: "row" },
    ({ number }) => {
      input.value = "";
      if (number.trim()) void state.lookUp(number.trim());
    },
    field(say("cashier.number"), input),
    el("button", {}, say("cashier.look-up")),
  );
  const node = el("section", { class: "card scan", "aria-label": say("cashier.scanner") }, made);
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
    { class: "card waiting", "aria-label": say("cashier.waiting") },
    el("h2", {}, say("cashier.waiting")),
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
      (item, row) => text(item, wordsOf(state, row)),
    );
  };
  return { node, update, tick: update };
}

/** @param {CashierState} state @param {ProposalRow} row */
function wordsOf(state, { command, person, expires_at_us: until }) {
  const { sequence = "", drawer } = /** @type {{sequence?: number, drawer?: string}} */ (command);
  const row = state.client.view.floor?.drawers?.find((one) => one.drawer === drawer);
  const what = commandText(command, null, (cents) => state.formatAmount(cents, row?.currency));
  const time = durationOf(until - (state.client.session.now() ?? until));
  return say("cashier.signed-by", { what: `${what} ${sequence}`.trim(), person, time });
}

// Today first: what went through the drawer, what is held, what waits for a signature, and the report.

/** @param {CashierState} state @returns {import("../console/client.js").Part} */
function today(state) {
  const title = el("h2", {});
  const list = el("dl", {});
  const report = el("button", { type: "button", click: () => openDayReport(state.client) }, icon("print"), say("today.report"));
  const node = el("section", { class: "card today", "aria-label": say("today.none") }, title, list, report);
  const update = () => {
    const { drawer } = state;
    text(title, drawer ? say("today.title", { drawer: drawer.drawer }) : say("today.none"));
    each(
      list,
      figuresOf(state),
      ([label]) => label,
      ([label]) => el("div", {}, el("dt", {}, label), el("dd", {})),
      (item, [, value]) => text(item.lastElementChild, value),
    );
  };
  return { node, update };
}

/** @param {CashierState} state @returns {[string, string][]} */
function figuresOf(state) {
  const { drawer } = state;
  const { holds = [], holds_more: more = 0, proposals = [] } = state.client.view.floor ?? {};
  const held = holds.length + more;
  const waits = proposals.length;
  return [
    ...(drawer ? movementsOf(state, drawer) : []),
    [say("today.held"), held > 0 ? figure(held) : say("today.held-none")],
    [say("today.signatures"), waits > 0 ? say("today.waits", { n: waits }) : say("today.held-none")],
  ];
}

await openConsole("cashier", cashier);
