// One game of a terminal: its round, its limits, its cloth, and what can be done with its chips.

import { button, el, enabled, marked, shown, text } from "../kit/dom.js";
import { money } from "../kit/money.js";
import { isOpen, isReady } from "../kit/store.js";
import { cloth } from "./cloth.js";
import { felt } from "./felts.js";
import { round } from "./round.js";

/** @param {() => number | "take"} chip what a touch lays: cents, or nothing but taking off */
export function game(session, name, chip) {
  const heading = el("h2", {});
  const limits = el("p", { class: "limits" });
  const bet = el("p", { class: "bet" });
  const warning = el("p", { class: "warning", role: "alert" });
  const played = round(session);
  const place = el("div", { class: "place" }, el("p", {}, "The layout is on its way…"));
  const tools = el("div", { class: "tools" });
  const node = el(
    "section",
    { class: "game", "aria-label": `Table ${name}` },
    heading,
    played.node,
    limits,
    bet,
    warning,
    tools,
    place,
  );
  let drawn = null; // {hash, cloth}
  let view = null;
  let inTime = true;

  const meant = () => {
    const { round: number, spin } = view.tables[name].state;
    return { terminal: view.fixture.terminal, table: name, round: number, spin };
  };
  const ask = (type, fields = {}, guess = null) => {
    const about = meant();
    session.ask(
      { type, ...about, ...fields },
      guess && { table: name, round: about.round, spin: about.spin, ...guess },
    );
  };
  const press = (spot) => {
    const laid = chip();
    if (laid === "take") ask("RemoveBets", { spots: [spot] }, { take: [spot] });
    else ask("PlaceBets", { bets: [[spot, laid]] }, { add: { [spot]: laid } });
  };
  const call = (way) => {
    const laid = chip();
    if (laid === "take") return;
    ask(
      "PlaceBets",
      { bets: [[way.said, laid]] },
      { add: Object.fromEntries(way.pieces.map(([spot, chips]) => [spot, chips * laid])) },
    );
  };

  const furnish = (data, others) => {
    const deeds = [
      ["Undo", () => ask("UndoBet")],
      ["Clear", () => ask("ClearBets", {}, { clear: true })],
      ["Repeat", () => ask("RepeatBets")],
      ["Double", () => ask("DoubleBets")],
      ...(data.neighbours_button ? [["Neighbours", () => ask("PressNeighbours")]] : []),
      ...others.map((other) => [`Copy from ${other}`, () => ask("CopyBets", { source: other })]),
    ];
    const autos = others.map((other) => autoCopy(other));
    tools.replaceChildren(...deeds.map(([words, deed]) => button(words, deed)), ...autos, ...patterns(data.patterns));
  };
  const autoCopy = (other) => {
    const box = el("input", { type: "checkbox", "data-to": other });
    box.addEventListener("change", () =>
      session.ask({
        type: "SetAutoCopy",
        terminal: view.fixture.terminal,
        table: name,
        target: other,
        on: box.checked,
      }),
    );
    return el("label", { class: "tick" }, box, `Copy to ${other} at the close`);
  };
  const patterns = (slots) =>
    Array.from({ length: slots }, (_, place) => place + 1).flatMap((slot) => [
      button(`Save ${slot}`, () => ask("SavePattern", { slot, override: String(slot) in (view.seat.patterns ?? {}) })),
      button(`Recall ${slot}`, () => ask("RecallPattern", { slot })),
    ]);
  const ghosts = el(
    "div",
    { class: "tools ghosts", hidden: true },
    button("Place the recalled chips", () => ask("ConfirmRecall")),
    button("Let them go", () => ask("CancelRecall")),
  );
  tools.after(ghosts);

  const update = (now) => {
    view = now;
    const table = now.tables[name]?.state;
    const mine = now.seat?.games[name];
    if (!table || !mine || !now.fixture) return;
    const { currency } = now.fixture;
    text(heading, `Table ${name} · round ${table.round}`);
    inTime = played.update(table);
    text(limits, limitWords(mine, currency));
    text(bet, `Bet ${money(mine.staked ?? 0, currency)}`);
    text(warning, mine.warning ?? "");
    shown(warning, Boolean(mine.warning));
    shown(ghosts, Object.keys(mine.ghosts ?? {}).length > 0);
    const isSealed = mine.sealed === table.round;
    marked(node, "data-sealed", isSealed);
    const hash = now.fixture.felt || table.felt;
    const data = felt(hash, () => session.redraw());
    if (data && drawn?.hash !== hash) {
      drawn = { hash, cloth: cloth(data, press, call) };
      place.replaceChildren(
        drawn.cloth.node,
        el("p", { class: "seal", hidden: true }, "Sealed: what lies here is what is settled."),
      );
      furnish(
        data,
        Object.keys(now.seat.games).filter((other) => other !== name),
      );
    }
    for (const seal of node.querySelectorAll(".seal")) shown(seal, isSealed);
    for (const box of node.querySelectorAll("input[data-to]")) box.checked = mine.auto_copy_to === box.dataset.to;
    lock();
  };
  const lock = () => {
    const table = view.tables[name].state;
    const open = isReady(view) && isOpen(table) && inTime && view.seat.in_service !== false;
    drawn?.cloth.update(view.seat.games[name], view.guessed[name] ?? {}, { currency: view.fixture.currency, open });
    for (const tool of node.querySelectorAll(".tools button")) enabled(tool, open);
  };
  const tick = () => {
    const was = inTime;
    inTime = played.tick();
    if (view?.seat && was !== inTime) lock();
  };
  return { node, update, tick };
}

function limitWords(mine, currency) {
  const from = (least, most, words) => {
    if (least == null && most == null) return [];
    const parts = [
      least == null ? null : `from ${money(least, currency)}`,
      most == null ? null : `to ${money(most, currency)}`,
    ];
    return [`${words} ${parts.filter(Boolean).join(" ")}`];
  };
  return [
    ...from(mine.spot_least, mine.spot_most, "A bet on a number"),
    ...from(mine.total_least, mine.total_most, "All bets"),
  ].join(" · ");
}
