// The meters of a terminal, and whether they add up.

import { button, el } from "../kit/dom.js";
import { citing } from "../staff/words.js";

/** @param {import("../staff/desk.js").Desk} desk @param {import("./terminal.js").Where} where @returns {HTMLElement} */
export function metersView(desk, { table, terminal }) {
  const host = el("section", { class: "meters" }, el("h3", {}, "Meters"));
  const read = async () => {
    const frame = await desk.enquire("meters", { terminal });
    if (frame.t === "refused") return host.append(el("p", { class: "reply", role: "alert" }, citing(frame.refusal)));
    host.replaceChildren(el("h3", {}, "Meters"), ...told(desk, table, frame), again);
  };
  const again = button("Read them now", () => void read());
  host.append(again);
  return host;
}

/** @param {import("../staff/desk.js").Desk} desk @param {string} table
 * @param {import("../kit/consoles.js").ToldMeters} frame */
function told(desk, table, { meters, by_meters: by, on_terminal: on, difference, sound }) {
  const amount = (/** @type {number} */ cents) => desk.amount(cents, table);
  const list = (/** @type {[string, string][]} */ facts) =>
    el("dl", { class: "pairs" }, ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
  /** @param {import("../kit/consoles.js").AuditLine} line @returns {[string, string]} */
  const line = ({ words, amount: cents }) => [words, amount(cents)];
  const verdict = sound ? "The meters add up." : `The meters do not add up: ${amount(difference)} are missing.`;
  return [
    list([["Games", String(meters.games)], ...by.map(line)]),
    el("h3", {}, "On the terminal"),
    list(on.map(line)),
    el("p", { class: sound ? "" : "reply" }, verdict),
  ];
}
