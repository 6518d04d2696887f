// Healing: a display that nobody looks after notices when it is out of date, and begins again once that is possible.

/** Something is heard every five seconds; after so long without, what is shown may be old. */
const STALE_MS = 12_000;
/** After so long without a line the page is loaded anew, and tried again as often. */
const RELOAD_MS = 600_000;
const AGAIN_MS = 30_000;

export class Healing {
  /** @param {import("../kit/session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.heardAt = performance.now();
    this.wellAt = performance.now();
    this.triedAt = 0;
    /** The run of the house that this page was loaded from. */
    this.epoch = 0;
    session.hearsAll = (frame) => this.#hear(frame);
  }

  /** Whether what was told last is still so. */
  get isFresh() {
    const { line, waits } = this.session.state;
    return line === "up" && !waits && performance.now() - this.heardAt < STALE_MS;
  }

  /** See whether it is time to begin again. */
  tick() {
    const now = performance.now();
    if (this.isFresh) this.wellAt = now;
    // Whoever has opened the same display in another window has taken it away from here.
    if (this.session.bye?.code === "evicted" || now - this.wellAt < RELOAD_MS || now - this.triedAt < AGAIN_MS) return;
    this.triedAt = now;
    // Where the house does not answer there is nothing to load but the browser's own words for that.
    fetch(new URL("health", document.baseURI)).then(
      () => location.reload(),
      () => {},
    );
  }

  /** @param {any} frame */
  #hear(frame) {
    this.heardAt = performance.now();
    if (frame.t !== "welcome") return;
    // A house that was started anew may speak another way by now, which only its own files know.
    if (this.epoch !== 0 && frame.epoch !== this.epoch) location.reload();
    this.epoch = frame.epoch;
  }
}
