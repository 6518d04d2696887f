// Ball and rotor motion. Pure.

/**
 * @typedef {{phase: string, round: number, spin: number, pocket: string | null, last: string | null,
 *   launchedAt: number | null, now: number | null, reduced: boolean}} Look
 *   what the house has said: the number once it counts, the number before it, and house times in microseconds
 * @typedef {{does: "away" | "runs" | "lands" | "rests", of: string, pocket: string | null}} Ball
 *   what the ball does, in which spin, and the pocket it lands or lies in
 * @typedef {{from: number, to: number, ms: number}} Landing
 */

/** How long the rotor takes for a turn. */
export const ROTOR_MS = 9000;
/** The ball is launched so fast, in degrees a second, and is this slow after so long; then it runs on for ever. */
const LAUNCHED = 520;
const RUNNING = 320;
const SLOWING_MS = 7000;
/** How long an even turn of the ball takes, and how many there are at most: no ball is awaited for so long. */
const EVEN_MS = (360 / RUNNING) * 1000;
const TURNS = 1000;
/** A landing takes about so long, and never less than two thirds of a turn. */
const LANDING_MS = 2400;
const TURN_LEAST = 240;

/**
 * A curve of the second degree as a browser knows it: it starts with `slope` times its mean speed. This is exact.
 * @param {number} slope
 */
const quadratic = (slope) => `cubic-bezier(${1 / 3}, ${slope / 3}, ${2 / 3}, ${(slope + 1) / 3})`;
const RISING = quadratic(2);
const FALLING = quadratic(0);

/** From the launch until it is slow: the constant drag of the track. */
const SLOWING = quadratic((2 * LAUNCHED) / (LAUNCHED + RUNNING));
/** From the track to the pocket: it ends at rest, so it begins with twice its mean speed. */
export const STOPPING = RISING;

/** How far from the middle the ball runs and lies, as a part of the wheel's width. */
export const TRACK = 0.43;
export const POCKET = 0.272;
/** What becomes of that while it lands: it leaves the track, and jumps three times, lower each time. */
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

/** Where the ball is and how fast it runs, so long after its launch. @param {number} ms */
export function running(ms) {
  const slowing = Math.min(ms, SLOWING_MS) / 1000;
  const drag = (LAUNCHED - RUNNING) / (SLOWING_MS / 1000);
  const slowed = LAUNCHED * slowing - (drag * slowing ** 2) / 2;
  const steady = (RUNNING * Math.max(0, ms - SLOWING_MS)) / 1000;
  return { angle: -(slowed + steady), speed: -(LAUNCHED - drag * slowing) };
}

/** The whole run of a ball that nobody stops: it slows down, and turns evenly. */
export const RUN = {
  ms: SLOWING_MS + TURNS * EVEN_MS,
  steps: [
    { offset: 0, angle: 0, easing: SLOWING },
    { offset: SLOWING_MS / (SLOWING_MS + TURNS * EVEN_MS), angle: running(SLOWING_MS).angle, easing: "linear" },
    { offset: 1, angle: running(SLOWING_MS).angle - 360 * TURNS, easing: "linear" },
  ],
};

/** A time of the run at which the ball is where it is so long after its launch. @param {number} ms */
export const withinRun = (ms) => (ms < SLOWING_MS ? ms : SLOWING_MS + ((ms - SLOWING_MS) % EVEN_MS));

/**
 * The way from the track to a pocket: it starts as fast as the ball runs and never turns back, and it stops in the
 * middle of the pocket. Whole turns make it about as long as a landing should take.
 * @param {{angle: number, speed: number}} from
 * @param {number} pocket the angle of its middle
 * @param {number} [wanted] ms
 * @returns {Landing}
 */
export function landing({ angle, speed }, pocket, wanted = LANDING_MS) {
  // Slowed down evenly, it goes half as far as it would have run on.
  const likely = angle + (speed * wanted) / 2000;
  const turns = Math.min(Math.round((likely - pocket) / 360), Math.floor((angle - TURN_LEAST - pocket) / 360));
  const to = pocket + 360 * turns;
  return { from: angle, to, ms: ((2 * (to - angle)) / speed) * 1000 };
}

/** The middle of a pocket. @param {number} index @param {number} count */
export const pocketAngle = (index, count) => (360 / count) * index;

/** @type {Ball} */
export const AWAY = { does: "away", of: "", pocket: null };

/**
 * What the ball does now, given what it did. It lands on a number of the spin that it was seen to run in; any other
 * number it simply lies in. Nothing is ever shown before the house has said it.
 * @param {Ball} was
 * @param {Look} look
 * @returns {Ball}
 */
export function next(was, look) {
  const of = `${look.round}/${look.spin}`;
  if (look.pocket !== null) {
    const ran = was.does === "runs" && was.of === of && !look.reduced;
    return ran ? { does: "lands", of, pocket: look.pocket } : lying(was, look, look.pocket);
  }
  if (isRunning(look)) return was.does === "runs" && was.of === of ? was : { does: "runs", of, pocket: null };
  return look.last === null || TAKEN_UP.has(look.phase) ? AWAY : lying(was, look, look.last);
}

/** @type {(was: Ball, look: Look, pocket: string) => Ball} A landing goes on to its end, into the next round too. */
const lying = (was, look, pocket) =>
  was.does === "lands" && was.pocket === pocket && !look.reduced ? was : { does: "rests", of: was.of, pocket };

/** While it runs, and where it was launched already or rests without a number that counts. @param {Look} look */
const isRunning = ({ phase, launchedAt }) => RUNS.has(phase) || (launchedAt !== null && MAY_RUN.has(phase));

const RUNS = new Set(["open_running", "running"]);
const MAY_RUN = new Set(["last_call", "closed", "at_rest"]);
/** No spin, or nobody has decided yet: the ball lies nowhere. */
const TAKEN_UP = new Set(["no_spin", "suspended"]);

/** How long ago the ball was launched, in ms; at once where nobody knows. @param {Look} look */
export const sinceLaunch = ({ launchedAt, now }) =>
  launchedAt === null || now === null ? 0 : Math.max(0, (now - launchedAt) / 1000);
