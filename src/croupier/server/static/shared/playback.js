// Plays steps that each have a time: by hand, or by a clock at a speed.

/** The tick of the clock. */
const TICK_MS = 100;

export class Playback {
  /** @param {number[]} times when each step comes, in milliseconds @param {() => void} changed @param {number} [speed] */
  constructor(times, changed, speed = 1) {
    this.times = times;
    this.changed = changed;
    this.speed = speed;
    /** The step that is shown. */
    this.at = 0;
    /** The time that is shown: of the step, or between two of them. */
    this.now = times[0] ?? 0;
    /** @type {ReturnType<typeof setInterval> | null} */
    this.timer = null;
  }

  get isPlaying() {
    return this.timer !== null;
  }

  get last() {
    return this.times.length - 1;
  }

  /** Go to a step, and stop there. @param {number} to */
  go(to) {
    this.stop();
    this.#move(to);
  }

  /** Play from here, or from the start where this is the end; or stop. */
  toggle() {
    if (this.isPlaying) {
      this.stop();
      return this.changed();
    }
    if (this.at === this.last) this.#move(0);
    this.timer = setInterval(() => this.#advance(), TICK_MS);
    this.changed();
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    this.changed();
  }

  stop() {
    if (this.timer !== null) clearInterval(this.timer);
    this.timer = null;
  }

  /** @param {number} to */
  #move(to) {
    this.at = Math.min(Math.max(0, to), this.last);
    this.now = this.times[this.at];
    this.changed();
  }

  #advance() {
    this.now += TICK_MS * this.speed;
    while (this.at < this.last && this.times[this.at + 1] <= this.now) this.at += 1;
    if (this.at === this.last) this.stop();
    this.changed();
  }
}
