// The block: marker buttons with the chips under them, and the form of a marker bet.

import { chipOf } from "../felt/pieces.js";
import { openDialog } from "../shared/dialog.js";
import { numberPad } from "../shared/pocket.js";
import { button, h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { clauseSign } from "./table.js";

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

/** The marker bets that lie on the block. @param {LiveTable} live */
function markersOf(live) {
  return live.players.flatMap((player) =>
    Object.entries(live.layoutOf(player)).flatMap(([spot, chips]) => {
      const number = live.markerOf(spot);
      if (number === null) return [];
      const name = live.playerName(player);
      return Object.entries(chips).map(([chip, pieces]) => {
        const amount = live.amount(pieces * live.chipValue(chip));
        const label = {
          key: `${player.position} ${spot} ${chip}`,
          class: "marker-key",
          "aria-label": say("live.marker-of", { number, name, amount }),
        };
        const stack = h("span", { class: "stack-of" }, chipOf(chip, pieces), h("b", null, amount));
        const face = [
          markerButton(live, number, 54),
          h("span", null, stack, h("small", null, say("live.marker-each", { name, n: pieces / 5 }))),
        ];
        return button(face, () => openMarker(live, spot), label);
      });
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

/** The pieces that the form offers. */
const PIECES = [5, 10, 15, 20, 25];

/** Ask for the number and the pieces of a marker bet. @param {LiveTable} live @param {string} [spot] of a button that lies there */
function openMarker(live, spot) {
  const { current, selected } = live;
  if (!current || !selected || !live.betting) return;
  const chosen = { number: spot ? live.markerOf(spot) : null, pieces: PIECES[0] };
  const choose = (/** @type {Partial<typeof chosen>} */ changed) => {
    Object.assign(chosen, changed);
    dialog.redraw();
  };
  const place = () => {
    dialog.close();
    const { position, chip } = selected;
    void live.askChips({
      type: "PlaceChips",
      position,
      chip,
      bets: [[`${live.markerCall} ${chosen.number}`, chosen.pieces]],
      manner: live.manner,
    });
  };
  const amount = () => live.amount(chosen.pieces * live.chipValue(selected.chip));
  const dialog = openDialog({
    name: "marker",
    title: say("live.marker-title"),
    look: "middle",
    body: () => {
      const { number, pieces } = chosen;
      const facts = { n: pieces, each: pieces / 5, amount: amount(), least: live.amount(live.markerLeast) };
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
          ...{ name: "marker-number", label: say("live.marker-number"), felt: live.felt, chosen: number },
          pick: (picked) => choose({ number: picked }),
        }),
        h(
          "div",
          { class: "marker-row" },
          chipOf(selected.chip, ""),
          h("b", null, live.playerName(current)),
          PIECES.map((count) =>
            button(String(count), () => choose({ pieces: count }), { "aria-pressed": String(count === pieces) })
          ),
        ),
        h("p", null, say("live.marker-facts", facts)),
      ];
    },
    foot: () => [
      button(say("live.leave"), () => dialog.close()),
      button(say("live.marker-place", { amount: amount() }), place, {
        class: "main",
        disabled: chosen.number === null,
      }),
    ],
  });
}
