// The pit console and its overview of the floor.

import { openConsole } from "../console/console.js";
import { openDisputes } from "../console/disputes.js";
import { journalPart } from "../console/journal.js";
import { receivablesPart } from "../console/receivables.js";
import { clauseMark, tableMessage } from "../console/text.js";
import { commandText, correctionOf, phaseLook, pill, updatePill } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { button, each, el, icon, marked, shown, text } from "../shared/dom.js";
import { tile, tiles } from "../shared/pocket.js";
import { say } from "../shared/text.js";
import { showDeviceKeys, openDevices } from "./devices.js";
import { URGENT, pendingPart } from "./pending.js";
import { openStaff } from "./staff.js";
import { holdFigure, openTable } from "./table.js";
import { tableActions, messageTo, permittedButton, titlesFor } from "./table_actions.js";
import { limitsInShort, secondsOf, WHEELS } from "./table_settings.js";
import { showSlips } from "./terminal.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../console/widgets.js").Pill} Pill
 * @typedef {import("../shared/store.js").State} State
 */

/** @param {import("../console/client.js").ConsoleClient} client @returns {import("../console/console.js").ConsoleContent} */
export function pit(client) {
  showDeviceKeys(client);
  showSlips(client);
  const debts = receivablesPart(({ payable }) => (payable > 0 ? "Paid at the cashier" : ""));
  const parts = [floorPart(client), pendingPart(client), debts, journalPart(client, { about: "significant" })];
  return { title: () => say("pit.title"), pills, parts: [...parts, tabBar()] };
}

/** The status pills of the floor. @param {import("../shared/store.js").State} view @returns {Pill[]} */
function pills({ tables, floor }) {
  const open = Object.values(tables).filter(({ state }) => !state.closed).length;
  const needs = floor?.needs ?? [];
  const waiting = needs.length + (floor?.needs_more ?? 0);
  const look = waiting === 0 ? "calm" : needs.some(({ kind }) => URGENT.has(kind)) ? "stop" : "warn";
  return [
    { key: "needs", says: say("pit.needs", { n: waiting }), look },
    { key: "open", says: say("pit.open", { n: open }), look: open > 0 ? "ok" : "calm" },
  ];
}

// The views of a phone: what needs action, the tables, and the journal.

const TABS = { needs: "bell", floor: "wheel", journal: "form" };

/** @returns {import("../console/client.js").Part} */
function tabBar() {
  const tabs = Object.entries(TABS).map(([name, sign]) =>
    button(el("span", { class: "inner" }, icon(sign), say(`pit-tab.${name}`)), () => choose(name), { "data-tab": name }),
  );
  const node = el("nav", { class: "tab-bar", "aria-label": say("tabs.label") }, ...tabs);
  const choose = (/** @type {string} */ name) => {
    node.dataset.shows = name;
    for (const tab of tabs) marked(tab, "aria-current", tab.dataset.tab === name ? "page" : null);
    // A view that was left half read begins at its top.
    node.parentElement?.scrollTo({ top: 0 });
  };
  choose("needs");
  return { node, update: () => {} };
}

// The floor: one row for every table, with its round, its money and its exposure.

/**
 * @typedef {{line: HTMLTableRowElement, update: (view: State) => void, tick: () => void}} Line
 */

const HEADS = ["Table", "Phase", "Last numbers", "Players", "Staked", "Worst now", "Hold", "Limits"];
const NUMBERS_SHOWN = 5;
/** How many pockets are named where several are the worst. */
const WORST_SHOWN = 3;

