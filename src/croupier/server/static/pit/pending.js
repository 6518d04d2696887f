// Pending items: what needs a decision of the pit, and acting on it.

import { openDisputes } from "../console/disputes.js";
import { openForm } from "../console/forms.js";
import { durationOf, figure } from "../console/text.js";
import { clauseLink, commandText, correctionOf, rulesAt } from "../console/widgets.js";
import { button, each, el, icon, marked, shown, text } from "../shared/dom.js";
import { tile } from "../shared/pocket.js";
import { noticeText, say } from "../shared/text.js";
import { openCorrection } from "./corrections.js";
import { actionText, effectText, fieldFor, itemText, titleOf } from "./pending_fields.js";
import { drawerAmount, openProposal } from "./proposals.js";
import { openTable } from "./table.js";
import { permittedButton } from "./table_actions.js";

/**
 * @typedef {import("../shared/types/console.js").AvailableAction} Action
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").PendingItem} PendingItem
 * @typedef {import("../shared/types/wire.js").Notice} Notice
 */

/** @param {ConsoleClient} client @returns {import("../console/client.js").Part} */
export function pendingPart(client) {
  const cards = itemCard(client);
  const became = noticesPart(client);
  const groups = el("div", { class: "groups" });
  const none = el("p", { class: "none" }, say("needs.none"));
  const quiet = quietLine(client);
  const more = el("p", { class: "none" });
  const news = el("p", { class: "unseen", role: "status" });
  const frame = el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": say("needs.title") },
    became.node,
    groups,
    quiet.node,
    none,
    more,
  );
  const sum = el("span", { class: "waits" });
  const top = el("div", { class: "top" }, el("h2", { class: "label" }, say("needs.title")), sum);
  const node = el("section", { class: "needs" }, top, news, frame);
  /** @type {Set<string> | null} */
  let known = null;
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    const needs = view.floor?.needs ?? [];
    became.update(view);
    const { loud, hushed } = grouped(needs);
    each(
      groups,
      loud,
      ({ name }) => name,
      ({ name }) => group(name),
      (section, { needs: some }) => {
        text(section.querySelector(".sums"), sumsOf(client, some));
        const list = /** @type {HTMLElement} */ (section.querySelector(".cards"));
        each(list, some, keyOf, cards.make, cards.update);
      },
    );
    quiet.update(hushed);
    text(sum, needs.length > 0 ? [moneyOf(client, needs), say("needs.order")].filter(Boolean).join(" · ") : "");
    shown(none, needs.length === 0);
    const rest = view.floor?.needs_more ?? 0;
    text(more, say("needs.more", { n: rest }));
    shown(more, rest > 0);
    const keys = new Set(needs.map(keyOf));
    const fresh = needs.filter((need) => known !== null && !known.has(keyOf(need)));
    if (fresh.length > 0) text(news, say("needs.new", { items: fresh.map(titleOf).join("; ") }));
    known = view.floor ? keys : null;
  };
  return { node, update, tick: cards.tick };
}

// Groups: what cannot wait first, then by the money that waits; what has no money in it is one quiet line.

/** The groups in their order, each with its kinds. @type {Record<string, PendingItem["kind"][]>} */
const GROUPS = {
  rounds: ["suspended", "interrupted", "incident", "blocked"],
  devices: ["device"],
  signatures: ["proposal"],
  machines: ["case", "dark", "credit_left"],
  wins: ["held_win"],
  calls: ["call"],
  disputes: ["dispute"],
};
/** The incidents of devices that are locked. */
const LOCK_UPS = new Set(["acceptor_locked", "printer_locked", "note_unresolved"]);
/** Kinds that are quiet while no money is at stake. @type {Set<PendingItem["kind"]>} */
const HUSHED = new Set(["dark", "idle"]);

/**
 * Sort items into their groups: by the clock where one runs, then by money. Seats without money are quiet.
 * @param {PendingItem[]} needs
 */
