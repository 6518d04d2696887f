// The players of a live table, one tile each: the colour, its value, and what is in play.

import { chipOf } from "../felt/pieces.js";
import { button, each, el, icon, marked, shown, text } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { openChips } from "./chips_sheet.js";
import { piecesOn } from "./entry.js";
import { openPlayer } from "./player_sheet.js";

/**
 * @typedef {import("./table.js").LiveTable} LiveTable
 * @typedef {import("./table.js").PlayerRow} PlayerRow
 */

/** With more players than this their tiles are narrow. */
const WIDE_MOST = 8;

/** @param {LiveTable} live @param {() => string} mode what the page shows @returns {import("../console/client.js").Part} */
export function players(live, mode) {
  const list = el("div", { class: "tiles-of-players", role: "radiogroup", "aria-label": say("live.players") });
  const add = button(icon("money"), () => openChips(live), { class: "player add" });
  add.append(el("span", { class: "name" }, el("b", {}, say("live.buy-in")), el("small")));
  const node = el("section", { class: "players" }, list, add);
  const update = () => {
    each(
      list,
      live.players,
      ({ position }) => position,
      (player) => tile(live, player.position, mode),
      (item, player) => paint(live, item, player, mode()),
    );
    marked(list, "data-many", live.players.length > WIDE_MOST ? "true" : null);
    const free = live.colours.filter(({ position }) => position === null).length;
    text(add.querySelector("small"), say("live.colours-free", { n: free }));
    shown(add, mode() === "enter");
  };
  return { node, update };
}

/** @param {LiveTable} live @param {number} position @param {() => string} mode */
function tile(live, position, mode) {
  const press = () => {
    const player = live.player(position);
    const entering = ["enter", "number", "tap"].includes(mode());
    // A touch of the selected player, or of any while the table is paid, opens the player's sheet.
    if (player && entering && live.selected?.position !== position) live.select(player);
    else if (player) openPlayer(live, position);
  };
  const node = button(el("span", { class: "rim" }), press, { class: "player", role: "radio" });
  node.append(
    el("span", { class: "name" }, el("b"), el("small")),
    el("span", { class: "counts" }, el("span", { class: "out" }), el("span", { class: "staked" })),
  );
  return node;
}

/** @param {LiveTable} live @param {HTMLElement} item @param {PlayerRow} player @param {string} mode */
function paint(live, item, player, mode) {
  const chip = live.chipOf(player);
  const row = player.colours.length > 0 ? live.colour(chip) : null;
  const marker = row?.marker ?? false;
  const rim = /** @type {HTMLElement} */ (item.querySelector(".rim"));
  const key = `${chip} ${marker} ${row?.value}`;
  if (rim.dataset.of !== key) {
    rim.dataset.of = key;
    rim.replaceChildren(chipOf(chip, ""));
    if (marker) rim.append(el("span", { class: "value-marker" }, live.amount(row?.value)));
  }
  marked(item, "data-barred", player.barred === null ? null : "true");
  marked(item, "data-chip", row ? chip.split("/")[0] : "value");
  const entering = mode === "enter" || mode === "number" || mode === "tap";
  marked(item, "aria-checked", String(entering && live.selected?.position === player.position));
  text(item.querySelector(".name b"), live.playerName(player));
  text(item.querySelector(".name small"), nameNote(live, player, row));
  const paying = mode === "collect" || mode === "pay" || mode === "done" || mode === "tap";
  marked(item, "data-now", mode === "pay" && live.payment?.position === player.position ? "true" : null);
  if (paying) return paintPaying(live, item, player);
  const layout = live.layoutOf(player);
  const pieces = Object.values(piecesOn(layout)).reduce((sum, count) => sum + count, 0);
  const out = /** @type {HTMLElement} */ (item.querySelector(".out"));
  const out_ = row ? say("live.out", { n: row.out ?? "–" }) : "";
  text(out, out_);
  shown(out, out_ !== "");
  text(item.querySelector(".staked"), say("live.on-felt", { n: pieces, amount: live.amount(live.stakedBy(player)) }));
}

/** What a player is due, and how much of it is paid. @param {LiveTable} live @param {HTMLElement} item @param {PlayerRow} player */
function paintPaying(live, item, player) {
  const mine = (live.walk?.payments ?? []).filter(({ position }) => position === player.position);
  const due = mine.reduce((sum, { paid }) => sum + paid, 0);
  const paid = mine.filter(({ made }) => made).reduce((sum, each) => sum + each.paid, 0);
  const words = due === 0 ? "live.due-nothing" : paid === 0 ? "live.due" : paid < due ? "live.paid-of" : "live.paid";
  const out = /** @type {HTMLElement} */ (item.querySelector(".out"));
  text(out, say(words, { paid: live.amount(paid) }));
  shown(out, true);
  text(item.querySelector(".staked"), due ? live.amount(due) : "");
}

/** @param {LiveTable} live @param {PlayerRow} player @param {import("./table.js").ColourRow | null} row */
function nameNote(live, player, row) {
  const label = live.labelOf(player);
  if (player.barred !== null) return `${label} · ${say("live.barred")}`;
  if (player.group !== null) return `${label} · ${say("live.group", { n: player.group })}`;
  return row && !row.marker ? `${label} · ${live.amount(row.value)}` : label;
}
