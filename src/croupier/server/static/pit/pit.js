// The pit console: a card for every table, and what needs action.

import { openConsole } from "../console/console.js";
import { openDisputes } from "../console/disputes.js";
import { holdFigure } from "../console/hold.js";
import { Journal } from "../console/journal.js";
import { receivables } from "../console/receivables.js";
import { commandText, correctionOf, ruleLink, rulesAt } from "../console/widgets.js";
import { dialogNamed, openDialog } from "../shared/dialog.js";
import { pocketTile, pocketTiles } from "../shared/pocket.js";
import { button, h, icon } from "../shared/render.js";
import { say, tableName } from "../shared/text.js";
import { openDevices, showDeviceKeys } from "./devices.js";
import { isQuiet, PendingItems, URGENT } from "./pending.js";
import { openStaff } from "./staff.js";
import { openTable } from "./table.js";
import { blockerText, remedyText } from "./pending_fields.js";
import { messageTo, permittedButton, tableActions, titlesFor } from "./table_actions.js";
import { limitsInShort, secondsOf, wheelText } from "./table_settings.js";
import { showSlips } from "./terminal.js";
import { phaseLook, tableMessage } from "../shared/phase.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../console/widgets.js").Pill} Pill
 * @typedef {import("../shared/render.js").Child} Child
 * @typedef {import("../shared/store.js").State} State
 * @typedef {"needs" | "floor"} Tab what a phone shows
 */

/** @param {ConsoleClient} client @returns {import("../console/console.js").ConsoleContent} */
export function pit(client) {
  showDeviceKeys(client);
  showSlips(client);
  const pending = new PendingItems(client);
  const journal = new Journal(client, { about: "significant" }, () => dialogNamed(JOURNAL) !== undefined);
  /** @type {Tab} */
  let tab = "needs";
  const choose = (/** @type {Tab} */ next) => {
    tab = next;
    client.session.redraw();
    // A view that was left half read begins at its top.
    document.querySelector(".inside")?.scrollTo({ top: 0 });
  };
  return {
    title: () => say("pit.title"),
    pills,
    changed: (view) => pending.changed(view),
    parts: [
      (view) => floor(client, view, journal),
      (view) => h("div", { class: "waiting" }, pending.draw(view), receivables(view, settledWhere)),
      () => tabBar(tab, choose, () => openJournal(client, journal)),
    ],
  };
}

/** Where a debt is settled. @param {import("../shared/types/console.js").DebtRow} row */
const settledWhere = (
  { terminal, payable },
) => (!terminal ? say("debts.at-table") : payable > 0 ? say("debts.at-cashier") : "");

/** The status pills of the floor. @param {State} view @returns {Pill[]} */
function pills({ tables, floor }) {
  const open = Object.values(tables).filter(({ state }) => !state.closed).length;
  const needs = (floor?.needs ?? []).filter((need) => !isQuiet(need));
  const waiting = needs.length + (floor?.needs_more ?? 0);
  const look = waiting === 0 ? "calm" : needs.some(({ kind }) => URGENT.has(kind)) ? "stop" : "warn";
  return [
    { key: "needs", says: say("pit.needs", { n: waiting }), look },
    { key: "open", says: say("pit.open", { n: open }), look: open > 0 ? "ok" : "calm" },
  ];
}

const JOURNAL = "journal";

/** The journal in a drawer over the page. @param {ConsoleClient} client @param {Journal} journal */
const openJournal = (client, journal) =>
  openDialog({
    name: JOURNAL,
    title: say("journal.title"),
    look: "side",
    body: () => h("div", { class: "journal" }, journal.draw(client.view)),
  });

/** The views of a phone. @param {Tab} tab @param {(tab: Tab) => void} choose @param {() => void} openDrawer */
function tabBar(tab, choose, openDrawer) {
  const key = (/** @type {string} */ name, /** @type {string} */ sign, /** @type {() => void} */ press) =>
    button(h("span", { class: "inner" }, icon(sign), say(`pit-tab.${name}`)), press, {
      "data-tab": name,
      "aria-current": name === tab && "page",
    });
  return h(
    "nav",
    { class: "tab-bar", "data-shows": tab, "aria-label": say("tabs.label") },
    key("needs", "bell", () => choose("needs")),
    key("floor", "wheel", () => choose("floor")),
    key("journal", "form", openDrawer),
  );
}

// The floor: one card for every table, with its round, its money and its exposure. Nothing in a card changes its size.

const NUMBERS_SHOWN = 5;
/** How many pockets are named where several are the worst. */
const WORST_SHOWN = 3;

/** @param {ConsoleClient} client @param {State} view @param {Journal} journal */
function floor(client, view, journal) {
  const names = client.ordered(Object.keys(view.tables));
  return h(
    "section",
    { class: "floor", "aria-label": say("pit-tab.floor") },
    h(
      "div",
      { class: "top" },
      h("h2", { class: "label" }, say("pit-tab.floor")),
      h(
        "div",
        { class: "ways", role: "group", "aria-label": say("floor.house") },
        button(say("floor.journal"), () => openJournal(client, journal), { class: "small wide-only" }),
        button(say("floor.message"), () => messageTo(client, [], say("message.to-all")), { class: "small" }),
        button(say("auditor.disputes-open"), () => openDisputes(client), { class: "small" }),
        button(say("floor.devices"), () => openDevices(client), { class: "small" }),
        button(say("floor.staff"), () => openStaff(client), { class: "small" }),
      ),
    ),
    h(
      "ul",
      { class: "tables", "aria-label": say("pit-tab.floor") },
      names.map((name) => tableCard(client, view, name)),
    ),
  );
}

