// The float of a live table: opened, filled and credited by slips, counted blind, and closed; and gaps in the record.

import { openForm } from "../console/forms.js";
import { chipOf } from "../felt/pieces.js";
import { openDialog } from "../shared/dialog.js";
import { button, h } from "../shared/render.js";
import { say } from "../shared/text.js";

/**
 * @typedef {import("./table.js").LiveTable} LiveTable
 * @typedef {"OpenFloat" | "FillFloat" | "CreditFloat" | "CountFloat"} Movement
 */

/** Movements that a slip belongs to, and that two people sign. */
const BY_SLIP = new Set(["OpenFloat", "FillFloat", "CreditFloat"]);

/** Show the float and what can be done with it, or ask for a movement. @param {LiveTable} live @param {Movement} [movement] */
export function openFloat(live, movement) {
  if (movement) return openMovement(live, movement);
  const dialog = openDialog({
    name: "float",
    title: say("live.float-of", { table: live.table }),
    look: "middle",
    body: () => {
      const { float } = live.live;
      /** @type {[string, number | null][]} */
      const facts = float
        ? [
          ["live.float-opened", float.opened],
          ["live.float-fills", float.fills],
          ["live.float-credits", float.credits],
          ["live.float-counted", float.counted],
        ]
        : [];
      /** @type {Movement[]} */
      const movements = float ? ["FillFloat", "CreditFloat", "CountFloat"] : ["OpenFloat"];
      const out = live.colours.filter(({ position }) => position !== null);
      return [
        h(
          "dl",
          { class: "facts" },
          facts.map(([id, cents]) => [h("dt", null, say(id)), h("dd", null, live.amount(cents))]),
        ),
        h("p", { class: "small" }, say("live.float-blind")),
        h(
          "div",
          { class: "picks" },
          movements.map((one) =>
            button(say(`float.${one}`), () => (dialog.close(), openMovement(live, one)), { key: one })
          ),
          float &&
            button(say("float.CloseFloat"), () => closeFloat(live), { disabled: (float.counted ?? null) === null }),
        ),
        out.length > 0 && h("h3", null, say("live.colours-out")),
        h(
          "div",
          { class: "cash-row" },
          out.map(({ colour, out: pieces }) =>
            h("span", { class: "cash-one", key: colour }, chipOf(colour, ""), h("b", null, pieces ?? "–"))
          ),
        ),
      ];
    },
  });
}

/** @param {LiveTable} live */
const closeFloat = (live) =>
  openForm({
    name: "close-float",
    title: say("float.CloseFloat"),
    dual: true,
    does: say("float.CloseFloat"),
    send: () => live.client.sendCommand({ type: "CloseFloat", table: live.table }),
  });

/** Say that play went on without a record. @param {LiveTable} live */
export const openGap = (live) =>
  openForm({
    name: "declare-gap",
    title: say("live.gap"),
    about: [say("live.gap-about")],
    fields: [{ name: "words", label: say("live.gap-words"), kind: "words" }],
    does: say("live.gap"),
    send: ({ words }) => live.client.sendCommand({ type: "DeclareGap", table: live.table, words }),
  });

/** Close a gap by counting the rack of each player's colour, and the tray. @param {LiveTable} live */
export function closeGap(live) {
  const colours = live.colours.filter(({ position }) => position !== null);
  /** @type {import("../console/forms.js").Field[]} */
  const racks = colours.map(({ colour }) => ({
    name: `rack-${colour}`,
    label: say("live.gap-rack", { colour: live.chipName(colour) }),
    kind: "number",
  }));
  const dialog = openForm({
    name: "close-gap",
    title: say("live.gap-close"),
    look: "middle",
    about: [say("live.gap-close-about")],
    fields: [
      ...racks,
      ...tray(live),
      { name: "numbers", label: say("live.gap-numbers"), optional: true },
      { name: "words", label: say("live.gap-known"), kind: "words" },
    ],
    dual: true,
    does: say("live.gap-close"),
    send: ({ numbers, words, ...given }) =>
      live.client.sendCommand({
        type: "CloseGap",
        table: live.table,
        words,
        racks: colours.map(({ colour }) => [colour, given[`rack-${colour}`]]),
        chips: counted(live, given),
        numbers: String(numbers).split(/[\s,]+/).filter(Boolean),
      }),
  });
  dialog.node.classList.add("float-form");
}

/** A field for each value chip of the float. @param {LiveTable} live @returns {import("../console/forms.js").Field[]} */
const tray = (live) =>
  live.denominations.map((value) => ({
    name: `v${value}`,
    label: say("live.pieces-of", { value: live.amount(value) }),
    kind: "number",
    optional: true,
  }));

/** The value chips that were entered. @param {LiveTable} live @param {Record<string, any>} given */
const counted = (live, given) =>
  live.denominations.map((value) => [value, given[`v${value}`] ?? 0]).filter(([, count]) => count > 0);

/** Ask for the chips of a movement. @param {LiveTable} live @param {Movement} movement */
function openMovement(live, movement) {
  const hasSlip = BY_SLIP.has(movement);
  const fields = tray(live);
  if (hasSlip) fields.push({ name: "slip", label: say("live.slip"), kind: "name" });
  let total = 0;
  const dialog = openForm({
    name: "float-movement",
    title: say(`float.${movement}`),
    look: "middle",
    about: movement === "CountFloat" ? [say("live.count-blind")] : [],
    below: () => h("p", { class: "amount", "aria-live": "polite" }, live.amount(total)),
    fields,
    dual: hasSlip,
    does: say(`float.${movement}`),
    send: (given) => {
      const chips = counted(live, given);
      return live.client.sendCommand({
        type: movement,
        table: live.table,
        chips,
        ...(hasSlip ? { slip: given.slip } : {}),
      });
    },
  });
  dialog.node.classList.add("float-form");
  dialog.node.addEventListener("input", () => {
    const inputs = /** @type {HTMLInputElement[]} */ ([...dialog.node.querySelectorAll("input[name^=v]")]);
    total = inputs.reduce((sum, { name, value }) => sum + Number(name.slice(1)) * (Number(value) || 0), 0);
    dialog.redraw();
  });
}
