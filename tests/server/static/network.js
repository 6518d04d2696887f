// A house, a line that loses frames and breaks, and a player who goes on laying chips: one run from a seed.
// It gives how often a chip was shown twice, and what differs at the end: nothing and null where all is well.
// A house that is forgetful never says which commands it has answered.
(seed, forgetful = false) => {
  const TABLE = { table: "A", rulebook: "x", felt: "x", phase: "open", round: 1, spin: 1 };
  let dice = seed;
  const roll = () => {
    dice = (dice + 0x6d2b79f5) | 0;
    let mixed = Math.imul(dice ^ (dice >>> 15), 1 | dice);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const house = { credit: 2_000, bets: {}, last: 0, refused: new Map(), round: 1, phase: "open", tv: 1, v: 0 };
  let state = initialState();
  let [up, down] = [[], []];
  let laid = {};
  let twice = 0;
  const table = () => ({ ...TABLE, round: house.round, phase: house.phase });
  const staked = () => Object.values(house.bets).reduce((all, one) => all + one, 0);
  const whole = () => ({
    credit: house.credit,
    games: { A: { bets: { ...house.bets }, staked: staked(), of: house.round } },
  });
  const shot = () => ({
    ...{ t: "snap", epoch: 1, v: (house.v += 1), last_cmd: house.last, now_us: 0 },
    ...{ tables: [[house.tv, table()]], fixture: { terminal: "A-1" }, seat: whole() },
  });
  const answered = () => (forgetful ? 0 : house.last);
  const seat = (set, refused = undefined) => ({ t: "seat", v: (house.v += 1), last_cmd: answered(), set, refused });
  const connect = () => {
    [up, down, house.v] = [[], [], 0];
    state = setConnection(state, "up");
    down.push(shot());
  };
  const answer = (id, set) => down.push(seat(set, house.refused.has(id) ? [house.refused.get(id)] : undefined));
  const refusal = (round, amount) => {
    if (round !== house.round || house.phase !== "open") return "bets_closed";
    return amount > house.credit || roll() < 0.1 ? "stake_over_maximum" : null;
  };
  const serve = (message) => {
    if (message.t === "resync") return down.push(shot());
    if (message.id <= house.last) return answer(message.id, {});
    house.last = message.id;
    const { round, bets } = message.command;
    const [spot, amount] = bets[0];
    const code = refusal(round, amount);
    if (code) {
      house.refused.set(message.id, { id: message.id, code, says: code });
      return answer(message.id, {});
    }
    house.bets[spot] = (house.bets[spot] ?? 0) + amount;
    house.credit -= amount;
    const games = { A: { stakes: { [spot]: house.bets[spot] }, staked: staked() } };
    return answer(message.id, { credit: house.credit, games });
  };
  const hear = (frame) => {
    let send;
    [state, send] = receive(state, frame);
    up.push(...send);
  };
  const lay = () => {
    const shown = state.tables.A?.state;
    if (!isReady(state) || shown?.phase !== "open") return;
    const spot = String(Math.floor(roll() * 5));
    const about = { table: "A", round: shown.round, spin: 1 };
    const command = { type: "PlaceBets", ...about, bets: [[spot, 10]] };
    const message = { t: "ask", id: nextId(state, 0), epoch: 1, command };
    state = addRequest(state, message, { ...about, add: { [spot]: 10 } });
    up.push(message);
    if (shown.round === house.round) laid[spot] = (laid[spot] ?? 0) + 10;
  };
  const turn = () => {
    house.tv += 1;
    if (house.phase === "open") house.phase = "closed";
    else [house.phase, house.round, house.bets, laid] = ["open", house.round + 1, {}, {}];
    down.push({ t: "table", tv: house.tv, state: table() }, seat(whole()));
  };
  const acts = [
    [0.35, lay],
    [0.62, () => up.length && serve(up.shift())],
    [0.88, () => down.length && hear(down.shift())],
    // Of the frames without a version none is ever left out by itself.
    [0.92, () => down[0]?.t === "seat" && down.shift()],
    [0.95, () => ((state = setConnection(state, "lost")), connect())],
    [1, turn],
  ];
  connect();
  for (let step = 0; step < 150; step += 1) {
    const which = roll();
    acts.find(([most]) => which < most)[1]();
    const game = view(state).seat?.games.A;
    // Between the frames of a new round the chips are still those of the one before.
    if (game?.of !== house.round) continue;
    twice += Object.entries(game.bets).filter(([spot, stake]) => stake > (laid[spot] ?? 0)).length;
  }
  // The line is whole from here on, and nothing more is laid.
  connect();
  while (up.length || down.length) {
    while (up.length) serve(up.shift());
    if (down.length) hear(down.shift());
  }
  const ends = view(state);
  const found = JSON.stringify([state.pending, ends.seat.credit, ends.seat.games.A.bets]);
  const wanted = JSON.stringify([[], house.credit, house.bets]);
  return { twice, differs: found === wanted ? null : `${found}, not ${wanted}` };
}
