// Pills: a few words about how something stands. The words say it; the colour only helps.

import { el, marked, text } from "../kit/dom.js";

/** @typedef {{says: string, look?: "ok" | "warn" | "stop" | "calm", key?: string}} Pill */

/** @param {Pill} one */
export const pill = ({ says, look = "calm" }) => el("span", { class: "pill", "data-look": look }, says);

/** Change what a pill in an element says. @param {HTMLElement} host @param {Pill} one */
export function repaint(host, { says, look = "calm" }) {
  const node = host.querySelector(".pill");
  if (!node) return;
  text(node, says);
  marked(node, "data-look", look);
}

/** How the phase of a table looks. @param {import("../kit/types.js").TableState} table @returns {Pill["look"]} */
export function phaseLook({ phase, closed }) {
  if (phase === "suspended" || phase === "no_spin") return "stop";
  if (phase === "open" || phase === "open_running") return "ok";
  return closed || phase === "between" ? "calm" : "warn";
}
