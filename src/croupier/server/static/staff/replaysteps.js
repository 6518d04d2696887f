// The steps of a replay as a list: when, what, by which clause, and who did it; each leads to its moment.

import { each, el, marked } from "../kit/dom.js";
import { clauseLink } from "./clause.js";

/** @typedef {import("../kit/consoles.js").ReplayStep} Step */

/** When something was, to a tenth of a second. @param {number} us */
export const instantOf = (us) =>
  `${new Date(us / 1000).toLocaleTimeString("en-GB")}.${Math.floor((us % 1_000_000) / 100_000)}`;

/** What happened, and at which terminal. @param {Step} step */
export const saidOf = ({ terminal, words }) => (terminal ? `${terminal}: ${words}` : words);

/** Who did it, and where. @param {Step} step */
export const doerOf = ({ person, device }) => [person, device].filter(Boolean).join(" at ") || "the house itself";

/** @param {{rulebook: string, steps: Step[], go: (at: number) => void}} wanted */
export function stepList({ rulebook, steps, go }) {
  const node = el("ol", { class: "replay-steps", "aria-label": "Everything that happened, in order" });
  /** @param {{step: Step, place: number}} one */
  const line = ({ step, place }) => {
    const said = el("span", { class: "said" }, saidOf(step));
    const when = el("time", {}, instantOf(step.at_us));
    const press = el("button", { type: "button", click: () => go(place) }, when, said, el("small", {}, doerOf(step)));
    return el("li", { "data-kind": step.kind }, press, clauseLink(rulebook, step.clause));
  };
  each(
    node,
    steps.map((step, place) => ({ step, place })),
    ({ place }) => place,
    line,
  );
  /** @param {number} at */
  const update = (at) => {
    [...node.children].forEach((one, place) => {
      marked(one, "aria-current", place === at ? "step" : null);
      one.classList.toggle("ahead", place > at);
    });
    node.children[at]?.scrollIntoView({ block: "nearest" });
  };
  return { node, update };
}
