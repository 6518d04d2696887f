// Slips: what the printer of this terminal would print, shown until it is taken.

import { button, el } from "../kit/dom.js";
import { money } from "../kit/money.js";
import { wordOf } from "./words.js";

/** Give what is to be done when a slip comes. */
export function slips(session, host) {
  return (slip) => {
    const rows = [
      ["Amount", money(slip.amount, slip.currency)],
      ["Number", slip.number],
      ["Issued", new Date(slip.issued_at_us / 1000).toLocaleString()],
      ["Where", `${slip.venue}, terminal ${slip.terminal}`],
      ["Sequence", String(slip.sequence)],
    ];
    const dialog = el(
      "dialog",
      { class: "slip", "aria-label": wordOf(slip.form) },
      el("h2", {}, wordOf(slip.form)),
      el("dl", {}, ...rows.flatMap(([name, words]) => [el("dt", {}, name), el("dd", {}, words)])),
      el("p", {}, session.demo ? "Demonstration: of no value outside this house." : "Present it to the cashier."),
      button("Take it", () => dialog.close(), { class: "main" }),
    );
    dialog.addEventListener("close", () => {
      session.ask({ type: "ConfirmPrint", terminal: slip.terminal, sequence: slip.sequence });
      dialog.remove();
    });
    host.append(dialog);
    dialog.showModal();
  };
}
