// The terminal door: credits, bets and wins of one player, at one table or two.

import { button, each, el, enabled, field, form, shown, text } from "../kit/dom.js";
import { money, plain } from "../kit/money.js";
import { placeOf, Session, wantedBy } from "../kit/session.js";
import { isReady } from "../kit/store.js";
import { anotherSeat, enrol } from "../parts/enrol.js";
import { felt } from "../parts/felts.js";
import { game } from "../parts/game.js";
import { notices } from "../parts/notices.js";
import { slips } from "../parts/slip.js";

const PRACTICE = "PRACTICE SEAT: play money, no winnings";

export function terminal(host, session) {
  const above = notices(session, (view) => betsWhenLost(view));
  const who = el("p", { class: "who" });
  const practice = el("p", { class: "practice", hidden: true }, PRACTICE);
  const service = el(
    "p",
    { class: "notice", role: "alert", hidden: true },
    "This terminal is out of service. Please call an attendant.",
  );
  const meter = (words) => el("div", {}, el("dt", {}, words), el("dd", {}));
  const meters = { credit: meter("Credit"), bet: meter("Bet"), win: meter("Win"), held: meter("Held for a tax form") };
  const tray = el("fieldset", { class: "tray" }, el("legend", {}, "A touch lays"));
  const games = el("div", { class: "games" });
  const made = new Map();
  const purse = el("div", { class: "tools purse" });
  const messages = el("ol", { class: "messages", "aria-label": "Messages" });
  const pass = el(
    "div",
    {},
    practice,
    service,
    el("dl", { class: "meters" }, ...Object.values(meters)),
    tray,
    games,
    purse,
    messages,
  );
  const entry = el("div", {});
  host.replaceChildren(
    el("header", {}, el("h1", {}, session.place.venue), who, anotherSeat(session)),
    above.node,
    entry,
    pass,
  );
  session.hears.slip = slips(session, host);

  const chip = () => {
    const picked = tray.querySelector("input:checked")?.value ?? "take";
    return picked === "take" ? picked : Number(picked) * session.state.seat.denomination;
  };
  let furnished = "";
  const furnish = (view) => {
    const { fixture, seat } = view;
    const wanted = JSON.stringify([fixture, seat.denomination]);
    if (wanted === furnished) return;
    furnished = wanted;
    tray.replaceChildren(tray.firstElementChild, ...chips(fixture, seat.denomination));
    purse.replaceChildren(...purseTools(session, fixture, seat));
  };

  session.draw = (view) => {
    above.update(view);
    const { fixture, seat } = view;
    shown(pass, Boolean(fixture && seat));
    text(who, session.keeper.device ? `Terminal ${session.keeper.device.device}` : "");
    if (!fixture || !seat) return;
    furnish(view);
    shown(practice, fixture.practice);
    shown(service, seat.in_service === false);
    meterShows(meters.credit, seat.credit, fixture.currency);
    meterShows(meters.bet, total(seat, "staked"), fixture.currency);
    meterShows(meters.win, total(seat, "won"), fixture.currency);
    meterShows(meters.held, seat.held ?? 0, fixture.currency);
    shown(meters.held, Boolean(seat.held));
    each(
      games,
      Object.keys(seat.games),
      (name) => name,
      (name) => {
        const one = game(session, name, chip);
        made.set(name, one);
        return one.node;
      },
    );
    for (const name of Object.keys(seat.games)) made.get(name).update(view);
    for (const tool of purse.querySelectorAll("button")) enabled(tool, isReady(view));
    const said = seat.messages ?? [];
    each(
      messages,
      said.map((words, place) => ({ words, place })),
      ({ words, place }) => `${place}:${words}`,
      ({ words }) => el("li", {}, words),
    );
  };
  setInterval(() => made.forEach((one) => one.tick()), 200);
  enrol(session, entry);
  session.redraw();
}

/** What becomes of the bets of a terminal without a line, as the rules have it. */
function betsWhenLost({ fixture, seat }) {
  const told = fixture && seat && total(seat, "staked") > 0 ? felt(fixture.felt, () => {})?.line_lost : null;
  return told ? `${told.says} (${told.clause})` : "";
}

const total = (seat, name) => Object.values(seat.games).reduce((all, one) => all + (one[name] ?? 0), 0);
const meterShows = (node, cents, currency) => text(node.lastElementChild, money(cents, currency));

function chips(fixture, denomination) {
  const radio = (value, words, checked) =>
    el("label", {}, el("input", { type: "radio", name: "chip", value, checked }), el("span", {}, words));
  return [
    ...fixture.chips.map((credits, place) => radio(credits, plain(credits * denomination), place === 0)),
    radio("take", "Take off", false),
  ];
}

function purseTools(session, fixture, seat) {
  const { currency, terminal: name } = fixture;
  const collect = button("Collect", () => session.wish("cash_out"), { class: "main" });
  const notes = session.demo && !fixture.practice ? fixture.notes : [];
  const tools = [
    collect,
    ...notes.map((value) => button(`Put in ${money(value, currency)}`, () => session.wish("note", { value }))),
    ...(session.demo ? [button("Play money", () => session.say({ t: "practice" }))] : []),
  ];
  if (!fixture.practice) {
    tools.push(
      form(
        {},
        ({ number }, made) => {
          if (session.wish("ticket_in", { number: number.trim() }) !== null) made.reset();
        },
        field("Ticket number", el("input", { name: "number", maxlength: 32, required: true, autocomplete: "off" })),
        el("button", {}, "Put in"),
      ),
    );
  }
  if (fixture.denominations.length > 1) tools.push(denominations(session, fixture, seat, name));
  return tools;
}

function denominations(session, fixture, seat, name) {
  const choice = el(
    "select",
    {},
    ...fixture.denominations.map((cents) =>
      el("option", { value: cents, selected: cents === seat.denomination }, money(cents, fixture.currency)),
    ),
  );
  choice.addEventListener("change", () =>
    session.ask({ type: "ChooseDenomination", terminal: name, denomination: Number(choice.value) }),
  );
  return field("One credit is", choice);
}

if (document.querySelector("main.door.terminal")) {
  terminal(document.getElementById("door"), new Session({ place: placeOf(document), wanted: wantedBy(location) }));
}
