// The cashier console: ticket scanner, pending signatures and the parts of the cashier desk.

import { openConsole } from "../console/console.js";
import { currenciesOf, openDayReport } from "../console/documents.js";
import { durationOf, figure } from "../console/text.js";
import { commandText, factPairs } from "../console/widgets.js";
import { isModalOpen } from "../shared/dialog.js";
import { button, field, form, h, icon } from "../shared/render.js";
import { say } from "../shared/text.js";
import { drawerCard, movementsOf } from "./drawer.js";
import { handOutSigned, heldWins, payables } from "./hand_pays.js";
import { PAY_KEY, payoutCard } from "./payout.js";
import { CashierState } from "./state.js";
import { ticketCard } from "./tickets.js";

/** @typedef {import("../shared/types/console.js").ProposalRow} ProposalRow */

/** @param {import("../console/client.js").ConsoleClient} client @returns {import("../console/console.js").ConsoleContent} */
export function cashier(client) {
  const state = new CashierState(client);
  keepFocus(state);
  document.addEventListener("keydown", (event) => {
    if (event.key !== PAY_KEY || isModalOpen()) return;
    event.preventDefault();
    if (state.payingDrawer && !state.isPaying) void state.pay();
  });
  return {
    title: () => say("cashier.title"),
    pills: ({ floor }) => [
      state.drawer
        ? { key: "drawer", says: say("cashier.drawer", { drawer: state.drawer.drawer }), look: "ok" }
        : { key: "drawer", says: say("cashier.no-drawer"), look: "warn" },
      ...((floor?.holds ?? []).length > 0
        ? [{
          key: "holds",
          says: say("cashier.held", { n: floor?.holds?.length ?? 0 }),
          look: /** @type {const} */ ("warn"),
        }]
        : []),
      ...((floor?.debts ?? []).some(({ payable }) => payable > 0)
        ? [{ key: "payables", says: say("cashier.payables"), look: /** @type {const} */ ("warn") }]
        : []),
    ],
    changed: ({ floor }) => {
      if (state.syncPerson()) clearScan();
      // Fetched before a drawer is taken, which needs them.
      currenciesOf(client);
      void handOutSigned(state, floor?.debts ?? []);
    },
    parts: [
      () => today(state),
      () => scanner(state),
      () => ticketCard(state),
      () => payoutCard(state),
      (view) => h("div", { class: "settles" }, payables(state, view), heldWins(state, view)),
      () => drawerCard(state),
      () => pendingSignatures(state),
    ],
  };
}

// The scanner field has the focus whenever nothing else needs it: a scanner types and presses Enter.

const scanInput = () => /** @type {HTMLInputElement | null} */ (document.querySelector(".scan input"));

/** A number half typed is not for the next person. */
function clearScan() {
  const input = scanInput();
  if (input) input.value = "";
}

/** @param {CashierState} state */
function scanner(state) {
  const lookUp = (/** @type {{number: string}} */ { number }) => {
    clearScan();
    if (number.trim()) void state.lookUp(number.trim());
  };
  const input = {
    name: "number",
    inputmode: "numeric",
    autocomplete: "off",
    maxlength: 32,
    placeholder: say("cashier.scan-here"),
  };
  return h(
    "section",
    { class: "card scan", "aria-label": say("cashier.scanner") },
    form(
      { class: "row" },
      lookUp,
      field(say("cashier.number"), h("input", input)),
      h("button", null, say("cashier.look-up")),
    ),
  );
}

/** @param {CashierState} state */
function keepFocus({ client }) {
  const isFree = () => client.who !== null && !isModalOpen();
  const back = () => {
    const input = scanInput();
    if (!isFree() || !input) return;
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
  setInterval(() => {
    if (document.activeElement === document.body || document.activeElement === null) back();
  }, FOCUS_MS);
}

/** How often the focus is looked after. */
const FOCUS_MS = 200;

/** @param {KeyboardEvent} event */
const isTyped = ({ key, ctrlKey, altKey, metaKey }) => /^[0-9A-Za-z-]$/.test(key) && !(ctrlKey || altKey || metaKey);

/** @param {EventTarget | null} target */
const isField = (target) => target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement;

// First signatures that wait for the second.

/** @param {CashierState} state */
function pendingSignatures(state) {
  const { floor } = state.client.view;
  const rows = floor?.proposals ?? [];
  if (rows.length === 0) return null;
  const text = (/** @type {ProposalRow} */ { command, person, expires_at_us: until }) => {
    const { sequence = "", drawer } = /** @type {{sequence?: number, drawer?: string}} */ (command);
    const currency = floor?.drawers?.find((row) => row.drawer === drawer)?.currency;
    const what = commandText(command, null, (cents) => state.formatAmount(cents, currency));
    const time = durationOf(until - (state.client.session.now() ?? until));
    return say("cashier.signed-by", { what: `${what} ${sequence}`.trim(), person, time });
  };
  return h(
    "section",
    { class: "card waiting", "aria-label": say("cashier.waiting") },
    h("h2", null, say("cashier.waiting")),
    h("ul", null, rows.map((row) => h("li", { key: row.proposal }, text(row)))),
  );
}

// Today first: what went through the drawer, what is held, what waits for a signature, and the report.

/** @param {CashierState} state */
function today(state) {
  const { drawer } = state;
  const { holds = [], holds_more: more = 0, proposals = [] } = state.client.view.floor ?? {};
  const held = holds.length + more;
  return h(
    "section",
    { class: "card today", "aria-label": say("today.none") },
    h("h2", null, drawer ? say("today.title", { drawer: drawer.drawer }) : say("today.none")),
    factPairs([
      ...(drawer ? movementsOf(state, drawer) : []),
      [say("today.held"), held > 0 ? figure(held) : say("today.held-none")],
      [
        say("today.signatures"),
        proposals.length > 0 ? say("today.waits", { n: proposals.length }) : say("today.held-none"),
      ],
    ]),
    button([icon("print"), say("today.report")], () => openDayReport(state.client)),
  );
}

await openConsole("cashier", cashier);
