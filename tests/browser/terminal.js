// Checks of the terminal's page, with the house's side written by hand.

import { after, drawn, holds, memory, press, same, until, wires } from "./bench.js";

export function terminalChecks({ terminal }, { Session }, samples) {
  const place = {
    door: "terminal",
    venue: "SkyCity Adelaide",
    mode: "demo",
    tables: [{ table: "A", rulebook: "x", title: "x" }],
  };
  const table = { ...samples.snap.tables[0][1], phase: "open", closes_at: samples.snap.now_us + 20_000_000 };
  const whole = { ...samples.snap, tables: [[31, table]] };

  /** A page that has come in, and its host and wire. */
  async function entered(snap = whole, more = {}) {
    const host = document.createElement("main");
    document.body.append(host);
    const [storage, Wire] = [memory(), wires()];
    storage.setItem("croupier:terminal", JSON.stringify({ device: "A-1", key: "k" }));
    terminal(host, new Session({ place: { ...place, ...more }, storage, Socket: Wire }));
    const wire = Wire.last;
    await after(10);
    wire.tell({ ...samples.welcome, now_us: snap.now_us }, snap);
    await until(() => host.querySelector(".printed .spot"), "the felt");
    await until(() => host.querySelector(".spot[data-chip]"), "the chips");
    return { host, wire, storage, Wire };
  }
  const spot = (host, label) =>
    [...host.querySelectorAll(".spot")].find((one) => one.getAttribute("aria-label").startsWith(label));

  return {
    "it comes in by its key, and shows what it is told": async () => {
      const { host, wire } = await entered();
      same(wire.words[0], { t: "hello", door: "terminal", device: "A-1", key: "k", table: "" });
      same(
        [...host.querySelectorAll(".meters dd")].slice(0, 3).map((one) => one.textContent),
        ["A$485", "A$15", "A$0"],
      );
      same(host.querySelectorAll(".spot").length, 157);
      same(host.querySelector(".says").textContent, "Finish Betting");
      holds(Number(host.querySelector(".timer").textContent) > 15, "the time left");
      holds(host.querySelector(".practice").hidden, "no practice seat");
    },
    "a chip goes out under a number that is kept before, and looks like a guess until the answer": async () => {
      const { host, wire, storage } = await entered();
      let kept = null;
      wire.onsend = ({ t }) => t === "ask" && (kept = storage.getItem("croupier:number:A-1"));
      spot(host, "Straight up 17 ").click();
      await drawn();
      const { command, id, epoch } = wire.words.at(-1);
      same([kept, id, epoch], ["41", 41, 7]);
      same(command, { type: "PlaceBets", terminal: "A-1", table: "A", round: 12, spin: 1, bets: [["17", 500]] });
      same(spot(host, "Straight up 17 ").dataset.chip, "guessed");
      holds(spot(host, "Straight up 17 ").getAttribute("aria-label").endsWith("not yet accepted"), "it says so too");
      wire.tell({
        t: "seat",
        v: 2,
        last_cmd: 41,
        set: { credit: 48_000, games: { A: { stakes: { 17: 500 }, staked: 2_000 } } },
      });
      await drawn();
      same(
        [spot(host, "Straight up 17 ").dataset.chip, host.querySelector(".meters dd").textContent],
        ["lies", "A$480"],
      );
    },
    "a refusal is told with its clause": async () => {
      const { host, wire } = await entered();
      spot(host, "Red ").click();
      wire.tell({
        t: "seat",
        v: 2,
        last_cmd: 41,
        refused: [{ id: 41, code: "stake_over_maximum", clause: "7(h)v", says: "Too much." }],
      });
      await drawn();
      same(host.querySelector(".refusals").textContent, "Too much. Clause 7(h)v.");
      press(host, "Dismiss");
      await drawn();
      same(host.querySelectorAll(".refusals li").length, 0);
    },
    "taking off, undo, clear, repeat and double are asked for": async () => {
      const { host, wire } = await entered();
      for (const words of ["Undo", "Clear", "Repeat", "Double"]) press(host, words);
      host.querySelector("input[value=take]").click();
      spot(host, "Red ").click();
      same(
        wire.words.slice(1).map(({ command }) => command.type),
        ["UndoBet", "ClearBets", "RepeatBets", "DoubleBets", "RemoveBets"],
      );
      same(
        wire.words.slice(1).map(({ id }) => id),
        [41, 42, 43, 44, 45],
      );
    },
    "after the close nothing can be pressed, and sealed chips look sealed": async () => {
      const { host, wire } = await entered();
      wire.tell({
        t: "table",
        tv: 32,
        state: { ...table, phase: "closed", says: "No More Bets", closes_at: undefined },
      });
      wire.tell({ t: "seat", v: 2, last_cmd: 40, set: { games: { A: { sealed: 12 } } } });
      await drawn();
      same(
        [host.querySelectorAll(".spot:enabled").length, host.querySelector(".says").textContent],
        [0, "No More Bets"],
      );
      holds(host.querySelector(".game").hasAttribute("data-sealed"), "sealed");
      holds(!host.querySelector(".seal").hidden, "and said");
    },
    "at nothing left the felt locks itself": async () => {
      const { host } = await entered({ ...whole, tables: [[31, { ...table, closes_at: whole.now_us + 1_000_000 }]] });
      await until(() => host.querySelector(".says").textContent === "Closing…", "closing");
      await drawn();
      same(host.querySelectorAll(".spot:enabled").length, 0);
    },
    "a line that is lost is told, with what becomes of the bets, and nothing can be pressed": async () => {
      const { host, wire } = await entered();
      wire.close();
      await until(() => host.querySelector(".line").textContent.startsWith("Connection lost."), "the words");
      holds(host.querySelector(".line").textContent.includes("staff look into your bets"), "what becomes of the bets");
      same(host.querySelectorAll(".spot:enabled").length, 0);
    },
    "after a lost line what was not answered is sent again": async () => {
      const { host, wire, Wire } = await entered();
      spot(host, "Red ").click();
      wire.close();
      const second = await until(() => (Wire.last !== wire ? Wire.last : null), "a new socket");
      await after(10);
      second.tell(samples.welcome, whole);
      same(second.words.slice(1), [wire.words.at(-1)]);
    },
    "a notice of a restart is shown with its clause": async () => {
      const { host, wire } = await entered();
      wire.tell({
        t: "table",
        tv: 40,
        state: {
          ...table,
          notice: {
            round: 12,
            reason: "recovered",
            clause: "11(b)",
            says: "The system was restarted: the round is void.",
          },
        },
      });
      await drawn();
      same(host.querySelector(".round .notice").textContent, "The system was restarted: the round is void. (11(b))");
    },
    "credits are collected, and the slip is shown and confirmed": async () => {
      const { host, wire } = await entered();
      press(host, "Collect");
      same(wire.words.at(-1), { t: "cash_out", id: 41, epoch: 7 });
      wire.tell(samples.slip);
      const dialog = await until(() => host.querySelector("dialog.slip[open]"), "the slip");
      holds(dialog.textContent.includes(samples.slip.number), "its number");
      press(dialog, "Take it");
      await until(() => !host.querySelector("dialog"), "it is gone");
      same(wire.words.at(-1).command, { type: "ConfirmPrint", terminal: "A-1", sequence: 2 });
    },
    "notes and play money are there in a demonstration alone": async () => {
      const { host, wire } = await entered();
      press(host, "Play money");
      same(wire.words.at(-1), { t: "practice" });
      press(host, "Put in A$5");
      same(wire.words.at(-1), { t: "note", id: 41, epoch: 7, value: 500 });
      const real = await entered(whole, { mode: "real" });
      holds(
        ![...real.host.querySelectorAll("button")].some((one) => /Play money|Put in A/.test(one.textContent)),
        "none of it",
      );
    },
    "a practice seat says what it is": async () => {
      const { host } = await entered({ ...whole, fixture: { ...whole.fixture, practice: true } });
      same(
        [host.querySelector(".practice").hidden, host.querySelector(".practice").textContent],
        [false, "PRACTICE SEAT: play money, no winnings"],
      );
    },
    "a terminal of two games shows both, and copies between them": async () => {
      const games = { A: whole.seat.games.A, B: { ...whole.seat.games.A, bets: {} } };
      const two = {
        ...whole,
        tables: [
          [31, table],
          [5, { ...table, table: "B", round: 3 }],
        ],
        seat: { ...whole.seat, games },
      };
      const { host, wire } = await entered(two);
      await until(() => host.querySelectorAll(".cloth").length === 2, "two felts");
      press(host.querySelectorAll(".game")[1], "Copy from A");
      same(wire.words.at(-1).command, {
        type: "CopyBets",
        terminal: "A-1",
        table: "B",
        round: 3,
        spin: 1,
        source: "A",
      });
    },
    "a red chip and a recalled one have a look of their own": async () => {
      const { host, wire } = await entered();
      wire.tell({ t: "seat", v: 2, last_cmd: 40, set: { games: { A: { red: ["red"], ghosts: { 5: 500 } } } } });
      await drawn();
      same([spot(host, "Red ").dataset.chip, spot(host, "Straight up 5 ").dataset.chip], ["red", "ghost"]);
      press(host, "Place the recalled chips");
      same(wire.words.at(-1).command.type, "ConfirmRecall");
    },
    "without a device a demonstration sits down, and keeps the key it is given": async () => {
      const host = document.createElement("main");
      const [storage, Wire] = [memory(), wires()];
      terminal(host, new Session({ place, storage, Socket: Wire, wanted: {} }));
      const wire = Wire.last;
      await after(10);
      same(wire.words[0], { t: "hello", door: "terminal", join: "", table: "A" });
      wire.tell(samples.enrolled);
      same(JSON.parse(storage.getItem("croupier:terminal")), {
        device: samples.enrolled.device,
        key: samples.enrolled.key,
      });
    },
    "where there are several tables it asks for one first": async () => {
      const host = document.createElement("main");
      document.body.append(host);
      const Wire = wires();
      terminal(
        host,
        new Session({
          place: { ...place, tables: [...place.tables, { table: "B", rulebook: "y", title: "y" }] },
          storage: memory(),
          Socket: Wire,
        }),
      );
      host.querySelector("select[name=table]").value = "B";
      host.querySelector("form.enrol button").click();
      await after(10);
      same(Wire.last.words[0], { t: "hello", door: "terminal", join: "", table: "B" });
    },
    "where money is real it asks for a device and its key": async () => {
      const host = document.createElement("main");
      document.body.append(host);
      const Wire = wires();
      terminal(host, new Session({ place: { ...place, mode: "real" }, storage: memory(), Socket: Wire }));
      host.querySelector("input[name=device]").value = "A-3";
      host.querySelector("input[name=key]").value = "secret";
      host.querySelector("form.enrol button").click();
      await after(10);
      same(Wire.last.words[0], { t: "hello", door: "terminal", device: "A-3", key: "secret", table: "" });
    },
  };
}
