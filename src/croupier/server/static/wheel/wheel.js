// The public interface of the wheel.

import { BALL, POCKET, positionOn, ROTOR_PART, ROTOR_S, running } from "./ball.js";
import { bitmap } from "./paint.js";
import * as spin from "./spin.js";

/** @typedef {import("./paint.js").Pocket} Pocket */

/**
 * @typedef {import("./spin.js").Look & {random?: boolean, assist?: boolean}} Look
 *   with whether the wheel is a random source, and whether red is hatched
 * @typedef {(id: string, facts?: Record<string, string | number>) => string} Say
 * @typedef {{is: "deflector" | "hop" | "pocket", strength: number}} Click
 * @typedef {object} Events
 * @property {(pocket: string) => void} [rest] the ball rests in the number of this round
 * @property {(speed: number) => void} [roll] how fast the ball runs now; 0 when it no longer does
 * @property {(click: Click) => void} [click] the ball strikes something
 */

const SECOND = 1e6;
/** Images of a fast ball behind it, and the time that they reach back. */
const GHOSTS = 5;
const BLUR_S = 0.026;
/** A wheel is painted again when its size differs by more than this. */
const SIZE_STEP = 1.12;

export class Wheel {
  /** @type {HTMLElement} */ #host;
  /** @type {readonly Pocket[]} */ #order;
  /** @type {readonly string[]} */ #pockets;
  /** @type {Say} */ #say;
  /** @type {Events} */ #on;
  /** Turns with everything in it. @type {HTMLElement} */ #rotor = part("wheel-turns");
  /** The ball while it lies in a pocket: it turns with the rotor. @type {HTMLElement} */ #lying = part("wheel-lying");
  /** The ball while it moves, its shadow, and its images. @type {HTMLElement[]} */ #dots = [];
  /** @type {HTMLElement} */ #shadow = part("wheel-shadow");
  /** The valid number, over the middle. @type {HTMLElement} */ #number = part("wheel-number");
  /** @type {import("./spin.js").Ball} */ #ball = spin.AWAY;
  /** The state drawn last, and the local time of its server time. @type {Look | null} */ #look = null;
  #since = 0;
  /** The width that is painted, in device pixels. */
  #painted = 0;
  /** The least width to paint, in CSS pixels: a wheel that will be shown larger is painted so at once. */
  #least = 0;
  #hatched = false;
  #frame = 0;
  /** When the last frame was drawn, in seconds since the launch. */
  #drawn = 0;
  /** @type {ResizeObserver} */ #watch;

