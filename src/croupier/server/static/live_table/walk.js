// Paying a live table: what is collected first, then each payment with its arithmetic, and the round in figures.

import { openForm } from "../console/forms.js";
import { chipOf, hueOf, STACK, stacksOf, valueOf } from "../felt/pieces.js";
import { button, el, marked } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { cashLine } from "./chips_sheet.js";
import { clauseSign } from "./table.js";

/**
 * @typedef {import("./table.js").LiveTable} LiveTable
 * @typedef {import("../shared/types/wire.js").WalkPayment} WalkPayment
 * @typedef {import("../shared/types/wire.js").WalkPosition} WalkPosition
 * @typedef {import("../console/client.js").Part} Part
 */

/** The panel of the walk. @param {LiveTable} live @param {() => string} mode @returns {Part} */
export function walkPanel(live, mode) {
  const node = el("section", { class: "walk", "aria-label": say("live.walk") });
  /** @type {unknown[]} */
  let seen = [];
  let drawn = "";
  const update = () => {
    const now = mode();
    const { walk } = live;
    if (!walk || !["collect", "pay", "done", "tap"].includes(now)) return;
    // Drawn anew only when something on it has changed: nothing on it is typed into.
    const parts = [now, ...live.view_key];
    if (parts.every((value, place) => value === seen[place])) return;
    seen = parts;
    const key = JSON.stringify(parts);
    if (key === drawn) return;
    drawn = key;
    marked(node, "data-mode", now);
    const cards = now === "collect" ? collectCards(live) : now === "done" ? [doneCard(live)] : payCards(live, now);
    node.replaceChildren(...(walk.moves ? [movesCard(live, walk, walk.moves)] : []), ...cards);
  };
  return { node, update };
}

/** What is collected, by player, and the block. @param {LiveTable} live */
function collectCards(live) {
  const { walk } = live;
  const rows = (walk?.positions ?? []).filter(({ collected }) => collected.length > 0);
  const swept = rows.flatMap((row) =>
    row.collected.map(([chip, pieces]) => {
      const player = live.player(row.position);
      const name = player ? live.playerName(player) : "";
      return el(
        "div",
        { class: "swept" },
        chipOf(chip, valueOf(chip) === null ? pieces : live.chipValue(chip) / 100),
        el("span", {}, el("b", {}, say("live.pieces", { n: pieces })), el("small", {}, `${name} · ${live.amount(pieces * live.chipValue(chip))}`)),
      );
    }),
  );
  const head = el("div", { class: "card-head" }, el("h2", {}, say("live.collect-first")), el("p", {}, clauseSign(live.rulebook, walk?.clause)));
  const unknown = walk?.recorded ? null : el("p", {}, say("live.not-recorded"));
  const lose = el("div", { class: "card" }, head, el("div", { class: "sweep-list" }, ...swept), unknown ?? el("p", { class: "soft" }, say("live.collect-sum", { amount: live.amount(walk?.amount ?? 0) })));
  // What lost by both numbers is in the rack already.
  return walk?.moves ? [returnsCard(live)] : [lose, returnsCard(live)];
}

/**
 * The chips that a correction moves, position by position.
 * @param {LiveTable} live @param {import("../shared/types/wire.js").WalkState} walk @param {import("../shared/types/wire.js").WalkMoves} moves
 */
function movesCard(live, walk, { clause }) {
  const rows = movesOf(live).map(({ chip, pieces, name, words }) => el("li", {}, chipOf(chip, pieces), el("span", {}, el("b", {}, name), " ", words)));
  return el(
    "div",
    { class: "card moves" },
    el("div", { class: "card-head" }, el("h2", {}, say("live.moves", { pocket: walk.pocket })), el("p", {}, clauseSign(live.rulebook, clause))),
    rows.length > 0 ? el("ul", { class: "then-list" }, ...rows) : el("p", { class: "soft" }, say("live.moves-none")),
  );
}

/** What a correction lifts and puts back, in words, one position after another. @param {LiveTable} live */
export function movesOf(live) {
  const { lifted, restored } = live.walk?.moves ?? { lifted: [], restored: [] };
  const rows = [...lifted.map((move) => ({ ...move, id: "live.move-lift" })), ...restored.map((move) => ({ ...move, id: "live.move-back" }))];
  return rows
    .sort((one, other) => one.position - other.position)
    .map(({ position, spot, chip, pieces, id }) => {
      const player = live.player(position);
      const name = player ? `${live.playerName(player)} · ${live.labelOf(player)}` : say("live.position", { n: position });
      return { position, spot, chip, pieces, name, words: say(id, { n: pieces, spot: live.spotName(spot) }) };
    });
}

