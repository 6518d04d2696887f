// Notices: what stands above everything else: the line, a door that was shut, and what was refused.

import { button, each, el, shown, text } from "../kit/dom.js";

/** @type {Record<string, string>} */
const LINES = {
  down: "Connecting…",
  lost: "Connection lost. Nothing can be done here until the line is back.",
};

/** How many refusals are shown: the newest. */
const SHOWN_MOST = 3;

/**
 * @param {import("../kit/session.js").Session} session
 * @param {(view: import("../kit/store.js").State) => string} whenLost what else is said while the line is lost
 * @returns {import("./console.js").Part}
 */
export function notices(session, whenLost = () => "") {
  const line = el("p", { class: "line", role: "status" });
  const why = el("p", {});
  const bye = el(
    "div",
    { class: "bye", role: "alert", hidden: true },
    why,
    button("Come back in here", () => session.enter()),
    button("Forget this device, and begin again", () => {
      session.keeper.forget();
      location.reload();
    }),
  );
  const list = el("ol", { class: "refusals", "aria-label": "What was refused" });
  const refused = el(
    "section",
    { role: "log", "aria-live": "assertive", hidden: true },
    list,
    button("Dismiss", () => dismiss(session)),
  );
  const node = el("div", { class: "notices" }, line, bye, refused);
  const update = (/** @type {import("../kit/store.js").State} */ view) => {
    const said = (LINES[view.line] ?? "") + (view.line === "lost" ? ` ${whenLost(view)}` : "");
    text(line, said);
    shown(line, said !== "");
    line.className = `line ${view.line}`;
    shown(bye, view.line === "ended");
    text(why, session.bye?.says ?? "The house has shut this door.");
    shown(refused, view.said.length > 0);
    each(
      list,
      numbered(view.said).slice(0, SHOWN_MOST),
      (one) => one.key,
      (one) => refusal(one.no),
    );
  };
  return { node, update };
}

/** @typedef {import("../kit/store.js").No} No */

/** A refusal in its own words, with the clause behind it. @param {No} no */
export const refusal = (no) => el("li", {}, no.says, no.clause ? el("small", {}, ` Clause ${no.clause}.`) : null);

/** The newest comes first, so a refusal is known by its place from the end. @param {No[]} said */
const numbered = (said) => said.map((no, place) => ({ no, key: `${said.length - place}:${no.id ?? ""}:${no.code}` }));

/** @param {import("../kit/session.js").Session} session */
function dismiss(session) {
  session.state = { ...session.state, said: [] };
  session.redraw();
}
