// A console: a page of staff, with its head, its sign-in and whatever is inside.

import { el, shown } from "../kit/dom.js";
import { placeOf, Session, wantedBy } from "../kit/session.js";
import { closeSheets, tickSheets, updateSheets } from "../kit/sheet.js";
import { use } from "../kit/words.js";
import { crown } from "./crown.js";
import { Desk } from "./desk.js";
import { enrol } from "./enrol.js";
import { notices } from "./notices.js";
import { signin } from "./signin.js";
import { stepUp } from "./stepup.js";

/**
 * @typedef {import("./desk.js").Part} Part
 * @typedef {{title: (view: import("../kit/store.js").State) => string, pills?: (view: import("../kit/store.js").State)
 *   => import("./pill.js").Pill[], parts: Part[]}} Furniture what a console is made of
 */

const TICK_MS = 200;

/** Open the console of a door on this page.
 * @param {string} door @param {(desk: Desk) => Furniture} furnish */
export async function openConsole(door, furnish) {
  const host = document.querySelector(`main.door.${door}`);
  if (!(host instanceof HTMLElement)) return;
  await use("en");
  const desk = new Desk(new Session({ place: placeOf(document), wanted: wantedBy(location) }));
  staffConsole(host, desk, furnish(desk));
}

/** @param {HTMLElement} host @param {Desk} desk @param {Furniture} furniture */
export function staffConsole(host, desk, { title, pills = () => [], parts }) {
  const { session } = desk;
  desk.sign = () => stepUp(desk);
  session.hearsAll = (frame) => desk.hear(frame);
  const head = crown(desk, { title, pills });
  const above = notices(desk);
  const inside = el("div", { class: "inside" }, ...parts.map((part) => part.node));
  const entry = el("div", { class: "entry" });
  const door = signin(desk, { let: (is) => (shown(inside, is), is || closeSheets()) });
  host.replaceChildren(head.node, above.node, entry, door.node, inside);
  session.draw = (view) => {
    head.update(view);
    above.update(view);
    if (desk.who === null && door.isNeeded()) return;
    for (const part of parts) part.update(view);
    updateSheets(view);
  };
  setInterval(() => {
    head.tick();
    parts.forEach((part) => part.tick?.());
    tickSheets();
  }, TICK_MS);
  enrol(session, entry);
  session.redraw();
}
