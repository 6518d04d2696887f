// Checks of the store: it never shows a chip twice, and always ends where the house is.

import { chance, holds, same } from "./bench.js";

const TABLE = { table: "A", rulebook: "x", felt: "x", phase: "open", round: 1, spin: 1 };
const snap = (more = {}) => ({
  t: "snap",
  epoch: 1,
  v: 1,
  last_cmd: 0,
  now_us: 0,
  tables: [[1, TABLE]],
  fixture: { terminal: "A-1" },
  seat: { credit: 1000, games: { A: { bets: { 17: 100 }, staked: 100 } } },
  ...more,
});
const bet = (id, spot, amount, round = 1) => [
  { t: "ask", id, epoch: 1, command: { type: "PlaceBets", table: "A", round, spin: 1, bets: [[spot, amount]] } },
  { table: "A", round, spin: 1, add: { [spot]: amount } },
];
const seat = (v, last_cmd, set = {}, refused = undefined) => ({ t: "seat", v, last_cmd, set, refused });

export function storeChecks(store) {
  const { asked, begun, isReady, lineIs, nextNumber, told, view } = store;
  const entered = (more) => told(lineIs(begun(), "up"), snap(more))[0];
  const bets = (state) => view(state).seat.games.A.bets;

  return {
    "a guess is shown at once, and marked as one": () => {
      const state = asked(entered(), ...bet(1, "red", 200));
      same(
        [bets(state), view(state).seat.credit, view(state).seat.games.A.staked, view(state).guessed.A],
        [{ 17: 100, red: 200 }, 800, 300, { red: true }],
      );
    },
    "an answer takes the place of the guess in one step": () => {
      const [state] = told(
        asked(entered(), ...bet(1, "red", 200)),
        seat(2, 1, { credit: 800, games: { A: { stakes: { red: 200 }, staked: 300 } } }),
      );
      same(
        [bets(state), view(state).seat.credit, state.pending, view(state).guessed],
        [{ 17: 100, red: 200 }, 800, [], {}],
      );
    },
    "a refusal takes the guess away and is said": () => {
      const [state] = told(
        asked(entered(), ...bet(1, "red", 200)),
        seat(2, 1, {}, [{ id: 1, code: "bets_closed", clause: "7", says: "Closed." }]),
      );
      same([bets(state), state.said.map((no) => no.code)], [{ 17: 100 }, ["bets_closed"]]);
    },
    "a refusal above the last command is an answer too": () => {
      const [state] = told(
        asked(asked(entered(), ...bet(1, "red", 200)), ...bet(2, "odd", 50)),
        seat(2, 0, {}, [{ id: 2, code: "busy", says: "Busy." }]),
      );
      same(
        state.pending.map((wish) => wish.message.id),
        [1],
      );
    },
    "what the credits do not cover is not shown": () =>
      same(bets(asked(entered(), ...bet(1, "red", 5000))), { 17: 100 }),
    "taking off and clearing are guessed at": () => {
      const about = { table: "A", round: 1, spin: 1 };
      const message = { t: "ask", id: 1, epoch: 1, command: {} };
      same(bets(asked(entered(), message, { ...about, take: ["17"] })), {});
      const cleared = view(asked(entered(), message, { ...about, clear: true }));
      same([cleared.seat.credit, cleared.guessed.A], [1100, { 17: true }]);
    },
    "nothing left on a spot is nothing there": () =>
      same(bets(told(entered(), seat(2, 0, { games: { A: { stakes: { 17: 0 }, staked: 0 } } }))[0]), {}),
    "all bets replace all": () =>
      same(bets(told(entered(), seat(2, 0, { games: { A: { bets: { 5: 5 } } } }))[0]), { 5: 5 }),
    "what is missing in a delta has not changed": () => {
      const [state] = told(entered(), seat(2, 0, { games: { A: { sealed: 1 } } }));
      same([state.seat.credit, state.seat.games.A.staked, state.seat.games.A.sealed], [1000, 100, 1]);
    },
    "a delta that is not newer is ignored, and one that leaps is a gap": () => {
      const [old, nothing] = told(entered(), seat(1, 0, { credit: 5 }));
      same([old.seat.credit, nothing], [1000, []]);
      const [gap, send] = told(entered(), seat(3, 0, { credit: 5 }));
      same([gap.seat.credit, send, isReady(gap)], [1000, [{ t: "resync" }], false]);
      same(told(gap, seat(4, 0, { credit: 5 }))[1], [], "one resync is enough");
      holds(isReady(told(gap, snap({ v: 9 }))[0]), "a snapshot heals a gap");
    },
    "a table's version only rises": () => {
      const [newer] = told(entered(), { t: "table", tv: 5, state: { ...TABLE, phase: "closed" } });
      const [older] = told(newer, { t: "table", tv: 5, state: TABLE });
      same(older.tables.A.state.phase, "closed");
    },
    "after the close a guess is no longer shown, and waits for its answer": () => {
      const [state] = told(asked(entered(), ...bet(1, "red", 200)), {
        t: "table",
        tv: 2,
        state: { ...TABLE, phase: "closed" },
      });
      same([bets(state), state.pending.length], [{ 17: 100 }, 1]);
    },
    "a line that is lost shows only what the house has answered for": () => {
      const state = lineIs(asked(entered(), ...bet(1, "red", 200)), "lost");
      same([bets(state), isReady(state)], [{ 17: 100 }, false]);
    },
    "what is unanswered is sent again in the same round, under the same key": () => {
      const state = lineIs(asked(asked(entered(), ...bet(1, "red", 200)), ...bet(2, "odd", 50)), "up");
      const [again, send] = told(state, snap({ last_cmd: 1 }));
      same([send.map(({ id, epoch }) => [id, epoch]), again.pending.length, again.said], [[[2, 1]], 1, []]);
    },
    "in another round it is not sent again, and that is said": () => {
      const state = lineIs(asked(entered(), ...bet(1, "red", 200)), "up");
      const [again, send] = told(state, snap({ tables: [[2, { ...TABLE, round: 2 }]] }));
      same([send, again.pending, again.said.map((no) => no.code)], [[], [], ["too_late"]]);
    },
    "what is of no round is sent again whenever": () => {
      const state = lineIs(asked(entered(), { t: "cash_out", id: 1, epoch: 1 }), "up");
      same(
        told(state, snap({ tables: [[2, { ...TABLE, round: 2, phase: "closed" }]] }))[1].map(({ t }) => t),
        ["cash_out"],
      );
    },
    "after a restart only the snapshot counts, and that is said": () => {
      const state = lineIs(asked(entered(), ...bet(1, "red", 200)), "up");
      const [again, send] = told(state, snap({ epoch: 2 }));
      same([send, again.pending, again.said.map((no) => no.code), again.epoch], [[], [], ["restarted"], 2]);
    },
    "numbers rise above all that was used": () => {
      same(nextNumber(entered({ last_cmd: 7 }), 3), 8);
      same(nextNumber(entered(), 9), 10);
      same(nextNumber(asked(entered(), ...bet(12, "red", 1)), 9), 13);
    },
    "a console's answers and its floor are kept": () => {
      let [state] = told(
        lineIs(begun(), "up"),
        snap({ seat: undefined, floor: { tables: { A: { staked: 1 } }, incidents: [] } }),
      );
      state = asked(state, { t: "ask", id: 1, epoch: 1, command: { type: "OpenBets", table: "A" } });
      [state] = told(state, { t: "ack", id: 1, refusal: { id: 1, code: "out_of_turn", says: "No." } });
      [state] = told(state, { t: "floor", v: 2, last_cmd: 1, set: { tables: { B: { staked: 2 } }, drawers: [] } });
      same(
        [state.pending, state.said.length, Object.keys(state.floor.tables), state.floor.incidents],
        [[], 1, ["A", "B"], []],
      );
    },
    "on any network it shows no chip twice, and ends where the house is": () => {
      for (let seed = 1; seed <= 200; seed += 1) simulate(store, seed);
    },
  };
}

