// What else is done with a slip or ticket: a loss reported, a duplicate, a void, a freeze lifted; most take two people.

import { button, el } from "../kit/dom.js";
import { openSheet, sheetNamed } from "../kit/sheet.js";
import { askSheet } from "../staff/askform.js";
import { openPaper } from "../staff/paper.js";
import { wordOf } from "../staff/words.js";

/**
 * @typedef {import("./till.js").Till} Till
 * @typedef {object} Deed
 * @property {"ReportLost" | "ReprintTicket" | "VoidTicket" | "ReleaseTicket"} type of the command
 * @property {string} title
 * @property {string} about
 * @property {boolean} dual whether somebody else must sign too
 */

const NAME = "ticket-deeds";

/** @type {Deed[]} */
const DEEDS = [
  {
    type: "ReportLost",
    title: "Report it lost",
    about: "The loss is noted. Whoever brings the paper is paid all the same, and no other is printed in its place.",
    dual: false,
  },
  {
    type: "ReprintTicket",
    title: "Print a duplicate",
    about: "It has the same number and says DUPLICATE. Only one of them is ever paid.",
    dual: true,
  },
  {
    type: "VoidTicket",
    title: "Void it",
    about: "Its value goes back to the terminal. This is for one that was never printed.",
    dual: true,
  },
  {
    type: "ReleaseTicket",
    title: "Release it",
    about: "One that is frozen can be paid again, once two people have looked into it.",
    dual: true,
  },
];

/** Offer what else can be done with what was looked up; the house says who may. @param {Till} till */
export function openDeeds(till) {
  const { ticket, number } = till;
  if (!ticket) return;
  const rows = DEEDS.map((deed) =>
    el(
      "li",
      {},
      el(
        "span",
        {},
        el("b", {}, deed.title),
        el("small", {}, deed.dual ? `${deed.about} Two people sign.` : deed.about),
      ),
      button(`${deed.title}…`, () => openDeed(till, ticket, deed)),
    ),
  );
  const paper = button("Show the duplicate", () =>
    openPaper(till.desk, { type: "slip", sequence: ticket.sequence, number }),
  );
  openSheet({
    name: NAME,
    title: `${wordOf(ticket.form)} ${ticket.sequence}`,
    body: [el("ul", { class: "ticket-deeds" }, ...rows)],
    foot: ticket.duplicates > 0 && !ticket.why_not ? [paper] : [],
  });
}

/** @param {Till} till @param {import("./till.js").TicketRow} ticket @param {Deed} deed */
function openDeed(till, { sequence, form }, { type, title, about, dual }) {
  const what = `${wordOf(form)} ${sequence}`;
  askSheet({
    name: type,
    title: `${title}: ${what}`,
    about: [el("p", {}, about)],
    fields: [{ name: "words", label: "Why, in plain words", kind: "words" }],
    does: dual ? "Sign" : title,
    dual,
    send: ({ words }) => till.desk.ask({ type, sequence, words }),
    done: () => {
      sheetNamed(NAME)?.close();
      void till
        .again()
        .then(() =>
          till.say(
            dual
              ? `Signed: ${title.toLowerCase()}, ${what}. Somebody else signs it at the pit within two minutes.`
              : `${what} is reported lost.`,
          ),
        );
    },
  });
}
