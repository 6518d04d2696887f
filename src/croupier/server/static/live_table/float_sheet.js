// The float of a live table: opened, filled and credited by slips, counted blind, and closed; and gaps in the record.

import { openForm } from "../console/forms.js";
import { chipOf } from "../felt/pieces.js";
import { openDialog } from "../shared/dialog.js";
import { button, el, enabled, text } from "../shared/dom.js";
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
  const facts = el("dl", { class: "facts" });
  const keys = el("div", { class: "picks" });
  const colours = el("div", { class: "cash-row" });
  const update = () => {
    const { float } = live.live;
    const rows = float
      ? [
          ["live.float-opened", float.opened],
          ["live.float-fills", float.fills],
          ["live.float-credits", float.credits],
          ["live.float-counted", float.counted],
        ]
      : [];
    facts.replaceChildren(
      ...rows.flatMap(([id, cents]) => [el("dt", {}, say(String(id))), el("dd", {}, live.amount(/** @type {number | null} */ (cents)))]),
    );
    /** @type {Movement[]} */
    const moves = float ? ["FillFloat", "CreditFloat", "CountFloat"] : ["OpenFloat"];
    const close = button(say("float.CloseFloat"), () => closeFloat(live));
    enabled(close, float?.counted !== null && float?.counted !== undefined);
    keys.replaceChildren(
      ...moves.map((each) => button(say(`float.${each}`), () => (dialog.close(), openMovement(live, each)))),
      ...(float ? [close] : []),
    );
    const out = live.colours.filter(({ position }) => position !== null);
    colours.replaceChildren(
      ...out.map(({ colour, out: pieces }) => el("span", { class: "cash-one" }, chipOf(colour, ""), el("b", {}, pieces === null ? "–" : String(pieces)))),
    );
  };
  const dialog = openDialog({
    name: "float",
    title: say("live.float-of", { table: live.table }),
    look: "middle",
    body: [facts, el("p", { class: "small" }, say("live.float-blind")), keys, el("h3", {}, say("live.colours-out")), colours],
    update,
  });
  update();
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
  const racks = colours.map(({ colour }, place) => ({ name: `c${place}`, label: say("live.gap-rack", { colour: live.chipName(colour) }), kind: "number" }));
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
        ...{ type: "CloseGap", table: live.table, words },
        racks: colours.map(({ colour }, place) => [colour, given[`c${place}`]]),
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
  const slip = BY_SLIP.has(movement);
  const total = el("p", { class: "amount", "aria-live": "polite" });
  const fields = tray(live);
  if (slip) fields.push({ name: "slip", label: say("live.slip"), kind: "name" });
  const dialog = openForm({
    name: "float-movement",
    title: say(`float.${movement}`),
    look: "middle",
    about: movement === "CountFloat" ? [say("live.count-blind")] : [],
    below: [total],
    fields,
    dual: slip,
    does: say(`float.${movement}`),
    send: (given) => {
      const chips = counted(live, given);
      return live.client.sendCommand({ type: movement, table: live.table, chips, ...(slip ? { slip: given.slip } : {}) });
    },
  });
  dialog.node.classList.add("float-form");
  const sum = () => {
    const inputs = /** @type {HTMLInputElement[]} */ ([...dialog.node.querySelectorAll("input[name^=v]")]);
    text(total, live.amount(inputs.reduce((all, each) => all + Number(each.name.slice(1)) * (Number(each.value) || 0), 0)));
  };
  dialog.node.addEventListener("input", sum);
  sum();
}
