// Ball and rotor motion. Pure.

/**
 * @typedef {{phase: string, round: number, spin: number, pocket: string | null, last: string | null,
 *   launchedAt: number | null, now: number | null, reduced: boolean}} Look
 *   the server state: the valid number, the number before it, and server times in microseconds
 * @typedef {{does: "away" | "runs" | "lands" | "rests", of: string, pocket: string | null}} Ball
 *   what the ball does, in which spin, and its pocket
 * @typedef {{from: number, to: number, ms: number}} Landing
 */

/** The period of the rotor. */
export const ROTOR_MS = 9000;
/**
 * The launch speed in degrees per second, the speed after slowing down, and how long that takes. The ball then keeps
 * its speed.
 */
const LAUNCHED = 520;
const RUNNING = 320;
const SLOWING_MS = 7000;
/** The period of the ball at even speed, and the most turns: no spin takes longer. */
const EVEN_MS = (360 / RUNNING) * 1000;
const TURNS = 1000;
/** The approximate duration of a landing, and its least angle. */
const LANDING_MS = 2400;
const TURN_LEAST = 240;

/**
 * A quadratic curve as a CSS easing: it starts with `slope` times its mean speed. The conversion is exact.
 * @param {number} slope
 */
const quadratic = (slope) => `cubic-bezier(${1 / 3}, ${slope / 3}, ${2 / 3}, ${(slope + 1) / 3})`;
const RISING = quadratic(2);
const FALLING = quadratic(0);

/** From launch until it is slow: constant drag. */
const SLOWING = quadratic((2 * LAUNCHED) / (LAUNCHED + RUNNING));
/** From the track to the pocket: it ends at rest, so it starts with twice its mean speed. */
export const STOPPING = RISING;

/** The radius of the ball on the track and in a pocket, as a fraction of the wheel's width. */
export const TRACK = 0.43;
export const POCKET = 0.272;
/** The radius during the landing: the ball leaves the track and bounces three times, lower each time. */
export const HOPS = [
  { offset: 0, radius: TRACK, easing: "linear" },
  { offset: 0.3, radius: TRACK, easing: FALLING },
  { offset: 0.58, radius: 0.298, easing: RISING },
  { offset: 0.67, radius: 0.338, easing: FALLING },
  { offset: 0.76, radius: 0.283, easing: RISING },
  { offset: 0.82, radius: 0.307, easing: FALLING },
  { offset: 0.88, radius: 0.275, easing: RISING },
  { offset: 0.92, radius: 0.286, easing: FALLING },
  { offset: 0.96, radius: POCKET, easing: "linear" },
  { offset: 1, radius: POCKET, easing: "linear" },
];

/** The angle and speed of the ball after a time since launch. @param {number} ms */
export function running(ms) {
  const slowing = Math.min(ms, SLOWING_MS) / 1000;
  const drag = (LAUNCHED - RUNNING) / (SLOWING_MS / 1000);
  const slowed = LAUNCHED * slowing - (drag * slowing ** 2) / 2;
  const steady = (RUNNING * Math.max(0, ms - SLOWING_MS)) / 1000;
  return { angle: -(slowed + steady), speed: -(LAUNCHED - drag * slowing) };
}

/** The full run of a ball that is never stopped: it slows down, then turns evenly. */
export const RUN = {
  ms: SLOWING_MS + TURNS * EVEN_MS,
  steps: [
    { offset: 0, angle: 0, easing: SLOWING },
    { offset: SLOWING_MS / (SLOWING_MS + TURNS * EVEN_MS), angle: running(SLOWING_MS).angle, easing: "linear" },
    { offset: 1, angle: running(SLOWING_MS).angle - 360 * TURNS, easing: "linear" },
  ],
};

/** A time of the run with the same ball position as a time since launch. @param {number} ms */
export const withinRun = (ms) => (ms < SLOWING_MS ? ms : SLOWING_MS + ((ms - SLOWING_MS) % EVEN_MS));

/**
 * The landing: it starts with the speed of the ball, never turns back, and stops in the
 * middle of the pocket. Whole turns bring its duration near the wanted one.
 * @param {{angle: number, speed: number}} from
 * @param {number} pocket the angle of its middle
 * @param {number} [wanted] ms
 * @returns {Landing}
 */
export function landing({ angle, speed }, pocket, wanted = LANDING_MS) {
  // With constant deceleration it goes half as far as without.
  const likely = angle + (speed * wanted) / 2000;
  const turns = Math.min(Math.round((likely - pocket) / 360), Math.floor((angle - TURN_LEAST - pocket) / 360));
  const to = pocket + 360 * turns;
  return { from: angle, to, ms: ((2 * (to - angle)) / speed) * 1000 };
}

/** The angle of the middle of a pocket. @param {number} index @param {number} count */
export const pocketAngle = (index, count) => (360 / count) * index;

/** @type {Ball} */
export const AWAY = { does: "away", of: "", pocket: null };

/**
 * The next state of the ball. It lands on the number of a spin that was shown running; on any other
 * number it simply rests. Nothing is shown before the server has sent it.
 * @param {Ball} was
 * @param {Look} look
 * @returns {Ball}
 */
export function next(was, look) {
  const of = `${look.round}/${look.spin}`;
  if (look.pocket !== null) {
    const ran = was.does === "runs" && was.of === of && !look.reduced;
    return ran ? { does: "lands", of, pocket: look.pocket } : restIn(was, look, look.pocket);
  }
  if (isRunning(look)) return was.does === "runs" && was.of === of ? was : { does: "runs", of, pocket: null };
  return look.last === null || NO_BALL.has(look.phase) ? AWAY : restIn(was, look, look.last);
}

/** @type {(was: Ball, look: Look, pocket: string) => Ball} A landing runs to its end, also into the next round. */
const restIn = (was, look, pocket) =>
  was.does === "lands" && was.pocket === pocket && !look.reduced ? was : { does: "rests", of: was.of, pocket };

/** While it runs, and where it was launched already or rests without a valid number. @param {Look} look */
const isRunning = ({ phase, launchedAt }) => RUNS.has(phase) || (launchedAt !== null && MAY_RUN.has(phase));

const RUNS = new Set(["open_running", "running"]);
const MAY_RUN = new Set(["last_call", "closed", "at_rest"]);
/** No spin, or undecided: there is no ball. */
const NO_BALL = new Set(["no_spin", "suspended"]);

/** Milliseconds since launch; 0 where unknown. @param {Look} look */
export const sinceLaunch = ({ launchedAt, now }) =>
  launchedAt === null || now === null ? 0 : Math.max(0, (now - launchedAt) / 1000);
