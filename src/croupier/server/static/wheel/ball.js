// The way of the ball as closed formulas of time: the same on every screen and at every frame rate. Pure.

/**
 * Angles are radians, clockwise from twelve o'clock as seen in the room. Radii and heights are fractions of the wheel's
 * width. Times are seconds since the launch. The rotor turns clockwise, the ball runs against it.
 *
 * A seed that everybody knows decides the run; the number is used only from the moment at which the ball leaves the track.
 * So a screen can show the run before there is a number, and every screen shows the same one.
 *
 * @typedef {object} Launch all that the seed decides
 * @property {number} angle where the ball is launched
 * @property {number} speed at the launch, and `leaves` the speed at which it leaves the track, in radians per second
 * @property {number} leaves
 * @property {number} rolling the deceleration of rolling, and `air` that of the air by the square of the speed
 * @property {number} air
 * @property {number} keeps the part of its speed that a deflector leaves it
 * @property {number} fall how long it falls from the track to a deflector, and `flight` how long it flies from there to the rotor
 * @property {number} flight
 * @property {number} leap how high it leaps there
 * @property {number} hops two or three
 * @property {boolean} isBack whether the last hop goes back
 * @property {number} scatter how many pockets it wants to hop over
 * @property {number} first how long the first hop takes, and `bounce` how much shorter each is than the one before
 * @property {number} bounce
 * @property {number} side of the pocket at which it settles
 * @property {number[]} depths where hops strike, from the pocket outwards
 *
 * @typedef {{at: number, takes: number, from: number, to: number, inner: number, outer: number, height: number}} Hop
 *   in pockets on the rotor, and radii
 * @typedef {{at: number, is: "deflector" | "hop" | "pocket", strength: number}} Sound
 * @typedef {object} Path the whole way of a ball whose number is known
 * @property {Launch} launch
 * @property {number} drop when it leaves the track
 * @property {number} hit when it meets the deflector, `way` how far it has run by then, and `strike` when it meets the rotor
 * @property {number} way
 * @property {number} strike
 * @property {Hop[]} hops
 * @property {number} settles when it is in its pocket, and `rests` when it lies still
 * @property {number} rests
 * @property {number} place of the pocket on the rotor, in pockets
 * @property {number} step the angle of a pocket
 * @property {Sound[]} sounds
 *
 * @typedef {{phase: "track" | "falls" | "flies" | "hops" | "settles" | "rests", angle: number, radius: number,
 *   height: number, speed: number}} Position the speed against the rotor's direction
 */

const TRACK = 0.438;
const DEFLECTOR = 0.402;
const STRIKE = 0.3;
export const POCKET = 0.272;
export const BALL = 0.014;
const DEFLECTORS = 8;
/** The width of the rotor. */
export const ROTOR_PART = 0.764;
const TURN = 2 * Math.PI;
/** The rotor turns evenly all the time, so that no screen ever shows it leap. */
export const ROTOR_S = 8;
const ROTOR = TURN / ROTOR_S;
/** The number reaches screens a little after it counts. Until then the ball stays on the track. */
const GRACE_S = 0.35;
/** It runs for so long at least, however soon its number counts. */
const RUN_LEAST_S = 1.5;
/** How long it rocks in its pocket, how fast, and how soon that fades. */
const ROCK_S = 0.45;
const ROCK_HZ = 2.8;
const ROCK_FADES_S = 0.14;
/** Turns the time of a hop into its height. */
const GRAVITY = 1.7;
/** How many deflectors are looked at: the rotor turns several pockets from one to the next, so one of them fits. */
const AHEAD = 7;
/** The longest that the ball stays on the track until its deflector comes, and the steps in which that time is halved. */
const DELAY_MOST_S = 4;
const HALVINGS = 40;

