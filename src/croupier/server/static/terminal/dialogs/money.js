// Inserting notes and collecting credits.

import { openDialog } from "../../shared/dialog.js";
import { button, each, el, enabled, field, form, shown, text } from "../../shared/dom.js";
import { money } from "../../shared/money.js";
import { isReady } from "../../shared/store.js";
import { locale, say } from "../../shared/text.js";
import { reply } from "./response.js";
import { cash, denominationChoice, unitChoice } from "./settings.js";
import { clockOf } from "../../shared/times.js";
import { formText } from "./slip.js";
import { amount } from "../money.js";

/**
 * @typedef {import("./response.js").Reply} Reply
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("./messages.js").Visit} Visit
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 */

/** @param {Controller} ui @param {Visit} visit */
export function openMoney(ui, visit) {
  const response = reply();
  const credit = el("p", { class: "sum" });
  const collect = button(say("money.collect"), () => openCollect(ui), { class: "main" });
  const slips = slipList(visit);
  const units = [unitChoice(ui), denominationChoice(ui, response)].filter((one) => one !== null);
  const ways = [notes(ui, response), ticket(ui, response), playMoney(ui, response)].filter((one) => one !== null);
  const update = (/** @type {TerminalView} */ view) => {
    const { seat } = view;
    text(credit, say("money.credit", { credit: amount(seat.credit) }));
    for (const control of ways.flatMap((one) => [...one.querySelectorAll("button")])) enabled(control, isReady(view));
    enabled(collect, isReady(view));
    slips.update();
    for (const one of units) one.update();
    response.update(view);
  };
  openDialog({
    name: "money",
    title: say("money.title"),
    body: [credit, response.node, ...ways, ...units.map((one) => one.node), slips.node],
    foot: [collect],
    update,
  });
  update(ui.seated());
}

/** Notes: a simulated acceptor in a demonstration, or what the real one accepts. @param {Controller} ui @param {Reply} response */
function notes(ui, response) {
  const { fixture } = ui.seated();
  if (fixture.practice || fixture.notes.length === 0) return null;
  const worth = fixture.notes.map((/** @type {number} */ value) => cash(value, fixture.currency));
  if (!ui.session.demo) {
    return part(say("money.notes"), el("p", {}, say("money.acceptor", { notes: worth.join(", ") })));
  }
  const put = (/** @type {number} */ value) => response.await(ui.session.sendRequest("note", { value }));
  const keys = fixture.notes.map((/** @type {number} */ value, /** @type {number} */ place) =>
    button(el("bdi", {}, worth[place]), () => put(value), {
      class: "note",
      "aria-label": say("money.insert", { note: worth[place] }),
    })
  );
  return part(
    say("money.notes"),
    el("div", { class: "notes" }, ...keys),
    el("p", { class: "quiet" }, say("money.simulated")),
  );
}

/** Ticket insertion, where the venue accepts tickets. @param {Controller} ui @param {Reply} response */
function ticket(ui, response) {
  const { fixture } = ui.seated();
  if (fixture.practice || !(fixture.tickets ?? ui.data()?.tickets)) return null;
  const number = el("input", {
    name: "number",
    maxlength: 32,
    required: true,
    autocomplete: "off",
    inputmode: "numeric",
  });
  const given = form(
    { class: "ticket" },
    (/** @type {{number: string}} */ { number: typed }, /** @type {HTMLFormElement} */ made) =>
      response.await(ui.session.sendRequest("ticket_in", { number: typed.trim() }), () => made.reset()),
    field(say("money.number"), number),
    el("button", {}, say("money.insert-ticket")),
  );
  return part(say("money.ticket"), given);
}

/** Play money in a demonstration, which the server may refuse. @param {Controller} ui @param {Reply} response */
function playMoney(ui, response) {
  if (!ui.session.demo) return null;
  const gift = button(say("money.gift"), () => {
    if (ui.session.send({ t: "practice" })) response.listen(ui.seated());
    else response.await(null);
  });
  return part(say("money.play"), gift, el("p", { class: "quiet" }, say("money.worthless")));
}

/** The slips of this visit, by the last digits of their numbers. @param {Visit} visit */
function slipList(visit) {
  const list = el("ul", { class: "log" });
  const node = part(say("money.slips"), list);
  const update = () => {
    shown(node, visit.slips.length > 0);
    each(
      list,
      visit.slips,
      (slip) => slip.sequence,
      (slip) =>
        el(
          "li",
          {},
          el("p", { class: "when" }, el("b", {}, formText(slip.form)), el("time", {}, clockOf(slip.at))),
          el("p", {}, say("money.slip", { amount: money(slip.amount, slip.currency, locale()), ending: slip.ending })),
        ),
    );
  };
  return { node, update };
}

/** @param {string} title @param {...Node} body */
const part = (title, ...body) => el("section", { class: "part" }, el("h3", {}, title), ...body);

// Collecting: all free credits as a slip or ticket, after a confirmation.

/** @param {Controller} ui */
export function openCollect(ui) {
  const response = reply();
  const sum = el("bdi", {});
  const staying = el("p", {});
  const slip = formText((ui.data()?.slip ?? "ticket").replaceAll(" ", "_"));
  const yes = button(
    say("collect.yes"),
    () => response.await(ui.session.sendRequest("cash_out"), () => dialog.close()),
    {
      class: "main",
    },
  );
  const update = (/** @type {TerminalView} */ view) => {
    const { seat } = view;
    const staked = Object.values(seat.games).reduce((all, game) => all + (game.staked ?? 0), 0);
    text(sum, amount(seat.credit));
    text(staying, say("collect.staked", { staked: amount(staked) }));
    shown(staying, staked > 0);
    enabled(yes, isReady(view));
    response.update(view);
  };
  const dialog = openDialog({
    name: "collect",
    title: say("collect.title"),
    look: "narrow",
    body: [el("p", {}, say("collect.about", { slip })), el("p", { class: "sum" }, sum), staying, response.node],
    foot: [button(say("collect.no"), () => dialog.close()), yes],
    update,
  });
  update(ui.seated());
}
