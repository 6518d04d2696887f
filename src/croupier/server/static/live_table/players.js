// The players of a live table, one tile each: the colour, its value, and what is in play.

import { chipOf, hueOf } from "../felt/pieces.js";
import { button, h, icon } from "../shared/render.js";
import { say } from "../shared/text.js";
import { openChips } from "./chips_sheet.js";
import { piecesOn } from "./entry.js";
import { openPlayer } from "./player_sheet.js";

/**
 * @typedef {import("./table.js").LiveTable} LiveTable
 * @typedef {import("./table.js").PlayerRow} PlayerRow
 * @typedef {import("./table.js").ColourRow} ColourRow
 * @typedef {import("./table.js").Mode} Mode
 */

/** With more players than this their tiles are narrow. */
const WIDE_MOST = 8;

/** @param {LiveTable} live */
export function players(live) {
  const free = live.colours.filter(({ position }) => position === null).length;
  const add = [
    icon("money"),
    h(
      "span",
      { class: "name" },
      h("b", null, say("live.buy-in")),
      h("small", null, say("live.colours-free", { n: free })),
    ),
  ];
  return h(
    "section",
    { class: "players" },
    h(
      "div",
      {
        class: "tiles-of-players",
        role: "radiogroup",
        "aria-label": say("live.players"),
        "data-many": live.players.length > WIDE_MOST && "true",
      },
      live.players.map((player) => tile(live, player)),
    ),
    live.mode === "enter" && button(add, () => openChips(live), { class: "player add" }),
  );
}

/** @param {LiveTable} live @param {PlayerRow} player */
function tile(live, player) {
  const { position } = player;
  const { mode } = live;
  const chip = live.chipOf(player);
  const row = player.colours.length > 0 ? live.colour(chip) : null;
  const isEntering = mode === "enter" || mode === "number" || mode === "tap";
  const isSelected = live.selected?.position === position;
  const [out, staked] = mode === "enter" || mode === "number" ? onFelt(live, player, row) : due(live, player);
  // A touch of the selected player, or of any while the table is paid, opens the player's sheet.
  const press = () => (isEntering && !isSelected ? live.select(player) : openPlayer(live, position));
  return h(
    "button",
    {
      key: position,
      type: "button",
      class: "player",
      role: "radio",
      click: press,
      "aria-checked": String(isEntering && isSelected),
      "data-barred": player.barred !== null && "true",
      "data-chip": row ? hueOf(chip) : "value",
      "data-now": mode === "pay" && live.payment?.position === position && "true",
    },
    h(
      "span",
      { class: "rim" },
      chipOf(chip, ""),
      row?.marker && h("span", { class: "value-marker" }, live.amount(row.value)),
    ),
    h("span", { class: "name" }, h("b", null, live.playerName(player)), h("small", null, nameNote(live, player, row))),
    h("span", { class: "counts" }, out && h("span", { class: "out" }, out), h("span", { class: "staked" }, staked)),
  );
}

/** @param {LiveTable} live @param {PlayerRow} player @param {ColourRow | null} row */
function onFelt(live, player, row) {
  const pieces = Object.values(piecesOn(live.layoutOf(player))).reduce((sum, count) => sum + count, 0);
  return [
    row && say("live.out", { n: row.out ?? "–" }),
    say("live.on-felt", { n: pieces, amount: live.amount(live.stakedBy(player)) }),
  ];
}

/** What a player is due, and how much of it is paid. @param {LiveTable} live @param {PlayerRow} player */
function due(live, { position }) {
  const mine = (live.walk?.payments ?? []).filter((payment) => payment.position === position);
  const all = mine.reduce((sum, { paid }) => sum + paid, 0);
  const paid = mine.filter(({ made }) => made).reduce((sum, payment) => sum + payment.paid, 0);
  const id = all === 0 ? "live.due-nothing" : paid === 0 ? "live.due" : paid < all ? "live.paid-of" : "live.paid";
  return [say(id, { paid: live.amount(paid) }), all ? live.amount(all) : ""];
}

/** @param {LiveTable} live @param {PlayerRow} player @param {ColourRow | null} row */
function nameNote(live, player, row) {
  const label = live.labelOf(player);
  if (player.barred !== null) return `${label} · ${say("live.barred")}`;
  if (player.group !== null) return `${label} · ${say("live.group", { n: player.group })}`;
  return row && !row.marker ? `${label} · ${live.amount(row.value)}` : label;
}
