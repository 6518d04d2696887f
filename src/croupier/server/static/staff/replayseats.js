// The seats of a replay: what each has on the felt at a moment and, once it is settled, what came back and on what.

import { spotName } from "../kit/words.js";
import { grid } from "./grid.js";
import { chipsOf } from "./replayframes.js";

/**
 * @typedef {import("./desk.js").Desk} Desk
 * @typedef {import("../kit/consoles.js").ToldReplay} Told
 * @typedef {import("../kit/consoles.js").ReplaySeat} Seat
 * @typedef {import("./replayframes.js").Frame} Frame
 */

/** A seat that has nothing on record of the round. @type {Seat} */
const NOBODY = { terminal: "", at_start: {}, sealed: {}, staked: 0, returned: null, winners: {} };

/** @param {Desk} desk @param {Told} told @param {string[]} names of everybody who had chips at some time */
export function replaySeats(desk, told, names) {
  const seats = names.map(
    (name) => told.seats.find(({ terminal }) => terminal === name) ?? { ...NOBODY, terminal: name },
  );
  /** @type {Frame | null} */
  let now = null;
  const write = (/** @type {number | null} */ cents) => (cents === null ? "–" : desk.amount(cents, told.table));
  /** Whether what came of the round in the end is so at this moment. */
  const isOver = () => Boolean(now?.settled && now.winning === told.pocket);
  const lies = (/** @type {Seat} */ { terminal }) =>
    Object.values(now ? chipsOf(now, terminal) : {}).reduce((sum, cents) => sum + cents, 0);
  const node = grid({
    label: "The seats at this moment",
    columns: [
      { head: "Seat", cell: ({ terminal }) => terminal },
      { head: "On the felt", cell: (seat) => write(lies(seat)), sum: true },
      { head: "Came back", cell: ({ returned }) => (isOver() ? write(returned) : "–"), sum: true },
      {
        head: "Won on",
        cell: ({ returned, winners }) =>
          isOver() && returned !== null ? wonOn(desk, told.table, winners, write) : "–",
      },
    ],
    key: ({ terminal }) => terminal,
    empty: "Nobody had chips on this round.",
  });
  return {
    node: node.node,
    /** @param {Frame} frame @param {string | null} terminal */
    update(frame, terminal) {
      now = frame;
      node.update(seats.filter((seat) => terminal === null || seat.terminal === terminal));
    },
  };
}

/** @param {Desk} desk @param {string} table @param {Record<string, number>} winners
 * @param {(cents: number) => string} write */
function wonOn(desk, table, winners, write) {
  const named = desk.felt(table)?.named;
  const name = (/** @type {string} */ key) => {
    const spot = named?.get(key);
    return spot ? spotName(spot) : key;
  };
  return (
    Object.entries(winners)
      .map(([key, cents]) => `${name(key)} ${write(cents)}`)
      .join(", ") || "nothing"
  );
}