  /** @param {HTMLElement} host @param {{order: readonly Pocket[], say: Say, on?: Events}} given the wheel of a felt */
  constructor(host, { order, say, on = {} }) {
    this.#host = host;
    this.#order = order;
    this.#pockets = order.map(({ pocket }) => pocket);
    this.#say = say;
    this.#on = on;
    this.#dots = Array.from({ length: GHOSTS + 1 }, (_, place) => part(place === 0 ? "wheel-ball" : "wheel-ghost"));
    host.classList.add("wheel");
    host.setAttribute("role", "img");
    const balls = [this.#shadow, ...[...this.#dots].reverse()];
    host.replaceChildren(
      part("wheel-shade"),
      part("wheel-bed"),
      this.#rotor,
      part("wheel-light"),
      ...balls,
      this.#number,
    );
    this.#rotor.style.inset = `${(50 * (1 - ROTOR_PART)).toFixed(2)}%`;
    this.#watch = new ResizeObserver(() => this.#paint());
    this.#watch.observe(host);
  }

  /** Draw a state. @param {Look} look */
  set(look) {
    const [was, before] = [this.#ball, this.#look];
    [this.#look, this.#since] = [look, performance.now()];
    this.#ball = spin.next(was, look, this.#pockets);
    if (this.#painted === 0 || this.#hatched !== Boolean(look.assist)) this.#paint();
    if (look.reduced !== before?.reduced) this.#turn(look);
    this.#host.toggleAttribute("data-assist", look.assist ?? false);
    if (was.does !== this.#ball.does || was.pocket !== this.#ball.pocket || was.of !== this.#ball.of) this.#act(was);
    this.#describe(look);
  }

  /** Paint it at least so wide, in CSS pixels. @param {number} px */
  paintFor(px) {
    if (px === this.#least) return;
    this.#least = px;
    this.#paint();
  }

  destroy() {
    this.#watch.disconnect();
    cancelAnimationFrame(this.#frame);
    this.#on.roll?.(0);
    for (const animation of this.#rotor.getAnimations()) animation.cancel();
    this.#host.replaceChildren();
    this.#host.classList.remove("wheel", "is-landing");
    for (const name of ["role", "aria-label", "data-assist"]) this.#host.removeAttribute(name);
  }

  /** The bitmaps are as wide as the wheel is shown. */
  #paint() {
    const wanted = Math.max(this.#host.clientWidth, this.#least) * Math.min(2, devicePixelRatio || 1);
    const hatched = Boolean(this.#look?.assist);
    if (wanted === 0) return;
    const ratio = wanted / this.#painted;
    if (this.#painted > 0 && ratio < SIZE_STEP && ratio > 1 / SIZE_STEP && hatched === this.#hatched) return;
    [this.#painted, this.#hatched] = [wanted, hatched];
    // One bitmap a frame, after the next one: a felt can be used without them, and no frame takes long for them.
    /** @type {HTMLCanvasElement[]} */
    const made = [];
    const paints = [
      () => bitmap("bowl", wanted),
      () => bitmap("shine", wanted),
      () => bitmap("rotor", wanted, this.#order, hatched),
    ];
    const step = () => {
      if (this.#painted !== wanted || this.#hatched !== hatched) return;
      const paint = paints[made.length];
      if (!paint) return this.#show(made, wanted);
      made.push(paint());
      requestAnimationFrame(step);
    };
    requestAnimationFrame(() => requestAnimationFrame(step));
  }

  /** @param {HTMLCanvasElement[]} made the bowl, the light and the rotor @param {number} px */
  #show([bowl, shine, rotor], px) {
    const [, bed, , light] = this.#host.children;
    bed?.replaceChildren(bowl);
    light?.replaceChildren(shine);
    this.#rotor.replaceChildren(rotor, this.#lying);
    for (const dot of [...this.#dots, this.#lying]) dot.replaceChildren(bitmap("ball", px));
  }

  /** The rotor follows server time, so that all screens show the same angle. @param {Look} look */
  #turn({ reduced, now }) {
    for (const animation of this.#rotor.getAnimations()) animation.cancel();
    if (reduced) return;
    const turns = [{ transform: "rotate(0turn)" }, { transform: "rotate(1turn)" }];
    const turning = this.#rotor.animate(turns, { duration: ROTOR_S * 1000, iterations: Infinity });
    turning.currentTime = ((now ?? 0) / 1000) % (ROTOR_S * 1000);
  }

  /** @param {import("./spin.js").Ball} was */
  #act(was) {
    const { does, pocket } = this.#ball;
    const moves = (does === "runs" || does === "lands") && !this.#look?.reduced;
    for (const one of [this.#dots[0], this.#shadow]) one.classList.toggle("is-out", moves);
    this.#lying.classList.toggle("is-out", does === "rests");
    cancelAnimationFrame(this.#frame);
    if (does === "rests" && pocket !== null) this.#lay(pocket);
    if (does !== "rests") this.#host.classList.remove("is-landing");
    if (moves) {
      if (was.does !== "runs") this.#drawn = this.#time();
      this.#step();
      return;
    }
    this.#blur(0, null);
    this.#on.roll?.(0);
    if (does === "rests" && pocket !== null && pocket === this.#look?.pocket) this.#on.rest?.(pocket);
  }

  /** Seconds since the launch, by the server's clock. */
  #time() {
    return (this.#now() - this.#ball.launchedAt) / SECOND;
  }

  #now() {
    return (this.#look?.now ?? 0) + (performance.now() - this.#since) * 1000;
  }

  /** Draw one frame of a moving ball. */
  #step() {
    const { does, of, path, pocket } = this.#ball;
    const time = this.#time();
    const at = path ? positionOn(path, time, spin.rotorTurn(this.#now())) : running(of, time);
    for (const sound of path?.sounds ?? []) {
      if (sound.at > this.#drawn && sound.at <= time) this.#on.click?.({ is: sound.is, strength: sound.strength });
    }
    this.#drawn = time;
    this.#on.roll?.(at.phase === "track" || at.phase === "falls" ? at.speed : 0);
    this.#host.classList.toggle("is-landing", at.phase !== "track");
    if (does === "lands" && at.phase === "rests" && pocket !== null) return this.#landed(pocket);
    this.#place(at);
    this.#frame = requestAnimationFrame(() => this.#step());
  }

  /** @param {import("./ball.js").Position} at */
  #place(at) {
    const { height } = at;
    const size = 1 + height * 9;
    this.#move(this.#dots[0], at.angle, at.radius, size, -height * 0.12, -height * 0.22);
    this.#move(this.#shadow, at.angle, at.radius, size, 0.003 + height * 0.5, 0.005 + height * 0.8);
    const isFast = at.phase === "track" || at.phase === "falls";
    this.#blur(isFast ? Math.min(GHOSTS, Math.round(at.speed * 0.55)) : 0, at);
  }

  /** Where the ball was a moment ago. @param {number} count @param {import("./ball.js").Position | null} at */
  #blur(count, at) {
    this.#dots.forEach((dot, place) => {
      if (place === 0) return;
      const isSeen = place <= count && at !== null;
      dot.classList.toggle("is-out", isSeen);
      if (isSeen) this.#move(dot, at.angle + (at.speed * BLUR_S * place) / GHOSTS, at.radius, 1, 0, 0);
    });
  }

  /** @param {HTMLElement} dot @param {number} angle @param {number} radius @param {number} size @param {number} x @param {number} y */
  #move(dot, angle, radius, size, x, y) {
    // In parts of the ball's own width, so that it follows the size of the wheel.
    const [across, down] = [radius * Math.sin(angle) + x, y - radius * Math.cos(angle)].map(
      (way) => (way / (2 * BALL)) * 100,
    );
    dot.style.transform = `translate(${across.toFixed(2)}%, ${down.toFixed(2)}%) scale(${size.toFixed(3)})`;
  }

  /** @param {string} pocket */
  #landed(pocket) {
    const was = this.#ball;
    this.#ball = { does: "rests", of: was.of, pocket, launchedAt: 0, path: null };
    this.#act(was);
    if (this.#look) this.#describe(this.#look);
  }

  /** Put the ball into a pocket of the rotor. @param {string} pocket */
  #lay(pocket) {
    const angle = (2 * Math.PI * this.#pockets.indexOf(pocket)) / this.#pockets.length;
    this.#move(this.#lying, angle, POCKET, 1, 0, 0);
  }

  /** Set the accessible label, and show the number once the ball rests in it. @param {Look} look */
  #describe({ pocket, random }) {
    const { does, pocket: placed } = this.#ball;
    const wheel = this.#say(random ? "wheel.random" : "wheel.wheel");
    const words = does === "rests"
      ? this.#say("wheel.lies", { wheel, pocket: placed ?? "" })
      : this.#say(`wheel.${does}`, { wheel });
    if (this.#host.getAttribute("aria-label") !== words) this.#host.setAttribute("aria-label", words);
    const shown = does === "rests" && pocket === placed ? pocket : null;
    this.#number.classList.toggle("is-out", shown !== null);
    if (shown === null) return;
    this.#number.textContent = shown;
    this.#number.dataset.colour = this.#order.find((one) => one.pocket === shown)?.colour;
  }
}

/** @param {string} name @param {...Node} children */
function part(name, ...children) {
  const made = document.createElement("div");
  made.className = name;
  made.setAttribute("aria-hidden", "true");
  made.append(...children);
  return made;
}
