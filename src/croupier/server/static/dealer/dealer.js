// The dealer console: the steps of a round, the number pad and the seats of one table.

import { openConsole } from "../console/console.js";
import { incidentText } from "../console/incidents.js";
import { durationOf, figure, timeOf, worded } from "../console/text.js";
import { commandText, correctionOf } from "../console/widgets.js";
import { drawnText } from "../shared/multiples.js";
import { button, h, icon } from "../shared/render.js";
import { say, tableName } from "../shared/text.js";
import { callNoSpin, mayCall } from "./no_spin.js";
import { handleKeys, legend, numbers } from "./numbers.js";
import { callSupervisor, Deal } from "./round.js";
import { seats } from "./seats.js";
import { call, mainButton, steps } from "./steps.js";
import { phaseLook, tableMessage } from "../shared/phase.js";

/** @param {import("../console/client.js").ConsoleClient} client @returns {import("../console/console.js").ConsoleContent} */
export function dealer(client) {
  const deal = new Deal(client);
  handleKeys(deal);
  return {
    title: () => (deal.table ? tableName(deal.table) : say("dealer.title")),
    pills: () => pills(deal),
    parts: [
      () => chooser(deal),
      () => pendingLines(deal),
      () => h("div", { class: "left" }, steps(deal), sideActions(deal), legend(deal)),
      () => h("div", { class: "middle" }, call(deal), numbers(deal)),
      () => seats(deal),
    ],
  };
}

/** The status pills of the table. @param {Deal} deal @returns {import("../console/widgets.js").Pill[]} */
function pills({ state, floor, client, table }) {
  if (!state || !floor) return [];
  const playing = floor.seats.filter(({ staked }) => staked > 0).length;
  const staked = say("dealer.bets", {
    n: playing,
    all: floor.seats.length,
    staked: client.amount(floor.staked, table),
  });
  const round = figure(state.round);
  const drawn = drawnText(state.multiples);
  return [
    { key: "phase", says: tableMessage(state), look: phaseLook(state) },
    {
      key: "round",
      says: state.spin > 1 ? say("dealer.round-spin", { round, spin: state.spin }) : say("replay.round", { round }),
    },
    { key: "staked", says: staked },
    ...(drawn ? [{ key: "drawn", says: drawn }] : []),
  ];
}

// Beside the round: the main button of a small screen, no spin, and the call for a supervisor.

/** @param {Deal} deal */
function sideActions(deal) {
  const help = h("span", { class: "inner" }, icon("bell"), say("dealer.supervisor"));
  return h(
    "div",
    { class: "aside" },
    mainButton(deal),
    button(say("dealer.no-spin"), () => callNoSpin(deal), {
      class: "grave large",
      disabled: !deal.canSend || !mayCall(deal),
    }),
    button(help, () => callSupervisor(deal), { class: "large", disabled: !deal.canSend }),
  );
}

// What waits for others: a second signature for this table, and what the pit was told and has not handled yet.

const SHOWN_MOST = 2;

/** @param {Deal} deal */
function pendingLines(deal) {
  const rows = pendingItems(deal).slice(0, SHOWN_MOST);
  if (rows.length === 0) return null;
  const line = (/** @type {{key: string, says: string}} */ { key, says }) =>
    h("li", { key }, icon("form"), h("span", null, says));
  return h("ul", { class: "notice-line", "aria-label": say("dealer.pending") }, rows.map(line));
}

/** The pending items of this table: signatures first, then the newest. @param {Deal} deal */
function pendingItems({ client, table, floor }) {
  const { proposals = [], incidents = [], devices = [] } = client.view.floor ?? {};
  const now = client.session.now() ?? 0;
  const signed = proposals
    .filter(({ command, expires_at_us }) => /** @type {any} */ (command).table === table && expires_at_us > now)
    .map(({ proposal, person, command, expires_at_us }) => ({
      key: `p${proposal}`,
      says: say("dealer.signature-waits", {
        what: commandText(
          /** @type {any} */ (command),
          correctionOf(client, command)?.was ?? null,
          (cents) => client.amount(cents, table),
        ),
        person,
        time: durationOf(expires_at_us - now),
      }),
    }));
  const here = new Set([table, ...(floor?.seats ?? []).map(({ terminal }) => terminal)]);
  const noted = incidents
    .filter(({ subject }) => here.has(subject))
    .sort((one, other) => other.at_us - one.at_us)
    .map(({ incident, kind, at_us, words, facts }) => ({
      key: `i${incident}`,
      says: say("dealer.pit-told", { time: timeOf(at_us), words: incidentText(kind, facts, words) }),
    }));
  // A locked device is listed once, by its incident, which remains when the device itself works again.
  const locked = new Set(incidents.map(({ subject, kind }) => `${subject}.${kind}`));
  const broken = devices
    .filter(({ tables, terminal, device }) => tables.includes(table) && !locked.has(`${terminal}.${device}_locked`))
    .map(({ terminal, device, words }) => ({
      key: `d${terminal}.${device}`,
      says: device === "paper"
        ? say("device.low-paper", { terminal })
        : say("device.broken", { terminal, device: worded("device-name.", device), words }),
    }));
  return [...signed, ...broken, ...noted];
}

// The table chooser, where the house has several tables and the address names none.

/** @param {Deal} deal */
function chooser(deal) {
  const { client, tables } = deal;
  if (tables.length < 2 || client.session.parameters.table !== undefined) return null;
  const tab = (/** @type {string} */ table) => {
    const state = client.view.tables[table]?.state;
    return button(
      [h("b", null, tableName(table)), h("small", null, state && tableMessage(state))],
      () => deal.choose(table),
      { key: table, class: "table", "data-key": table, "aria-current": table === deal.table && "true" },
    );
  };
  return h("nav", { class: "chooser", "aria-label": say("dealer.tables") }, tables.map(tab));
}

await openConsole("dealer", dealer);
