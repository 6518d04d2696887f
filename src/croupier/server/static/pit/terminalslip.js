// Paper that comes out at this console, after staff have collected for a player.

import { button, el } from "../kit/dom.js";
import { money } from "../kit/money.js";
import { openSheet } from "../kit/sheet.js";
import { openPaper } from "../staff/paper.js";
import { wordOf } from "../staff/words.js";

/** @param {import("../staff/desk.js").Desk} desk */
export function hearSlips(desk) {
  desk.session.hears.slip = (/** @type {import("../kit/types.js").ToldSlip} */ slip) => {
    const { sequence, number, form, amount, currency, terminal } = slip;
    const print = button("Show the paper…", () => openPaper(desk, { type: "slip", sequence, number }), {
      class: "main",
    });
    const sheet = openSheet({
      name: `collected-${sequence}`,
      title: `${wordOf(form)} for the player at ${terminal}`,
      look: "narrow",
      firm: true,
      body: [
        el("p", { class: "sum" }, money(amount, currency)),
        el("p", {}, "It is paid to whoever brings the paper. Print it, and hand it to the player."),
      ],
      foot: [button("It is printed", () => sheet.close()), print],
    });
  };
}
