// Inserting notes and collecting credits.

import { openDialog } from "../../shared/dialog.js";
import { money } from "../../shared/money.js";
import { button, field, form, h } from "../../shared/render.js";
import { isReady } from "../../shared/store.js";
import { locale, say } from "../../shared/text.js";
import { Reply } from "./response.js";
import { cash, denominationChoice, unitChoice } from "./settings.js";
import { clockOf } from "../../shared/times.js";
import { formText } from "./slip.js";
import { amount } from "../money.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("./messages.js").Visit} Visit
 */

/** @param {Controller} ui @param {Visit} visit */
export function openMoney(ui, visit) {
  const response = new Reply(ui);
  openDialog({
    name: "money",
    title: say("money.title"),
    body: () => [
      h("p", { class: "sum" }, say("money.credit", { credit: amount(ui.seated().seat.credit) })),
      response.tree(),
      notes(ui, response),
      ticket(ui, response),
      playMoney(ui, response),
      unitChoice(ui, "money"),
      denominationChoice(ui, response, "money"),
      visit.slips.length > 0 && slipList(visit),
    ],
    foot: () => button(say("money.collect"), () => openCollect(ui), { class: "main", disabled: !isReady(ui.view()) }),
  });
}

/** Notes: a simulated acceptor in a demonstration, or what the real one accepts. @param {Controller} ui @param {Reply} response */
function notes(ui, response) {
  const { fixture } = ui.seated();
  if (fixture.practice || fixture.notes.length === 0) return null;
  const worth = fixture.notes.map((/** @type {number} */ value) => cash(value, fixture.currency));
  if (!ui.session.demo) {
    return part(say("money.notes"), h("p", null, say("money.acceptor", { notes: worth.join(", ") })));
  }
  const put = (/** @type {number} */ value) => void response.await(ui.session.sendRequest("note", { value }));
  const keys = fixture.notes.map((/** @type {number} */ value, /** @type {number} */ place) =>
    button(h("bdi", null, worth[place]), () => put(value), {
      class: "note",
      disabled: !isReady(ui.view()),
      "aria-label": say("money.insert", { note: worth[place] }),
    })
  );
  return part(
    say("money.notes"),
    h("div", { class: "notes" }, keys),
    h("p", { class: "quiet" }, say("money.simulated")),
  );
}

/** Ticket insertion, where the venue accepts tickets. @param {Controller} ui @param {Reply} response */
function ticket(ui, response) {
  const { fixture } = ui.seated();
  if (fixture.practice || !(fixture.tickets ?? ui.data()?.tickets)) return null;
  const put = (/** @type {{number: string}} */ { number }, /** @type {HTMLFormElement} */ made) =>
    void response.await(ui.session.sendRequest("ticket_in", { number: number.trim() }), () => made.reset());
  const typed = { name: "number", maxlength: 32, required: true, autocomplete: "off", inputmode: "numeric" };
  return part(
    say("money.ticket"),
    form(
      { class: "ticket" },
      put,
      field(say("money.number"), h("input", typed)),
      h("button", { disabled: !isReady(ui.view()) }, say("money.insert-ticket")),
    ),
  );
}

/** Play money in a demonstration, which the server may refuse. @param {Controller} ui @param {Reply} response */
function playMoney(ui, response) {
  if (!ui.session.demo) return null;
  const ask = () => {
    if (ui.session.send({ t: "practice" })) response.listen();
    else void response.await(null);
  };
  return part(
    say("money.play"),
    button(say("money.gift"), ask, { disabled: !isReady(ui.view()) }),
    h("p", { class: "quiet" }, say("money.worthless")),
  );
}

/** The slips of this visit, by the last digits of their numbers. @param {Visit} visit */
const slipList = ({ slips }) =>
  part(
    say("money.slips"),
    h(
      "ul",
      { class: "log" },
      slips.map((slip) =>
        h(
          "li",
          { key: slip.sequence },
          h("p", { class: "when" }, h("b", null, formText(slip.form)), h("time", null, clockOf(slip.at))),
          h("p", null, say("money.slip", { amount: money(slip.amount, slip.currency, locale()), ending: slip.ending })),
        )
      ),
    ),
  );

/** @param {string} title @param {...import("../../shared/render.js").Child} body */
const part = (title, ...body) => h("section", { class: "part", key: title }, h("h3", null, title), body);

// Collecting: all free credits as a slip or ticket, after a confirmation.

/** @param {Controller} ui */
export function openCollect(ui) {
  const response = new Reply(ui);
  const slip = formText((ui.data()?.slip ?? "ticket").replaceAll(" ", "_"));
  const collect = () => void response.await(ui.session.sendRequest("cash_out"), () => dialog.close());
  const dialog = openDialog({
    name: "collect",
    title: say("collect.title"),
    look: "narrow",
    body: () => {
      const { seat } = ui.seated();
      const staked = Object.values(seat.games).reduce((all, game) => all + (game.staked ?? 0), 0);
      return [
        h("p", null, say("collect.about", { slip })),
        h("p", { class: "sum" }, h("bdi", null, amount(seat.credit))),
        h("p", { hidden: staked === 0 }, say("collect.staked", { staked: amount(staked) })),
        response.tree(),
      ];
    },
    foot: () => [
      button(say("collect.no"), () => dialog.close()),
      button(say("collect.yes"), collect, { class: "main", disabled: !isReady(ui.view()) }),
    ],
  });
}
