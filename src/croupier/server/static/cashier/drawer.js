// The cash drawer: opening it, its movements, and the blind count that closes it.

import { openDayReport, openPaper } from "../console/documents.js";
import { askSheet, pressOnce } from "../console/forms.js";
import { citing, timeOf } from "../console/text.js";
import { openSheet } from "../shared/dialog.js";
import { button, each, el, enabled, field, form, marked, shown, text } from "../shared/dom.js";
import { centsOf } from "../shared/money.js";

/** @typedef {import("./state.js").Till} Till */

/** How many of the last movements are listed. */
const LISTED = 50;

/** @param {Till} till @returns {import("../console/client.js").Part} */
export function drawerCard(till) {
  const name = el("p", { class: "name" });
  const says = el("p", { class: "none" });
  const several = el("select", { "aria-label": "Which drawer", change: () => choose(till, several.value) });
  const take = button("Take a drawer…", () => takeOne(till));
  const buy = button("Buy-in…", () => buyIn(till));
  const counting = button("Count…", () => till.drawer && count(till, till.drawer.drawer));
  const handIn = button("Hand in", () => pressOnce(handIn, () => close(till)));
  const shift = button("Shift report", () =>
    openPaper(till.desk, { type: "shift_report", drawer: till.drawer?.drawer ?? till.handedIn }),
  );
  const day = button("Day close report…", () => openDayReport(till.desk));
  const acts = el("div", { class: "buttons" }, counting, handIn, buy, take, shift, day);
  const sums = el("p", { class: "sums" });
  const list = el("ol", { class: "visit", "aria-label": "What went through the drawer in this visit" });
  const node = el(
    "section",
    { class: "card drawer", "aria-label": "Drawer" },
    el("h2", {}, "Drawer"),
    name,
    several,
    says,
    acts,
    el("h2", {}, "In this visit"),
    sums,
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "This visit" }, list),
  );
  const update = () => {
    const { drawer, mine } = till;
    till.name();
    text(name, drawer ? [drawer.drawer, drawer.currency].filter(Boolean).join(" · ") : "None");
    shown(several, mine.length > 1);
    each(
      several,
      mine,
      ({ drawer: each_ }) => each_,
      ({ drawer: each_ }) => el("option", { value: each_ }, each_),
    );
    text(says, stands(till));
    for (const one of [buy, counting, handIn]) shown(one, drawer !== null);
    marked(take, "class", drawer ? null : "main");
    text(take, drawer ? "Take another…" : "Take a drawer…");
    shown(shift, till.handedIn !== "" && drawer === null);
    enabled(handIn, typeof drawer?.counted === "number");
    text(sums, till.deeds.length === 0 ? "Nothing yet." : sumsOf(till));
    each(
      list,
      till.deeds.slice(0, LISTED),
      keyOf,
      (deed) => row(till, deed),
      (item, { amount, currency }) => text(item.querySelector("b"), till.figure(amount, currency)),
    );
  };
  return { node, update };
}

/** The status of the drawer as text. @param {Till} till */
function stands({ drawer, handedIn }) {
  if (drawer === null)
    return handedIn
      ? `${handedIn} is handed in. Its shift report tells the difference.`
      : "Everything is paid from a drawer of your own.";
  if (drawer.counted !== null) return "Counted. It can be handed in.";
  return drawer.currency
    ? "Not counted since something last went through it."
    : "Nothing went through it yet: what does first says its currency.";
}

/** @param {Till} till @param {string} drawer */
function choose(till, drawer) {
  till.chosen = drawer;
  till.desk.session.redraw();
}

/** @param {Till} till */
function sumsOf(till) {
  /** @type {Record<string, {out: number, in: number}>} */
  const sums = {};
  for (const { amount, currency } of till.deeds) {
    const sum = (sums[currency] ??= { out: 0, in: 0 });
    if (amount > 0) sum.out += amount;
    else sum.in -= amount;
  }
  return Object.entries(sums)
    .map(([currency, sum]) =>
      [
        `Paid out ${till.figure(sum.out, currency)}`,
        ...(sum.in > 0 ? [`taken in ${till.figure(sum.in, currency)}`] : []),
      ].join(", "),
    )
    .join("; ");
}

/** The receipt of a movement is unique. @param {import("./state.js").Deed} deed */
const keyOf = ({ receipt }) => JSON.stringify(receipt);

/** @param {Till} till @param {import("./state.js").Deed} deed */
const row = (till, { at_us, what, receipt }) =>
  el(
    "li",
    {},
    el("time", {}, timeOf(at_us)),
    el("span", {}, what),
    el("b", {}),
    button("Receipt", () => openPaper(till.desk, receipt), { class: "small", "aria-label": `Receipt: ${what}` }),
  );

/** @param {Till} till */
function takeOne(till) {
  askSheet({
    name: "take-drawer",
    title: "Take a drawer",
    fields: [
      { name: "drawer", label: "Drawer", about: "as it is marked" },
      { name: "float_", label: "Opening float", kind: "amount" },
    ],
    does: "Take it",
    send: ({ drawer, float_ }) => till.ask({ type: "OpenDrawer", drawer, float_ }),
    done: () => (till.handedIn = ""),
  });
}

/** @param {Till} till */
async function close(till) {
  const drawer = till.drawer?.drawer;
  if (!drawer) return;
  const { refusal } = await till.ask({ type: "CloseDrawer", drawer });
  till.desk.tell(refusal);
  if (!refusal) till.handedIn = drawer;
  till.desk.session.redraw();
}

/** Sell credits, where the rules allow it; the server refuses otherwise. @param {Till} till */
function buyIn(till) {
  const drawer = till.drawer?.drawer ?? "";
  askSheet({
    name: "buy-in",
    title: "Buy-in to a terminal",
    fields: [
      { name: "terminal", label: "Terminal" },
      { name: "amount", label: "Cash taken", kind: "amount" },
    ],
    does: "Take the cash",
    send: async ({ terminal, amount }) => {
      const answer = await till.ask({ type: "BuyIn", terminal, drawer, amount });
      if (!answer.refusal)
        till.passed({
          what: `Buy-in at ${terminal}`,
          amount: -amount,
          currency: till.currency,
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

/** Count a drawer. @param {import("./state.js").Till} till @param {string} drawer */
export function count(till, drawer) {
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
    { class: "fields", id: "count-form", input: () => text(total, till.figure(sum())) },
    async () => {
      const { refusal } = await till.ask({ type: "CountDrawer", drawer, counted: sum() });
      text(reply, refusal ? citing(refusal) : "");
      shown(reply, refusal !== null);
      if (!refusal) sheet.close();
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
  text(total, till.figure(0));
  const sheet = openSheet({
    name: "count",
    title: `Count drawer ${drawer}`,
    look: "narrow",
    light: false,
    body: [made],
    foot: [
      total,
      button("Leave it", () => sheet.close()),
      el("button", { class: "main", form: "count-form" }, "This is the count"),
    ],
  });
}