/** @param {ConsoleClient} client @returns {import("../console/client.js").Part} */
function floorPart(client) {
  /** @type {Map<string, Line>} */
  const lines = new Map();
  const body = el("tbody", {});
  const heads = HEADS.map((head) => el("th", { scope: "col", class: LOOKS[head] }, head));
  const last = el("th", { scope: "col" }, el("span", { class: "unseen" }, "More"));
  const table = el(
    "table",
    { class: "grid", "aria-label": "Tables" },
    el("colgroup", {}, ...[...HEADS, "More"].map((head) => el("col", { "data-of": head }))),
    el("thead", {}, el("tr", {}, ...heads, last)),
    body,
  );
  const frame = el("div", { class: "grid-frame", tabindex: "0", role: "region", "aria-label": "Tables" }, table);
  const node = el(
    "section",
    { class: "card floor" },
    el("div", { class: "top" }, el("h2", {}, "Tables"), houseActions(client)),
    frame,
  );
  const update = (/** @type {State} */ view) => {
    const names = client.ordered(Object.keys(view.tables));
    each(body, names, String, (name) => begin(lines, client, name));
    for (const name of names) lines.get(name)?.update(view);
  };
  return { node, update, tick: () => lines.forEach((line) => line.tick()) };
}

/** Actions of the whole house. @param {ConsoleClient} client */
const houseActions = (client) =>
  el(
    "div",
    { class: "ways", role: "group", "aria-label": "The whole house" },
    button("Message to all…", () => messageTo(client, [], "all terminals"), { class: "small" }),
    button("Disputes…", () => openDisputes(client), { class: "small" }),
    button("Devices…", () => openDevices(client), { class: "small" }),
    button("Staff…", () => openStaff(client), { class: "small" }),
  );

/** @type {Record<string, string>} */
const LOOKS = { "Last numbers": "lately", Players: "sum", Staked: "sum", "Worst now": "sum", Limits: "limits" };

/** @param {Map<string, Line>} lines @param {ConsoleClient} client @param {string} name */
function begin(lines, client, name) {
  const line = tableLine(client, name);
  lines.set(name, line);
  return line.line;
}

/** @param {ConsoleClient} client @param {string} name @returns {Line} */
function tableLine(client, name) {
  const kind = el("small", {});
  const open = button(el("span", {}, el("b", {}, name), kind), () => openTable(client, name), { class: "name" });
  const why = el("small", { class: "blocked" });
  const signs = el("p", { class: "signs", hidden: true }, icon("form"), el("span", {}));
  const phase = el("td", { class: "phase" }, pill({ says: "" }), why, signs);
  const last = tiles("Past numbers, the newest first");
  const sums = ["Players", "Staked", "Worst now"];
  const [players, staked, worst] = sums.map((head) => cell(head === "Worst now" ? "sum worst" : "sum", head));
  const limits = cell("limits");
  const hold = holdFigure(client, name);
  const menu = button("⋯", () => openTableMenu(client, name), { class: "more", "aria-label": `Menu of table ${name}` });
  const lately = el("td", { class: "lately" }, last.node);
  const cells = [el("td", { class: "title" }, open), phase, lately, players, staked, worst, el("td", { class: "of-hold" }, hold.node)];
  const line = el("tr", {}, ...cells, limits, el("td", { class: "end" }, menu));
  const tick = () => {
    const state = client.view.tables[name]?.state;
    if (!state) return;
    const left = secondsOf(client, state);
    updatePill(phase, {
      says: left === null ? tableMessage(state) : `${tableMessage(state)} ${left}\u00a0s`,
      look: phaseLook(state),
    });
  };
  const update = (/** @type {State} */ view) => {
    const { state } = view.tables[name];
    const floor = view.floor?.tables?.[name];
    const felt = client.felt(name);
    text(kind, WHEELS[state.wheel]);
    paintBlocked(why, floor?.blocked ?? []);
    paintSignature(signs, client, name);
    marked(line, "data-closed", state.closed ? "" : null);
    tick();
    last.update(state.numbers ?? [], felt?.colours, NUMBERS_SHOWN);
    const playing = (floor?.seats ?? []).filter(({ credit, staked }) => credit + staked > 0).length;
    text(players, `${playing} / ${floor?.seats.length ?? 0}`);
    text(staked, client.amount(floor?.staked, name));
    paintWorst(worst, client, name, floor?.exposure);
    hold.update(floor?.takings);
    paintLimits(limits, client, name, view.floor?.terms?.[name]);
  };
  return { line, update, tick };
}

