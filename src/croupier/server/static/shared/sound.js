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
    this.volume = 0.7;
    /** @type {GainNode | null} */
    this.output = null;
    /** @type {{gain: GainNode, filter: BiquadFilterNode} | null} */
    this.rolling = null;
    // Browsers block audio before the first user gesture.
    for (const gesture of ["pointerdown", "keydown"]) {
      addEventListener(gesture, () => this.#wake(), { capture: true, passive: true });
    }
  }

  /** Switch sound on or off, and set how loud it is. @param {boolean} on @param {number} [volume] from 0 to 1 */
  on(on, volume = this.volume) {
    [this.isOn, this.volume] = [on, volume];
    if (this.output) this.output.gain.value = volume;
    if (on) this.#wake(this.gestured);
    else void this.context?.suspend();
  }

  /** The ball rolls on its track: the faster, the louder and the brighter. @param {number} speed radians per second, or 0 */
  roll(speed) {
    const { context } = this;
    if (!this.isOn || context?.state !== "running") return;
    if (speed <= 0 && !this.rolling) return;
    this.rolling ??= this.#startRolling(context);
    const { gain, filter } = this.rolling;
    const part = Math.min(1, speed / 11);
    gain.gain.setTargetAtTime(speed > 0 ? 0.05 + 0.16 * part : 0, context.currentTime, 0.06);
    filter.frequency.setTargetAtTime(320 + 900 * part, context.currentTime, 0.1);
  }

  /** The ball strikes a deflector, a fret or its pocket. @param {number} strength from 0 to 1 */
  click(strength) {
    const pitch = 1500 + 900 * strength;
    this.#notes([
      [pitch, 0, 0.028, 0.05 + 0.3 * strength],
      [pitch * 2.3, 0, 0.014, 0.03 + 0.12 * strength],
    ]);
  }

  /** Noise through a band, which is never stopped: its gain is. @param {AudioContext} context */
  #startRolling(context) {
    const buffer = context.createBuffer(1, context.sampleRate, context.sampleRate);
    const samples = buffer.getChannelData(0);
    for (let place = 0; place < samples.length; place += 1) samples[place] = Math.random() * 2 - 1;
    const source = context.createBufferSource();
    [source.buffer, source.loop] = [buffer, true];
    const filter = context.createBiquadFilter();
    [filter.type, filter.Q.value] = ["bandpass", 1.4];
    const gain = context.createGain();
    gain.gain.value = 0;
    source.connect(filter).connect(gain).connect(this.#out(context));
    source.start();
    return { gain, filter };
  }

  /** @param {AudioContext} context */
  #out(context) {
    if (!this.output) {
      this.output = context.createGain();
      this.output.gain.value = this.volume;
      this.output.connect(context.destination);
    }
    return this.output;
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
    this.#notes(SOUNDS[name]);
  }

  /** @param {Note[]} notes */
  #notes(notes) {
    const { context } = this;
    if (!this.isOn || context?.state !== "running") return;
    for (const [pitch, after, rings, loud] of notes) {
      const from = context.currentTime + after;
      const gain = context.createGain();
      gain.gain.setValueAtTime(loud, from);
      gain.gain.exponentialRampToValueAtTime(0.0001, from + rings);
      const tone = context.createOscillator();
      tone.type = "triangle";
      tone.frequency.value = pitch;
      tone.connect(gain).connect(this.#out(context));
      tone.start(from);
      tone.stop(from + rings);
    }
  }
}

/** The sound of this page. */
export const sound = new Sound();
