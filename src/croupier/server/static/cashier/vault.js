// Counting notes and coins by value, and the fills and drops of a drawer, which two people sign.

import { refusalLine } from "../console/forms.js";
import { durationOf } from "../console/text.js";
import { openDialog } from "../shared/dialog.js";
import { button, el, enabled, field, form, icon, marked, shown, text } from "../shared/dom.js";
import { centsOf } from "../shared/money.js";
import { locale, say } from "../shared/text.js";

/**
 * @typedef {import("./state.js").CashierState} CashierState
 * @typedef {import("../shared/types/console.js").DrawerRow} DrawerRow
 * @typedef {"FillDrawer" | "DropDrawer"} Kind
 */

/** The values that are counted by piece; all others are counted as one amount. */
const VALUES = [1000, 100, 50, 20, 10, 5, 2, 1];

/**
 * Inputs for pieces of each value, with a key for one more and one less, and one for the rest.
 * @param {() => void} changed
 */
function pieceFields(changed) {
  const rows = VALUES.map((value) => pieces(value, changed));
  const rest = el("input", {
    name: "rest",
    inputmode: "decimal",
    pattern: "\\s*[0-9]{1,12}([.,][0-9]{1,2})?\\s*",
    autocomplete: "off",
    placeholder: "0.00",
    input: changed,
  });
  const node = el("div", { class: "pieces" }, ...rows.map((row) => row.node), field(say("drawer.count-rest"), rest));
  const sum = () => rows.reduce((all, row) => all + row.cents(), centsOf(rest.value || "0") ?? 0);
  return { node, sum };
}

/** @param {number} value @param {() => void} changed */
function pieces(value, changed) {
  const input = el("input", {
    name: String(value),
    inputmode: "numeric",
    pattern: "[0-9]{0,6}",
    autocomplete: "off",
    placeholder: "0",
    input: changed,
  });
  const add = (/** @type {number} */ n) => {
    input.value = String(Math.max(0, Number(input.value || 0) + n));
    changed();
  };
  const label = value.toLocaleString(locale());
  const step = (/** @type {string} */ sign, /** @type {number} */ n) =>
    button(sign, () => add(n), { class: "step", "aria-label": `${label} ${sign}1`, tabindex: "-1" });
  const node = el("div", { class: "piece" }, step("−", -1), field(`${label} ×`, input), step("+", 1));
  return { node, cents: () => value * 100 * Number(input.value || 0) };
}

