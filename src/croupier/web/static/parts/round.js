// A round as everybody sees it: the words of the moment, the time left, the number, and those before it.

import { each, el, marked, shown, text } from "../kit/dom.js";
import { secondsLeft, zone } from "../kit/clock.js";
import { isOpen } from "../kit/store.js";
import { colourAt } from "./felts.js";
import { saysOf } from "./words.js";

/** @param {import("../kit/session.js").Session} session */
export function round(session) {
  const says = el("p", { class: "says", role: "status" });
  const timer = el("p", { class: "timer", role: "timer", "aria-label": "Seconds until betting closes" });
  const number = el("p", { class: "pocket", "aria-label": "Winning number" });
  const notice = el("p", { class: "notice", role: "alert" });
  const numbers = el("ol", { class: "numbers", "aria-label": "Past numbers, the newest first" });
  const node = el("div", { class: "round" }, el("div", { class: "moment" }, timer, says, number), notice, numbers);
  /** @type {import("../kit/types.js").TableState | null} */
  let table = null;

  const tick = () => {
    const seconds = table && isOpen(table) ? secondsLeft(table.closes_at, session.now()) : null;
    shown(timer, seconds !== null);
    text(timer, seconds ?? "");
    marked(timer, "data-zone", seconds === null ? null : zone(seconds));
    // At nothing the felt locks itself; it opens again on the house's word alone.
    text(says, seconds === 0 ? "Closing…" : table ? saysOf(table) : "");
    return seconds !== 0;
  };
  const update = (/** @type {import("../kit/types.js").TableState} */ now) => {
    table = now;
    const { pocket = null, notice: told, numbers: past = [] } = now;
    shown(number, pocket !== null);
    const colour = (/** @type {string} */ one) => colourAt(now, one, () => session.redraw());
    text(number, pocket === null ? "" : `${pocket} ${colour(pocket)}`);
    marked(number, "data-colour", pocket === null ? null : colour(pocket));
    shown(notice, Boolean(told));
    text(notice, told ? `${told.says}${told.clause ? ` (${told.clause})` : ""}` : "");
    each(
      numbers,
      past.map((one, place) => ({ one, place })),
      ({ place }) => place,
      () => el("li"),
      (item, { one }) => {
        text(item, one);
        marked(item, "data-colour", colour(one));
        marked(item, "aria-label", `${one} ${colour(one)}`);
      },
    );
    return tick();
  };
  return { node, update, tick };
}
