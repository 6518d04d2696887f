// A console: a page of staff, with its notices, its sign-in and whatever is inside.

import { el, text } from "../kit/dom.js";
import { enrol } from "./enrol.js";
import { notices } from "./notices.js";
import { signin } from "./signin.js";
import { stepUp } from "./stepup.js";

/**
 * @typedef {import("../kit/session.js").Session} Session
 * @typedef {(command: object) => number | null} Ask
 * @typedef {{node: HTMLElement, update: (view: import("../kit/store.js").State) => void, tick?: () => void}} Part
 */

/**
 * @param {HTMLElement} host @param {Session} session @param {string} title
 * @param {(ask: Ask) => Part[]} furnish gives what is inside
 */
export function staffConsole(host, session, title, furnish) {
  const above = notices(session);
  const inside = el("div", { class: "inside" });
  const entry = el("div", {});
  const device = el("p", { class: "who" });
  const { node: door, badge } = signin(session, inside);
  const ask = stepUp(session, host);
  const parts = furnish(ask);
  inside.append(...parts.map((part) => part.node));
  host.replaceChildren(
    el("header", {}, el("h1", {}, `${session.place.venue}: ${title}`), device, badge),
    above.node,
    entry,
    door,
    inside,
    ...host.querySelectorAll("dialog"),
  );
  session.draw = (view) => {
    above.update(view);
    text(device, session.keeper.device?.device ?? "");
    for (const part of parts) part.update(view);
  };
  setInterval(() => parts.forEach((part) => part.tick?.()), 200);
  enrol(session, entry);
  session.redraw();
}

/** A part that never changes. @param {HTMLElement} node @returns {Part} */
export const fixed = (node) => ({ node, update: () => {} });