/** Propose a fill or a drop, and show its two signatures. @param {CashierState} state @param {Kind} kind */
export function openVault(state, kind) {
  const drawer = state.drawer;
  if (!drawer) return;
  const fills = kind === "FillDrawer";
  const name = drawer.drawer;
  const money = (/** @type {number} */ cents) => state.formatAmount(cents, drawer.currency);
  /** The amount that was signed here; null before. @type {number | null} */
  let signed = null;
  /** Whether the proposal has arrived: the response to the command may come first. */
  let arrived = false;
  /** What the drawer had been filled with, or what had been dropped, before. */
  const before = movedSoFar(drawer, fills);
  const counted = pieceFields(() => draw());
  const total = el("b", {});
  const [now, then] = [el("p", {}), el("p", {})];
  const sums = el(
    "div",
    { class: "effect" },
    el("span", {}, say(fills ? "vault.into" : "vault.out")),
    total,
    now,
    then,
  );
  const first = signature("check", say("vault.first", { drawer: name }));
  const second = signature("session", say("vault.second"));
  const reply = refusalLine();
  const made = form(
    { class: "fields", id: "vault-form" },
    async () => {
      const amount = counted.sum();
      enabled(sign, false);
      const { refusal } = await state.sendCommand({ type: kind, drawer: name, amount });
      reply.update(refusal);
      signed = refusal ? null : amount;
      draw();
    },
    el("div", { class: "vault" }, counted.node, sums),
  );
  const sign = el("button", { class: "main", form: "vault-form" });
  const leave = button("", () => dialog.close());
  const withdraw = button(say("vault.withdraw"), async () => {
    const found = proposal();
    if (found) reply.update((await state.client.sendCommand({ type: "Withdraw", proposal: found.proposal })).refusal);
  });
  const proposal = () =>
    state.client.view.floor?.proposals?.find(({ command }) => {
      const one = /** @type {any} */ (command);
      return one.type === kind && one.drawer === name && one.amount === signed;
    });
  const draw = () => {
    const amount = signed ?? counted.sum();
    const row = state.ownDrawers.find((one) => one.drawer === name) ?? drawer;
    text(total, money(amount));
    shown(now, row.cash !== null);
    shown(then, row.cash !== null);
    text(now, say("vault.now", { drawer: name, amount: money(row.cash ?? 0) }));
    text(then, say("vault.then", { drawer: name, amount: money((row.cash ?? 0) + (fills ? amount : -amount)) }));
    text(sign, say("vault.sign", { amount: money(amount) }));
    enabled(sign, amount > 0);
    for (const one of [made, sign]) shown(one, signed === null);
    text(leave, say(signed === null ? "form.leave" : "document.close"));
    shown(withdraw, signed !== null);
    first.update(
      say(signed === null ? "vault.counts" : "vault.signed", { amount: money(amount) }),
      signed !== null,
      false,
    );
    drawSecond(row);
  };
  const drawSecond = (/** @type {DrawerRow} */ row) => {
    const found = signed === null ? undefined : proposal();
    const left = (found?.expires_at_us ?? 0) - (state.client.session.now() ?? 0);
    second.update(
      found ? say("vault.second-left", { time: durationOf(left) }) : say("vault.second-later"),
      false,
      signed !== null,
    );
    arrived ||= found !== undefined;
    if (signed === null || found || !arrived) return;
    const done = movedSoFar(row, fills) >= before + signed;
    const facts = { drawer: name, amount: money(signed) };
    dialog.close();
    state.showNote(say(!done ? "vault.lapsed" : fills ? "vault.filled" : "vault.dropped", facts));
  };
  const dialog = openDialog({
    name: "vault",
    title: say(fills ? "vault.fill-title" : "vault.drop-title", { drawer: name }),
    look: "wide",
    light: false,
    body: [
      made,
      el("h3", { class: "label" }, say("vault.two")),
      el("div", { class: "signatures" }, first.node, second.node),
      reply.node,
      el("p", { class: "small" }, say("vault.about")),
    ],
    foot: [leave, withdraw, sign],
    update: draw,
    tick: draw,
  });
  draw();
  dialog.node.querySelector("input")?.focus();
}

/** @param {DrawerRow} drawer @param {boolean} fills */
const movedSoFar = ({ filled, dropped }, fills) => (fills ? filled : dropped);

/** A person who signs, and whether they have. @param {string} sign @param {string} who */
function signature(sign, who) {
  const about = el("small", {});
  const waits = el("span", { class: "pill", "data-look": "warn" }, say("vault.waits"));
  const node = el("div", { class: "signature" }, icon(sign), el("p", {}, el("b", {}, who), about), waits);
  /** @param {string} words @param {boolean} isSigned @param {boolean} isAwaited */
  const update = (words, isSigned, isAwaited) => {
    text(about, words);
    marked(node, "data-is", isSigned ? "signed" : isAwaited ? "awaited" : "later");
    shown(waits, isAwaited);
  };
  return { node, update };
}

/** Count a drawer; the server compares the count and does not show the result yet. @param {CashierState} state @param {DrawerRow} drawer */
export function openCount(state, { drawer, currency }) {
  const total = el("output", {});
  const reply = refusalLine();
  const counted = pieceFields(() => text(total, state.formatAmount(counted.sum(), currency)));
  const made = form(
    { class: "fields", id: "count-form" },
    async () => {
      const { refusal } = await state.sendCommand({ type: "CountDrawer", drawer, counted: counted.sum() });
      reply.update(refusal);
      if (!refusal) dialog.close();
    },
    el("p", {}, say("drawer.count-about")),
    counted.node,
    reply.node,
  );
  text(total, state.formatAmount(0, currency));
  const dialog = openDialog({
    name: "count",
    title: say("drawer.count-title", { drawer }),
    look: "middle",
    light: false,
    body: [made],
    foot: [
      total,
      button(say("drawer.leave"), () => dialog.close()),
      el("button", { class: "main", form: "count-form" }, say("drawer.count-does")),
    ],
  });
  dialog.node.querySelector("input")?.focus();
}
