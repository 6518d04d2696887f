// The cash desk: a drawer taken, counted without being told what should be in it, and handed in; slips paid by number.

import { button, el, field, form, text } from "../kit/dom.js";
import { centsOf } from "../kit/money.js";

/**
 * @param {import("../kit/session.js").Session} session @param {import("./console.js").Ask} ask
 * @returns {import("./console.js").Part}
 */
export function desk(session, ask) {
  const says = el("p", { role: "status" });
  const drawer = () => named.value.trim();
  /** @param {string} name @param {string} words @param {boolean} [required] */
  const amount = (name, words, required = true) =>
    field(
      words,
      el("input", {
        name,
        required,
        inputmode: "decimal",
        pattern: "\\s*[0-9]{1,12}([.,][0-9]{1,2})?\\s*",
        autocomplete: "off",
      }),
    );
  const named = el("input", { required: true, maxlength: 64, value: "D1", autocomplete: "off" });
  const paid = new Map();
  const redeem = form(
    { class: "panel" },
    (given, made) => {
      const paper = given.paper.trim() === "" ? {} : { amount_on_paper: centsOf(given.paper) };
      const id = session.wish("redeem", { drawer: drawer(), number: given.number.trim(), ...paper });
      if (id === null) return;
      paid.set(id, given.number);
      text(says, `${given.number} is being looked up…`);
      made.reset();
      /** @type {HTMLInputElement} */ (made.elements.namedItem("number")).focus();
    },
    el("h2", {}, "Pay a slip or ticket"),
    field(
      "Number on the paper",
      el("input", { name: "number", required: true, maxlength: 32, autocomplete: "off", autofocus: true }),
    ),
    amount("paper", "Amount on the paper, to be compared", false),
    el("button", { class: "main" }, "Pay"),
    says,
  );
  const node = el(
    "div",
    { class: "docket" },
    redeem,
    el(
      "section",
      { class: "panel" },
      el("h2", {}, "Drawer"),
      field("Drawer", named),
      form(
        { class: "row" },
        (given) => ask({ type: "OpenDrawer", drawer: drawer(), float_: centsOf(given.float) }),
        amount("float", "Float"),
        el("button", {}, "Take it"),
      ),
      form(
        { class: "row" },
        (given, made) => (
          ask({ type: "CountDrawer", drawer: drawer(), counted: centsOf(given.counted) }),
          made.reset()
        ),
        amount("counted", "Counted"),
        el("button", {}, "Count"),
      ),
      button("Hand it in", () => ask({ type: "CloseDrawer", drawer: drawer() })),
    ),
  );
  const before = session.hears.ack;
  session.hears.ack = (frame) => {
    before?.(frame);
    const number = paid.get(frame.id);
    paid.delete(frame.id);
    if (number !== undefined)
      text(says, frame.refusal ? `${number} is not paid: ${frame.refusal.says}` : `${number} is paid.`);
  };
  return { node, update: () => {} };
}
