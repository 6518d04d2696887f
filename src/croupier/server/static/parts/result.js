// The result: the last number that counts, in its colour and in words.

import { el, marked, text } from "../kit/dom.js";
import { say, spotName } from "../kit/words.js";

export function result() {
  const number = el("b", {});
  const title = el("h2", {});
  const colour = el("span", { class: "colour" });
  const groups = el("span", { class: "groups" });
  const node = el(
    "section",
    { class: "result card", "aria-label": say("result.label") },
    number,
    title,
    colour,
    groups,
  );
  let drawn = "";

  /** @param {string | undefined} pocket @param {boolean} fresh whether it is of this round @param {any} data a felt */
  const update = (pocket, fresh, data) => {
    const wanted = JSON.stringify([pocket, fresh, Boolean(data)]);
    if (wanted === drawn) return;
    drawn = wanted;
    const painted = data && pocket !== undefined ? data.colours.get(pocket) : null;
    marked(node, "data-fresh", fresh ? "" : null);
    marked(number, "data-colour", painted);
    text(number, pocket ?? "–");
    text(title, say(fresh ? "result.fresh" : pocket === undefined ? "result.none" : "result.last"));
    const [first, second] = data && pocket !== undefined ? wordsOf(data, pocket) : ["", ""];
    text(colour, first);
    text(groups, second);
  };
  return { node, update };
}

/** A number in the words of the outside bets that it wins: the even chances, and the dozens and columns.
 * @param {any} data @param {string} pocket @returns {[string, string]} */
function wordsOf(data, pocket) {
  const outside = new Set(data.boxes.map((/** @type {any} */ box) => box.bet));
  const won = data.spots.filter((/** @type {any} */ spot) => outside.has(spot.key) && spot.covers.includes(pocket));
  const isNumbered = (/** @type {any} */ spot) => spot.key.includes(" ");
  const named = (/** @type {any[]} */ spots) => spots.map(spotName).join(" · ");
  const even = named(won.filter((/** @type {any} */ spot) => !isNumbered(spot)));
  return [even || say(`colour.${data.colours.get(pocket)}`), named(won.filter(isNumbered))];
}