/** Numbers from 0 to 1 that follow from a text, the same on every machine. @param {string} seed @returns {() => number} */
export function dice(seed) {
  let state = 0x811c9dc5;
  for (let place = 0; place < seed.length; place += 1) state = Math.imul(state ^ seed.charCodeAt(place), 0x01000193);
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

/** @param {string} seed @returns {Launch} */
export function launchOf(seed) {
  const roll = dice(seed);
  const between = (/** @type {number} */ least, /** @type {number} */ most) => least + (most - least) * roll();
  const hops = 2 + Math.floor(roll() * 2);
  return {
    angle: between(0, TURN),
    speed: between(9.4, 11.6),
    leaves: between(2.7, 3.2),
    rolling: between(0.3, 0.42),
    air: between(0.032, 0.042),
    keeps: between(0.3, 0.55),
    fall: between(0.42, 0.5),
    flight: between(0.32, 0.42),
    leap: between(0.022, 0.04),
    hops,
    isBack: roll() < 0.3 && hops < 3,
    scatter: between(3.2, 4.6) * sumOf(hops),
    first: between(0.42, 0.5),
    bounce: between(0.62, 0.72),
    side: roll() < 0.5 ? -1 : 1,
    depths: Array.from({ length: 5 }, roll),
  };
}

/** How far hops lead in all, where the first leads one: each leads 0.55 as far as the one before. @param {number} hops */
const sumOf = (hops) => (1 - 0.55 ** hops) / 0.45;

// The track: with dv/dt = -(rolling + air v²) the speed is √(rolling/air) tan(c - kt) with k = √(rolling air), and the way
// ln(cos(c - kt) / cos c) / air, which can be inverted. A ball that waits for its number runs on evenly.

/** @param {Launch} launch */
function constants({ speed, leaves, rolling, air }) {
  const [rate, scale] = [Math.sqrt(rolling * air), Math.sqrt(rolling / air)];
  const start = Math.atan(speed / scale);
  return { rate, scale, start, slow: (start - Math.atan(leaves / scale)) / rate };
}

/** How long it runs evenly before it leaves the track. @param {Launch} launch @param {number} drop */
const waitOf = (launch, drop) => Math.max(0, drop - constants(launch).slow);

/**
 * The way on the track after a time, and the speed. @param {Launch} launch @param {number} wait how long it runs evenly
 * @param {number} time
 */
function onTrack(launch, wait, time) {
  const { rate, scale, start, slow } = constants(launch);
  const slowing = time < slow ? time : Math.max(slow, time - wait);
  const even = Math.min(Math.max(0, time - slow), wait);
  const way = Math.log(Math.cos(start - rate * slowing) / Math.cos(start)) / launch.air + launch.leaves * even;
  return { way, speed: scale * Math.tan(start - rate * slowing) };
}

/**
 * When it must leave the track to have come so far after its fall: the later it leaves, the further it comes.
 * @param {Launch} launch @param {number} earliest @param {number} way
 */
function dropFor(launch, earliest, way) {
  let [early, late] = [earliest, earliest + DELAY_MOST_S];
  for (let halving = 0; halving < HALVINGS; halving += 1) {
    const drop = (early + late) / 2;
    if (onTrack(launch, waitOf(launch, drop), drop + launch.fall).way < way) early = drop;
    else late = drop;
  }
  return late;
}

/** The angle of the rotor at a server time in seconds. @param {number} time */

/** @param {number} value @param {number} by */
const modulo = (value, by) => ((value % by) + by) % by;

/**
 * The whole way of a ball into its pocket.
 * @param {string} seed @param {{place: number, count: number, known: number, rotor: number}} into
 *   the place of the pocket on the wheel, the number of pockets, when its number came to count, and the angle of the
 *   rotor at the launch
 * @returns {Path}
 */
export function pathOf(seed, { place, count, known, rotor }) {
  const launch = launchOf(seed);
  const step = TURN / count;
  const earliest = Math.max(RUN_LEAST_S, known + GRACE_S);
  const { way: run } = onTrack(launch, waitOf(launch, earliest), earliest + launch.fall);
  const gap = TURN / DEFLECTORS;
  const first = modulo(launch.angle - run - gap / 2, gap);
  const found = Array.from({ length: AHEAD }, (_, ahead) => {
    const way = run + first + ahead * gap;
    const drop = dropFor(launch, earliest, way);
    const hit = drop + launch.fall;
    const strike = hit + launch.flight;
    const { speed } = onTrack(launch, waitOf(launch, drop), hit);
    const angle = launch.angle - way - speed * launch.keeps * launch.flight;
    const from = (angle - rotor - ROTOR * strike) / step;
    const scatter = modulo(from - place, count);
    const off = Math.abs(scatter - launch.scatter) + 0.15 * ahead + (scatter < 1.3 ? 9 : 0);
    return { way, drop, hit, strike, from, scatter, off };
  });
  const { way, drop, hit, strike, from, scatter } = found.reduce((best, one) => (one.off < best.off ? one : best));
  const hops = hopsOf(launch, from, scatter, strike);
  const last = hops[hops.length - 1];
  const settles = last.at + last.takes;
  /** @type {Sound[]} */
  const sounds = [
    { at: hit, is: "deflector", strength: 1 },
    ...hops.map(({ at }, number) => ({ at, is: /** @type {const} */ ("hop"), strength: launch.bounce ** number })),
    { at: settles, is: "pocket", strength: 0.35 },
  ];
  return {
    launch,
    drop,
    hit,
    way,
    strike,
    hops,
    settles,
    rests: settles + ROCK_S,
    place: from - scatter,
    step,
    sounds,
  };
}

/**
 * Hops are even on the rotor, and as high as they are long in time. They strike frets; the last ends in the pocket, or
 * comes back into it. @param {Launch} launch @param {number} from @param {number} scatter @param {number} strike
 */
function hopsOf(launch, from, scatter, strike) {
  const all = launch.hops + (launch.isBack ? 1 : 0);
  /** @type {Hop[]} */
  const hops = [];
  let [at, start, outer] = [strike, from, STRIKE];
  for (let number = 0; number < all; number += 1) {
    const isLast = number === all - 1;
    const part = sumOf(Math.min(number + 1, launch.hops)) / sumOf(launch.hops);
    const beyond = launch.isBack && !isLast ? 1 : 0;
    const to = isLast ? from - scatter + 0.3 * launch.side : Math.round(from - (scatter + beyond) * part - 0.5) + 0.5;
    const takes = launch.first * launch.bounce ** number;
    const inner = isLast ? POCKET : POCKET + 0.008 + 0.026 * launch.depths[number % 5] * launch.bounce ** number;
    hops.push({ at, takes, from: start, to, outer, inner, height: (GRAVITY * takes ** 2) / 8 });
    [at, start, outer] = [at + takes, to, inner];
  }
  return hops;
}

/** Where a ball is that waits for its number. @param {string} seed @param {number} time @returns {Position} */
export function running(seed, time) {
  const launch = launchOf(seed);
  const { way, speed } = onTrack(launch, Infinity, Math.max(0, time));
  return { phase: "track", angle: launch.angle - way, radius: TRACK, height: 0, speed };
}

/** Where a ball is on its way. @param {Path} path @param {number} time @param {number} rotor its angle now @returns {Position} */
export function positionOn(path, time, rotor) {
  const { launch, drop, hit, strike, hops, settles, rests, place, step } = path;
  const wait = waitOf(launch, drop);
  if (time < hit) {
    const { way, speed } = onTrack(launch, wait, Math.max(0, time));
    const fallen = Math.max(0, (time - drop) / (hit - drop)) ** 2;
    const radius = TRACK - (TRACK - DEFLECTOR) * fallen;
    return { phase: fallen > 0 ? "falls" : "track", angle: launch.angle - way, radius, height: 0, speed };
  }
  if (time < strike) {
    const part = (time - hit) / launch.flight;
    const speed = onTrack(launch, wait, hit).speed * launch.keeps;
    const radius = DEFLECTOR + (STRIKE - DEFLECTOR) * part * (0.45 + 0.55 * part);
    const angle = launch.angle - path.way - speed * (time - hit);
    return { phase: "flies", angle, radius, height: launch.leap * 4 * part * (1 - part), speed };
  }
  const hop = time < settles ? [...hops].reverse().find(({ at }) => at <= time) : undefined;
  if (hop) {
    const part = (time - hop.at) / hop.takes;
    const speed = ((hop.from - hop.to) * step) / hop.takes - ROTOR;
    return {
      phase: "hops",
      angle: rotor + (hop.from + (hop.to - hop.from) * part) * step,
      radius: hop.outer + (hop.inner - hop.outer) * part,
      height: hop.height * 4 * part * (1 - part),
      speed,
    };
  }
  const since = time - settles;
  const fades = time < rests ? Math.exp(-since / ROCK_FADES_S) * (1 - since / ROCK_S) : 0;
  const rock = 0.3 * launch.side * fades * Math.cos(TURN * ROCK_HZ * since);
  const radius = POCKET + 0.006 * fades * Math.abs(Math.sin(TURN * ROCK_HZ * since));
  return {
    phase: time < rests ? "settles" : "rests",
    angle: rotor + (place + rock) * step,
    radius,
    height: 0,
    speed: -ROTOR,
  };
}
