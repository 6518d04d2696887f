// The recovery of an unattended display: it detects that it is out of date, and reloads when possible.

/** A frame arrives at least every five seconds; after this time without one, the content may be out of date. */
const STALE_MS = 12_000;
/** After this time without a connection the page reloads, and tries again at this interval. */
const RELOAD_MS = 600_000;
const AGAIN_MS = 30_000;

export class Recovery {
  /** @param {import("../shared/session.js").Session} session */
  constructor(session) {
    this.session = session;
    this.receivedAt = performance.now();
    this.freshAt = performance.now();
    this.triedAt = 0;
    /** The server run that this page was loaded from. */
    this.epoch = 0;
    session.onFrame = (frame) => this.#receive(frame);
  }

  /** Whether the content is current. */
  get isFresh() {
    const { connection, awaitsSnapshot } = this.session.state;
    return connection === "up" && !awaitsSnapshot && performance.now() - this.receivedAt < STALE_MS;
  }

  /** Check whether to reload. */
  tick() {
    const now = performance.now();
    if (this.isFresh) this.freshAt = now;
    // The same display was opened in another window, which has taken over.
    if (this.session.bye?.code === "evicted" || now - this.freshAt < RELOAD_MS || now - this.triedAt < AGAIN_MS) return;
    this.triedAt = now;
    // Reload only if the server responds; otherwise the browser would show its error page.
    fetch(new URL("health", document.baseURI)).then(
      () => location.reload(),
      () => {},
    );
  }

  /** @param {import("../shared/types/wire.js").OutboundMessage} frame */
  #receive(frame) {
    this.receivedAt = performance.now();
    if (frame.t !== "welcome") return;
    // After a restart the server may have another version, so reload.
    if (this.epoch !== 0 && frame.epoch !== this.epoch) location.reload();
    this.epoch = frame.epoch;
  }
}
