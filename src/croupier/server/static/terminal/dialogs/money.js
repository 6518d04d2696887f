// Inserting notes and collecting credits.

import { openSheet } from "../../shared/dialog.js";
import { button, each, el, enabled, field, form, icon, shown, text } from "../../shared/dom.js";
import { amount, money } from "../../shared/money.js";
import { isReady } from "../../shared/store.js";
import { locale, say } from "../../shared/text.js";
import { reply } from "./response.js";
import { cash, denominationChoice, unitChoice } from "./settings.js";
import { clockOf, formWords } from "./slip.js";

/**
 * @typedef {import("./response.js").Reply} Reply
 * @typedef {import("../controller.js").Ui} Ui
 * @typedef {import("./messages.js").Visit} Visit
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 */

/** @param {Ui} ui @param {Visit} visit */
export function openMoney(ui, visit) {
  const told = reply();
  const credit = el("p", { class: "sum" });
  const collect = button(say("money.collect"), () => openCollect(ui), { class: "main" });
  const slips = slipList(visit);
  const units = [unitChoice(ui), denominationChoice(ui, told)].filter((one) => one !== null);
  const ways = [notes(ui, told), ticket(ui, told), play(ui, told)].filter((one) => one !== null);
  const update = (/** @type {TerminalView} */ view) => {
    const { seat } = view;
    text(credit, say("money.credit", { credit: amount(seat.credit) }));
    for (const control of ways.flatMap((one) => [...one.querySelectorAll("button")])) enabled(control, isReady(view));
    enabled(collect, isReady(view));
    slips.update();
    for (const one of units) one.update();
    told.update(view);
  };
  openSheet({
    name: "money",
    title: say("money.title"),
    body: [credit, told.node, ...ways, ...units.map((one) => one.node), slips.node],
    foot: [collect],
    update,
  });
  update(ui.seated());
}

/** Notes: a simulated acceptor in a demonstration, or what the real one accepts. @param {Ui} ui @param {Reply} told */
function notes(ui, told) {
  const { fixture } = ui.seated();
  if (fixture.practice || fixture.notes.length === 0) return null;
  const worth = fixture.notes.map((/** @type {number} */ value) => cash(value, fixture.currency));
  if (!ui.session.demo)
    return part(say("money.notes"), el("p", {}, say("money.acceptor", { notes: worth.join(", ") })));
  const put = (/** @type {number} */ value) => told.await(ui.session.wish("note", { value }));
  const keys = fixture.notes.map((/** @type {number} */ value, /** @type {number} */ place) =>
    button(el("bdi", {}, worth[place]), () => put(value), {
      class: "note",
      "aria-label": say("money.insert", { note: worth[place] }),
    }),
  );
  return part(
    say("money.notes"),
    el("div", { class: "notes" }, ...keys),
    el("p", { class: "quiet" }, say("money.simulated")),
  );
}

/** Ticket insertion, where the venue accepts tickets. @param {Ui} ui @param {Reply} told */
function ticket(ui, told) {
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
      told.await(ui.session.wish("ticket_in", { number: typed.trim() }), () => made.reset()),
    field(say("money.number"), number),
    el("button", {}, say("money.insert-ticket")),
  );
  return part(say("money.ticket"), given);
}

/** Play money in a demonstration, which the server may refuse. @param {Ui} ui @param {Reply} told */
function play(ui, told) {
  if (!ui.session.demo) return null;
  const gift = button(say("money.gift"), () => {
    if (ui.session.say({ t: "practice" })) told.listen(ui.seated());
    else told.await(null);
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
          el("p", { class: "when" }, el("b", {}, formWords(slip.form)), el("time", {}, clockOf(slip.at))),
          el("p", {}, say("money.slip", { amount: money(slip.amount, slip.currency, locale()), ending: slip.ending })),
        ),
    );
  };
  return { node, update };
}

/** @param {string} title @param {...Node} body */
const part = (title, ...body) => el("section", { class: "part" }, el("h3", {}, title), ...body);

// Collecting: all free credits as a slip or ticket, after a confirmation.

/** @param {Ui} ui */
export function openCollect(ui) {
  const told = reply();
  const sum = el("bdi", {});
  const staying = el("p", {});
  const slip = formWords((ui.data()?.slip ?? "ticket").replaceAll(" ", "_"));
  const yes = button(say("collect.yes"), () => told.await(ui.session.wish("cash_out"), () => sheet.close()), {
    class: "main",
  });
  const update = (/** @type {TerminalView} */ view) => {
    const { seat } = view;
    const staked = Object.values(seat.games).reduce((all, game) => all + (game.staked ?? 0), 0);
    text(sum, amount(seat.credit));
    text(staying, say("collect.staked", { staked: amount(staked) }));
    shown(staying, staked > 0);
    enabled(yes, isReady(view));
    told.update(view);
  };
  const sheet = openSheet({
    name: "collect",
    title: say("collect.title"),
    look: "narrow",
    body: [el("p", {}, say("collect.about", { slip })), el("p", { class: "sum" }, sum), staying, told.node],
    foot: [button(say("collect.no"), () => sheet.close()), yes],
    update,
  });
  update(ui.seated());
}
