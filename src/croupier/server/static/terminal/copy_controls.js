// Copying bets between two games.

import { button, h, icon } from "../shared/render.js";
import { isReady } from "../shared/store.js";
import { say, shortTableName } from "../shared/text.js";

/** @typedef {import("./controller.js").Controller} Controller */

/** How long the chips of a copy are previewed before the command is sent. */
const GHOST_MS = 400;

/** @param {Controller} ui */
export function copyControls(ui) {
  const [first, second, more] = ui.tables();
  const isPair = second !== undefined && more === undefined;
  return h(
    "div",
    { class: "copy-controls", role: "group", "aria-label": say("copy.label"), key: "copy" },
    isPair && [copyDirection(ui, first, second, "forward"), copyDirection(ui, second, first, "back")],
  );
}

/**
 * One direction: a button that copies now, and a switch that copies at the close.
 * @param {Controller} ui @param {string} source @param {string} target @param {"forward" | "back"} arrow
 */
function copyDirection(ui, source, target, arrow) {
  const id = `copy-${arrow}`;
  const against = reasonAgainst(ui, source, target);
  const { small } = ui.layout;
  const isAuto = ui.game(source)?.auto_copy_to === target;
  const names = { source: shortTableName(source), target: shortTableName(target) };
  return h(
    "div",
    // A small screen shows only the direction from its current game, with short labels.
    { class: "way", "data-arrow": arrow, hidden: small && source !== ui.focus() },
    button(
      [icon(arrow), h("span", null, say(small && against ? `copy.${against}-short` : "copy.now"))],
      () => copyNow(ui, source, target),
      {
        class: "copy",
        "aria-describedby": id,
        "aria-label": say("copy.now-to", names),
        disabled: against !== null,
      },
    ),
    h("small", { id, class: "why", hidden: against === null || small }, against && say(`copy.${against}`, names)),
    button(
      [h("i", { "aria-hidden": "true" }), h("span", null, say("copy.auto"))],
      () => setAuto(ui, source, target, !isAuto),
      {
        role: "switch",
        class: "switch",
        "aria-label": say("copy.auto-to", names),
        "aria-checked": String(isAuto),
        disabled: !isReady(ui.seated()) || ui.seated().seat.in_service === false,
      },
    ),
  );
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