/**
 * Why a table cannot play; the remedy is in the list of pending items, and in the tooltip.
 * @param {HTMLElement} host @param {import("../shared/types/console.js").BlockerRow[]} blocked
 */
function paintBlocked(host, blocked) {
  text(host, blocked.map(({ says, clause }) => `${says}${clause ? ` ${clauseMark(clause)}` : ""}`).join(" "));
  host.title = blocked.map(({ remedy }) => remedy).join("\n");
  shown(host, blocked.length > 0);
}

/**
 * What waits for a second signature at a table: a correction names its round and numbers.
 * @param {HTMLElement} host @param {ConsoleClient} client @param {string} name
 */
function paintSignature(host, client, name) {
  const now = client.session.now() ?? 0;
  const proposal = (client.view.floor?.proposals ?? []).find(
    ({ command, expires_at_us }) => /** @type {any} */ (command).table === name && expires_at_us > now,
  );
  shown(host, proposal !== undefined);
  if (!proposal) return;
  const what = commandText(/** @type {any} */ (proposal.command), correctionOf(client, proposal.command)?.was);
  text(host.lastElementChild, say("pit.signature", { what }));
}

/** @param {string} looks @param {string} [head] the heading, where a card shows it */
const cell = (looks, head) => el("td", { class: looks, "data-head": head });

/**
 * The most that the current stakes may return, and on which pockets.
 * @param {HTMLElement} host @param {ConsoleClient} client @param {string} name
 * @param {import("../shared/types/console.js").ExposureRow | null | undefined} exposure
 */
function paintWorst(host, client, name, exposure) {
  const colours = client.felt(name)?.colours;
  const wanted = exposure && exposure.most > 0 ? `${exposure.most} ${exposure.worst} ${colours?.size}` : "";
  if (host.dataset.shows === wanted) return;
  host.dataset.shows = wanted;
  if (!exposure || wanted === "") return host.replaceChildren("–");
  const pockets = exposure.worst.slice(0, WORST_SHOWN).map((pocket) => tile(pocket, colours));
  const more = exposure.worst.length - pockets.length;
  const on = el("span", { class: "on" }, ...pockets, more > 0 ? el("small", {}, `+${more}`) : null);
  host.replaceChildren(el("span", {}, client.amount(exposure.most, name)), on);
}

/** @param {HTMLElement} host @param {ConsoleClient} client @param {string} name
 * @param {import("../shared/types/console.js").TableTerms | undefined} terms */
function paintLimits(host, client, name, terms) {
  const now = terms ? limitsInShort(client, name, terms.now.limits) : "–";
  const next = terms?.next ? limitsInShort(client, name, terms.next.limits) : "";
  const shows = `${now}|${next}|${Boolean(terms?.next)}`;
  if (host.dataset.shows === shows) return;
  host.dataset.shows = shows;
  const coming = next === now ? "other terms from the next round" : `next round: ${next}`;
  host.replaceChildren(el("span", {}, now), ...(terms?.next ? [el("small", {}, coming)] : []));
  marked(host, "data-coming", terms?.next ? "" : null);
}

// The menu of a table: all its actions.

/** @param {import("../console/client.js").ConsoleClient} client @param {string} name */
function openTableMenu(client, name) {
  const state = client.view.tables[name]?.state;
  if (!state) return;
  /** @type {import("./table_actions.js").Action} */
  const look = { words: "Look closer", press: () => openTable(client, name) };
  /** @type {HTMLElement[]} */
  const rows = [look, ...tableActions(client, state)].map(({ words, press, command }) => {
    const titles = titlesFor(client, name, command);
    return el(
      "li",
      {},
      permittedButton(client, { words, press: () => (dialog.close(), press()), titles, looks: "row" }),
    );
  });
  const dialog = openDialog({
    name: "table-menu",
    title: `Table ${name}`,
    look: "narrow",
    body: [el("ul", { class: "rows" }, ...rows)],
  });
}

await openConsole("pit", pit);
