// Copying bets between two games.

import { button, el, enabled, icon, marked, shown, text } from "../shared/dom.js";
import { isReady } from "../shared/store.js";
import { say, tableName } from "../shared/text.js";

/** @typedef {import("./controller.js").Controller} Controller */

/** How long the chips of a copy are previewed before the command is sent. */
const GHOST_MS = 400;

/** @param {Controller} ui */
export function copyControls(ui) {
  const node = el("div", { class: "copy-controls", role: "group", "aria-label": say("copy.label") });
  /** @type {{update: () => void}[]} */
  let ways = [];
  let drawn = "";
  const update = () => {
    const tables = ui.tables();
    const wanted = tables.length === 2 ? tables.join("\n") : "";
    if (wanted !== drawn) {
      drawn = wanted;
      const made = wanted
        ? [copyDirection(ui, tables[0], tables[1], "forward"), copyDirection(ui, tables[1], tables[0], "back")]
        : [];
      node.replaceChildren(...made.map((one) => one.node));
      ways = made;
    }
    for (const one of ways) one.update();
  };
  return { node, update };
}

/**
 * One direction: a button that copies now, and a switch that copies at the close.
 * @param {Controller} ui @param {string} source @param {string} target @param {"forward" | "back"} arrow
 */
function copyDirection(ui, source, target, arrow) {
  const id = `copy-${arrow}`;
  const why = el("small", { id, class: "why" });
  const words = el("span", {});
  const copy = button("", () => copyNow(ui, source, target), { class: "copy", "aria-describedby": id });
  copy.append(icon(arrow), words);
  marked(copy, "aria-label", say("copy.now-to", { source, target }));
  const auto = el("button", {
    type: "button",
    role: "switch",
    class: "switch",
    "aria-label": say("copy.auto-to", { source, target }),
  });
  auto.append(el("i", { "aria-hidden": "true" }), el("span", {}, say("copy.auto")));
  auto.addEventListener("click", () => setAuto(ui, source, target, auto.getAttribute("aria-checked") !== "true"));

  const node = el("div", { class: "way", "data-arrow": arrow }, copy, why, auto);
  const update = () => {
    const against = reasonAgainst(ui, source, target);
    const { small } = ui.layout;
    // A small screen shows only the direction from its current game, with short labels.
    shown(node, !small || source === ui.focus());
    enabled(copy, against === null);
    text(words, say(small && against ? `copy.${against}-short` : "copy.now"));
    text(why, against ? say(`copy.${against}`, { source: tableName(source), target: tableName(target) }) : "");
    shown(why, against !== null && !small);
    marked(auto, "aria-checked", String(ui.game(source)?.auto_copy_to === target));
    enabled(auto, isReady(ui.seated()) && ui.seated().seat.in_service !== false);
  };
  return { node, update };
}

/** Why copying is not possible now, or null. @param {Controller} ui @param {string} source @param {string} target */
function reasonAgainst(ui, source, target) {
  if (!ui.isOpen(target)) return "closed";
  return Object.keys(ui.game(source)?.bets ?? {}).length === 0 ? "nothing" : null;
}

/**
 * Preview the chips, then send the command. Stakes that are already there are not added again.
 * @param {Controller} ui @param {string} source @param {string} target
 */
function copyNow(ui, source, target) {
  const placed = ui.game(target)?.bets ?? {};
  const more = Object.entries(ui.game(source)?.bets ?? {}).filter(([spot, stake]) => stake > (placed[spot] ?? 0));
  const round = ui.table(target)?.round;
  ui.preview(more, target);
  setTimeout(() => {
    ui.preview(null, target);
    // A preview of one round is not sent in the next.
    if (ui.isOpen(target) && ui.table(target)?.round === round) {
      ui.sendCommand("CopyBets", { source }, null, { table: target });
    }
  }, GHOST_MS);
}

/** @param {Controller} ui @param {string} table @param {string} target @param {boolean} on */
function setAuto(ui, table, target, on) {
  ui.session.sendCommand({ type: "SetAutoCopy", terminal: ui.seated().fixture.terminal, table, target, on });
}
