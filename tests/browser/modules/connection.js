// Checks of the connection: clock synchronisation, heartbeat and reconnection.

import { after, holds, same, until, wires } from "./bench.js";

const WELCOME = { t: "welcome", epoch: 1, device: "A-1", venue: "", mode: "demo", now_us: 1_000_000_000, staff: false };

export function connectionChecks({ Connection, retryDelay }) {
  const opened = (...urls) => {
    const received = [];
    const states = [];
    const Wire = wires();
    const connection = new Connection({
      urls: urls.length ? urls : ["wire"],
      hello: () => ({ t: "hello" }),
      onFrame: (frame) => received.push(frame),
      onState: (state) => states.push(state),
      Socket: Wire,
    });
    connection.open();
    return { connection, received, states, Wire };
  };
  return {
    "it waits longer each time, and then a little different for everybody": () => {
      same(
        [0, 1, 2, 3].map((tries) => retryDelay(tries, 0.9)),
        [250, 500, 1000, 2000],
      );
      same([retryDelay(4, 0), retryDelay(9, 1), retryDelay(20, 0.5)], [2400, 3600, 3000]);
    },
    "it says hello, then five pings at once, then one every five seconds": async () => {
      const { Wire } = opened();
      const wire = Wire.last;
      await after(10);
      same(wire.words, [{ t: "hello" }]);
      wire.onsend = ({ t, c }) =>
        t === "ping" && setTimeout(() => wire.tell({ t: "pong", c, now_us: 1_000_000_000 }), 1);
      wire.tell(WELCOME);
      await after(1500);
      same(
        wire.sent.filter(({ t }) => t === "ping").map(({ c }) => c),
        [1, 2, 3, 4, 5],
      );
      await after(5000);
      same(wire.sent.filter(({ t }) => t === "ping").length, 6);
    },
    "a line that is in doubt is given up sooner, and one that answers is kept": async () => {
      const { connection, states, Wire } = opened();
      const wire = Wire.last;
      await after(10);
      wire.onsend = ({ t, c }) => t === "ping" && setTimeout(() => wire.tell({ t: "pong", c, now_us: 1 }), 1);
      wire.tell(WELCOME);
      await after(1500);
      connection.probe();
      await after(1600);
      same(states, ["up"]);
      wire.onsend = () => {};
      connection.probe();
      await after(1400);
      same(states, ["up"]);
      await after(200);
      same(states, ["up", "down"]);
    },
    "a line is given up at once when the browser has no network": async () => {
      const { connection, states, Wire } = opened();
      await after(10);
      Wire.last.tell(WELCOME);
      connection.disconnect();
      same(states, ["up", "down"]);
    },
    "a line on which no pong comes for four seconds is lost, and tried again": async () => {
      const { states, Wire } = opened();
      const wire = Wire.last;
      await after(10);
      wire.tell(WELCOME);
      await after(3900);
      same(states, ["up"]);
      await after(1000);
      same(states, ["up", "down", "lost"]);
      holds(Wire.last !== wire, "a new socket");
      const second = Wire.last;
      await after(10);
      second.tell({ ...WELCOME, now_us: 2_000_000_000 });
      same(states.at(-1), "up");
    },
    "a line that is back within a moment is never called lost": async () => {
      const { states, Wire } = opened();
      await after(10);
      Wire.last.tell(WELCOME);
      Wire.last.close();
      await after(300);
      await after(10);
      Wire.last.tell(WELCOME);
      await after(1000);
      same(states, ["up", "down", "up"]);
    },
    "an address that does not answer, or whose line is lost, is followed by the next": async () => {
      const { Wire } = opened("first", "second");
      same(Wire.last.url, "first");
      Wire.last.close();
      await after(300);
      same(Wire.last.url, "second");
      Wire.last.tell(WELCOME);
      Wire.last.close();
      await after(300);
      same(Wire.last.url, "first");
    },
    "while it is lost it stays so through every try": async () => {
      const { states, Wire } = opened();
      await after(10);
      Wire.last.tell(WELCOME);
      for (let tries = 0; tries < 4; tries += 1) {
        Wire.last.close();
        await after(2100);
      }
      same(states, ["up", "down", "lost"]);
    },
    "shut for another window, or turned away, it does not come back unasked": async () => {
      const { connection, states, Wire } = opened();
      const wire = Wire.last;
      await after(10);
      wire.tell(WELCOME, { t: "bye", refusal: { code: "evicted", says: "Elsewhere." } });
      wire.close();
      await after(5000);
      same([states, Wire.last === wire], [["up", "down", "ended"], true]);
      connection.open();
      await after(10);
      Wire.last.tell({ t: "bye", refusal: { code: "unknown_device", says: "No." } });
      Wire.last.close();
      await after(100);
      same(states.at(-1), "ended");
    },
    "whoever comes in twice has one connection, and says hello once": async () => {
      const { connection, Wire } = opened();
      const first = Wire.last;
      connection.open();
      await after(10);
      same([first.words, Wire.last.words, first.readyState], [[], [{ t: "hello" }], 3]);
    },
    "shut by a house that is busy or stops, it comes back": async () => {
      const { Wire } = opened();
      const wire = Wire.last;
      await after(10);
      wire.tell(WELCOME, { t: "bye", refusal: { code: "busy", says: "Stopping." } });
      wire.close();
      await until(() => Wire.last !== wire, "a new socket");
    },
  };
}
