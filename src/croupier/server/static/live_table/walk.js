// Paying a live table: what is collected first, then each payment with its arithmetic, and the round in figures.

import { openForm } from "../console/forms.js";
import { chipOf, hueOf, STACK, stacksOf, valueOf } from "../felt/pieces.js";
import { signed } from "../shared/money.js";
import { button, h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { cashLine } from "./chips_sheet.js";
import { clauseSign } from "./table.js";

/**
 * @typedef {import("./table.js").LiveTable} LiveTable
 * @typedef {import("../shared/types/wire.js").WalkPayment} WalkPayment
 * @typedef {import("../shared/types/wire.js").WalkPosition} WalkPosition
 * @typedef {import("../shared/types/wire.js").WalkState} WalkState
 */

/** The panel of the walk. @param {LiveTable} live */
export function walkPanel(live) {
  const { walk, mode } = live;
  if (!walk) return null;
  const cards = mode === "collect"
    ? collectCards(live, walk)
    : mode === "done"
    ? doneCard(live, walk)
    : payCards(live, walk);
  return h(
    "section",
    { class: "walk", "aria-label": say("live.walk"), "data-mode": mode },
    walk.moves && movesCard(live, walk),
    cards,
  );
}

/** The name of a player by position; empty for one who has left. @param {LiveTable} live @param {number} position */
function nameAt(live, position) {
  const player = live.player(position);
  return player ? live.playerName(player) : "";
}

/** What is collected, by player, and the block. @param {LiveTable} live @param {WalkState} walk */
function collectCards(live, walk) {
  // What lost by both numbers is in the rack already.
  if (walk.moves) return returnsCard(live, walk);
  const swept = walk.positions.flatMap(({ position, collected }) =>
    collected.map(([chip, pieces]) =>
      h(
        "div",
        { class: "swept", key: `${position} ${chip}` },
        chipOf(chip, valueOf(chip) === null ? pieces : live.chipValue(chip) / 100),
        h(
          "span",
          null,
          h("b", null, say("live.pieces", { n: pieces })),
          h("small", null, `${nameAt(live, position)} · ${live.amount(pieces * live.chipValue(chip))}`),
        ),
      )
    )
  );
  const taken = walk.positions.reduce((all, { collected }) => all + live.worth(collected), 0);
  const sum = say(taken === walk.amount ? "live.collect-sum" : "live.collect-change", {
    amount: live.amount(taken),
    change: live.amount(taken - walk.amount),
  });
  return [
    h(
      "div",
      { class: "card" },
      h(
        "div",
        { class: "card-head" },
        h("h2", null, say("live.collect-first")),
        h("p", null, clauseSign(live.rulebook, walk.clause)),
      ),
      walk.recorded ? h("p", { class: "soft" }, sum) : h("p", null, say("live.not-recorded")),
      h("div", { class: "sweep-list" }, swept),
    ),
    returnsCard(live, walk),
  ];
}

/** The chips that a correction moves, position by position. @param {LiveTable} live @param {WalkState} walk */
function movesCard(live, walk) {
  const rows = movesOf(live).map(({ chip, pieces, name, text }) =>
    h("li", null, chipOf(chip, pieces), h("span", null, h("b", null, name), " ", text))
  );
  const title = h("h2", null, say("live.moves", { pocket: walk.pocket }));
  return h(
    "div",
    { class: "card moves", key: "moves" },
    h("div", { class: "card-head" }, title, h("p", null, clauseSign(live.rulebook, walk.moves?.clause))),
    rows.length > 0 ? h("ul", { class: "then-list" }, rows) : h("p", { class: "soft" }, say("live.moves-none")),
  );
}

/** What a correction lifts and puts back, in words, one position after another. @param {LiveTable} live */
export function movesOf(live) {
  const { lifted, restored, freed, imprisoned } = live.walk?.moves ??
    { lifted: [], restored: [], freed: [], imprisoned: [] };
  const rows = [
    ...lifted.map((move) => ({ ...move, id: "live.move-lift" })),
    ...restored.map((move) => ({ ...move, id: "live.move-back" })),
    ...freed.map((move) => ({ ...move, id: "live.move-free" })),
    ...imprisoned.map((move) => ({ ...move, id: "live.move-wait" })),
  ];
  return rows
    .sort((one, other) => one.position - other.position)
    .map(({ position, spot, chip, pieces, id }) => {
      const player = live.player(position);
      const name = player
        ? `${live.playerName(player)} · ${live.labelOf(player)}`
        : say("live.position", { n: position });
      return { position, spot, chip, pieces, name, text: say(id, { n: pieces, spot: live.spotName(spot) }) };
    });
}

/** Marker bets, and what goes back to players. @param {LiveTable} live @param {WalkState} walk */
function returnsCard(live, walk) {
  const markers = (walk.markers ?? []).map(({ position, spot, chip, pieces, stays, hit }) => {
    const isChanged = stays > pieces;
    const facts = {
      name: nameAt(live, position),
      n: isChanged ? stays - pieces : pieces,
      stays,
      rest: pieces - stays,
      pocket: walk.pocket,
    };
    const text = say(isChanged ? "live.marker-changed" : hit ? "live.marker-hits" : "live.marker-misses", facts);
    return h(
      "li",
      null,
      chipOf(chip, isChanged ? stays : pieces),
      h("span", null, h("b", null, live.spotName(spot)), " ", text),
    );
  });
  const notes = walk.positions.flatMap(({ position, notes: rows }) => {
    const player = live.player(position);
    return rows.map((note) =>
      h(
        "li",
        null,
        player && chipOf(live.chipOf(player), ""),
        h("span", null, h("b", null, nameAt(live, position)), " ", noteText(live, note)),
      )
    );
  });
  const waits = walk.positions.flatMap(({ position, carried }) => waitRows(live, position, carried));
  const halves = walk.positions.flatMap((each) => returnedRows(live, each));
  const isEmpty = markers.length + notes.length + halves.length + waits.length === 0;
  return h(
    "div",
    { class: "card", key: "returns" },
    h("h2", null, say("live.then")),
    h("ul", { class: "then-list" }, markers, notes, halves, waits),
    isEmpty && h("p", { class: "soft" }, say("live.stay-put")),
  );
}

/** What goes back of bets that are collected in part, spot by spot. @param {LiveTable} live @param {WalkPosition} of */
function returnedRows(live, { position, sealed, came, stays, carried, returned }) {
  const count = (/** @type {Record<string, number> | undefined} */ pieces) =>
    Object.values(pieces ?? {}).reduce((sum, each) => sum + each, 0);
  const rows = Object.entries(returned).filter(([spot, back]) => live.markerOf(spot) === null && count(back) > 0);
  return rows.map(([spot, back]) => {
    const lay = count(sealed[spot]) + count(came[spot]);
    const taken = lay - count(back) - count(stays[spot]) - count(carried[spot]);
    const facts = {
      spot: live.spotName(spot),
      back: say("live.pieces", { n: count(back) }),
      taken: say("live.pieces", { n: taken }),
    };
    const [chip] = Object.keys(back);
    const text = say("live.goes-back", facts);
    return h("li", null, chipOf(chip, count(back)), h("span", null, h("b", null, nameAt(live, position)), " ", text));
  });
}

/** Chips that wait for the next spin. @param {LiveTable} live @param {number} position @param {Record<string, Record<string, number>>} carried */
function waitRows(live, position, carried) {
  return Object.entries(carried).flatMap(([spot, pieces]) =>
    Object.entries(pieces).map(([chip, count]) => {
      const text = say("live.waits-row", { n: count, spot: live.spotName(spot) });
      return h("li", null, chipOf(chip, count), h("span", null, h("b", null, nameAt(live, position)), " ", text));
    })
  );
}

/** What was noted about a bet: capped, under the minimum, rounded. @param {LiveTable} live @param {WalkPosition["notes"][number]} note */
function noteText(live, { kind, spot, before, after, clause }) {
  const facts = {
    spot: live.spotName(spot),
    before: live.amount(before),
    after: live.amount(after),
    rest: live.amount(before - after),
  };
  return [say(`live-note.${kind}`, facts), " ", clauseSign(live.rulebook, clause)];
}

/** The payment that is made now: its sum on one side, the chips on the other. @param {LiveTable} live @param {WalkState} walk */
function payCards(live, walk) {
  const { payment, mode } = live;
  if (!payment) {
    return h("div", { class: "card" }, h("p", null, say(mode === "tap" ? "live.tap-winners" : "live.nothing-due")));
  }
  const player = live.player(payment.position);
  const chip = player ? live.chipOf(player) : "";
  const isColour = valueOf(chip) === null;
  const piece = isColour && live.chipValue(chip)
    ? ` · ${say("live.a-piece", { value: live.amount(live.chipValue(chip)) })}`
    : "";
  const segment = live.isAroundNumber
    ? say("live.inside", { pocket: walk.pocket })
    : payment.segment === "inside"
    ? [...new Set(payment.lines.map(({ spot }) => live.spotName(spot)))].join(", ")
    : payment.segment === "returns"
    ? say("live.returns")
    : live.spotName(payment.segment);
  const notes = walk.positions.find(({ position }) => position === payment.position)?.notes ?? [];
  const nth = say("live.nth", { n: walk.payments.indexOf(payment) + 1, of: walk.payments.length });
  return [
    h(
      "div",
      { class: "card mine", "data-chip": isColour ? hueOf(chip) : "value" },
      h(
        "div",
        { class: "who" },
        player && chipOf(chip, ""),
        h(
          "div",
          null,
          h("b", null, nameAt(live, payment.position)),
          h("small", null, player && `${live.labelOf(player)}${piece}`),
        ),
        h("div", { class: "at" }, h("b", null, nth), h("small", null, segment)),
      ),
      sums(live, payment),
      notes.filter(({ spot }) => payment.lines.some((line) => line.spot === spot)).map((note) =>
        h("p", { class: "notice" }, noteText(live, note))
      ),
    ),
    payCard(live, payment),
  ];
}

/** Each bet as pieces by odds, and the total. @param {LiveTable} live @param {WalkPayment} payment */
function sums(live, payment) {
  const line = (/** @type {WalkPayment["lines"][number]} */ { spot, odds, chip, settled, due, pieces }) => {
    const isColour = valueOf(chip) === null && pieces !== null;
    return h(
      "tr",
      null,
      h("th", { scope: "row" }, live.spotName(spot), h("small", null, ` ${say("live.to-one", { n: odds })}`)),
      h("td", null, isColour ? `${settled / live.chipValue(chip)} × ${odds}` : `${live.amount(settled)} × ${odds}`),
      h("td", { class: "out" }, isColour ? String(pieces) : live.amount(due)),
    );
  };
  const all = payment.pieces.map(([chip, pieces]) =>
    say("live.times", { n: pieces, value: live.amount(live.chipValue(chip)) })
  ).join(" + ");
  const total = [
    h("th", { scope: "row" }, all || say("live.due")),
    h("td"),
    h("td", { class: "out total" }, live.amount(payment.due)),
  ];
  return h(
    "table",
    { class: "sums" },
    h("tbody", null, payment.lines.map(line)),
    h("tfoot", null, h("tr", null, total)),
  );
}

/** The chips of a payment, in one of the ways in which it can be paid. @param {LiveTable} live @param {WalkPayment} payment */
function payCard(live, payment) {
  const { due, paid, rounding, undecided } = payment;
  const ways = live.waysToPay(payment);
  const chosen = live.chosenWay(payment);
  const colours = chosen.chips.filter(([chip]) => valueOf(chip) === null);
  const cash = live.worth(chosen.chips.filter(([chip]) => valueOf(chip) !== null));
  const other = ways.filter(({ key }) => key !== chosen.key).at(-1);
  const notice = (/** @type {string} */ text, /** @type {string | null | undefined} */ clause) =>
    h("p", { class: "notice" }, text, " ", clauseSign(live.rulebook, clause));
  return h(
    "div",
    { class: "card pay" },
    h(
      "div",
      { class: "levels", role: "group", "aria-label": say("live.way") },
      ways.map(({ key }) =>
        button(say(`live-way.${key}`), () => live.chooseWay(key), { "aria-pressed": String(key === chosen.key) })
      ),
    ),
    due !== paid && notice(say("live.rounded", { due: live.amount(due), paid: live.amount(paid) }), rounding),
    undecided !== null && notice(say("live.undecided", { due: live.amount(due) }), undecided),
    h(
      "p",
      { class: "big-words" },
      [...colours.map(([, pieces]) => stacksText(pieces)), ...(cash ? [live.amount(cash)] : [])].join(" + "),
    ),
    h(
      "div",
      { class: "pile-row" },
      colours.map(([chip, pieces]) => stacksOf(chip, pieces)),
      cash > 0 && cashLine(live, cash),
    ),
    other &&
      h(
        "p",
        { class: "soft" },
        say("live.or", { chips: other.chips.map(([chip, count]) => `${live.chipName(chip)} × ${count}`).join(" + ") }),
      ),
  );
}

/** @param {number} pieces */
const stacksText = (pieces) =>
  pieces < STACK
    ? say("live.pieces", { n: pieces })
    : say("live.stacks", { full: Math.floor(pieces / STACK), over: pieces % STACK });

/** The round in figures, player by player. @param {LiveTable} live @param {WalkState} walk */
function doneCard(live, walk) {
  const rows = walk.positions.map(({ position, amount, stays, handed }) => {
    const paid = walk.payments.filter((payment) => payment.position === position).reduce(
      (sum, payment) => sum + payment.paid,
      0,
    );
    const worth = Object.values(stays).reduce((sum, pieces) => sum + live.worth(Object.entries(pieces)), 0);
    return { player: live.player(position), amount, handed, paid, stays: worth, net: paid - amount };
  });
  const sum = (/** @type {"amount" | "paid" | "net" | "stays" | "handed"} */ of) =>
    rows.reduce((all, row) => all + row[of], 0);
  const heads = ["live.player", "live.took", "live.paid", "live.net", "live.stays", "live.back"];
  const line = (/** @type {(typeof rows)[number]} */ { player, amount, paid, net, stays, handed }) =>
    h(
      "tr",
      null,
      h(
        "th",
        { scope: "row" },
        h(
          "span",
          null,
          player &&
            [
              chipOf(live.chipOf(player), ""),
              h("b", null, live.playerName(player)),
              h("small", null, live.labelOf(player)),
            ],
        ),
      ),
      h("td", null, live.amount(amount)),
      h("td", null, live.amount(paid)),
      h("td", { "data-look": net < 0 ? "down" : "up" }, net > 0 ? signed(live.amount(net)) : live.amount(net)),
      h("td", null, live.amount(stays)),
      h("td", null, handed ? live.amount(handed) : "–"),
    );
  const house = say("live.house", { amount: signed(live.amount(Math.abs(sum("net"))), sum("net") > 0 ? "−" : "+") });
  const foot = [
    live.amount(sum("amount")),
    live.amount(sum("paid")),
    house,
    live.amount(sum("stays")),
    live.amount(sum("handed")),
  ];
  return h(
    "div",
    { class: "card" },
    h("h2", null, say("live.done-title", { round: walk.round, pocket: walk.pocket })),
    h(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": say("live.figures") },
      h(
        "table",
        { class: "figures" },
        h("thead", null, h("tr", null, heads.map((id) => h("th", { scope: "col" }, say(id))))),
        h("tbody", null, rows.map(line)),
        h(
          "tfoot",
          null,
          h("tr", null, h("th", { scope: "row" }, say("live.all")), foot.map((text) => h("td", null, text))),
        ),
      ),
    ),
  );
}

/** A note of a dispute, which goes to the pit with the round. @param {LiveTable} live */
export function openNote(live) {
  const { table, state } = live;
  /** @type {[string, string][]} */
  const choices = live.players.map((
    player,
  ) => [String(player.position), `${live.playerName(player)}, ${live.labelOf(player)}`]);
  const named = live.payment ?? live.selected;
  openForm({
    name: "dispute-note",
    title: say("live.dispute-title"),
    look: "middle",
    about: [say("live.dispute-about", { round: state?.round ?? 0 })],
    fields: [
      { name: "who", label: say("live.player"), kind: "choice", choices, value: named ? String(named.position) : null },
      { name: "words", label: say("live.dispute-words"), kind: "words" },
    ],
    does: say("live.dispute-send"),
    send: ({ who, words }) =>
      live.client.sendCommand({
        type: "OpenDispute",
        table,
        round: state?.round,
        terminal: null,
        position: Number(who),
        basis: "not_covered",
        words,
      }),
  });
}
