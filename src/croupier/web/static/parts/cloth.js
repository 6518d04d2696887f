// The cloth, plain: every spot of the layout as a button. Cells and boxes lie as they are printed; what lies between
// them is listed by its kind. It knows spots and chips, and nothing of odds, limits or who won: it is told.

import { el, enabled, marked, text } from "../kit/dom.js";
import { money, plain } from "../kit/money.js";

/**
 * @param {any} felt as fetched
 * @param {(spot: string) => void} press
 * @param {(way: any) => void} call
 */
export function cloth(felt, press, call) {
  const spots = new Map(felt.spots.map((spot) => [spot.key, spot]));
  const buttons = new Map();
  const spotButton = (key, words, attributes = {}) => {
    const chip = el("span", { class: "chip" });
    const made = el(
      "button",
      { type: "button", class: "spot", click: () => press(key), ...attributes },
      el("span", {}, words),
      chip,
    );
    if (!buttons.has(key)) buttons.set(key, []);
    buttons.get(key).push({ made, chip, label: spots.get(key).label });
    return made;
  };
  const edges = extent([...felt.cells, ...felt.boxes]);
  const lie = (area, made) => {
    const place = { "--a0": area.along[0] - edges.along, "--a1": area.along[1] - edges.along };
    Object.assign(place, { "--b0": area.across[0] - edges.across, "--b1": area.across[1] - edges.across });
    Object.assign(place, { "--t0": edges.top - area.across[1], "--t1": edges.top - area.across[0] });
    for (const [name, line] of Object.entries(place)) made.style.setProperty(name, String(line + 1));
    return made;
  };
  const printed = el(
    "div",
    { class: "printed" },
    ...felt.cells.map((cell) => lie(cell, spotButton(cell.pocket, cell.pocket, { "data-colour": cell.colour }))),
    ...felt.boxes.map((box) => lie(box, spotButton(box.bet, box.label, { "data-colour": box.bet }))),
    ...felt.aliases.map((alias) => lie(alias, spotButton(alias.spot, alias.label, { class: "spot alias" }))),
  );
  const shown = new Set([...felt.cells.map((cell) => cell.pocket), ...felt.boxes.map((box) => box.bet)]);
  const between = felt.spots.filter((spot) => !shown.has(spot.key));
  const groups = felt.kinds
    .map(({ kind, label }) => [label, between.filter((spot) => spot.kind === kind)])
    .filter(([, listed]) => listed.length > 0)
    .map(([label, listed]) =>
      group(
        label,
        listed.map((spot) => spot.key),
        (key) => spotButton(key, key.replaceAll("/", " / ")),
      ),
    );
  const node = el(
    "div",
    { class: "cloth" },
    printed,
    ...groups.map((one) => one.node),
    ...(felt.calls.length > 0 ? [callBets(felt, call)] : []),
  );

  const update = (game, guessed, { currency, open }) => {
    const red = new Set(game.red ?? []);
    const ghosts = game.ghosts ?? {};
    for (const [key, places] of buttons) {
      const stake = game.bets[key] ?? 0;
      const ghost = ghosts[key] ?? 0;
      const look = stake === 0 ? (ghost ? "ghost" : null) : guessed[key] ? "guessed" : red.has(key) ? "red" : "lies";
      for (const { made, chip, label } of places) {
        text(chip, stake || ghost ? plain(stake || ghost) : "");
        marked(made, "data-chip", look);
        marked(made, "aria-label", stake ? `${label}, your bet ${money(stake, currency)}${LOOKS[look]}` : label);
        enabled(made, open);
      }
    }
    for (const one of groups) one.update(game.bets, currency);
    for (const control of node.querySelectorAll(".calls button")) enabled(control, open);
  };
  return { node, update };
}

const LOOKS = { lies: "", guessed: ", not yet accepted", red: ", under the minimum" };

function extent(areas) {
  return {
    along: Math.min(...areas.map((area) => area.along[0])),
    across: Math.min(...areas.map((area) => area.across[0])),
    top: Math.max(...areas.map((area) => area.across[1])),
  };
}

/** The spots of one kind, and on its lid what lies on them. */
function group(label, keys, make) {
  const lid = el("summary", {});
  const node = el("details", {}, lid, el("div", { class: "listed" }, ...keys.map(make)));
  const update = (bets, currency) => {
    const lying = keys.reduce((all, key) => all + (bets[key] ?? 0), 0);
    text(lid, `${label} (${keys.length})${lying ? `: your bets ${money(lying, currency)}` : ""}`);
  };
  return { node, update };
}

/** The calls, each with what it will lay before it is laid. */
function callBets(felt, call) {
  const rows = felt.calls.map((offered) => {
    const preview = el("small", { class: "preview" });
    const choice = el(
      "select",
      { "aria-label": `${offered.label}: which` },
      ...offered.ways.map((way, place) => el("option", { value: place }, way.said)),
    );
    const chosen = () => offered.ways[Number(choice.value)];
    const show = () =>
      text(
        preview,
        `${chosen().chips} chips: ${chosen()
          .pieces.map(([spot, chips]) => (chips > 1 ? `${chips} on ${spot}` : spot))
          .join(", ")}`,
      );
    choice.addEventListener("change", show);
    const row = el(
      "div",
      { class: "call" },
      offered.ways.length > 1 ? choice : null,
      el("button", { type: "button", click: () => call(chosen()) }, offered.label),
      preview,
    );
    if (offered.ways.length === 1) choice.value = "0";
    show();
    return row;
  });
  return el("details", { class: "calls" }, el("summary", {}, `Call bets (${rows.length})`), ...rows);
}
