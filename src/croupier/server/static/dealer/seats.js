// The seats of the table: those that need attention first, the others as one line.

import { durationOf } from "../console/text.js";
import { pill, updatePill } from "../console/widgets.js";
import { each, el, marked, shown, text } from "../shared/dom.js";
import { say } from "../shared/text.js";

/**
 * @typedef {import("../console/widgets.js").Pill} Pill
 * @typedef {import("../shared/types/console.js").SeatRow} SeatRow
 * @typedef {Pill & {rank: number}} Ranked
 */

/** From this rank on a seat needs attention. */
const ATTENTION = 2;

/** @param {import("./round.js").Deal} deal @returns {import("../console/client.js").Part} */
export function seats(deal) {
  const heading = el("h2", {}, say("dealer.seats"));
  const sums = el("p", { class: "sums" });
  const list = el("ul", { class: "rows" });
  const quiet = el("p", { class: "quiet" });
  const scrolls = { role: "region", tabindex: "0", "aria-label": say("dealer.seats") };
  const frame = el("div", { class: "frame", ...scrolls }, list, quiet);
  const top = el("div", { class: "top" }, heading, sums);
  const node = el("section", { class: "card seats", "aria-label": say("dealer.seats") }, top, frame);
  const draw = () => {
    const { floor, client, table } = deal;
    const now = client.session.now() ?? 0;
    const rows = ranked(floor?.seats ?? [], now);
    const noted = rows.filter(({ is }) => is.rank >= ATTENTION);
    text(sums, say("dealer.bets", { ...counts(floor?.seats ?? []), staked: client.amount(floor?.staked, table) }));
    each(
      list,
      rows,
      ({ row }) => row.terminal,
      ({ row }) => seat(row),
      (item, { row, is }) => {
        const [credit, bet] = item.querySelectorAll("dd");
        updatePill(item, is);
        marked(item, "data-look", is.look);
        marked(item, "data-quiet", is.rank < ATTENTION ? "" : null);
        text(credit, client.amount(row.credit, table));
        text(bet, client.amount(row.staked, table));
      },
    );
    const rest = rows.length - noted.length;
    text(quiet, noted.length > 0 ? say("dealer.others-quiet", { n: rest }) : say("dealer.all-quiet"));
    shown(quiet, rest > 0);
  };
  return { node, update: draw, tick: draw };
}

/** @param {SeatRow[]} rows */
const counts = (rows) => ({ n: rows.filter(({ staked }) => staked > 0).length, all: rows.length });

/**
 * Seats with their status: those that need attention first, by the money in them.
 * @param {SeatRow[]} rows @param {number} now
 */
export function ranked(rows, now) {
  const all = rows.map((row) => ({ row, is: statusOf(row, now), money: row.credit + row.staked + row.held }));
  const noted = (/** @type {{is: Ranked}} */ { is }) => (is.rank >= ATTENTION ? 1 : 0);
  return all.sort((one, other) => noted(other) - noted(one) || (noted(one) ? other.money - one.money : 0));
}

/** @param {SeatRow} row */
const seat = ({ terminal }) =>
  el(
    "li",
    {},
    el("h3", {}, terminal),
    pill({ says: "" }),
    el(
      "dl",
      {},
      el("dt", {}, say("dealer.credit")),
      el("dd", {}),
      el("dt", {}, say("dealer.bet")),
      el("dd", {}),
    ),
  );

/**
 * The status of a seat: what prevents play comes first. A seat without money is quiet, whatever is wrong with it.
 * @param {SeatRow} row @param {number} now @returns {Ranked}
 */
function statusOf({ closed, dark, lost_at_us, held, below, idle, idle_long, staked, credit, ...row }, now) {
  const empty = credit + staked + held === 0;
  if (row.case !== null) return { says: say("seat.case", { case: row.case }), look: "stop", rank: 4 };
  if (dark) {
    const says = lost_at_us === null
      ? say("seat.offline")
      : say("seat.offline-for", { time: durationOf(now - lost_at_us) });
    return empty ? { says, look: "calm", rank: 0 } : { says, look: "stop", rank: 3 };
  }
  if (closed) return { says: say("seat.closed"), look: empty ? "calm" : "warn", rank: empty ? 0 : 2 };
  if (held > 0) return { says: say("seat.held"), look: "warn", rank: 3 };
  if (below) return { says: say("seat.below"), look: "warn", rank: 2 };
  if (staked > 0) return { says: say("seat.bets"), look: "ok", rank: 1 };
  if (credit === 0) return { says: say("seat.free"), look: "calm", rank: 0 };
  if (idle > 0) {
    return { says: say("seat.idle", { n: idle }), look: idle_long ? "warn" : "calm", rank: idle_long ? 2 : 0 };
  }
  return { says: say("seat.no-bets"), look: "calm", rank: 0 };
}
