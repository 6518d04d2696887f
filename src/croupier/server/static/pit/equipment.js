// The wheel head and the ball of a table: what is there, and what staff record of them.

import { openForm } from "../console/forms.js";
import { el, shown } from "../shared/dom.js";
import { permittedButton, titlesFor } from "./table_actions.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").EquipmentRow} EquipmentRow
 */

/** @type {[value: string, words: string][]} */
const MATERIALS = [
  ["acrylic", "Acrylic"],
  ["ceramic", "Ceramic"],
  ["ivory", "Ivory"],
  ["nylon", "Nylon"],
  ["ptfe", "PTFE"],
  ["steel", "Steel"],
  ["other_metal", "Another metal"],
];

/**
 * The section of a table with a wheel that staff look after.
 * @param {ConsoleClient} client @param {string} table
 */
export function equipmentView(client, table) {
  const rows = el("dl", { class: "facts" });
  const buttons = el("div", { class: "ways" });
  const node = el("section", { class: "equipment" }, el("h3", {}, "Wheel and ball"), rows, buttons);
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    const equipment = view.floor?.tables?.[table]?.equipment;
    shown(node, Boolean(equipment));
    if (!equipment) return;
    rows.replaceChildren(...factsOf(equipment).flatMap(([name, words]) => [el("dt", {}, name), el("dd", {}, words)]));
    if (buttons.childElementCount > 0) return;
    const made = actions(client, table).map(({ command, ...action }) =>
      permittedButton(client, { ...action, titles: titlesFor(client, table, command), looks: "small" }),
    );
    buttons.replaceChildren(...made);
  };
  return { node, update };
}

/** @param {EquipmentRow} equipment @returns {[name: string, words: string][]} */
function factsOf(equipment) {
  const { head, ball, head_inspected, ball_inspected, maintained_us, ball_least, ball_most } = equipment;
  return [
    ["Wheel head", head || "none is paired"],
    ["Inspected", head ? dayOf(head_inspected) : "–"],
    ["Last work on it", maintained_us === null ? "none since it was paired" : new Date(maintained_us / 1000).toLocaleString()],
    ["Ball", ball || "none is assigned"],
    ["Inspected", ball ? dayOf(ball_inspected) : "–"],
    ...(ball_least === null || ball_most === null
      ? []
      : /** @type {[string, string][]} */ ([["A ball measures", `${ball_least / 1000} to ${ball_most / 1000} mm, and has no metal in it`]])),
  ];
}

/** A gaming day. @param {number | null} day */
const dayOf = (day) => (day === null ? "not since the last change" : String(day).replace(/(\d{4})(\d\d)(\d\d)/, "$1-$2-$3"));

/** @param {ConsoleClient} client @param {string} table */
function actions(client, table) {
  return [
    { words: "Pair a wheel head…", command: "PairWheelHead", press: () => pairHead(client, table) },
    { words: "Assign a ball…", command: "AssignBall", press: () => assignBall(client, table) },
    { words: "Inspected today…", command: "InspectEquipment", press: () => inspected(client, table) },
    { words: "Maintenance…", command: "RecordMaintenance", press: () => maintenance(client, table) },
  ];
}

/** @param {ConsoleClient} client @param {string} table */
function pairHead(client, table) {
  const order = client.view.floor?.tables?.[table]?.equipment?.order ?? [];
  openForm({
    name: "pair-head",
    title: `Pair a wheel head with table ${table}`,
    about: [el("p", {}, "Read the pockets from the wheel itself, clockwise from any pocket, and compare them with the list.")],
    fields: [
      { name: "head", label: "The number on its plate", kind: "name" },
      { name: "order", label: "Its pockets, in their order", kind: "words", value: order.join(" ") },
    ],
    does: "Pair it",
    send: ({ head, order: pockets }) =>
      client.sendCommand({ type: "PairWheelHead", table, head, order: pockets.split(/[\s,]+/).filter(Boolean) }),
  });
}

/** @param {ConsoleClient} client @param {string} table */
function assignBall(client, table) {
  openForm({
    name: "assign-ball",
    title: `Assign a ball to table ${table}`,
    fields: [
      { name: "ball", label: "Its number", kind: "name" },
      { name: "material", label: "What it is made of", kind: "choice", choices: MATERIALS },
      { name: "diameter", label: "Its diameter", kind: "text", about: "in millimetres, as 19.05" },
    ],
    does: "Assign it",
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
    title: `Wheel and ball of table ${table} were inspected`,
    about: [el("p", {}, "You have looked at the wheel head and the ball, and both are in order.")],
    fields: [{ name: "words", label: "Remarks", kind: "words", optional: true }],
    does: "Record it",
    send: ({ words }) => client.sendCommand({ type: "InspectEquipment", table, words: words ?? "" }),
  });
}

/** @param {ConsoleClient} client @param {string} table */
function maintenance(client, table) {
  openForm({
    name: "maintenance",
    title: `Maintenance of the wheel of table ${table}`,
    about: [el("p", {}, "The head is inspected again before the next round, where the table requires it.")],
    fields: [{ name: "words", label: "What was done", kind: "words" }],
    does: "Record it",
    send: ({ words }) => client.sendCommand({ type: "RecordMaintenance", table, words }),
  });
}
