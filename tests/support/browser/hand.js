// The stage's hand on a page: time that passes when it is message to, and a way to know that everything said was heard.
// It is put before all scripts of a page. Frames are drawn as ever; only clocks and timers wait for the hand.
(() => {
  const BEGINS_MS = Number("{begins_ms}");
  const BARRIER = 2 ** 52;
  /** What can come of a line that somebody waits at. */
  const EITHER = ["message", "close"];
  /** How long the server may take to answer, and the browser to draw a frame, by the real clock. */
  const LIMIT_MS = 30_000;
  const { Date: NativeDate, WebSocket: NativeSocket, setTimeout: nativeTimeout, clearTimeout: nativeClear } = window;
  const nativeFrame = window.requestAnimationFrame.bind(window);
  const timers = new Map();
  let now = 0;
  let number = 0;

  const later = (again) => (act, ms = 0, ...given) => {
    const wait = Math.max(again ? 1 : 0, Number(ms) || 0);
    timers.set(++number, { due: now + wait, every: again ? wait : null, act: () => act(...given) });
    return number;
  };
  const never = (id) => void timers.delete(id);
  window.setTimeout = later(false);
  window.setInterval = later(true);
  window.clearTimeout = window.clearInterval = never;
  performance.now = () => now;
  window.requestAnimationFrame = (draw) => nativeFrame(() => draw(now));
  window.Date = class extends NativeDate {
    constructor(...given) {
      super(...(given.length === 0 ? [BEGINS_MS + now] : given));
    }
    static now() {
      return BEGINS_MS + now;
    }
  };

  const next = (until) => {
    let first = null;
    for (const [id, timer] of timers) {
      if (timer.due <= until && (first === null || timer.due < timers.get(first).due)) first = id;
    }
    return first;
  };
  const ring = (id) => {
    const timer = timers.get(id);
    now = Math.max(now, timer.due);
    if (timer.every === null) timers.delete(id);
    else timer.due += timer.every;
    try {
      timer.act();
    } catch (fault) {
      reportError(fault);
    }
  };

  const versions = {};
  let device = null;
  let line = null;
  let barriers = 0;
  window.WebSocket = class extends NativeSocket {
    constructor(...given) {
      super(...given);
      line = this;
      this.let_in = false;
      /** Numbers of questions that the house has not answered. */
      this.open = new Set();
      this.addEventListener("close", () => this.open.clear());
      this.addEventListener("message", ({ data }) => {
        const message = JSON.parse(data);
        // One that was refused as busy is asked again by a timer, which rings only when a test lets time pass.
        this.open.delete(message.q);
        // A refusal that names none may be about any of them: to wait for them all might be to wait for ever.
        if (message.t === "refused" && message.q === undefined) this.open.clear();
        if (message.t === "welcome") device = message.device;
        if (message.t === "snap" || (message.t === "welcome" && message.staff)) this.let_in = true;
        if (message.t === "snap") for (const [tv, { table }] of message.tables) versions[table] = tv;
        if (message.t === "table") versions[message.state.table] = message.tv;
      });
    }
    send(said) {
      super.send(said);
      const { q } = JSON.parse(said);
      if (q !== undefined) this.open.add(q);
    }
  };
  /** Wait for a promise, and fail with a description of the state where it takes too long. */
  const limited = (promise, describe) => {
    let timer = 0;
    const late = new Promise((_, fail) => {
      timer = nativeTimeout.call(window, () => fail(new Error(`timed out: ${describe()}`)), LIMIT_MS);
    });
    return Promise.race([promise, late]).finally(() => nativeClear.call(window, timer));
  };
  /** Wait for one of some events of a socket. */
  const one = (socket, kinds, wanted = () => true) => {
    const event = new Promise((done) => {
      const over = new AbortController();
      for (const kind of kinds) {
        const hear = (event) => wanted(event) && (over.abort(), done(kind));
        socket.addEventListener(kind, hear, { signal: over.signal });
      }
    });
    const state = () => `readyState ${socket.readyState}, let in ${socket.let_in}, unanswered [${[...socket.open]}]`;
    return limited(event, () => `waiting for an event of the connection, ${state()}`);
  };
  /** Wait until the house has heard all that was said; false where the line is cut first. */
  const echoed = async (socket) => {
    if (socket.readyState > 1) return false;
    const c = BARRIER + ++barriers;
    const answered = one(socket, EITHER, ({ type, data }) => type === "close" || data.includes(String(c)));
    socket.send(JSON.stringify({ t: "ping", c }));
    return (await answered) === "message";
  };
  const nativeFetch = window.fetch.bind(window);
  let fetching = 0;
  window.fetch = async (...given) => {
    fetching += 1;
    try {
      const response = await nativeFetch(...given);
      await response.clone().arrayBuffer();
      return response;
    } finally {
      fetching -= 1;
    }
  };
  /** What the page has asked to be drawn comes before ours; what watches its sizes comes right after. */
  const frame = () =>
    limited(
      new Promise((done) => nativeFrame(() => nativeTimeout.call(window, done))),
      () => `waiting for a frame, visibility ${document.visibilityState}`,
    );
  document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
    console.error(`CSP: ${violatedDirective} ${blockedURI}`),
  );

  window.stage = {
    /** The last version that was heard of every table. */
    versions,
    /** Under which name the house has let this page in. */
    get device() {
      return device;
    },
    get is_in() {
      return Boolean(line?.let_in);
    },
    get is_down() {
      return line !== null && line.readyState > 1;
    },
    /** Let time pass: everything that is due meanwhile is done, in its order. */
    async pass(ms) {
      const until = now + ms;
      for (let id = next(until); id !== null; id = next(until)) {
        ring(id);
        await null;
      }
      now = until;
    },
    /** Wait until all that was said before is heard on either side, and all that was asked is answered, also what
     * waited behind another question; false where there is no line. */
    async heard() {
      const socket = line;
      if (!socket || socket.readyState > 1) return false;
      while (!socket.let_in) {
        if ((await one(socket, EITHER, () => socket.let_in || socket.readyState > 1)) === "close") return false;
      }
      do {
        if (!(await echoed(socket))) return false;
        while (socket.open.size > 0) if ((await one(socket, EITHER)) === "close") return false;
        // What waited behind an answer is asked right after it.
        await null;
      } while (socket.open.size > 0);
      return true;
    },
    /** Wait until what was answered is drawn, and what is asked because of that is answered and drawn as well; false
     * where there is no line. */
    async settled() {
      for (;;) {
        const up = await stage.heard();
        await stage.drawn();
        if (!up || line.open.size === 0) return up;
      }
    },
    real_now: () => NativeDate.now(),
    /** Wait until what is fetched has come, and what is known is drawn. */
    async drawn() {
      await frame();
      const begun = NativeDate.now();
      while (fetching > 0) {
        await frame().then(frame);
        if (NativeDate.now() - begun > LIMIT_MS) throw new Error(`timed out: ${fetching} requests without an answer`);
      }
    },
    /** Let something that is no part of the page have timers that ring by themselves. */
    async really(act) {
      const held = [window.setTimeout, window.clearTimeout];
      [window.setTimeout, window.clearTimeout] = [nativeTimeout, nativeClear];
      try {
        return await act();
      } finally {
        [window.setTimeout, window.clearTimeout] = held;
      }
    },
  };
})();