/** Marker bets, and what goes back to players. @param {LiveTable} live */
function returnsCard(live) {
  const rows = (live.walk?.positions ?? []).flatMap((row) => notesOf(live, row));
  const markers = (live.walk?.markers ?? []).map(({ position, spot, chip, pieces, stays, hit }) => {
    const player = live.player(position);
    const facts = { name: player ? live.playerName(player) : "", n: pieces, stays, rest: pieces - stays, pocket: live.walk?.pocket ?? "" };
    return el("li", {}, chipOf(chip, pieces), el("span", {}, el("b", {}, live.spotName(spot)), " ", say(hit ? "live.marker-hits" : "live.marker-misses", facts)));
  });
  return el(
    "div",
    { class: "card" },
    el("h2", {}, say("live.then")),
    el("ul", { class: "then-list" }, ...markers, ...rows),
    ...(markers.length + rows.length === 0 ? [el("p", { class: "soft" }, say("live.stay-put"))] : []),
  );
}

/** What was noted about a player's bets: capped, under the minimum, rounded. @param {LiveTable} live @param {WalkPosition} row */
function notesOf(live, row) {
  const player = live.player(row.position);
  return row.notes.map(({ kind, spot, before, after, clause }) => {
    const facts = { spot: live.spotName(spot), before: live.amount(before), after: live.amount(after), rest: live.amount(before - after) };
    const words = el("span", {}, el("b", {}, player ? live.playerName(player) : ""), " ", say(`live-note.${kind}`, facts), " ", clauseSign(live.rulebook, clause) ?? "");
    return el("li", {}, player ? chipOf(live.chipOf(player), "") : "", words);
  });
}

/** The payment that is made now: its sum on one side, the chips on the other. @param {LiveTable} live @param {string} mode */
function payCards(live, mode) {
  const { payment, walk } = live;
  if (!payment) return [el("div", { class: "card" }, el("p", {}, mode === "tap" ? say("live.tap-winners") : say("live.nothing-due")))];
  const player = live.player(payment.position);
  const chip = player ? live.chipOf(player) : "";
  const value = valueOf(chip) === null ? live.chipValue(chip) : 0;
  const place = (walk?.payments.indexOf(payment) ?? 0) + 1;
  const segment = payment.segment === "inside" ? say("live.inside", { pocket: walk?.pocket ?? "" }) : payment.segment === "returns" ? say("live.returns") : live.spotName(payment.segment);
  const who = el(
    "div",
    { class: "who" },
    chip ? chipOf(chip, "") : "",
    el("div", {}, el("b", {}, player ? live.playerName(player) : ""), el("small", {}, player ? `${live.labelOf(player)}${value ? ` · ${say("live.a-piece", { value: live.amount(value) })}` : ""}` : "")),
    el("div", { class: "at" }, el("b", {}, say("live.nth", { n: place, of: walk?.payments.length ?? 0 })), el("small", {}, segment)),
  );
  const notes = (walk?.positions ?? []).find(({ position }) => position === payment.position);
  const here = (notes?.notes ?? []).filter(({ spot }) => payment.lines.some((line) => line.spot === spot));
  const mine = el("div", { class: "card mine", "data-chip": valueOf(chip) === null ? hueOf(chip) : "value" }, who, sums(live, payment));
  mine.append(...here.map(({ kind, spot, before, after, clause }) => {
    const facts = { spot: live.spotName(spot), before: live.amount(before), after: live.amount(after), rest: live.amount(before - after) };
    return el("p", { class: "notice" }, say(`live-note.${kind}`, facts), " ", clauseSign(live.rulebook, clause) ?? "");
  }));
  return [mine, payCard(live, payment)];
}

/** Each bet as pieces by odds, and the total. @param {LiveTable} live @param {WalkPayment} payment */
function sums(live, payment) {
  const rows = payment.lines.map(({ spot, odds, chip, settled, due, pieces }) => {
    const value = live.chipValue(chip);
    const colour = valueOf(chip) === null && pieces !== null;
    return el(
      "tr",
      {},
      el("th", { scope: "row" }, live.spotName(spot), el("small", {}, ` ${say("live.to-one", { n: odds })}`)),
      el("td", {}, colour ? `${settled / value} × ${odds}` : `${live.amount(settled)} × ${odds}`),
      el("td", { class: "out" }, colour ? String(pieces) : live.amount(due)),
    );
  });
  const all = payment.pieces.map(([chip, pieces]) => say("live.times", { n: pieces, value: live.amount(live.chipValue(chip)) })).join(" + ");
  const total = el("tr", {}, el("th", { scope: "row" }, all || say("live.due")), el("td"), el("td", { class: "out total" }, live.amount(payment.due)));
  return el("table", { class: "sums" }, el("tbody", {}, ...rows), el("tfoot", {}, total));
}

