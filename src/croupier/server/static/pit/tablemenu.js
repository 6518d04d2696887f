// The menu of a table: all that can be done there, without looking closer first.

import { el } from "../kit/dom.js";
import { openSheet } from "../kit/sheet.js";
import { openTable } from "./table.js";
import { deedsAt } from "./tabledeeds.js";
import { rightfulButton, titlesFor } from "./tablerights.js";

/** @param {import("../staff/desk.js").Desk} desk @param {string} name */
export function openTableMenu(desk, name) {
  const state = desk.view.tables[name]?.state;
  if (!state) return;
  /** @type {import("./tabledeeds.js").Deed} */
  const look = { words: "Look closer", press: () => openTable(desk, name) };
  const rows = [look, ...deedsAt(desk, state)].map(({ words, press, command }) => {
    const titles = titlesFor(desk, name, command);
    return el("li", {}, rightfulButton(desk, { words, press: () => (sheet.close(), press()), titles, looks: "row" }));
  });
  const sheet = openSheet({
    name: "table-menu",
    title: `Table ${name}`,
    look: "narrow",
    body: [el("ul", { class: "rows" }, ...rows)],
  });
}
