// Sounds.

/** A note: pitch in hertz, start and duration in seconds, and gain. @typedef {[number, number, number, number]} Note */

/** @type {Record<string, Note[]>} */
const SOUNDS = {
  tick: [[1320, 0, 0.035, 0.12]],
  chip: [
    [2450, 0, 0.03, 0.2],
    [1840, 0.012, 0.05, 0.14],
  ],
  win: [
    [523.25, 0, 0.16, 0.16],
    [659.25, 0.1, 0.16, 0.16],
    [783.99, 0.2, 0.3, 0.16],
  ],
};

class Sound {
  constructor() {
    this.isOn = false;
    /** @type {AudioContext | null} */
    this.context = null;
    this.gestured = false;
    // Browsers block audio before the first user gesture.
    for (const gesture of ["pointerdown", "keydown"])
      addEventListener(gesture, () => this.#wake(), { capture: true, passive: true });
  }

  /** Switch sound on or off. @param {boolean} on */
  on(on) {
    this.isOn = on;
    if (on) this.#wake(this.gestured);
    else void this.context?.suspend();
  }

  /** A second of the countdown. */
  tick() {
    this.#play("tick");
  }

  /** A chip placed on the felt. */
  chip() {
    this.#play("chip");
  }

  /** More was returned than staked. */
  win() {
    this.#play("win");
  }

  #wake(gestured = true) {
    this.gestured ||= gestured;
    if (!this.isOn || !this.gestured) return;
    this.context ??= new AudioContext();
    if (this.context.state === "suspended") void this.context.resume();
  }

  /** @param {string} name */
  #play(name) {
    const { context } = this;
    if (!this.isOn || context?.state !== "running") return;
    for (const [pitch, after, rings, loud] of SOUNDS[name]) {
      const from = context.currentTime + after;
      const gain = context.createGain();
      gain.gain.setValueAtTime(loud, from);
      gain.gain.exponentialRampToValueAtTime(0.0001, from + rings);
      const tone = context.createOscillator();
      tone.type = "triangle";
      tone.frequency.value = pitch;
      tone.connect(gain).connect(context.destination);
      tone.start(from);
      tone.stop(from + rings);
    }
  }
}

/** The sound of this page. */
export const sound = new Sound();
