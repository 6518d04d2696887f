// Counting notes and coins by value, and the fills and drops of a drawer, which two people sign.

import { refusalText } from "../console/forms.js";
import { durationOf } from "../console/text.js";
import { openDialog } from "../shared/dialog.js";
import { centsOf } from "../shared/money.js";
import { button, field, form, h, icon } from "../shared/render.js";
import { locale, say } from "../shared/text.js";

/**
 * @typedef {import("./state.js").CashierState} CashierState
 * @typedef {import("../shared/types/console.js").DrawerRow} DrawerRow
 * @typedef {import("../shared/types/wire.js").RefusalBody} Refusal
 * @typedef {"FillDrawer" | "DropDrawer"} Kind
 */

/** The values that are counted by piece; all others are counted as one amount. */
const VALUES = [1000, 100, 50, 20, 10, 5, 2, 1];

/** Notes and coins as they are counted: as typed, by value, and the rest as an amount. */
class Count {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    /** @type {Record<string, string>} */
    this.typed = {};
  }

  /** The sum in cents. */
  get sum() {
    const pieces = VALUES.reduce((all, value) => all + value * 100 * Number(this.typed[value] || 0), 0);
    return pieces + (centsOf(this.typed.rest || "0") ?? 0);
  }

  /** Inputs for pieces of each value, with a key for one more and one less, and one for the rest. */
  tree() {
    const rest = { pattern: "\\s*[0-9]{1,12}([.,][0-9]{1,2})?\\s*", inputmode: "decimal", placeholder: "0.00" };
    return h(
      "div",
      { class: "pieces" },
      VALUES.map((value) => this.#pieces(value)),
      field(say("drawer.count-rest"), this.#input("rest", rest)),
    );
  }

  /** @param {number} value */
  #pieces(value) {
    const label = value.toLocaleString(locale());
    const step = (/** @type {string} */ sign, /** @type {number} */ n) =>
      button(sign, () => this.#type(value, String(Math.max(0, Number(this.typed[value] || 0) + n))), {
        class: "step",
        "aria-label": `${label} ${sign}1`,
        tabindex: "-1",
      });
    const pieces = { pattern: "[0-9]{0,6}", inputmode: "numeric", placeholder: "0" };
    return h(
      "div",
      { class: "piece", key: value },
      step("−", -1),
      field(`${label} ×`, this.#input(String(value), pieces)),
      step("+", 1),
    );
  }

  /** @param {string} name @param {Record<string, string>} attributes */
  #input(name, attributes) {
    return h("input", {
      name,
      autocomplete: "off",
      value: this.typed[name] ?? "",
      ...attributes,
      input: (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) =>
        this.#type(name, currentTarget.value),
    });
  }

  /** @param {string | number} name @param {string} words */
  #type(name, words) {
    this.typed[name] = words;
    this.changed();
  }
}

