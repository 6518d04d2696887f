// The cash drawer: opening it, its cash and its movements, and handing it in.

import { openDocument } from "../console/documents.js";
import { openForm } from "../console/forms.js";
import { timeOf } from "../console/text.js";
import { button, each, el, enabled, marked, shown, text } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { openCount, openVault } from "./vault.js";

/**
 * @typedef {import("./state.js").CashierState} CashierState
 * @typedef {import("../shared/types/console.js").DrawerRow} DrawerRow
 */

/** How many of the last movements are listed. */
const LISTED = 50;

/** @param {CashierState} state @returns {import("../console/client.js").Part} */
export function drawerCard(state) {
  const name = el("p", { class: "name" });
  const since = el("span", { class: "pill", "data-look": "calm" });
  const says = el("p", { class: "none" });
  const several = el("select", { "aria-label": say("drawer.which"), change: () => choose(state, several.value) });
  const take = button("", () => takeOne(state));
  const fill = button(say("vault.fill"), () => openVault(state, "FillDrawer"));
  const drop = button(say("vault.drop"), () => openVault(state, "DropDrawer"));
  const buy = button(say("drawer.buy-in"), () => buyIn(state));
  const counting = button(say("drawer.count"), () => state.drawer && openCount(state, state.drawer));
  const handIn = button(say("drawer.hand-in"), () => handInDrawer(state));
  const shift = button(say("drawer.shift"), () =>
    openDocument(state.client, { type: "shift_report", drawer: state.drawer?.drawer ?? state.handedIn }),
  );
  const acts = el("div", { class: "buttons" }, fill, drop, buy, counting, handIn, take, shift);
  const cash = el("p", { class: "cash" }, el("small", {}, say("drawer.cash-now")), el("b", {}));
  const rows = el("dl", { class: "ledger" });
  const sums = el("p", { class: "sums" });
  const list = el("ol", { class: "visit", "aria-label": say("drawer.visit-list") });
  const visit = el("h2", {}, say("drawer.visit"));
  const scroll = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": say("drawer.visit") }, list);
  const node = el(
    "section",
    { class: "card drawer", "aria-label": say("drawer.title") },
    el("div", { class: "top" }, el("h2", {}, say("drawer.title")), since),
    name,
    several,
    cash,
    rows,
    says,
    acts,
    visit,
    sums,
    scroll,
  );
  const update = () => {
    const { drawer, mine } = state;
    state.fillCurrencies();
    text(name, drawer ? [drawer.drawer, drawer.currency].filter(Boolean).join(" · ") : say("drawer.none"));
    text(since, drawer ? say("drawer.since", { time: timeOf(drawer.opened_at_us).slice(0, 5) }) : "");
    shown(since, drawer !== null);
    shown(several, mine.length > 1);
    each(
      several,
      mine,
      ({ drawer: each_ }) => each_,
      ({ drawer: each_ }) => el("option", { value: each_ }, each_),
    );
    shown(cash, typeof drawer?.cash === "number");
    text(cash.lastElementChild, drawer ? state.formatAmount(drawer.cash ?? 0, drawer.currency) : "");
    each(
      rows,
      drawer ? ledgerOf(state, drawer) : [],
      ([label]) => label,
      ([label]) => el("div", {}, el("dt", {}, label), el("dd", {})),
      (item, [, value]) => text(item.lastElementChild, value),
    );
    text(says, statusText(state));
    for (const one of [fill, drop, buy, counting, handIn]) shown(one, drawer !== null);
    marked(take, "class", drawer ? "small" : "main");
    text(take, say(drawer ? "drawer.take-another" : "drawer.take"));
    shown(shift, state.handedIn !== "" && drawer === null);
    enabled(handIn, typeof drawer?.counted === "number");
    shown(visit, state.movements.length > 0);
    text(sums, state.movements.length === 0 ? "" : totalsText(state));
    each(
      list,
      state.movements.slice(0, LISTED),
      keyOf,
      (action) => row(state, action),
      (item, { amount, currency }) => text(item.querySelector("b"), state.formatAmount(amount, currency)),
    );
  };
  return { node, update };
}

/** The lines that lead from the float to the cash. @param {CashierState} state @param {DrawerRow} drawer @returns {[string, string][]} */
const ledgerOf = (state, drawer) => [
  [say("drawer.float-row"), state.formatAmount(drawer.float_, drawer.currency)],
  ...movementsOf(state, drawer),
];

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

/** @param {CashierState} state @param {string} drawer */
function choose(state, drawer) {
  state.chosen = drawer;
  state.client.session.redraw();
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
      ].join(", "),
    )
    .join("; ");

/** The receipt of a movement is unique. @param {import("./state.js").Movement} movement */
const keyOf = ({ receipt }) => JSON.stringify(receipt);

/** @param {CashierState} state @param {import("./state.js").Movement} movement */
const row = (state, { at_us, what, receipt }) =>
  el(
    "li",
    {},
    el("time", {}, timeOf(at_us)),
    el("span", {}, what),
    el("b", {}),
    button(say("payout.receipt"), () => openDocument(state.client, receipt), {
      class: "small",
      "aria-label": say("payout.receipt-of", { what }),
    }),
  );

/** @param {CashierState} state */
function takeOne(state) {
  openForm({
    name: "take-drawer",
    title: say("drawer.take-title"),
    fields: [
      { name: "drawer", label: say("drawer.take-name"), about: say("drawer.take-about") },
      { name: "float_", label: say("drawer.take-float"), kind: "amount" },
    ],
    does: say("drawer.take-it"),
    send: ({ drawer, float_ }) => state.sendCommand({ type: "OpenDrawer", drawer, float_ }),
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
      el("p", { class: "sum" }, el("bdi", {}, amount)),
      el("p", {}, say("drawer.hand-in-about", { drawer, amount })),
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
      if (!answer.refusal)
        state.addMovement({
          what: say("drawer.buy-in-what", { terminal }),
          amount: -amount,
          currency: state.currency,
          receipt: { type: "buy_in_receipt", drawer, position: answer.position },
        });
      return answer;
    },
  });
}
