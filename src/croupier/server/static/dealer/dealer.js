// The dealer console: the steps of a round, the number pad and the seats of one table.

import { openConsole } from "../console/console.js";
import { saysOf, spanOf, timeOf, wordOf } from "../console/text.js";
import { phaseLook } from "../console/widgets.js";
import { button, each, el, enabled, marked, shown, text } from "../shared/dom.js";
import { callNoSpin, mayCall } from "./no_spin.js";
import { hearKeys, legend, numbers } from "./numbers.js";
import { callSupervisor, Deal } from "./round.js";
import { seats } from "./seats.js";
import { call, steps } from "./steps.js";

/** @typedef {import("../console/client.js").Part} Part */

/** @param {import("../console/client.js").Desk} desk @returns {import("../console/console.js").Furniture} */
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

/** Parts stacked in a column. @param {string} name @param {...Part} parts @returns {Part} */
const column = (name, ...parts) => ({
  node: el("div", { class: name }, ...parts.map(({ node }) => node)),
  update: (view) => parts.forEach((part) => part.update(view)),
  tick: () => parts.forEach((part) => part.tick?.()),
});

/** The status pills of the table. @param {Deal} deal @returns {import("../console/widgets.js").Pill[]} */
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

// Beside the round: no spin, the call for a supervisor, and what the pit was told and has not handled yet.

const SHOWN_MOST = 2;

/** @param {Deal} deal @returns {import("../console/client.js").Part} */
export function aside(deal) {
  const off = button("No spin…", () => callNoSpin(deal), { class: "grave large" });
  const help = button("Call supervisor", () => callSupervisor(deal), { class: "large" });
  const told = el("ul", { class: "told", "aria-label": "What the pit was told" });
  const node = el("div", { class: "aside" }, off, help, told);
  const draw = () => {
    const rows = waiting(deal).slice(0, SHOWN_MOST);
    enabled(off, deal.free && mayCall(deal));
    enabled(help, deal.free);
    shown(told, rows.length > 0);
    each(
      told,
      rows,
      ({ key }) => key,
      () => el("li", {}),
      (item, { says }) => text(item, says),
    );
  };
  return { node, update: draw, tick: draw };
}

/** The pending items of this table: signatures first, then the newest. @param {Deal} deal */
function waiting({ desk, table }) {
  const { proposals = [], incidents = [] } = desk.view.floor ?? {};
  const now = desk.session.now() ?? 0;
  const signed = proposals
    .filter(({ command, expires_at_us }) => /** @type {any} */ (command).table === table && expires_at_us > now)
    .map(({ proposal, person, command, expires_at_us }) => ({
      key: `p${proposal}`,
      says: `${person} has signed ${deed(command)}: a second person signs within ${spanOf(expires_at_us - now)}.`,
    }));
  const noted = incidents
    .filter(({ subject }) => subject === table)
    .sort((one, other) => other.at_us - one.at_us)
    .map(({ incident, at_us, words }) => ({
      key: `i${incident}`,
      says: `${timeOf(at_us)} The pit was told: ${words}`,
    }));
  return [...signed, ...noted];
}

/** The signed command as text. @param {any} command */
const deed = ({ type, pocket }) =>
  `${wordOf(type.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase()).toLowerCase()}${pocket ? `, ${pocket}` : ""}`;

// The table chooser, where the house has several tables and the address names none.

/** @param {import("./round.js").Deal} deal @returns {import("../console/client.js").Part} */
function chooser(deal) {
  const node = el("nav", { class: "chooser", "aria-label": "Tables" });
  const one = (/** @type {string} */ table) =>
    button(el("b", {}, `Table ${table}`), () => deal.choose(table), { class: "table" });
  return {
    node,
    update: (view) => {
      const several = deal.tables.length > 1 && deal.desk.session.wanted.table === undefined;
      shown(node, several);
      each(
        node,
        several ? deal.tables : [],
        (table) => table,
        one,
        (tab, table) => {
          const state = view.tables[table]?.state;
          marked(tab, "aria-current", table === deal.table ? "true" : null);
          if (tab.childElementCount === 1) tab.append(el("small", {}));
          text(tab.lastElementChild, state ? saysOf(state) : "");
        },
      );
    },
  };
}

await openConsole("dealer", dealer);