export function grouped(needs) {
  const hushed = needs.filter(({ kind, amount }) => HUSHED.has(kind) && !amount);
  const loud = Object.entries(GROUPS).map(([name, kinds]) => ({
    name,
    needs: needs.filter((need) => kinds.includes(groupKind(need)) && !hushed.includes(need)).sort(byClockThenMoney),
  }));
  return { loud: loud.filter(({ needs: some }) => some.length > 0), hushed };
}

/** The kind by which an item is grouped: a locked device is with the devices. @param {PendingItem} need */
const groupKind = ({ kind, what }) => (kind === "incident" && LOCK_UPS.has(what) ? "device" : kind);

/** @param {PendingItem} one @param {PendingItem} other */
const byClockThenMoney = (one, other) =>
  (one.due_us ?? Infinity) - (other.due_us ?? Infinity) || (other.amount ?? 0) - (one.amount ?? 0);

/** @param {string} name */
const group = (name) =>
  el(
    "section",
    { class: "group", "aria-label": say(`group.${name}`) },
    el("div", { class: "head" }, el("h3", { class: "label" }, say(`group.${name}`)), el("span", { class: "sums" })),
    el("ol", { class: "cards" }),
  );

/** How many items, and their money. @param {ConsoleClient} client @param {PendingItem[]} needs */
function sumsOf(client, needs) {
  const [count, money] = [needs.length > 1 ? figure(needs.length) : "", moneyOf(client, needs)];
  return [count, money].filter(Boolean).join(" · ");
}

/** The money of items, by currency. @param {ConsoleClient} client @param {PendingItem[]} needs */
function moneyOf(client, needs) {
  /** A table of each currency, with its sum. @type {Map<string, {table: string, cents: number}>} */
  const sums = new Map();
  for (const { table, amount } of needs) {
    const currency = table === null ? undefined : client.felt(table)?.currency;
    if (!amount || table === null || currency === undefined) continue;
    const sum = sums.get(currency) ?? { table, cents: 0 };
    sums.set(currency, { ...sum, cents: sum.cents + amount });
  }
  return [...sums.values()].map(({ table, cents }) => client.amount(cents, table)).join(" + ");
}

/** Seats without money that have no link or do not play. @param {ConsoleClient} client */
function quietLine(client) {
  const words = el("span", {});
  const list = el("ul", {});
  const node = el("details", { class: "hushed", hidden: true }, el("summary", {}, icon("statistics"), words), list);
  /** @param {PendingItem[]} needs */
  const update = (needs) => {
    const dark = needs.filter(({ kind }) => kind === "dark").reduce((all, { count }) => all + Math.max(1, count), 0);
    const idle = needs.filter(({ kind }) => kind === "idle").length;
    const parts = [dark > 0 && say("quiet.dark", { n: dark }), idle > 0 && say("quiet.idle", { n: idle })];
    text(words, say("quiet.line", { items: parts.filter(Boolean).join(", ") }));
    shown(node, needs.length > 0);
    each(
      list,
      needs,
      keyOf,
      () => el("li", {}, el("span", {}), el("div", { class: "ways" })),
      (item, need) => {
        text(item.firstElementChild, titleOf(need));
        const shows = JSON.stringify([need, client.who]);
        if (item.dataset.shows === shows) return;
        item.dataset.shows = shows;
        item.lastElementChild?.replaceChildren(...buttons(client, need));
      },
    );
  };
  return { node, update };
}

// Acting on an item: at once, or after the missing facts are given.

/**
 * @typedef {Record<string, any>} Command
 */

/** Actions without a form: they can be repeated or undone. */
const AT_ONCE = new Set(["answer", "clear", "reopen", "advise"]);
const IRREVERSIBLE = new Set(["void", "void_bets", "no_spin", "malfunction"]);