/** The chips of a payment, in one of the ways in which it can be paid. @param {LiveTable} live @param {WalkPayment} payment */
function payCard(live, payment) {
  const ways = live.waysToPay(payment);
  const chosen = live.chosenWay(payment);
  const keys = ways.map(({ key }) => button(say(`live-way.${key}`), () => live.chooseWay(key), { "aria-pressed": String(key === chosen.key) }));
  const node = el("div", { class: "card pay" }, el("div", { class: "levels", role: "group", "aria-label": say("live.way") }, ...keys));
  if (payment.due !== payment.paid)
    node.append(el("p", { class: "notice" }, say("live.rounded", { due: live.amount(payment.due), paid: live.amount(payment.paid) }), " ", clauseSign(live.rulebook, payment.rounding) ?? ""));
  if (payment.undecided !== null)
    node.append(el("p", { class: "notice" }, say("live.undecided", { due: live.amount(payment.due) }), " ", clauseSign(live.rulebook, payment.undecided) ?? ""));
  node.append(el("p", { class: "big-words" }, wordsOf(live, chosen.chips)));
  const colours = chosen.chips.filter(([chip]) => valueOf(chip) === null);
  const cash = chosen.chips.filter(([chip]) => valueOf(chip) !== null);
  const piles = el("div", { class: "pile-row" }, ...colours.map(([chip, pieces]) => stacksOf(chip, pieces)));
  if (cash.length > 0) piles.append(cashLine(live, cash.reduce((sum, [chip, pieces]) => sum + pieces * live.chipValue(chip), 0)));
  node.append(piles);
  const others = ways.filter(({ key }) => key !== chosen.key).map(({ chips }) => chipsText(live, chips));
  if (others.length > 0) node.append(el("p", { class: "soft" }, say("live.or", { chips: others[others.length - 1] })));
  return node;
}

/** @param {LiveTable} live @param {[string, number][]} chips */
const chipsText = (live, chips) => chips.map(([chip, count]) => `${live.chipName(chip)} × ${count}`).join(" + ");

/** @param {LiveTable} live @param {[string, number][]} chips */
function wordsOf(live, chips) {
  const colours = chips.filter(([chip]) => valueOf(chip) === null);
  const cash = chips.filter(([chip]) => valueOf(chip) !== null).reduce((sum, [chip, pieces]) => sum + pieces * live.chipValue(chip), 0);
  const parts = colours.map(([, pieces]) => say("live.stacks", { full: Math.floor(pieces / STACK), over: pieces % STACK }));
  return [...parts, ...(cash ? [live.amount(cash)] : [])].join(" + ");
}

/** The round in figures, player by player. @param {LiveTable} live */
function doneCard(live) {
  const { walk } = live;
  const rows = (walk?.positions ?? []).map((row) => {
    const player = live.player(row.position);
    const paid = (walk?.payments ?? []).filter(({ position }) => position === row.position).reduce((sum, each) => sum + each.paid, 0);
    const stays = Object.values(row.stays).reduce((sum, pieces) => sum + Object.entries(pieces).reduce((all, [chip, count]) => all + count * live.chipValue(chip), 0), 0);
    return { row, player, paid, stays, net: paid - row.amount };
  });
  const sum = (/** @type {(one: (typeof rows)[number]) => number} */ of) => rows.reduce((all, one) => all + of(one), 0);
  const heads = ["live.player", "live.took", "live.paid", "live.net", "live.stays", "live.back"];
  const line = (/** @type {(typeof rows)[number]} */ { row, player, paid, stays, net }) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, el("span", {}, player ? chipOf(live.chipOf(player), "") : "", el("b", {}, player ? live.playerName(player) : ""), el("small", {}, player ? live.labelOf(player) : ""))),
      el("td", {}, live.amount(row.amount)),
      el("td", {}, live.amount(paid)),
      el("td", { "data-look": net < 0 ? "down" : "up" }, `${net > 0 ? "+" : ""}${live.amount(net)}`),
      el("td", {}, live.amount(stays)),
      el("td", {}, row.handed ? live.amount(row.handed) : "–"),
    );
  const net = sum((one) => one.net);
  const foot = [live.amount(sum((one) => one.row.amount)), live.amount(sum((one) => one.paid)), say("live.house", { amount: `${net > 0 ? "−" : "+"}${live.amount(Math.abs(net))}` }), live.amount(sum((one) => one.stays)), live.amount(sum((one) => one.row.handed))];
  return el(
    "div",
    { class: "card" },
    el("h2", {}, say("live.done-title", { round: walk?.round ?? 0, pocket: walk?.pocket ?? "" })),
    el(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": say("live.figures") },
      el(
        "table",
        { class: "figures" },
        el("thead", {}, el("tr", {}, ...heads.map((id) => el("th", { scope: "col" }, say(id))))),
        el("tbody", {}, ...rows.map(line)),
        el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, say("live.all")), ...foot.map((words) => el("td", {}, words)))),
      ),
    ),
  );
}

/** A note of a dispute, which goes to the pit with the round. @param {LiveTable} live */
export function openNote(live) {
  const { table, state } = live;
  /** @type {[string, string][]} */
  const choices = live.players.map((player) => [String(player.position), `${live.playerName(player)}, ${live.labelOf(player)}`]);
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
      live.client.sendCommand({ type: "OpenDispute", table, round: state?.round, terminal: null, position: Number(who), basis: "not_covered", words }),
  });
}
