// What checks share: saying that two things are the same, a socket that is written by hand, and waiting for a drawing.

export function same(found, wanted, words = "") {
  const [one, other] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${words} found ${one}, wanted ${other}`);
}

export function holds(truth, words) {
  if (!truth) throw new Error(words);
}

/** A socket of which the other end is the check itself. Each check has a kind of its own, which knows its last. */
export const wires = () => class extends Wire {};

class Wire {
  static last = null;

  constructor(url) {
    this.url = url;
    this.readyState = 1;
    this.sent = [];
    this.constructor.last = this;
    setTimeout(() => this.onopen?.(), 0);
  }

  send(text) {
    this.sent.push(JSON.parse(text));
    this.onsend?.(this.sent.at(-1));
  }

  tell(...frames) {
    for (const frame of frames) this.onmessage?.({ data: JSON.stringify(frame) });
  }

  close() {
    if (this.readyState !== 3) {
      this.readyState = 3;
      setTimeout(() => this.onclose?.(), 0);
    }
  }

  /** What was sent besides pings. */
  get words() {
    return this.sent.filter(({ t }) => t !== "ping");
  }
}

/** A memory of its own for every check. */
export function memory() {
  const kept = new Map();
  return {
    getItem: (name) => kept.get(name) ?? null,
    setItem: (name, value) => kept.set(name, String(value)),
    removeItem: (name) => kept.delete(name),
  };
}

const tick = window.setTimeout.bind(window);
/** What waits for its time, in the place of the browser's own timers: time is moved by hand, and passes at once. */
let waiting = [];
let time = 0;
let number = 0;

function later(act, ms = 0, every = undefined) {
  number += 1;
  waiting.push({ number, act, at: time + Math.max(ms, 1), every });
  return number;
}

window.setTimeout = (act, ms) => later(act, ms);
window.setInterval = (act, ms) => later(act, ms, ms);
window.requestAnimationFrame = (act) => later(() => act(time), 16);
window.clearTimeout = window.clearInterval = (which) => (waiting = waiting.filter((one) => one.number !== which));
performance.now = () => time;

/** Let time pass, and everything happen that is due by then. */
export async function after(ms) {
  const end = time + ms;
  for (;;) {
    const next = waiting.reduce((one, other) => (one && one.at <= other.at ? one : other), undefined);
    if (!next || next.at > end) break;
    waiting = waiting.filter((one) => one !== next);
    time = next.at;
    if (next.every) waiting.push({ ...next, at: time + next.every });
    next.act();
    await null;
  }
  time = end;
}

/** Wait until what was changed has been drawn. */
export const drawn = () => after(20);

/** Wait until something is there, and give it; what comes over the network takes a little real time. */
export async function until(find, words) {
  for (let tries = 0; tries < 200; tries += 1) {
    const found = find();
    if (found) return found;
    await after(20);
    await new Promise((done) => tick(done, 2));
  }
  throw new Error(`never: ${words}`);
}

/** Forget all that waits: the pages of a check go on no longer than it does. */
export function rest() {
  waiting = [];
}

export function press(host, words) {
  const found = [...host.querySelectorAll("button")].find((one) => one.textContent === words);
  holds(found, `no button ${words}`);
  found.click();
}