/** @param {ConsoleClient} client @param {PendingItem} need @param {Action} action */
export function act(client, need, { label, command, asks, dual }) {
  const wanted = /** @type {Command} */ (command);
  if (label === "correct") return openCorrection(client, { table: wanted.table, round: wanted.round });
  if (AT_ONCE.has(label) && asks.length === 0) return atOnce(client, wanted);
  openForm({
    name: "act",
    title: plain(label),
    about: [
      el("p", {}, el("b", {}, titleOf(need)), " · ", itemText(client, need), " ", clauseLink(rulesAt(client, need.table), need.clause)),
      ...(effectText(label) ? [el("p", {}, effectText(label))] : []),
      ...(wanted.digest
        ? [el("p", { class: "digest" }, `${say("needs.digest")} `, el("code", {}, wanted.digest))]
        : []),
    ],
    fields: asks.map((name) => fieldFor(client, { name, label, table: need.table })),
    does: dual ? say("needs.sign") : plain(label),
    dual,
    grave: IRREVERSIBLE.has(label),
    send: (given) => send(client, wanted, given),
  });
}

/** An action without a form has no dialog for its response. @param {ConsoleClient} client @param {Command} command */
async function atOnce(client, command) {
  const { refusal } = await send(client, command, {});
  client.showRefusal(refusal);
}

/**
 * A wire message is sent as it is; everything else is a command.
 * @param {ConsoleClient} client @param {Command} command
 * @param {Record<string, any>} given
 */
function send(client, command, given) {
  if (command.t === undefined) return client.sendCommand({ ...command, ...given });
  const { t, ...fields } = command;
  return client.sendRequest(t, { ...fields, ...given });
}

/** @param {string} label */
const plain = (label) => actionText(label).replace("…", "");

// Cards: one pending item, with its actions and who may take them.

/** Kinds that cannot wait. @type {Set<PendingItem["kind"]>} */
export const URGENT = new Set(["suspended", "interrupted", "incident", "blocked", "case"]);

/** The key of an item from one view to the next. @param {PendingItem} need */
function keyOf({ kind, number, table, terminal, what }) {
  const counted = kind === "idle" || kind === "call" ? "" : number;
  return [kind, kind === "blocked" || kind === "device" ? what : counted, table, terminal].join(":");
}

/** @param {ConsoleClient} client */
function itemCard(client) {
  /** The items with a running time, by card. @type {Map<HTMLElement, PendingItem>} */
  const counted = new Map();
  const make = (/** @type {PendingItem} */ { kind }) =>
    el(
      "li",
      { class: "need", "data-look": URGENT.has(kind) ? "stop" : "warn" },
      el("h4", {}),
      el("p", { class: "says" }),
      el(
        "p",
        { class: "counts" },
        el("span", { class: "amount" }),
        el("span", { class: "since" }),
        el("b", { class: "due" }),
      ),
      el("div", { class: "ways" }),
    );
  const update = (/** @type {HTMLElement} */ card, /** @type {PendingItem} */ need) => {
    counted.set(card, need);
    const proposed = client.view.floor?.proposals?.find((one) => need.kind === "proposal" && one.proposal === need.number);
    const place = need.table ?? /** @type {any} */ (proposed?.command)?.table;
    const shows = JSON.stringify([need, client.who, Boolean(place && client.felt(place))]);
    if (card.dataset.shows !== shows) paint(card, client, need);
    card.dataset.shows = shows;
    count(card, client, need);
  };
  const tick = () => {
    for (const [card, need] of counted) {
      if (card.isConnected) count(card, client, need);
      else counted.delete(card);
    }
  };
  return { make, update, tick };
}

