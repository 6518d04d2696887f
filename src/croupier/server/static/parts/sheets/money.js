// Money: what can be put in here, what one credit is worth, and the way to collect.

import { button, each, el, enabled, field, form, shown, text } from "../../kit/dom.js";
import { icon } from "../../kit/icon.js";
import { amount, money } from "../../kit/money.js";
import { openSheet } from "../../kit/sheet.js";
import { isReady } from "../../kit/store.js";
import { locale, say } from "../../kit/words.js";
import { openCollect } from "./collect.js";
import { reply } from "./reply.js";
import { formWords } from "./slip.js";
import { cash, denominationChoice, unitChoice } from "./units.js";
import { clockOf } from "./when.js";

/** @typedef {import("../ui.js").Ui} Ui */
/** @typedef {import("./visit.js").Visit} Visit */
/** @typedef {import("./reply.js").Reply} Reply */

/** @param {Ui} ui @param {Visit} visit */
export function openMoney(ui, visit) {
  const told = reply();
  const credit = el("p", { class: "sum" });
  const collect = button(say("money.collect"), () => openCollect(ui), { class: "main" });
  const slips = slipList(visit);
  const units = [unitChoice(ui), denominationChoice(ui, told)].filter((one) => one !== null);
  const ways = [notes(ui, told), ticket(ui, told), play(ui, told)].filter((one) => one !== null);
  const update = (/** @type {any} */ view) => {
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
  update(ui.view());
}

/** Notes: an acceptor that is played here in a demonstration, or what the real one takes.
 * @param {Ui} ui @param {Reply} told */
function notes(ui, told) {
  const { fixture } = ui.view();
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

/** A ticket, where the venue takes them in. @param {Ui} ui @param {Reply} told */
function ticket(ui, told) {
  const { fixture } = ui.view();
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

/** Play money, in a demonstration: the house's own gift, which it may refuse. @param {Ui} ui @param {Reply} told */
function play(ui, told) {
  if (!ui.session.demo) return null;
  const gift = button(say("money.gift"), () => {
    if (ui.session.say({ t: "practice" })) told.listen(ui.view());
    else told.await(null);
  });
  return part(say("money.play"), gift, el("p", { class: "quiet" }, say("money.worthless")));
}

/** The slips of this visit, by the end of their numbers. @param {Visit} visit */
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