/** A house and a line that loses frames and breaks, and a player who goes on laying chips. */
function simulate({ asked, begun, isReady, lineIs, nextNumber, told, view }, seed) {
  const roll = chance(seed);
  const house = { credit: 2_000, bets: {}, last: 0, refused: new Map(), round: 1, phase: "open", tv: 1, v: 0 };
  let state = begun();
  let [up, down] = [[], []];
  let laid = {};
  const table = () => ({ ...TABLE, round: house.round, phase: house.phase });
  const staked = () => Object.values(house.bets).reduce((all, one) => all + one, 0);
  const whole = () => ({
    credit: house.credit,
    games: { A: { bets: { ...house.bets }, staked: staked(), of: house.round } },
  });
  const shot = () => snap({ v: (house.v += 1), last_cmd: house.last, tables: [[house.tv, table()]], seat: whole() });
  const connect = () => {
    [up, down, house.v] = [[], [], 0];
    state = lineIs(state, "up");
    down.push(shot());
  };
  const answer = (id, set) => {
    const no = house.refused.get(id);
    down.push(seat((house.v += 1), house.last, set, no ? [no] : undefined));
  };
  const serve = (message) => {
    if (message.t === "resync") return down.push(shot());
    if (message.id <= house.last) return answer(message.id, {});
    house.last = message.id;
    const {
      round,
      bets: [[spot, amount]],
    } = message.command;
    const no =
      round !== house.round || house.phase !== "open"
        ? "bets_closed"
        : amount > house.credit || roll() < 0.1
          ? "stake_over_maximum"
          : null;
    if (no) {
      house.refused.set(message.id, { id: message.id, code: no, says: no });
      return answer(message.id, {});
    }
    house.bets[spot] = (house.bets[spot] ?? 0) + amount;
    house.credit -= amount;
    return answer(message.id, {
      credit: house.credit,
      games: { A: { stakes: { [spot]: house.bets[spot] }, staked: staked() } },
    });
  };
  const hear = (frame) => {
    let send;
    [state, send] = told(state, frame);
    up.push(...send);
  };
  const lay = () => {
    const shown = state.tables.A?.state;
    if (!isReady(state) || shown?.phase !== "open") return;
    const spot = String(Math.floor(roll() * 5));
    const id = nextNumber(state, 0);
    const [message, guess] = bet(id, spot, 10, shown.round);
    state = asked(state, message, guess);
    up.push(message);
    if (shown.round === house.round) laid[spot] = (laid[spot] ?? 0) + 10;
  };
  const turn = () => {
    house.tv += 1;
    if (house.phase === "open") house.phase = "closed";
    else [house.phase, house.round, house.bets, laid] = ["open", house.round + 1, {}, {}];
    down.push({ t: "table", tv: house.tv, state: table() }, seat((house.v += 1), house.last, whole()));
  };
  const acts = [
    [0.35, lay],
    [0.62, () => up.length && serve(up.shift())],
    [0.88, () => down.length && hear(down.shift())],
    // Of the frames without a version none is ever left out by itself.
    [0.92, () => down[0]?.t === "seat" && down.shift()],
    [0.95, () => ((state = lineIs(state, "lost")), connect())],
    [1, turn],
  ];
  connect();
  for (let step = 0; step < 150; step += 1) {
    const which = roll();
    acts.find(([most]) => which < most)[1]();
    const shown = view(state);
    // Between the frames of a new round the chips are still those of the one before.
    if (shown.seat?.games.A.of !== house.round) continue;
    for (const [spot, stake] of Object.entries(shown.seat.games.A.bets))
      holds(stake <= (laid[spot] ?? 0), `seed ${seed} step ${step}: ${stake} on ${spot}, laid ${laid[spot]}`);
  }
  // The line is whole from here on, and nothing more is laid.
  connect();
  while (up.length || down.length) {
    while (up.length) serve(up.shift());
    if (down.length) hear(down.shift());
  }
  same(
    [state.pending, view(state).seat.credit, view(state).seat.games.A.bets],
    [[], house.credit, house.bets],
    `seed ${seed}`,
  );
}
