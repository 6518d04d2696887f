// The cash drawer: opening it, its cash and its movements, and handing it in.

import { currenciesOf, openDocument } from "../console/documents.js";
import { openForm } from "../console/forms.js";
import { timeOf } from "../console/text.js";
import { factPairs } from "../console/widgets.js";
import { button, h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { openCount, openVault } from "./vault.js";

/**
 * @typedef {import("./state.js").CashierState} CashierState
 * @typedef {import("../shared/types/console.js").DrawerRow} DrawerRow
 */

/** How many of the last movements are listed. */
const LISTED = 50;

/** @param {CashierState} state */
export function drawerCard(state) {
  const { drawer, ownDrawers, movements } = state;
  const money = (/** @type {number} */ cents) => state.formatAmount(cents, drawer?.currency);
  const choose = (/** @type {any} */ { target }) => state.choose(target.value);
  const report = () => openDocument(state.client, { type: "shift_report", drawer: state.handedIn });
  const row = (/** @type {import("./state.js").Movement} */ { at_us, what, amount, currency, receipt }) =>
    h(
      "li",
      // The receipt of a movement is unique.
      { key: JSON.stringify(receipt) },
      h("time", null, timeOf(at_us)),
      h("span", null, what),
      h("b", null, state.formatAmount(amount, currency)),
      button(say("payout.receipt"), () => openDocument(state.client, receipt), {
        class: "small",
        "aria-label": say("payout.receipt-of", { what }),
      }),
    );
  return h(
    "section",
    { class: "card drawer", "aria-label": say("drawer.title") },
    h(
      "div",
      { class: "top" },
      h("h2", null, say("drawer.title")),
      drawer &&
        h(
          "span",
          { class: "pill", "data-look": "calm" },
          say("drawer.since", { time: timeOf(drawer.opened_at_us).slice(0, 5) }),
        ),
    ),
    h(
      "p",
      { class: "name" },
      drawer ? [drawer.drawer, drawer.currency].filter(Boolean).join(" · ") : say("drawer.none"),
    ),
    ownDrawers.length > 1 &&
      h(
        "select",
        { "aria-label": say("drawer.which"), value: drawer?.drawer, change: choose },
        ownDrawers.map((one) =>
          h("option", { key: one.drawer, value: one.drawer }, [one.drawer, one.currency].filter(Boolean).join(" · "))
        ),
      ),
    drawer && typeof drawer.cash === "number" &&
      h("p", { class: "cash" }, h("small", null, say("drawer.cash-now")), h("b", null, money(drawer.cash))),
    drawer && factPairs([[say("drawer.float-row"), money(drawer.float_)], ...movementsOf(state, drawer)], "ledger"),
    h("p", { class: "none" }, statusText(state)),
    h(
      "div",
      { class: "buttons" },
      drawer && [
        button(say("vault.fill"), () => openVault(state, "FillDrawer")),
        button(say("vault.drop"), () => openVault(state, "DropDrawer")),
        button(say("drawer.buy-in"), () => buyIn(state)),
        button(say("drawer.count"), () => openCount(state, drawer)),
        button(say("drawer.hand-in"), () => handInDrawer(state), { disabled: drawer.counted === null }),
      ],
      button(say(drawer ? "drawer.take-another" : "drawer.take"), () => openTakeDrawer(state), {
        class: drawer ? "small" : "main",
      }),
      !drawer && state.handedIn !== "" && button(say("drawer.shift"), report),
    ),
    movements.length > 0 && [
      h("h2", null, say("drawer.visit")),
      h("p", { class: "sums" }, totalsText(state)),
      h(
        "div",
        { class: "scroll", tabindex: "0", role: "region", "aria-label": say("drawer.visit") },
        h("ol", { class: "visit", "aria-label": say("drawer.visit-list") }, movements.slice(0, LISTED).map(row)),
      ),
    ],
  );
}

/**
 * What went through a drawer. Where it is counted blind, what was paid and taken is that of this visit.
 * @param {CashierState} state @param {DrawerRow} drawer @returns {[string, string][]}
 */
export function movementsOf(state, drawer) {
  const money = (/** @type {number} */ cents) => state.formatAmount(cents, drawer.currency);
  const visit = totalsOf(state)[drawer.currency] ?? { out: 0, in: 0 };
  return [
    [say("drawer.fills"), money(drawer.filled)],
    [say("drawer.drops"), money(drawer.dropped)],
    [say("drawer.bought-in"), money(drawer.taken_in ?? visit.in)],
    [say("drawer.paid"), money(drawer.paid_out ?? visit.out)],
  ];
}

/** The status of the drawer as text. @param {CashierState} state */
function statusText({ drawer, handedIn }) {
  if (drawer === null) return handedIn ? say("drawer.handed", { drawer: handedIn }) : say("drawer.own");
  if (drawer.counted !== null) return say("drawer.counted");
  const status = say(drawer.currency ? "drawer.uncounted" : "drawer.unused");
  return drawer.cash === null ? `${status} ${say("drawer.blind")}` : status;
}

/** The sums of this visit by currency. @param {CashierState} state */
function totalsOf(state) {
  /** @type {Record<string, {out: number, in: number}>} */
  const sums = {};
  for (const { amount, currency } of state.movements) {
    const sum = (sums[currency] ??= { out: 0, in: 0 });
    if (amount > 0) sum.out += amount;
    else sum.in -= amount;
  }
  return sums;
}

/** @param {CashierState} state */
const totalsText = (state) =>
  Object.entries(totalsOf(state))
    .map(([currency, sum]) =>
      [
        say("drawer.paid-out", { amount: state.formatAmount(sum.out, currency) }),
        ...(sum.in > 0 ? [say("drawer.taken-in", { amount: state.formatAmount(sum.in, currency) })] : []),
      ].join(", ")
    )
    .join("; ");

/**
 * Take a drawer. It has one currency, which is asked for where the house has several.
 * @param {CashierState} state @param {string} [wanted] the currency that is needed
 */
export function openTakeDrawer(state, wanted) {
  const currencies = currenciesOf(state.client);
  openForm({
    name: "take-drawer",
    title: say("drawer.take-title"),
    fields: [
      { name: "drawer", label: say("drawer.take-name"), about: say("drawer.take-about") },
      ...(currencies.length > 1
        ? [
          /** @type {import("../console/forms.js").Field} */ ({
            name: "currency",
            label: say("report.currency"),
            kind: "choice",
            choices: currencies.map((one) => [one, one]),
            value: wanted ?? null,
          }),
        ]
        : []),
      { name: "float_", label: say("drawer.take-float"), kind: "amount" },
    ],
    does: say("drawer.take-it"),
    send: ({ drawer, float_, currency = currencies[0] ?? "" }) =>
      state.sendCommand({ type: "OpenDrawer", drawer, float_, currency }),
    done: () => (state.handedIn = ""),
  });
}

/** Hand the drawer in, once the cashier has confirmed the count. @param {CashierState} state */
function handInDrawer(state) {
  const row = state.drawer;
  if (!row || row.counted === null) return;
  const { drawer } = row;
  const amount = state.formatAmount(row.counted, row.currency);
  openForm({
    name: "hand-in",
    title: say("drawer.hand-in-title", { drawer }),
    about: [
      h("p", { class: "sum" }, h("bdi", null, amount)),
      h("p", null, say("drawer.hand-in-about", { drawer, amount })),
    ],
    does: say("drawer.hand-in-amount", { amount }),
    grave: true,
    send: () => state.sendCommand({ type: "CloseDrawer", drawer }),
    done: () => {
      state.handedIn = drawer;
      state.client.session.redraw();
    },
  });
}

/** Sell credits, where the rules allow it; the server refuses otherwise. @param {CashierState} state */
function buyIn(state) {
  const drawer = state.drawer?.drawer ?? "";
  openForm({
    name: "buy-in",
    title: say("drawer.buy-in-title"),
    fields: [
      { name: "terminal", label: say("hold.terminal") },
      { name: "amount", label: say("drawer.buy-in-cash"), kind: "amount" },
    ],
    does: say("drawer.buy-in-does"),
    send: async ({ terminal, amount }) => {
      const answer = await state.sendCommand({ type: "BuyIn", terminal, drawer, amount });
      if (!answer.refusal) {
        state.addMovement({
          what: say("drawer.buy-in-what", { terminal }),
          amount: -amount,
          currency: state.currency,
          receipt: { type: "buy_in_receipt", drawer, position: answer.position },
        });
      }
      return answer;
    },
  });
}
