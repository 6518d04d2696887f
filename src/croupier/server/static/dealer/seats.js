// The seats of the table.

import { durationOf } from "../console/text.js";
import { pill, updatePill } from "../console/widgets.js";
import { each, el, marked, text } from "../shared/dom.js";

/**
 * @typedef {import("../console/widgets.js").Pill} Pill
 * @typedef {import("../shared/types/console.js").SeatRow} SeatRow
 */

/** @param {import("./round.js").Deal} deal @returns {import("../console/client.js").Part} */
export function seats(deal) {
  const heading = el("h2", {});
  const list = el("ul", { class: "rows" });
  const scrolls = { role: "region", tabindex: "0", "aria-label": "Terminals of this table" };
  const frame = el("div", { class: "frame", ...scrolls }, list);
  const node = el("section", { class: "card seats", "aria-label": "Terminals" }, heading, frame);
  const draw = () => {
    const { floor, client, table } = deal;
    const now = client.session.now() ?? 0;
    const rows = floor?.seats ?? [];
    text(heading, [`Terminals · ${rows.length}`, ...attentionTexts(rows)].join(" · "));
    each(
      list,
      rows,
      ({ terminal }) => terminal,
      seat,
      (item, row) => {
        const [credit, bet] = item.querySelectorAll("dd");
        const is = statusOf(row, now);
        updatePill(item, is);
        marked(item, "data-look", is.look);
        text(credit, row.dark ? "–" : client.amount(row.credit, table));
        text(bet, client.amount(row.staked, table));
      },
    );
  };
  return { node, update: draw, tick: draw };
}

/** @param {SeatRow} row */
const seat = ({ terminal }) =>
  el(
    "li",
    {},
    el("h3", {}, terminal),
    pill({ says: "" }),
    el("dl", {}, el("dt", {}, "Credit"), el("dd", {}), el("dt", {}, "Bet"), el("dd", {})),
  );

/** The status of a seat: what prevents play comes first. @param {SeatRow} row @param {number} now @returns {Pill} */
function statusOf({ closed, dark, lost_at_us, held, below, idle, idle_long, staked, credit, ...row }, now) {
  if (closed) return { says: "Closed", look: "calm" };
  if (row.case !== null) return { says: `Case ${row.case}`, look: "stop" };
  if (dark) return { says: lost_at_us === null ? "Offline" : `Offline ${durationOf(now - lost_at_us)}`, look: "stop" };
  if (held > 0) return { says: "Win held", look: "warn" };
  if (below) return { says: "Below minimum", look: "warn" };
  if (staked > 0) return { says: "Bets in", look: "ok" };
  if (credit === 0) return { says: "Free", look: "calm" };
  if (idle > 0) return { says: idle === 1 ? "Idle 1 spin" : `Idle ${idle} spins`, look: idle_long ? "warn" : "calm" };
  return { says: "No bets", look: "calm" };
}

/** How many seats need attention, and why. @param {SeatRow[]} rows */
function attentionTexts(rows) {
  const [dark, below, idle] = [
    rows.filter((row) => row.dark).length,
    rows.filter((row) => row.below).length,
    rows.filter((row) => row.idle_long && row.credit > 0).length,
  ];
  return [dark && `${dark} offline`, below && `${below} below`, idle && `${idle} idle`].filter(Boolean);
}
