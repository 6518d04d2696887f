// The dealer console: the steps of a round, the number pad and the seats of one table.

import { openConsole } from "../console/console.js";
import { tableMessage, durationOf, timeOf, labelOf } from "../console/text.js";
import { phaseLook } from "../console/widgets.js";
import { button, each, el, enabled, marked, shown, text } from "../shared/dom.js";
import { callNoSpin, mayCall } from "./no_spin.js";
import { handleKeys, legend, numbers } from "./numbers.js";
import { callSupervisor, Deal } from "./round.js";
import { seats } from "./seats.js";
import { call, steps } from "./steps.js";

/** @typedef {import("../console/client.js").Part} Part */

/** @param {import("../console/client.js").ConsoleClient} client @returns {import("../console/console.js").ConsoleContent} */
export function dealer(client) {
  const deal = new Deal(client);
  handleKeys(deal);
  const left = column("left", steps(deal), sideActions(deal), legend(deal));
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
function pills({ state, floor, client, table }) {
  if (!state || !floor) return [];
  const playing = floor.seats.filter(({ staked }) => staked > 0).length;
  const staked = `${playing} of ${floor.seats.length} with bets · ${client.amount(floor.staked, table)} staked`;
  const spin = state.spin > 1 ? `, spin ${state.spin}` : "";
  return [
    { key: "phase", says: tableMessage(state), look: phaseLook(state) },
    { key: "round", says: `Round ${state.round.toLocaleString("en-GB")}${spin}` },
    { key: "staked", says: staked },
  ];
}

// Beside the round: no spin, the call for a supervisor, and what the pit was told and has not handled yet.

const SHOWN_MOST = 2;

/** @param {Deal} deal @returns {import("../console/client.js").Part} */
export function sideActions(deal) {
  const off = button("No spin…", () => callNoSpin(deal), { class: "grave large" });
  const help = button("Call supervisor", () => callSupervisor(deal), { class: "large" });
  const list = el("ul", { class: "notice-line", "aria-label": "What the pit was told" });
  const node = el("div", { class: "aside" }, off, help, list);
  const draw = () => {
    const rows = pendingItems(deal).slice(0, SHOWN_MOST);
    enabled(off, deal.canSend && mayCall(deal));
    enabled(help, deal.canSend);
    shown(list, rows.length > 0);
    each(
      list,
      rows,
      ({ key }) => key,
      () => el("li", {}),
      (item, { says }) => text(item, says),
    );
  };
  return { node, update: draw, tick: draw };
}

/** The pending items of this table: signatures first, then the newest. @param {Deal} deal */
function pendingItems({ client, table }) {
  const { proposals = [], incidents = [] } = client.view.floor ?? {};
  const now = client.session.now() ?? 0;
  const signed = proposals
    .filter(({ command, expires_at_us }) => /** @type {any} */ (command).table === table && expires_at_us > now)
    .map(({ proposal, person, command, expires_at_us }) => ({
      key: `p${proposal}`,
      says: `${person} has signed ${commandText(command)}: a second person signs within ${durationOf(expires_at_us - now)}.`,
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
const commandText = ({ type, pocket }) =>
  `${labelOf(type.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase()).toLowerCase()}${pocket ? `, ${pocket}` : ""}`;

// The table chooser, where the house has several tables and the address names none.

/** @param {import("./round.js").Deal} deal @returns {import("../console/client.js").Part} */
function chooser(deal) {
  const node = el("nav", { class: "chooser", "aria-label": "Tables" });
  const one = (/** @type {string} */ table) =>
    button(el("b", {}, `Table ${table}`), () => deal.choose(table), { class: "table" });
  return {
    node,
    update: (view) => {
      const several = deal.tables.length > 1 && deal.client.session.parameters.table === undefined;
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
          text(tab.lastElementChild, state ? tableMessage(state) : "");
        },
      );
    },
  };
}

await openConsole("dealer", dealer);
