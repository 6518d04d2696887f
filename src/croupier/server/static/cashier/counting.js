// The blind count: notes and coins by their values, added up here and compared by the house, which tells nobody yet.

import { button, el, field, form, shown, text } from "../kit/dom.js";
import { centsOf } from "../kit/money.js";
import { openSheet } from "../kit/sheet.js";
import { citing } from "../staff/words.js";

/** Values of notes and coins that are counted by the piece; all others are counted as one amount. */
const VALUES = [1000, 100, 50, 20, 10, 5, 2, 1];

/** Count a drawer. @param {import("./till.js").Till} till @param {string} drawer */
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
