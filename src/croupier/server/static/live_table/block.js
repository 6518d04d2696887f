// The block: marker buttons with the chips under them, and the form of a marker bet.

import { chipOf } from "../felt/pieces.js";
import { openDialog } from "../shared/dialog.js";
import { button, each, el, enabled, marked, shown, svg, text } from "../shared/dom.js";
import { numberPad } from "../shared/pocket.js";
import { say } from "../shared/text.js";
import { clauseSign } from "./table.js";

/** @typedef {import("./table.js").LiveTable} LiveTable */

/** The block: marker buttons with the chips under them. @param {LiveTable} live @returns {import("../console/client.js").Part} */
export function block(live) {
  const heading = el("h2", {}, say("live.block"));
  const note = el("small");
  const add = button("+", () => openMarker(live), { "aria-label": say("live.add-marker") });
  const list = el("div", { class: "markers" });
  const rules = el("ul", { class: "table-rules" });
  const node = el("section", { class: "block card", "aria-label": say("live.block") });
  node.append(el("div", { class: "block-head" }, heading, note, add), list, rules);
  const update = () => {
    const has = live.markerLeast !== null;
    shown(list, has);
    shown(add, has);
    shown(rules, !has);
    text(heading, has ? say("live.block") : say("live.this-table"));
    text(note, has ? say("live.block-from", { amount: live.amount(live.markerLeast) }) : "");
    enabled(add, live.betting && live.current !== null);
    each(
      list,
      has ? markersOf(live) : [],
      ({ key }) => key,
      ({ number, spot }) => {
        const face = button(markerButton(live, number, 54), () => openMarker(live, spot), { class: "marker-key" });
        face.append(el("span", {}, el("span", { class: "stack-of" }), el("small")));
        return face;
      },
      (item, { chip, pieces, position, number }) => {
        const player = live.player(position);
        const stack = /** @type {HTMLElement} */ (item.querySelector(".stack-of"));
        const key = `${chip} ${pieces}`;
        if (stack.dataset.of !== key) {
          stack.dataset.of = key;
          stack.replaceChildren(chipOf(chip, pieces), el("b", {}, live.amount(pieces * live.chipValue(chip))));
        }
        const name = player ? live.playerName(player) : "";
        text(item.querySelector("small"), say("live.marker-each", { name, n: pieces / 5 }));
        marked(item, "aria-label", say("live.marker-of", { number, name, amount: live.amount(pieces * live.chipValue(chip)) }));
      },
    );
    each(
      rules,
      has ? [] : rulesOf(live),
      ({ rule }) => rule,
      ({ rule, amount, clause }) =>
        el("li", {}, say(`posted-rule.${rule}`, { amount: live.amount(amount), n: amount ?? 0 }), " ", clauseSign(live.rulebook, clause)),
    );
  };
  return { node, update };
}

/** What the dealer of a table without a block has to remember. @param {LiveTable} live */
const rulesOf = (live) =>
  (live.client.view.notice?.rules ?? []).filter(({ rule }) => ["closed", "turns", "alias"].includes(rule));

/** The marker bets that lie on the block. @param {LiveTable} live */
function markersOf(live) {
  return live.players.flatMap((player) =>
    Object.entries(live.layoutOf(player)).flatMap(([spot, chips]) => {
      const number = live.markerOf(spot);
      if (number === null) return [];
      return Object.entries(chips).map(([chip, pieces]) => ({
        key: `${player.position} ${spot} ${chip}`,
        position: player.position,
        ...{ number, spot, chip, pieces },
      }));
    }),
  );
}

/** The fills of a marker button by the colour of its number. @type {Record<string, string>} */
const FILLS = { red: "#c2162c", black: "#17181c", green: "#0a7a3c" };
/** The colours of the numbers on its rim. @type {Record<string, string>} */
const RIMS = { red: "#a80c20", black: "#111111", green: "#06602c" };

/** A marker button: its number, and the neighbours on its rim. @param {LiveTable} live @param {string} number @param {number} size */
export function markerButton(live, number, size) {
  const colours = live.felt?.colours;
  const colour = (/** @type {string} */ pocket) => colours?.get(pocket) ?? "green";
  const set = live.neighboursOf(number);
  const middle = size / 2;
  const words = (/** @type {string} */ pocket, /** @type {number} */ x, /** @type {number} */ y, /** @type {string} */ name) =>
    svg("text", { x, y, class: name, fill: name === "rim" ? RIMS[colour(pocket)] : "#fff" }, pocket);
  const rim = set.filter((pocket) => pocket !== number);
  return svg(
    "svg",
    { viewBox: `0 0 ${size} ${size}`, width: size, height: size, class: "marker-button", "aria-hidden": "true" },
    svg("circle", { cx: middle, cy: middle, r: middle - 1, fill: "#f3ecd6", stroke: "#8a6a1f", "stroke-width": 2 }),
    svg("circle", { cx: middle, cy: middle, r: middle * 0.46, fill: FILLS[colour(number)] }),
    words(number, middle, middle, "mid"),
    ...rim.map((pocket, place) => {
      const angle = ((place * 90 - 135) * Math.PI) / 180;
      return words(pocket, middle + Math.cos(angle) * middle * 0.72, middle + Math.sin(angle) * middle * 0.72, "rim");
    }),
  );
}

/** The pieces that the form offers. */
const PIECES = [5, 10, 15, 20, 25];

/** Ask for the number and the pieces of a marker bet. @param {LiveTable} live @param {string} [spot] of a button that lies there */
function openMarker(live, spot) {
  const { current, selected } = live;
  if (!current || !selected || !live.betting) return;
  let number = spot ? live.markerOf(spot) : null;
  let pieces = PIECES[0];
  const face = el("div", { class: "marker-face" });
  const names = el("p", { class: "eq" });
  const facts = el("p", {});
  const pad = numberPad({ label: say("live.marker-number"), pick: (pocket) => ((number = pocket), draw()) });
  const keys = PIECES.map((count) =>
    button(String(count), () => ((pieces = count), draw()), { "data-pieces": count }),
  );
  const go = button(
    "",
    () => {
      dialog.close();
      const bets = [[`${live.markerCall} ${number}`, pieces]];
      void live.askChips({ type: "PlaceChips", position: selected.position, chip: selected.chip, bets, manner: live.manner });
    },
    { class: "main" },
  );
  const draw = () => {
    pad.update(live.felt, number);
    face.replaceChildren(...(number === null ? [] : [markerButton(live, number, 84)]));
    text(names, number === null ? say("live.marker-which") : `${number}: ${live.neighboursOf(number).join(" ")}`);
    for (const key of keys) marked(key, "aria-pressed", String(Number(key.dataset.pieces) === pieces));
    const worth = pieces * live.chipValue(selected.chip);
    text(facts, say("live.marker-facts", { n: pieces, each: pieces / 5, amount: live.amount(worth), least: live.amount(live.markerLeast) }));
    text(go, say("live.marker-place", { amount: live.amount(worth) }));
    enabled(go, number !== null);
  };
  const dialog = openDialog({
    name: "marker",
    title: say("live.marker-title"),
    look: "middle",
    body: [
      el("div", { class: "marker-head" }, face, names),
      pad.node,
      el("div", { class: "marker-row" }, chipOf(selected.chip, ""), el("b", {}, live.playerName(current)), ...keys),
      facts,
    ],
    foot: [button(say("live.leave"), () => dialog.close()), go],
  });
  draw();
}
