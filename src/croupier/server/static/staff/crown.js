// The head of a console: what it is, how things stand in a few words, who is at it, and the house's time.

import { button, each, el, shown, text } from "../kit/dom.js";
import { pill, repaint } from "./pill.js";
import { timeOf } from "./words.js";

/**
 * @param {import("./desk.js").Desk} desk
 * @param {Pick<import("./console.js").Furniture, "title"> & Required<Pick<import("./console.js").Furniture, "pills">>} says
 */
export function crown(desk, { title, pills }) {
  const { session } = desk;
  const demo = document.querySelector("body > .demo");
  const heading = el("h1", {});
  const marks = el("ul", { class: "pills", "aria-label": "How things stand" });
  const who = el("span", { class: "who" });
  const clock = el("time", { class: "clock" });
  const out = button("Sign out", () => session.say({ t: "sign_out" }), { class: "small" });
  const node = el("header", { class: "crown" }, heading, marks, el("span", { class: "gap" }), who, out, clock);
  if (demo instanceof HTMLElement) heading.after(demo);
  const tick = () => {
    const now = session.now();
    text(clock, now === null ? "" : timeOf(now));
  };
  const update = (/** @type {import("../kit/store.js").State} */ view) => {
    text(heading, title(view));
    each(marks, desk.who ? pills(view) : [], (one) => one.key ?? one.says, (one) => el("li", {}, pill(one)), repaint);
    text(who, whoWords(desk));
    shown(out, desk.who !== null);
    tick();
  };
  return { node, update, tick };
}

/** @param {import("./desk.js").Desk} desk */
function whoWords({ who, session }) {
  const device = session.keeper.device?.device ?? "";
  return who ? `${who.person} · ${who.titles.join(", ")} · ${device}` : device;
}