/** @param {ConsoleClient} client @param {State} view @param {string} name */
function tableCard(client, view, name) {
  const { state } = view.tables[name];
  const row = view.floor?.tables?.[name];
  const colours = client.felt(name)?.colours;
  const seats = row?.seats ?? [];
  const playing = seats.filter(({ credit, staked }) => credit + staked > 0).length;
  const fact = (/** @type {string} */ id, /** @type {Child} */ value) =>
    h("div", { class: id }, h("dt", null, say(`floor.${id}`)), h("dd", null, value));
  return h(
    "li",
    {
      class: "table-card",
      key: name,
      "data-table": name,
      "data-closed": Boolean(state.closed),
      "data-look": phaseLook(state),
    },
    h(
      "div",
      { class: "head" },
      button(
        [h("b", null, tableName(name)), h("small", null, `${name} · ${wheelText(state.wheel)}`)],
        () => openTable(client, name),
        { class: "name" },
      ),
      statusLine(client, name),
      button("⋯", () => openTableMenu(client, name), {
        class: "more",
        "aria-label": say("floor.menu", { table: name }),
      }),
    ),
    h(
      "div",
      { class: "round" },
      phaseLine(client, state),
      pocketTiles(say("floor.past"), (state.numbers ?? []).slice(0, NUMBERS_SHOWN), colours),
    ),
    h(
      "div",
      { class: "money" },
      h(
        "dl",
        null,
        fact("players", `${playing} / ${seats.length}`),
        fact("staked", client.amount(row?.staked, name)),
        fact("worst", worst(client, name, row?.exposure)),
      ),
      holdFigure(client, name, row?.takings),
    ),
  );
}

/** The phase in one line of fixed height, with the seconds that are left. @param {ConsoleClient} client @param {import("../shared/types/wire.js").TableState} state */
function phaseLine(client, state) {
  const seconds = secondsOf(client, state);
  const message = tableMessage(state);
  return h(
    "p",
    { class: "phase", title: message },
    seconds === null ? h("span", { class: "lamp", "aria-hidden": "true" }) : h(
      "span",
      { class: "ring", role: "timer", style: { "--share": String(Math.min(1, seconds / RING_S)) } },
      seconds,
    ),
    h("span", { class: "message" }, message),
  );
}

/** The ring of a countdown is full at so many seconds. */
const RING_S = 30;

/** The most that the current stakes may return, and on which pockets. @param {ConsoleClient} client @param {string} name
 * @param {import("../shared/types/console.js").ExposureRow | null | undefined} exposure */
function worst(client, name, exposure) {
  if (!exposure || exposure.most === 0) return "–";
  const colours = client.felt(name)?.colours;
  const shown = exposure.worst.slice(0, WORST_SHOWN);
  const more = exposure.worst.length - shown.length;
  return [
    h("span", null, client.amount(exposure.most, name)),
    h(
      "span",
      { class: "on" },
      shown.map((pocket) => pocketTile(pocket, colours)),
      more > 0 && h("small", null, `+${more}`),
    ),
  ];
}

/**
 * How a table stands: why it cannot play, what waits for a second signature there, or its limits. What ends it is in the list of
 * pending items, and in the tooltip.
 * @param {ConsoleClient} client @param {string} name
 */
function statusLine(client, name) {
  const { floor } = client.view;
  const blocked = floor?.tables?.[name]?.blocked ?? [];
  if (blocked.length > 0) {
    const rules = rulesAt(client, name);
    const reasons = blocked.map((row) => [blockerText(row), " ", ruleLink(rules, row.clause), " "]);
    return h("p", {
      class: "standing blocked",
      title: blocked.map((row) => `${blockerText(row)} ${remedyText(row)}`).join("\n"),
    }, reasons);
  }
  const now = client.session.now() ?? 0;
  const proposal = (floor?.proposals ?? []).find(({ command, expires_at_us }) =>
    /** @type {any} */ (command).table === name && expires_at_us > now
  );
  if (proposal) {
    const what = commandText(
      proposal.command,
      correctionOf(client, proposal.command)?.was ?? null,
      (cents) => client.amount(cents, name),
    );
    const text = say("pit.signature", { what });
    return h("p", { class: "standing signs", title: text }, icon("form"), h("span", null, text));
  }
  const terms = floor?.terms?.[name];
  const limits = terms ? limitsInShort(client, name, terms.now.limits) : "–";
  const next = terms?.next ? limitsInShort(client, name, terms.next.limits) : "";
  return h(
    "p",
    { class: "standing limits", "data-coming": Boolean(terms?.next) },
    h("span", null, limits),
    terms?.next && h("small", null, next === limits ? say("floor.next-other") : say("floor.next", { limits: next })),
  );
}

// The menu of a table: all its actions.

/** @param {ConsoleClient} client @param {string} name */
function openTableMenu(client, name) {
  const state = client.view.tables[name]?.state;
  if (!state) return;
  /** @type {import("./table_actions.js").Action} */
  const look = { words: say("floor.look"), press: () => openTable(client, name) };
  const row = (/** @type {import("./table_actions.js").Action} */ { words, press, command }) => {
    const leave = () => {
      dialog.close();
      press();
    };
    return h(
      "li",
      null,
      permittedButton(client, { words, press: leave, titles: titlesFor(client, name, command), looks: "row" }),
    );
  };
  const dialog = openDialog({
    name: "table-menu",
    title: say("floor.name", { table: name }),
    look: "narrow",
    body: () => h("ul", { class: "rows" }, [look, ...tableActions(client, state)].map(row)),
  });
}

await openConsole("pit", pit);
