// The pit console and its overview of the floor.

import { openConsole } from "../console/console.js";
import { openDisputes } from "../console/disputes.js";
import { journalPart } from "../console/journal.js";
import { receivablesPart } from "../console/receivables.js";
import { tableMessage } from "../console/text.js";
import { clauseLink, commandText, correctionOf, phaseLook, pill, rulesAt, updatePill } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { button, each, el, icon, marked, shown, text } from "../shared/dom.js";
import { tile, tiles } from "../shared/pocket.js";
import { say } from "../shared/text.js";
import { showDeviceKeys, openDevices } from "./devices.js";
import { URGENT, pendingPart } from "./pending.js";
import { openStaff } from "./staff.js";
import { holdFigure, openTable } from "./table.js";
import { blockerText, remedyText } from "./pending_fields.js";
import { tableActions, messageTo, permittedButton, titlesFor } from "./table_actions.js";
import { limitsInShort, secondsOf, wheelText } from "./table_settings.js";
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
  const debts = receivablesPart(({ terminal, payable }) => (!terminal ? say("debts.at-table") : payable > 0 ? say("debts.at-cashier") : ""));
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

/** The columns, by the ids of their headings. */
const HEADS = ["table", "phase", "numbers", "players", "staked", "worst", "hold", "limits"];
const NUMBERS_SHOWN = 5;
/** How many pockets are named where several are the worst. */
const WORST_SHOWN = 3;

/** @param {ConsoleClient} client @returns {import("../console/client.js").Part} */
function floorPart(client) {
  /** @type {Map<string, Line>} */
  const lines = new Map();
  const body = el("tbody", {});
  const heads = HEADS.map((head) => el("th", { scope: "col", class: LOOKS[head] }, say(`floor.${head}`)));
  const last = el("th", { scope: "col" }, el("span", { class: "unseen" }, say("floor.more")));
  const table = el(
    "table",
    { class: "grid", "aria-label": say("pit-tab.floor") },
    el("colgroup", {}, ...[...HEADS, "more"].map((head) => el("col", { "data-of": head }))),
    el("thead", {}, el("tr", {}, ...heads, last)),
    body,
  );
  const frame = el("div", { class: "grid-frame", tabindex: "0", role: "region", "aria-label": say("pit-tab.floor") }, table);
  const node = el(
    "section",
    { class: "card floor" },
    el("div", { class: "top" }, el("h2", {}, say("pit-tab.floor")), houseActions(client)),
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
    { class: "ways", role: "group", "aria-label": say("floor.house") },
    button(say("floor.message"), () => messageTo(client, [], say("message.to-all")), { class: "small" }),
    button(say("auditor.disputes-open"), () => openDisputes(client), { class: "small" }),
    button(say("floor.devices"), () => openDevices(client), { class: "small" }),
    button(say("floor.staff"), () => openStaff(client), { class: "small" }),
  );

/** @type {Record<string, string>} */
const LOOKS = { numbers: "lately", players: "sum", staked: "sum", worst: "sum", limits: "limits" };

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
  const why = el("p", { class: "blocked" });
  const signs = el("p", { class: "signs", hidden: true }, icon("form"), el("span", {}));
  const phase = el("td", { class: "phase" }, pill({ says: "" }), why, signs);
  const last = tiles(say("floor.past"));
  const sums = ["players", "staked", "worst"];
  const [players, staked, worst] = sums.map((head) => cell(head === "worst" ? "sum worst" : "sum", say(`floor.${head}`)));
  const limits = cell("limits");
  const hold = holdFigure(client, name);
  const menu = button("⋯", () => openTableMenu(client, name), { class: "more", "aria-label": say("floor.menu", { table: name }) });
  const lately = el("td", { class: "lately" }, last.node);
  const cells = [el("td", { class: "title" }, open), phase, lately, players, staked, worst, el("td", { class: "of-hold" }, hold.node)];
  const line = el("tr", {}, ...cells, limits, el("td", { class: "end" }, menu));
  const tick = () => {
    const state = client.view.tables[name]?.state;
    if (!state) return;
    const left = secondsOf(client, state);
    updatePill(phase, {
      says: left === null ? tableMessage(state) : `${tableMessage(state)} ${say("seconds.short", { n: left })}`,
      look: phaseLook(state),
    });
  };
  const update = (/** @type {State} */ view) => {
    const { state } = view.tables[name];
    const floor = view.floor?.tables?.[name];
    const felt = client.felt(name);
    text(kind, wheelText(state.wheel));
    paintBlocked(why, client, name);
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
 * @param {HTMLElement} host @param {ConsoleClient} client @param {string} name
 */
function paintBlocked(host, client, name) {
  const blocked = client.view.floor?.tables?.[name]?.blocked ?? [];
  shown(host, blocked.length > 0);
  const shows = JSON.stringify(blocked);
  if (host.dataset.shows === shows) return;
  host.dataset.shows = shows;
  const rules = rulesAt(client, name);
  host.replaceChildren(...blocked.flatMap((row) => [blockerText(row), " ", clauseLink(rules, row.clause) ?? "", " "]));
  host.title = blocked.map(remedyText).join("\n");
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
  const what = commandText(/** @type {any} */ (proposal.command), correctionOf(client, proposal.command)?.was ?? null, (cents) => client.amount(cents, name));
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
  const coming = next === now ? say("floor.next-other") : say("floor.next", { limits: next });
  host.replaceChildren(el("span", {}, now), ...(terms?.next ? [el("small", {}, coming)] : []));
  marked(host, "data-coming", terms?.next ? "" : null);
}

// The menu of a table: all its actions.

/** @param {import("../console/client.js").ConsoleClient} client @param {string} name */
function openTableMenu(client, name) {
  const state = client.view.tables[name]?.state;
  if (!state) return;
  /** @type {import("./table_actions.js").Action} */
  const look = { words: say("floor.look"), press: () => openTable(client, name) };
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
    title: say("floor.name", { table: name }),
    look: "narrow",
    body: [el("ul", { class: "rows" }, ...rows)],
  });
}

await openConsole("pit", pit);
