// The dealer's console: the round of one table in large steps, its number, and its seats.

import { el } from "../kit/dom.js";
import { phaseLook } from "../staff/pill.js";
import { saysOf } from "../staff/words.js";
import { aside } from "./aside.js";
import { call } from "./call.js";
import { chooser } from "./chooser.js";
import { Deal } from "./deal.js";
import { hearKeys, legend } from "./keys.js";
import { numbers } from "./numbers.js";
import { seats } from "./seats.js";
import { steps } from "./steps.js";

/** @typedef {import("../staff/desk.js").Part} Part */

/** @param {import("../staff/desk.js").Desk} desk @returns {import("../staff/console.js").Furniture} */
export function dealer(desk) {
  const deal = new Deal(desk);
  hearKeys(deal);
  const left = column("left", steps(deal), aside(deal), legend(deal));
  const middle = column("middle", call(deal), numbers(deal));
  return {
    title: () => (deal.table ? `Dealer · Table ${deal.table}` : "Dealer"),
    pills: () => pills(deal),
    parts: [chooser(deal), left, middle, seats(deal)],
  };
}

/** Some parts above each other. @param {string} name @param {...Part} parts @returns {Part} */
const column = (name, ...parts) => ({
  node: el("div", { class: name }, ...parts.map(({ node }) => node)),
  update: (view) => parts.forEach((part) => part.update(view)),
  tick: () => parts.forEach((part) => part.tick?.()),
});

/** How the table stands. @param {Deal} deal @returns {import("../staff/pill.js").Pill[]} */
function pills({ state, floor, desk, table }) {
  if (!state || !floor) return [];
  const playing = floor.seats.filter(({ staked }) => staked > 0).length;
  const staked = `${playing} of ${floor.seats.length} with bets · ${desk.amount(floor.staked, table)} staked`;
  const spin = state.spin > 1 ? `, spin ${state.spin}` : "";
  return [
    { key: "phase", says: saysOf(state), look: phaseLook(state) },
    { key: "round", says: `Round ${state.round.toLocaleString("en-GB")}${spin}` },
    { key: "staked", says: staked },
  ];
}
