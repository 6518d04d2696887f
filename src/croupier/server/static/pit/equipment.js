// The wheel head and the ball of a table: what is there, and what staff record of them.

import { openForm } from "../console/forms.js";
import { dateOf } from "../console/text.js";
import { factList } from "../console/widgets.js";
import { h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { permittedButton, titlesFor } from "./table_actions.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").EquipmentRow} EquipmentRow
 */

/** What balls are made of. */
const MATERIALS = ["acrylic", "ceramic", "ivory", "nylon", "ptfe", "steel", "other_metal"];

/** The section of a table with a wheel that staff look after. @param {ConsoleClient} client @param {string} table */
export function equipmentSection(client, table) {
  const equipment = client.view.floor?.tables?.[table]?.equipment;
  if (!equipment) return null;
  return h(
    "section",
    { class: "equipment" },
    h("h3", null, say("equipment.title")),
    factList(factsOf(equipment)),
    h(
      "div",
      { class: "ways" },
      actions(client, table).map(({ command, ...action }) =>
        permittedButton(client, { ...action, titles: titlesFor(client, table, command), looks: "small" })
      ),
    ),
  );
}

/** @param {EquipmentRow} equipment @returns {[name: string, words: string][]} */
function factsOf(equipment) {
  const { head, ball, head_inspected, ball_inspected, maintained_us, ball_least, ball_most } = equipment;
  return [
    [say("equipment.head"), head || say("equipment.no-head")],
    [say("equipment.head-inspected"), head ? dayOf(head_inspected) : "–"],
    [say("equipment.maintained"), maintained_us === null ? say("equipment.no-work") : dateOf(maintained_us)],
    [say("equipment.ball"), ball || say("equipment.no-ball")],
    [say("equipment.ball-inspected"), ball ? dayOf(ball_inspected) : "–"],
    ...(ball_least === null || ball_most === null ? [] : /** @type {[string, string][]} */ ([[
      say("equipment.size"),
      say("equipment.size-range", { least: ball_least / 1000, most: ball_most / 1000 }),
    ]])),
  ];
}

/** A gaming day. @param {number | null} day */
const dayOf = (
  day,
) => (day === null ? say("equipment.not-inspected") : String(day).replace(/(\d{4})(\d\d)(\d\d)/, "$1-$2-$3"));

/** @param {ConsoleClient} client @param {string} table */
function actions(client, table) {
  return [
    { words: say("equipment.pair-open"), command: "PairWheelHead", press: () => pairHead(client, table) },
    { words: say("equipment.assign-open"), command: "AssignBall", press: () => assignBall(client, table) },
    { words: say("equipment.inspect-open"), command: "InspectEquipment", press: () => inspected(client, table) },
    { words: say("equipment.work-open"), command: "RecordMaintenance", press: () => maintenance(client, table) },
  ];
}

/** @param {ConsoleClient} client @param {string} table */
function pairHead(client, table) {
  const order = client.view.floor?.tables?.[table]?.equipment?.order ?? [];
  openForm({
    name: "pair-head",
    title: say("equipment.pair-title", { table }),
    about: [h("p", null, say("equipment.pair-about"))],
    fields: [
      { name: "head", label: say("equipment.plate"), kind: "name" },
      { name: "order", label: say("equipment.order"), kind: "words", value: order.join(" ") },
    ],
    does: say("equipment.pair"),
    send: ({ head, order: pockets }) =>
      client.sendCommand({ type: "PairWheelHead", table, head, order: pockets.split(/[\s,]+/).filter(Boolean) }),
  });
}

/** @param {ConsoleClient} client @param {string} table */
function assignBall(client, table) {
  openForm({
    name: "assign-ball",
    title: say("equipment.assign-title", { table }),
    fields: [
      { name: "ball", label: say("equipment.ball-number"), kind: "name" },
      {
        name: "material",
        label: say("equipment.material"),
        kind: "choice",
        choices: MATERIALS.map((one) => [one, say(`material.${one}`)]),
      },
      { name: "diameter", label: say("equipment.diameter"), kind: "text", about: say("equipment.diameter-about") },
    ],
    does: say("equipment.assign"),
    send: ({ ball, material, diameter }) =>
      client.sendCommand({ type: "AssignBall", table, ball, material, diameter: micrometres(diameter) }),
  });
}

/** A number that is none becomes 0, which the house refuses. @param {string} millimetres */
const micrometres = (millimetres) => Math.round(Number(millimetres.trim().replace(",", ".")) * 1000) || 0;

/** @param {ConsoleClient} client @param {string} table */
function inspected(client, table) {
  openForm({
    name: "inspect-equipment",
    title: say("equipment.inspect-title", { table }),
    about: [h("p", null, say("equipment.inspect-about"))],
    fields: [{ name: "words", label: say("equipment.remarks"), kind: "words", optional: true }],
    does: say("hold.save"),
    send: ({ words }) => client.sendCommand({ type: "InspectEquipment", table, words: words ?? "" }),
  });
}

/** @param {ConsoleClient} client @param {string} table */
function maintenance(client, table) {
  openForm({
    name: "maintenance",
    title: say("equipment.work-title", { table }),
    about: [h("p", null, say("equipment.work-about"))],
    fields: [{ name: "words", label: say("equipment.work-words"), kind: "words" }],
    does: say("hold.save"),
    send: ({ words }) => client.sendCommand({ type: "RecordMaintenance", table, words }),
  });
}
