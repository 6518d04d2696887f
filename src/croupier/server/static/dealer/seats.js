// The seats of the table: those that need attention first, the others as one line.

import { durationOf } from "../console/text.js";
import { factPairs, statusPill } from "../console/widgets.js";
import { h } from "../shared/render.js";
import { say } from "../shared/text.js";

/**
 * @typedef {import("../console/widgets.js").Pill} Pill
 * @typedef {import("../shared/types/console.js").SeatRow} SeatRow
 * @typedef {Pill & {rank: number}} Ranked
 */

/** From this rank on a seat needs attention. */
const ATTENTION = 2;

/** @param {import("./round.js").Deal} deal */
export function seats({ floor, client, table }) {
  const label = say("dealer.seats");
  const rows = ranked(floor?.seats ?? [], client.session.now() ?? 0);
  const noted = rows.filter(({ is }) => is.rank >= ATTENTION).length;
  const rest = rows.length - noted;
  const seat = (/** @type {ReturnType<typeof ranked>[0]} */ { row, is }) =>
    h(
      "li",
      { key: row.terminal, "data-key": row.terminal, "data-look": is.look, "data-quiet": is.rank < ATTENTION },
      h("h3", null, row.terminal),
      statusPill(is),
      factPairs([
        [say("dealer.credit"), client.amount(row.credit, table)],
        [say("dealer.bet"), client.amount(row.staked, table)],
      ]),
    );
  return h(
    "section",
    { class: "card seats", "aria-label": label },
    h(
      "div",
      { class: "top" },
      h("h2", null, label),
      h(
        "p",
        { class: "sums" },
        say("dealer.bets", { ...counts(floor?.seats ?? []), staked: client.amount(floor?.staked, table) }),
      ),
    ),
    h(
      "div",
      { class: "frame", role: "region", tabindex: "0", "aria-label": label },
      h("ul", { class: "rows" }, rows.map(seat)),
      rest > 0 &&
        h("p", { class: "quiet" }, noted > 0 ? say("dealer.others-quiet", { n: rest }) : say("dealer.all-quiet")),
    ),
  );
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
