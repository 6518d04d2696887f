// The cash drawer: opening it, its movements, and the blind count that closes it.

import { openDayReport, openDocument } from "../console/documents.js";
import { openForm } from "../console/forms.js";
import { withClause, timeOf } from "../console/text.js";
import { openDialog } from "../shared/dialog.js";
import { button, each, el, enabled, field, form, marked, shown, text } from "../shared/dom.js";
import { centsOf } from "../shared/money.js";
import { say } from "../shared/text.js";

/** @typedef {import("./state.js").CashierState} CashierState */

/** How many of the last movements are listed. */
const LISTED = 50;

/** @param {CashierState} state @returns {import("../console/client.js").Part} */
export function drawerCard(state) {
  const name = el("p", { class: "name" });
  const says = el("p", { class: "none" });
  const several = el("select", { "aria-label": "Which drawer", change: () => choose(state, several.value) });
  const take = button("Take a drawer…", () => takeOne(state));
  const buy = button("Buy-in…", () => buyIn(state));
  const counting = button("Count…", () => state.drawer && count(state, state.drawer.drawer));
  const handIn = button(say("drawer.hand-in"), () => handInDrawer(state));
  const shift = button("Shift report", () =>
    openDocument(state.client, { type: "shift_report", drawer: state.drawer?.drawer ?? state.handedIn }),
  );
  const day = button("Day close report…", () => openDayReport(state.client));
  const acts = el("div", { class: "buttons" }, day, counting, handIn, buy, take, shift);
  const float = el("p", { class: "float" });
  const sums = el("p", { class: "sums" });
  const list = el("ol", { class: "visit", "aria-label": "What went through the drawer in this visit" });
  const node = el(
    "section",
    { class: "card drawer", "aria-label": "Drawer" },
    el("h2", {}, "Drawer"),
    name,
    several,
    float,
    says,
    acts,
    el("h2", {}, "In this visit"),
    sums,
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "This visit" }, list),
  );
  const update = () => {
    const { drawer, mine } = state;
    state.fillCurrencies();
    text(name, drawer ? [drawer.drawer, drawer.currency].filter(Boolean).join(" · ") : "None");
    shown(several, mine.length > 1);
    text(float, drawer ? say("drawer.float", { amount: state.formatAmount(drawer.float_, drawer.currency) }) : "");
    shown(float, drawer !== null);
    each(
      several,
      mine,
      ({ drawer: each_ }) => each_,
      ({ drawer: each_ }) => el("option", { value: each_ }, each_),
    );
    text(says, statusText(state));
    for (const one of [buy, counting, handIn]) shown(one, drawer !== null);
    marked(take, "class", drawer ? null : "main");
    text(take, drawer ? "Take another…" : "Take a drawer…");
    shown(shift, state.handedIn !== "" && drawer === null);
    enabled(handIn, typeof drawer?.counted === "number");
    text(sums, state.movements.length === 0 ? "Nothing yet." : totalsText(state));
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

/** The status of the drawer as text. @param {CashierState} state */
function statusText({ drawer, handedIn }) {
  if (drawer === null)
    return handedIn
      ? `${handedIn} is handed in. Its shift report tells the difference.`
      : "Everything is paid from a drawer of your own.";
  if (drawer.counted !== null) return "Counted. It can be handed in.";
  return drawer.currency
    ? "Not counted since something last went through it."
    : "Nothing went through it yet: what does first says its currency.";
}

/** @param {CashierState} state @param {string} drawer */
function choose(state, drawer) {
  state.chosen = drawer;
  state.client.session.redraw();
}

/** @param {CashierState} state */
function totalsText(state) {
  /** @type {Record<string, {out: number, in: number}>} */
  const sums = {};
  for (const { amount, currency } of state.movements) {
    const sum = (sums[currency] ??= { out: 0, in: 0 });
    if (amount > 0) sum.out += amount;
    else sum.in -= amount;
  }
  return Object.entries(sums)
    .map(([currency, sum]) =>
      [
        `Paid out ${state.formatAmount(sum.out, currency)}`,
        ...(sum.in > 0 ? [`taken in ${state.formatAmount(sum.in, currency)}`] : []),
      ].join(", "),
    )
    .join("; ");
}

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
    button("Receipt", () => openDocument(state.client, receipt), { class: "small", "aria-label": `Receipt: ${what}` }),
  );

/** @param {CashierState} state */
function takeOne(state) {
  openForm({
    name: "take-drawer",
    title: "Take a drawer",
    fields: [
      { name: "drawer", label: "Drawer", about: "as it is marked" },
      { name: "float_", label: "Opening float", kind: "amount" },
    ],
    does: "Take it",
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
    title: "Buy-in to a terminal",
    fields: [
      { name: "terminal", label: "Terminal" },
      { name: "amount", label: "Cash taken", kind: "amount" },
    ],
    does: "Take the cash",
    send: async ({ terminal, amount }) => {
      const answer = await state.sendCommand({ type: "BuyIn", terminal, drawer, amount });
      if (!answer.refusal)
        state.addMovement({
          what: `Buy-in at ${terminal}`,
          amount: -amount,
          currency: state.currency,
          receipt: { type: "buy_in_receipt", drawer, position: answer.position },
        });
      return answer;
    },
  });
}

// The blind count: notes and coins by value, added up here and compared by the server, which does not show the result
// yet.

/** The values that are counted by piece; all others are counted as one amount. */
const VALUES = [1000, 100, 50, 20, 10, 5, 2, 1];

/** Count a drawer. @param {import("./state.js").CashierState} state @param {string} drawer */
export function count(state, drawer) {
  const total = el("output", {});
  const reply = el("p", { class: "reply", role: "alert", hidden: true });
  const pieces = VALUES.map((value) =>
    field(
      `${value.toLocaleString("en")} ×`,
      el("input", {
        name: String(value),
        inputmode: "numeric",
        pattern: "[0-9]{0,6}",
        autocomplete: "off",
        placeholder: "0",
      }),
    ),
  );
  const rest = field(
    "Coins and all else",
    el("input", {
      name: "rest",
      inputmode: "decimal",
      pattern: "\\s*[0-9]{1,12}([.,][0-9]{1,2})?\\s*",
      autocomplete: "off",
      placeholder: "0.00",
    }),
  );
  const made = form(
    { class: "fields", id: "count-form", input: () => text(total, state.formatAmount(sum())) },
    async () => {
      const { refusal } = await state.sendCommand({ type: "CountDrawer", drawer, counted: sum() });
      text(reply, refusal ? withClause(refusal) : "");
      shown(reply, refusal !== null);
      if (!refusal) dialog.close();
    },
    el(
      "p",
      {},
      "Count what is in the drawer. Whether it is what it should be, the shift report tells once it is handed in.",
    ),
    el("div", { class: "pieces" }, ...pieces, rest),
    reply,
  );
  const sum = () => {
    const given = new FormData(made);
    const counted = VALUES.reduce((all, value) => all + value * 100 * Number(given.get(String(value)) || 0), 0);
    return counted + (centsOf(String(given.get("rest") || "0")) ?? 0);
  };
  text(total, state.formatAmount(0));
  const dialog = openDialog({
    name: "count",
    title: `Count drawer ${drawer}`,
    look: "narrow",
    light: false,
    body: [made],
    foot: [
      total,
      button("Leave it", () => dialog.close()),
      el("button", { class: "main", form: "count-form" }, "This is the count"),
    ],
  });
}
