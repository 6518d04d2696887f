// Notices: what stands above everything else on a console: the line, a door that was shut, and what was refused.

import { button, each, el, shown, text } from "../kit/dom.js";
import { isCovered } from "../kit/sheet.js";
import { clauseMark } from "./words.js";

/** @type {Record<string, string>} */
const LINES = {
  down: "Connecting…",
  lost: "Connection lost. Nothing can be done here until the line is back; what is shown may be old.",
};

/** How many refusals are shown: the newest. */
const SHOWN_MOST = 3;

/** @typedef {import("../kit/types.js").No} No */

/** @param {import("./desk.js").Desk} desk @returns {import("./desk.js").Part} */
export function notices(desk) {
  const { session } = desk;
  const line = el("p", { class: "line", role: "status" });
  const why = el("p", {});
  const bye = el(
    "div",
    { class: "bye", role: "alert", hidden: true },
    why,
    button("Come back in here", () => session.enter()),
    button("Forget this device, and begin again", () => (session.keeper.forget(), location.reload())),
  );
  const list = el("ol", { "aria-label": "What was refused" });
  const dismiss = button("Dismiss", () => ((session.state = { ...session.state, said: [] }), session.redraw()));
  const refused = el("section", { class: "refusals", role: "log", "aria-live": "assertive", hidden: true }, list, dismiss);
  const node = el("div", { class: "notices" }, line, bye, refused);
  const update = (/** @type {import("../kit/store.js").State} */ view) => {
    text(line, LINES[view.line]);
    shown(line, view.line in LINES);
    line.className = `line ${view.line}`;
    shown(bye, view.line === "ended");
    text(why, session.bye?.says ?? "The house has shut this door.");
    // What was asked for in a sheet is answered there.
    shown(refused, view.said.length > 0 && !isCovered());
    each(list, numbered(view.said).slice(0, SHOWN_MOST), ({ key }) => key, ({ no }) => refusal(no));
  };
  return { node, update };
}

/** A refusal in its own words, with the clause behind it. @param {No} no */
export const refusal = (no) => el("li", {}, no.says, " ", no.clause ? el("small", {}, clauseMark(no.clause)) : null);

/** The newest comes first, so a refusal is known by its place from the end. @param {No[]} said */
const numbered = (said) => said.map((no, place) => ({ no, key: `${said.length - place}:${no.id ?? ""}:${no.code}` }));