/** @param {HTMLElement} card @param {ConsoleClient} client @param {PendingItem} need */
function paint(card, client, need) {
  const { clause, amount, table } = need;
  const proposal = client.view.floor?.proposals?.find((one) => need.kind === "proposal" && one.proposal === need.number);
  const correction = proposal ? correctionOf(client, proposal.command) : null;
  const words = card.querySelector(".says");
  if (correction && proposal) {
    const colours = client.felt(correction.table)?.colours;
    text(card.querySelector("h4"), say("needs.correction", { table: correction.table, round: figure(correction.round) }));
    words?.replaceChildren(
      correction.was === null ? "" : tile(correction.was, colours),
      " → ",
      tile(correction.pocket, colours),
      " ",
      say("needs.signed", { person: proposal.person, device: proposal.device }),
    );
  } else if (proposal) {
    const { drawer } = /** @type {any} */ (proposal.command);
    const money = (/** @type {number} */ cents) => (drawer ? drawerAmount(client, drawer, cents) : client.amount(cents, table ?? ""));
    const what = commandText(/** @type {any} */ (proposal.command), null, money);
    text(card.querySelector("h4"), say("needs.awaits", { what }));
    words?.replaceChildren(say("needs.signed", { person: proposal.person, device: proposal.device }));
  } else {
    text(card.querySelector("h4"), titleOf(need));
    words?.replaceChildren(itemText(client, need), " ", clauseLink(rulesAt(client, table), clause) ?? "");
  }
  text(card.querySelector(".amount"), amount && table ? client.amount(amount, table) : "");
  const actions = /** @type {HTMLElement} */ (card.querySelector(".ways"));
  actions.replaceChildren(...buttons(client, need));
}

/** @param {ConsoleClient} client @param {PendingItem} need */
function buttons(client, need) {
  const { kind, number, table, actions } = need;
  if (kind === "proposal" && number !== null)
    return [button(say("needs.review"), () => openProposal(client, number), { class: "main" })];
  const more = [];
  if (kind === "dispute" && number !== null)
    more.push(button(say("needs.evidence"), () => openDisputes(client, { dispute: number })));
  else if (table !== null) more.push(button(say("needs.closer"), () => openTable(client, table), { class: "quiet" }));
  return [...actions.map((action) => actionButton(client, need, action)), ...more];
}

/** An action of another duty names that duty. @param {ConsoleClient} client @param {PendingItem} need @param {Action} action */
function actionButton(client, need, action) {
  const words = actionText(action.label);
  return permittedButton(client, { words, press: () => act(client, need, action), titles: action.titles });
}

/**
 * How long it has been pending, and how long it may.
 * @param {HTMLElement} card @param {ConsoleClient} client @param {PendingItem} need
 */
function count(card, client, { since_us: since, due_us: due }) {
  const now = client.session.now();
  if (now === null) return;
  text(card.querySelector(".since"), since === null ? "" : say("needs.since", { time: durationOf(now - since) }));
  const left = due === null ? null : due - now;
  text(card.querySelector(".due"), left === null ? "" : left > 0 ? say("needs.left", { time: durationOf(left) }) : say("needs.overdue"));
  marked(card, "data-overdue", left !== null && left <= 0 ? "" : null);
  const counts = /** @type {HTMLElement} */ (card.querySelector(".counts"));
  shown(
    counts,
    [...counts.children].some((child) => child.textContent !== ""),
  );
}

// Notices of tables: the outcome of a round that was not simply settled, while its table shows it.

/**
 * @typedef {{table: string, notice: Notice}} TableNotice
 */

/** @param {ConsoleClient} client @returns {import("../console/client.js").Part} */
function noticesPart(client) {
  const node = el("ul", { class: "became", "aria-label": say("needs.became"), "aria-live": "polite" });
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    const response = client.ordered(Object.keys(view.tables)).flatMap((table) => {
      const { notice } = view.tables[table].state;
      return notice ? [{ table, notice }] : [];
    });
    each(node, response, ({ table, notice }) => `${table}:${notice.round}:${notice.kind}`, (one) => card(client, one));
    shown(node, response.length > 0);
  };
  return { node, update };
}

/** @param {ConsoleClient} client @param {TableNotice} response */
function card(client, { table, notice }) {
  const name = say("needs.round", { table, round: figure(notice.round) });
  const says = say("notice.of", { table: name, says: noticeText(notice) });
  return el("li", {}, says, " ", clauseLink(rulesAt(client, table), notice.clause));
}