/** Propose a fill or a drop, and show its two signatures. @param {CashierState} state @param {Kind} kind */
export function openVault(state, kind) {
  const { drawer } = state;
  if (!drawer) return;
  const fills = kind === "FillDrawer";
  const name = drawer.drawer;
  const money = (/** @type {number} */ cents) => state.formatAmount(cents, drawer.currency);
  /** The amount that was signed here; null before. @type {number | null} */
  let signed = null;
  let isBusy = false;
  /** @type {Refusal | null} */
  let refusal = null;
  /** Whether the proposal has arrived: the response to the command may come first. */
  let arrived = false;
  /** What the drawer had been filled with, or what had been dropped, before. */
  const before = movedSoFar(drawer, fills);
  const counted = new Count(() => dialog.redraw());
  const row = () => state.ownDrawers.find((one) => one.drawer === name) ?? drawer;
  const proposal = () =>
    state.client.view.floor?.proposals?.find(({ command }) => {
      const one = /** @type {any} */ (command);
      return one.type === kind && one.drawer === name && one.amount === signed;
    });
  const sign = async () => {
    const amount = counted.sum;
    isBusy = true;
    dialog.redraw();
    const answer = await state.sendCommand({ type: kind, drawer: name, amount });
    isBusy = false;
    refusal = answer.refusal;
    signed = refusal ? null : amount;
    dialog.redraw();
  };
  const withdraw = async () => {
    const found = proposal();
    if (found) refusal = (await state.client.sendCommand({ type: "Withdraw", proposal: found.proposal })).refusal;
    dialog.redraw();
  };
  /** What the drawer has now, and would have then. */
  const effect = () => {
    const [amount, { cash }] = [signed ?? counted.sum, row()];
    const then = (cash ?? 0) + (fills ? amount : -amount);
    return h(
      "div",
      { class: "effect" },
      h("span", null, say(fills ? "vault.into" : "vault.out")),
      h("b", null, money(amount)),
      cash !== null && [
        h("p", null, say("vault.now", { drawer: name, amount: money(cash) })),
        h("p", null, say("vault.then", { drawer: name, amount: money(then) })),
      ],
    );
  };
  const signatures = () => {
    const found = signed === null ? undefined : proposal();
    const left = (found?.expires_at_us ?? 0) - (state.client.session.now() ?? 0);
    const isSigned = signed !== null;
    const first = say(isSigned ? "vault.signed" : "vault.counts", { amount: money(signed ?? counted.sum) });
    const second = found ? say("vault.second-left", { time: durationOf(left) }) : say("vault.second-later");
    return h(
      "div",
      { class: "signatures" },
      signature("check", say("vault.first", { drawer: name }), first, isSigned ? "signed" : "later"),
      signature("session", say("vault.second"), second, isSigned ? "awaited" : "later"),
    );
  };
  /** Close when the second person has signed, or the proposal has lapsed. */
  const follow = () => {
    const found = signed === null ? undefined : proposal();
    arrived ||= found !== undefined;
    if (signed === null || found || !arrived) return;
    const done = movedSoFar(row(), fills) >= before + signed;
    const facts = { drawer: name, amount: money(signed) };
    dialog.close();
    state.showNote(say(!done ? "vault.lapsed" : fills ? "vault.filled" : "vault.dropped", facts));
  };
  const dialog = openDialog({
    name: "vault",
    title: say(fills ? "vault.fill-title" : "vault.drop-title", { drawer: name }),
    look: "wide",
    light: false,
    body: () => [
      form(
        { class: "fields", id: "vault-form", hidden: signed !== null },
        sign,
        h("div", { class: "vault" }, counted.tree(), effect()),
      ),
      h("h3", { class: "label" }, say("vault.two")),
      signatures(),
      refusalText(refusal),
      h("p", { class: "small" }, say("vault.about")),
    ],
    foot: () => [
      button(say(signed === null ? "form.leave" : "document.close"), () => dialog.close()),
      button(say("vault.withdraw"), withdraw, { hidden: signed === null }),
      h("button", {
        class: "main",
        form: "vault-form",
        hidden: signed !== null,
        disabled: isBusy || counted.sum <= 0,
      }, say("vault.sign", { amount: money(counted.sum) })),
    ],
    update: follow,
  });
  dialog.node.querySelector("input")?.focus();
}

/** @param {DrawerRow} drawer @param {boolean} fills */
const movedSoFar = ({ filled, dropped }, fills) => (fills ? filled : dropped);

/** A person who signs, and whether they have. @param {string} sign @param {string} who @param {string} about @param {"signed" | "awaited" | "later"} is */
const signature = (sign, who, about, is) =>
  h(
    "div",
    { class: "signature", "data-is": is },
    icon(sign),
    h("p", null, h("b", null, who), h("small", null, about)),
    h("span", { class: "pill", "data-look": "warn", hidden: is !== "awaited" }, say("vault.waits")),
  );

/** Count a drawer; the server compares the count and does not show the result yet. @param {CashierState} state @param {DrawerRow} drawer */
export function openCount(state, { drawer, currency }) {
  const counted = new Count(() => dialog.redraw());
  /** @type {Refusal | null} */
  let refusal = null;
  const send = async () => {
    ({ refusal } = await state.sendCommand({ type: "CountDrawer", drawer, counted: counted.sum }));
    if (refusal) dialog.redraw();
    else dialog.close();
  };
  const dialog = openDialog({
    name: "count",
    title: say("drawer.count-title", { drawer }),
    look: "middle",
    light: false,
    body: () =>
      form(
        { class: "fields", id: "count-form" },
        send,
        h("p", null, say("drawer.count-about")),
        counted.tree(),
        refusalText(refusal),
      ),
    foot: () => [
      h("output", null, state.formatAmount(counted.sum, currency)),
      button(say("drawer.leave"), () => dialog.close()),
      h("button", { class: "main", form: "count-form" }, say("drawer.count-does")),
    ],
  });
  dialog.node.querySelector("input")?.focus();
}
