// The public interface of the wheel.

import { drawWheel } from "./draw.js";
import * as spin from "./spin.js";

/** @typedef {import("./draw.js").Pocket} Pocket */

/**
 * @typedef {import("./spin.js").Look & {random?: boolean, assist?: boolean}} Look
 *   with whether the wheel is a random source, and whether red is hatched
 * @typedef {(id: string, facts?: Record<string, string | number>) => string} Say
 */

/** The ball size as a fraction of the wheel's width; wheel.css has the same. */
const BALL = 0.042;

export class Wheel {
  /** @type {HTMLElement} */ #host;
  /** @type {readonly Pocket[]} */ #order;
  /** @type {Say} */ #say;
  /** @type {(pocket: string) => void} */ #rest;
  /** Turns with everything in it. @type {HTMLElement} */ #rotor;
  /** Carries the ball around the rotor. @type {HTMLElement} */ #arm;
  /** @type {HTMLElement} */ #dot;
  /** The valid number, over the middle. @type {HTMLElement} */ #number;
  /** @type {import("./spin.js").Ball} */ #ball = spin.AWAY;
  /** The state drawn last. @type {Look | null} */ #look = null;
  /** Its time is the time since launch. @type {Animation | null} */ #run = null;

  /**
   * @param {HTMLElement} host
   * @param {{order: readonly Pocket[], say: Say, on?: {rest?: (pocket: string) => void}}} given
   *   the wheel of a felt; `rest` is called when the ball rests in the number of this round
   */
  constructor(host, { order, say, on = {} }) {
    this.#host = host;
    this.#order = order;
    this.#say = say;
    this.#rest = on.rest ?? (() => {});
    const { bowl, rotor, shine } = drawWheel(order);
    this.#dot = part("wheel-ball");
    this.#arm = part("wheel-arm", this.#dot);
    this.#rotor = part("wheel-turns", rotor, this.#arm);
    this.#number = part("wheel-number");
    host.classList.add("wheel");
    host.setAttribute("role", "img");
    host.replaceChildren(part("wheel-shade"), bowl, this.#rotor, shine, this.#number);
  }

  /** Draw a state. @param {Look} look */
  set(look) {
    const [was, before] = [this.#ball, this.#look];
    this.#look = look;
    this.#ball = spin.next(was, look);
    const still = look.reduced === before?.reduced;
    if (!still) this.#turn(look);
    if (!still || !isSame(was, this.#ball)) this.#act(look);
    this.#host.toggleAttribute("data-assist", look.assist ?? false);
    this.#describe(look);
  }

  destroy() {
    this.#stop();
    for (const animation of this.#rotor.getAnimations()) animation.cancel();
    this.#host.replaceChildren();
    this.#host.classList.remove("wheel");
    for (const name of ["role", "aria-label", "data-assist"]) this.#host.removeAttribute(name);
  }

  /** The rotor follows server time, so that all screens show the same angle. @param {Look} look */
  #turn({ reduced, now }) {
    for (const animation of this.#rotor.getAnimations()) animation.cancel();
    if (reduced) return;
    const turning = this.#rotor.animate(rotation(0, 360), { duration: spin.ROTOR_MS, iterations: Infinity });
    turning.currentTime = ((now ?? 0) / 1000) % spin.ROTOR_MS;
  }

  /** @param {Look} look */
  #act(look) {
    const { does, pocket } = this.#ball;
    const ran = Number(this.#run?.currentTime ?? spin.sinceLaunch(look));
    this.#stop();
    this.#dot.classList.toggle("is-out", does !== "away" && !(does === "runs" && look.reduced));
    if (does === "runs" && !look.reduced) this.#launch(spin.sinceLaunch(look));
    if (pocket === null) return;
    this.#placeBall(pocket);
    if (does === "lands") this.#land(pocket, ran);
    else if (pocket === look.pocket) this.#rest(pocket);
  }

  /**
   * Run until there is a number. It is one animation: with two on one element the browser would not use the
   * compositor, and would paint every frame.
   * @param {number} since ms since the launch
   */
  #launch(since) {
    const { ms, steps } = spin.RUN;
    const turns = steps.map(({ offset, angle, easing }) => ({ offset, easing, transform: `rotate(${angle}deg)` }));
    this.#setRadius(spin.TRACK);
    this.#run = this.#arm.animate(turns, { duration: ms, fill: "forwards" });
    this.#run.currentTime = spin.withinRun(since);
  }

  /** @param {string} pocket @param {number} ran ms since the launch */
  #land(pocket, ran) {
    const { from, to, ms } = spin.landing(spin.running(ran), this.#angle(pocket));
    const hops = spin.HOPS.map(({ offset, radius, easing }) => ({
      offset,
      easing,
      transform: radiusTransform(radius),
    }));
    this.#dot.animate(hops, { duration: ms });
    this.#arm.animate(rotation(from, to), { duration: ms, easing: spin.STOPPING }).onfinish = () =>
      this.#landed(pocket);
  }

  /** @param {string} pocket */
  #landed(pocket) {
    this.#ball = { ...this.#ball, does: "rests" };
    if (this.#look) this.#describe(this.#look);
    this.#rest(pocket);
  }

  /** Put the ball into a pocket. @param {string} pocket */
  #placeBall(pocket) {
    this.#arm.style.setProperty("transform", `rotate(${this.#angle(pocket)}deg)`);
    this.#setRadius(spin.POCKET);
  }

  /** @param {number} radius */
  #setRadius(radius) {
    this.#dot.style.setProperty("transform", radiusTransform(radius));
  }

  #stop() {
    this.#run = null;
    for (const moved of [this.#arm, this.#dot]) {
      for (const animation of moved.getAnimations()) {
        // CSS transitions keep running: only animations started here are cancelled.
        if (!(animation instanceof CSSTransition)) animation.cancel();
      }
    }
  }

  /** @param {string} pocket */
  #angle(pocket) {
    const index = this.#order.findIndex((one) => one.pocket === pocket);
    return spin.pocketAngle(index, this.#order.length);
  }

  /** Set the accessible label, and show the number once the ball rests in it. @param {Look} look */
  #describe({ pocket, random }) {
    const { does, pocket: placed } = this.#ball;
    const wheel = this.#say(random ? "wheel.random" : "wheel.wheel");
    const words =
      does === "rests"
        ? this.#say("wheel.lies", { wheel, pocket: placed ?? "" })
        : this.#say(`wheel.${does}`, { wheel });
    this.#host.setAttribute("aria-label", words);
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

/** @param {number} from @param {number} to */
const rotation = (from, to) => [{ transform: `rotate(${from}deg)` }, { transform: `rotate(${to}deg)` }];

/** The offset from the centre, as a percentage of the ball's own size. @param {number} radius */
const radiusTransform = (radius) => `translateY(${(-radius / BALL) * 100}%)`;

/** @type {(one: import("./spin.js").Ball, other: import("./spin.js").Ball) => boolean} */
const isSame = (one, other) => one.does === other.does && one.of === other.of && one.pocket === other.pocket;
