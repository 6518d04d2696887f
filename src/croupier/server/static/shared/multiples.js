// Numbers that are drawn before the spin, with what a straight up on each pays.

import { pocketTile } from "./pocket.js";
import { h } from "./render.js";
import { say } from "./text.js";

/** @typedef {Record<string, number> | undefined} Multiples by number, to one */

/** @param {Multiples} multiples */
const listed = (multiples) => Object.entries(multiples ?? {});

/** What was drawn, as a sentence; empty where nothing was. @param {Multiples} multiples */
export function drawnText(multiples) {
  const numbers = listed(multiples).map(([pocket, pays]) => `${pocket} ×${pays}`).join(" · ");
  return numbers && say("multiples.drawn", { numbers });
}

/** The drawn numbers in their colours. @param {Multiples} multiples @param {import("./pocket.js").Colours} colours */
export const drawnNumbers = (multiples, colours) =>
  listed(multiples).length > 0 &&
  h(
    "ul",
    { class: "drawn-numbers", "aria-label": drawnText(multiples) },
    listed(multiples).map(([pocket, pays]) =>
      h("li", { key: pocket }, pocketTile(pocket, colours), h("b", null, `×${pays}`))
    ),
  );

/**
 * The odds of a kind of bet; straight up also what a drawn number pays.
 * @param {{kind: string, pays: number | string}} row @param {{multiples: number[][]} | null | undefined} multipliers
 */
export function oddsText({ kind, pays }, multipliers) {
  // Only what wins a pot has no odds.
  if (pays === 0) return say("odds.pot");
  if (!multipliers || kind !== "straight") return say("odds", { pays });
  const drawn = multipliers.multiples.map(([each]) => each);
  return say("odds.drawn", { pays, least: Math.min(...drawn), most: Math.max(...drawn) });
}
