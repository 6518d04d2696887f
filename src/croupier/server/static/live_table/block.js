// The block: marker buttons with the chips under them, and the form of a marker bet.

import { chipOf } from "../felt/pieces.js";
import { openDialog } from "../shared/dialog.js";
import { numberPad } from "../shared/pocket.js";
import { button, h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { worthOf } from "./entry.js";
import { clauseSign } from "./table.js";
import { blankChip, chipKey } from "./tools.js";

/** @typedef {import("./table.js").LiveTable} LiveTable */

/** What the dealer of a table without a block has to remember. */
const TABLE_RULES = new Set(["closed", "turns", "alias"]);

/** The block with its marker bets; where there is none, the rules of the table. @param {LiveTable} live */
export function block(live) {
  const hasBlock = live.markerLeast !== null;
  const add = { "aria-label": say("live.add-marker"), disabled: !live.betting || live.current === null };
  return h(
    "section",
    { class: "block card", "aria-label": say("live.block") },
    h(
      "div",
      { class: "block-head" },
      h("h2", null, say(hasBlock ? "live.block" : "live.this-table")),
      h("small", null, hasBlock && say("live.block-from", { amount: live.amount(live.markerLeast) })),
      hasBlock && button("+", () => openMarker(live), add),
    ),
    hasBlock && h("div", { class: "markers" }, markersOf(live)),
    !hasBlock && h("ul", { class: "table-rules" }, rulesOf(live)),
  );
}

/** @param {LiveTable} live */
const rulesOf = (live) =>
  (live.client.view.notice?.rules ?? [])
    .filter(({ rule }) => TABLE_RULES.has(rule))
    .map(({ rule, amount, clause }) =>
      h(
        "li",
        { key: rule },
        say(`posted-rule.${rule}`, { amount: live.amount(amount), n: amount ?? 0 }),
        " ",
        clauseSign(live.rulebook, clause),
      )
    );

/** The marker bets that lie on the block: chips of several kinds under one button are one bet. @param {LiveTable} live */
function markersOf(live) {
  return live.players.flatMap((player) =>
    Object.entries(live.layoutOf(player)).flatMap(([spot, pieces]) => {
      const number = live.markerOf(spot);
      if (number === null) return [];
      const [name, total] = [live.playerName(player), worthOf(pieces, (chip) => live.chipValue(chip))];
      const amount = live.amount(total);
      const label = {
        key: `${player.position} ${spot}`,
        class: "marker-key",
        "aria-label": say("live.marker-of", { number, name, amount }),
      };
      const chips = Object.entries(pieces).map(([chip, count]) => chipOf(chip, count, { key: chip }));
      const face = [
        markerButton(live, number, 54),
        h(
          "span",
          null,
          h("span", { class: "stack-of" }, chips, h("b", null, amount)),
          h("small", null, say("live.marker-each", { name, n: live.amount(total / 5) })),
        ),
      ];
      return [button(face, () => openMarker(live, spot), label)];
    })
  );
}

/** The fills of a marker button by the colour of its number. @type {Record<string, string>} */
const FILLS = { red: "#c2162c", black: "#17181c", green: "#0a7a3c" };
/** The colours of the numbers on its rim. @type {Record<string, string>} */
const RIMS = { red: "#a80c20", black: "#111111", green: "#06602c" };

/** A marker button: its number, and the neighbours on its rim. @param {LiveTable} live @param {string} number @param {number} size */
function markerButton(live, number, size) {
  const colour = (/** @type {string} */ pocket) => live.felt?.colours.get(pocket) ?? "green";
  const middle = size / 2;
  const rim = live.neighboursOf(number).filter((pocket) => pocket !== number);
  return h(
    "svg",
    { viewBox: `0 0 ${size} ${size}`, width: size, height: size, class: "marker-button", "aria-hidden": "true" },
    h("circle", { cx: middle, cy: middle, r: middle - 1, fill: "#f3ecd6", stroke: "#8a6a1f", "stroke-width": 2 }),
    h("circle", { cx: middle, cy: middle, r: middle * 0.46, fill: FILLS[colour(number)] }),
    h("text", { x: middle, y: middle, class: "mid", fill: "#fff" }, number),
    rim.map((pocket, place) => {
      const angle = ((place * 90 - 135) * Math.PI) / 180;
      const at = { x: middle + Math.cos(angle) * middle * 0.72, y: middle + Math.sin(angle) * middle * 0.72 };
      return h("text", { ...at, class: "rim", fill: RIMS[colour(pocket)] }, pocket);
    }),
  );
}

/** The pieces of a kind that the form offers at one touch. */
const PIECES = [5, 10, 15, 20, 25];

/**
 * Ask for the number and the pieces of a marker bet, which may be of several kinds of chips.
 * @param {LiveTable} live @param {string} [spot] of a button that lies there
 */
function openMarker(live, spot) {
  const { current, selected } = live;
  if (!current || !selected || !live.betting) return;
  let number = spot ? live.markerOf(spot) : null;
  /** @type {import("./entry.js").Pieces} */
  const pieces = { [selected.chip]: PIECES[0] };
  const choose = (/** @type {string} */ chip, /** @type {number} */ count) => {
    if (count > 0) pieces[chip] = count;
    else delete pieces[chip];
    dialog.redraw();
  };
  const place = () => {
    dialog.close();
    const on = `${live.markerCall} ${number}`;
    const [[chip, count], ...more] = Object.entries(pieces);
    void live.askChips({
      type: "PlaceChips",
      position: selected.position,
      chip,
      bets: [[on, count]],
      beside: more.map(([other, beside]) => [on, other, beside]),
      manner: live.manner,
    });
  };
  const total = () => worthOf(pieces, (chip) => live.chipValue(chip));
  const countRow = (/** @type {[string, number]} */ [chip, count]) =>
    h(
      "div",
      { key: chip, class: "marker-row", role: "group", "aria-label": live.chipName(chip) },
      blankChip(chip),
      button("−", () => choose(chip, count - 1), { "aria-label": say("live.take-one") }),
      h("b", { class: "count" }, String(count)),
      button("+", () => choose(chip, count + 1), { "aria-label": say("live.add", { n: 1 }) }),
      PIECES.map((each) => button(String(each), () => choose(chip, each), { "aria-pressed": String(each === count) })),
    );
  const dialog = openDialog({
    name: "marker",
    title: say("live.marker-title"),
    look: "middle",
    body: () => {
      const facts = {
        n: Object.values(pieces).reduce((sum, count) => sum + count, 0),
        each: live.amount(total() / 5),
        amount: live.amount(total()),
        least: live.amount(live.markerLeast),
      };
      return [
        h(
          "div",
          { class: "marker-head" },
          h("div", { class: "marker-face" }, number !== null && markerButton(live, number, 84)),
          h(
            "p",
            { class: "eq" },
            number === null ? say("live.marker-which") : `${number}: ${live.neighboursOf(number).join(" ")}`,
          ),
        ),
        numberPad({
          name: "marker-number",
          label: say("live.marker-number"),
          felt: live.felt,
          chosen: number,
          pick: (picked) => {
            number = picked;
            dialog.redraw();
          },
        }),
        h(
          "div",
          { class: "marker-chips" },
          h("b", null, live.playerName(current)),
          h(
            "div",
            { class: "chip-choice", role: "group", "aria-label": say("live.chip") },
            live.chipsOf(current).map((chip) =>
              chipKey(live, chip, chip in pieces, () => choose(chip, chip in pieces ? 0 : PIECES[0]))
            ),
          ),
        ),
        Object.entries(pieces).map(countRow),
        h("p", null, say("live.marker-facts", facts)),
      ];
    },
    foot: () => [
      button(say("live.leave"), () => dialog.close()),
      button(say("live.marker-place", { amount: live.amount(total()) }), place, {
        class: "main",
        disabled: number === null || total() === 0,
      }),
    ],
  });
}
