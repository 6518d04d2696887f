// What the ball does in each state of a table. Pure.

import { pathOf, ROTOR_S } from "./ball.js";

/**
 * @typedef {object} Look the server state
 * @property {string} [table]
 * @property {string} phase
 * @property {number} round
 * @property {number} spin
 * @property {string | null} pocket the valid number
 * @property {string | null} last the number before it
 * @property {number | null} launchedAt server times in microseconds: when the ball was launched,
 * @property {number | null} [numberAt] when the number came to count,
 * @property {number | null} now and now
 * @property {boolean} reduced
 *
 * @typedef {{does: "away" | "runs" | "lands" | "rests", of: string, pocket: string | null, launchedAt: number,
 *   path: import("./ball.js").Path | null}} Ball
 *   what the ball does, in which spin, its pocket, and its way there
 */

const SECOND = 1e6;

/** @type {Ball} */
export const AWAY = { does: "away", of: "", pocket: null, launchedAt: 0, path: null };

/**
 * The wheel's part of the public view of a table.
 * @param {import("../shared/types/wire.js").TableState} table
 */
export const lookOf = ({
  table,
  phase,
  round,
  spin,
  pocket = null,
  numbers = [],
  launched_at: launchedAt = null,
  number_at: numberAt = null,
  random = false,
}) => ({ table, phase, round, spin, pocket, last: numbers[0] ?? null, launchedAt, numberAt, random });

/** The public seed of a spin: nothing in it tells the number. @param {Look} look */
const seedOf = ({ table = "", round, spin }) => `${table}/${round}/${spin}`;

/**
 * The next state of the ball. It lands while its way takes it, by the server's time; afterwards it rests. Nothing is shown
 * before the server has sent it.
 * @param {Ball} was @param {Look} look @param {readonly string[]} order of the wheel @returns {Ball}
 */
export function next(was, look, order) {
  const of = seedOf(look);
  if (look.pocket !== null) return landed(was, look, look.pocket, order);
  // A landing runs to its end, also into the next round.
  if (was.does === "lands" && was.pocket === look.last && !isRunning(look) && !isOver(was, look)) return was;
  if (isRunning(look)) {
    const launchedAt = look.launchedAt ?? look.now ?? 0;
    return was.does === "runs" && was.of === of ? was : { does: "runs", of, pocket: null, launchedAt, path: null };
  }
  return look.last === null || NO_BALL.has(look.phase) ? AWAY : rest(was.of, look.last);
}

/** @param {Ball} was @param {Look} look @param {string} pocket @param {readonly string[]} order @returns {Ball} */
function landed(was, look, pocket, order) {
  const of = seedOf(look);
  const { launchedAt, numberAt = null, now, reduced } = look;
  if (reduced || launchedAt === null || numberAt === null || now === null) return rest(of, pocket);
  if (was.does === "lands" && was.of === of && was.pocket === pocket) return isOver(was, look) ? rest(of, pocket) : was;
  if (was.does === "rests" && was.of === of) return rest(of, pocket);
  const path = pathOf(of, {
    place: order.indexOf(pocket),
    count: order.length,
    known: (numberAt - launchedAt) / SECOND,
    rotor: rotorTurn(launchedAt),
  });
  /** @type {Ball} */
  const lands = { does: "lands", of, pocket, launchedAt, path };
  return isOver(lands, look) ? rest(of, pocket) : lands;
}

/** @param {string} of @param {string} pocket @returns {Ball} */
const rest = (of, pocket) => ({ does: "rests", of, pocket, launchedAt: 0, path: null });

/** @param {Ball} ball @param {Look} look */
const isOver = ({ path, launchedAt }, { now, reduced }) =>
  reduced || now === null || path === null || (now - launchedAt) / SECOND >= path.rests;

/** The angle of the rotor at a server time, in radians. @param {number} us */
export const rotorTurn = (us) => ((us % (ROTOR_S * SECOND)) / (ROTOR_S * SECOND)) * 2 * Math.PI;

/** While it runs, and where it was launched already or rests without a valid number. @param {Look} look */
const isRunning = ({ phase, launchedAt }) => RUNS.has(phase) || (launchedAt !== null && MAY_RUN.has(phase));

const RUNS = new Set(["open_running", "running"]);
const MAY_RUN = new Set(["last_call", "closed", "at_rest"]);
/** No spin, or undecided: there is no ball. */
const NO_BALL = new Set(["no_spin", "suspended"]);
