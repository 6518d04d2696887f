// What else is done with a slip or ticket: a loss reported, a duplicate, a void, a freeze lifted; most take two people.

import { button, el } from "../kit/dom.js";
import { openSheet, sheetNamed } from "../kit/sheet.js";
import { askSheet } from "../staff/askform.js";
import { openPaper } from "../staff/paper.js";
import { wordOf } from "../staff/words.js";

/**
 * @typedef {import("./till.js").Till} Till
 * @typedef {import("../kit/consoles.js").Action} Action
 */

const NAME = "ticket-deeds";

/** What is done, in words, by the house's name for it. @type {Record<string, {title: string, about: string}>} */
const WORDS = {
  report_lost: {
    title: "Report it lost",
    about: "The loss is noted. Whoever brings the paper is paid all the same, and no other is printed in its place.",
  },
  reprint: {
    title: "Print a duplicate",
    about: "It has the same number and says DUPLICATE. Only one of them is ever paid.",
  },
  void: {
    title: "Void it",
    about: "Its value goes back to the terminal, as it was never printed.",
  },
  release: {
    title: "Release it",
    about: "It can be paid again, once two people have looked into it.",
  },
};

/** Offer what else the house would do with what was looked up, and say who may ask for it. @param {Till} till */
export function openDeeds(till) {
  const { ticket, number } = till;
  if (!ticket) return;
  const rows = ticket.actions.map((action) => rowOf(till, ticket, action));
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

/** @param {Till} till @param {import("./till.js").TicketRow} ticket @param {Action} action */
function rowOf(till, ticket, action) {
  const { title, about } = wordsOf(action);
  const isFor = till.desk.holds(action.titles);
  const does = button(`${title}…`, () => openDeed(till, ticket, action), { disabled: !isFor });
  const says = [el("b", {}, title), el("small", {}, about), el("small", {}, signers(action))];
  return el("li", {}, el("span", {}, ...says), does);
}

/** @param {Action} action */
const wordsOf = ({ label }) => WORDS[label] ?? { title: wordOf(label), about: "" };

/** Who may ask for it, and whether one is enough. @param {Action} action */
const signers = ({ titles, dual }) => `${dual ? "Two people sign, each as" : "Signed as"} ${eitherOf(titles)}.`;

/** @param {string[]} titles */
const eitherOf = (titles) => new Intl.ListFormat("en", { type: "disjunction" }).format(titles);

/** @param {Till} till @param {import("./till.js").TicketRow} ticket @param {Action} action */
function openDeed(till, { sequence, form }, action) {
  const [{ title, about }, { label, command, dual, titles }] = [wordsOf(action), action];
  const what = `${wordOf(form)} ${sequence}`;
  const second = `Somebody else signs it at the pit within two minutes, as ${eitherOf(titles)}.`;
  askSheet({
    name: label,
    title: `${title}: ${what}`,
    about: [el("p", {}, about)],
    fields: [{ name: "words", label: "Why, in plain words", kind: "words" }],
    does: dual ? "Sign" : title,
    dual,
    send: ({ words }) => till.ask({ .../** @type {object} */ (command), words }),
    done: () => {
      sheetNamed(NAME)?.close();
      const says = dual ? `Signed: ${title.toLowerCase()}, ${what}. ${second}` : `${what} is reported lost.`;
      void till.again().then(() => till.say(says));
    },
  });
}
