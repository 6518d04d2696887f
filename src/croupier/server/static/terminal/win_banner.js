// The banner of a result.

import { el, marked, shown, text } from "../shared/dom.js";
import { signed } from "../shared/money.js";
import { h, render } from "../shared/render.js";
import { say, spotName } from "../shared/text.js";
import { amount, netOf } from "./money.js";
import { countUp } from "./outcome.js";

/**
 * @typedef {import("./controller.js").GameState} GameState
 * @typedef {import("./outcome.js").Brought} Brought
 */

/** The most bets that the banner lists. */
const LISTED_MOST = 3;

/** The banner with the number and the amount. */
export function banner() {
  const number = el("b", { class: "banner-number" });
  const [title, words, sum] = [el("p", { class: "title" }), el("span", {}), el("strong", {})];
  const list = el("dl", {});
  const node = el(
    "section",
    { class: "banner", hidden: true, "aria-hidden": "true" },
    number,
    el("div", { class: "says" }, title, el("p", { class: "sum" }, words, " ", sum)),
    list,
  );
  const count = countUp((cents) => text(sum, amount(cents)));
  let shownOf = "";

  /** @param {GameState} at @param {Brought | null} brought @param {boolean} isPaid whether it is time */
  const update = (at, brought, isPaid) => {
    const pocket = at.table.pocket ?? null;
    const isSeen = isPaid && brought !== null && pocket !== null;
    shown(node, isSeen);
    if (!isSeen) return void (shownOf = "");
    // What was won may arrive after the number.
    const of = `${at.table.round}/${at.table.spin}/${pocket}/${brought.won}`;
    if (of === shownOf) return;
    shownOf = of;
    const { mood, returned, staked } = brought;
    const net = returned - staked;
    marked(node, "data-mood", mood);
    const colour = at.data.colours.get(pocket) ?? "green";
    text(number, pocket);
    marked(number, "data-colour", colour);
    text(title, say("number", { pocket, colour: say(`colour.${colour}`) }));
    const isWin = mood === "large" || mood === "small";
    text(words, isWin ? say("win.you-win") : mood === "less" ? backText(returned, staked) : say("win.none"));
    shown(sum, isWin);
    render(list, rows(at, brought, mood === "large"));
    if (isWin) count(0, net);
  };
  return { node, update };
}

/** What came back, of what was staked, and the difference. @param {number} returned @param {number} staked */
const backText = (returned, staked) =>
  say("win.back", { returned: amount(returned), staked: amount(staked), net: netOf(returned - staked) });

/** @param {GameState} at @param {Brought} brought @param {boolean} isListed */
function rows({ data }, { paid, staked, returned, mood }, isListed) {
  const best = Object.entries(paid).sort(([, one], [, other]) => other - one);
  const lines = (isListed ? best.slice(0, LISTED_MOST) : []).map(([spot, cents]) => {
    const place = data.spotsByKey.get(spot);
    return [place ? spotName(place) : spot, signed(amount(cents))];
  });
  const items = lines.map(([name, words]) => h("div", null, h("dt", null, name), h("dd", null, words)));
  const isWin = mood === "large" || mood === "small";
  return isWin ? [...items, h("div", { class: "basis" }, h("dt", null, backText(returned, staked)))] : items;
}
