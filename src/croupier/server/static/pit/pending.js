// Pending items: what needs a decision of the pit, and acting on it.

import { openDisputes } from "../console/disputes.js";
import { openForm } from "../console/forms.js";
import { withClause, clauseMark, durationOf } from "../console/text.js";
import { button, each, el, marked, shown, text } from "../shared/dom.js";
import { openCorrection } from "./corrections.js";
import { fieldFor, LABELS, EFFECTS, titleOf } from "./pending_fields.js";
import { openProposal } from "./proposals.js";
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
  const list = el("ol", { class: "cards" });
  const none = el("p", { class: "none" }, "Nothing waits for anybody.");
  const more = el("p", { class: "none" });
  const news = el("p", { class: "unseen", role: "status" });
  const frame = el(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "Needs action" },
    became.node,
    list,
    none,
    more,
  );
  const node = el("section", { class: "needs" }, el("h2", { class: "label" }, "Needs action"), news, frame);
  /** @type {Set<string> | null} */
  let known = null;
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    const needs = view.floor?.needs ?? [];
    became.update(view);
    each(list, needs, keyOf, cards.make, cards.update);
    shown(none, needs.length === 0);
    const rest = view.floor?.needs_more ?? 0;
    text(more, `${rest} more wait behind these.`);
    shown(more, rest > 0);
    const keys = new Set(needs.map(keyOf));
    const fresh = needs.filter((need) => known !== null && !known.has(keyOf(need)));
    if (fresh.length > 0) text(news, `New: ${fresh.map(titleOf).join("; ")}`);
    known = view.floor ? keys : null;
  };
  return { node, update, tick: cards.tick };
}

// Acting on an item: at once, or after the missing facts are given.

/**
 * @typedef {Record<string, any>} Command
 */

/** Actions without a form: they can be repeated or undone. */
const AT_ONCE = new Set(["clear", "reopen", "advise"]);
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
      el("p", {}, el("b", {}, titleOf(need)), ". ", withClause(need)),
      ...(EFFECTS[label] ? [el("p", {}, EFFECTS[label])] : []),
      ...(wanted.digest
        ? [el("p", { class: "digest" }, "What the records have, in short: ", el("code", {}, wanted.digest))]
        : []),
    ],
    fields: asks.map((name) => fieldFor(client, { name, label, table: need.table })),
    does: dual ? "Sign it" : plain(label),
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
const plain = (label) => (LABELS[label] ?? label).replace("…", "");

// Cards: one pending item, with its actions and who may take them.

/** Kinds that cannot wait. @type {Set<PendingItem["kind"]>} */
export const URGENT = new Set(["suspended", "interrupted", "incident", "blocked", "case"]);

/** The key of an item from one view to the next. @param {PendingItem} need */
const keyOf = ({ kind, number, table, terminal, what }) =>
  [kind, kind === "idle" ? "" : kind === "blocked" ? what : number, table, terminal].join(":");

/** @param {ConsoleClient} client */
function itemCard(client) {
  /** The items with a running time, by card. @type {Map<HTMLElement, PendingItem>} */
  const counted = new Map();
  const make = (/** @type {PendingItem} */ { kind }) =>
    el(
      "li",
      { class: "need", "data-look": URGENT.has(kind) ? "stop" : "warn" },
      el("h3", {}),
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
    const shows = JSON.stringify([need, client.who, Boolean(need.table && client.felt(need.table))]);
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
  const { says, clause, amount, table } = need;
  text(card.querySelector("h3"), titleOf(need));
  const words = card.querySelector(".says");
  words?.replaceChildren(says, ...(clause ? [" ", el("small", {}, clauseMark(clause))] : []));
  text(card.querySelector(".amount"), amount && table ? client.amount(amount, table) : "");
  const actions = /** @type {HTMLElement} */ (card.querySelector(".ways"));
  actions.replaceChildren(...buttons(client, need));
}

/** @param {ConsoleClient} client @param {PendingItem} need */
function buttons(client, need) {
  const { kind, number, table, actions } = need;
  if (kind === "proposal" && number !== null)
    return [button("Review and sign…", () => openProposal(client, number), { class: "main" })];
  const more = [];
  if (kind === "dispute" && number !== null)
    more.push(button("Evidence…", () => openDisputes(client, { dispute: number })));
  else if (table !== null) more.push(button("Look closer…", () => openTable(client, table), { class: "quiet" }));
  return [...actions.map((action) => actionButton(client, need, action)), ...more];
}

/** An action of another duty names that duty. @param {ConsoleClient} client @param {PendingItem} need @param {Action} action */
function actionButton(client, need, action) {
  const words = LABELS[action.label] ?? action.label;
  return permittedButton(client, { words, press: () => act(client, need, action), titles: action.titles });
}

/**
 * How long it has been pending, and how long it may.
 * @param {HTMLElement} card @param {ConsoleClient} client @param {PendingItem} need
 */
function count(card, client, { since_us: since, due_us: due }) {
  const now = client.session.now();
  if (now === null) return;
  text(card.querySelector(".since"), since === null ? "" : `for ${durationOf(now - since)}`);
  const left = due === null ? null : due - now;
  text(card.querySelector(".due"), left === null ? "" : left > 0 ? `${durationOf(left)} left` : "overdue");
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
  const node = el("ul", { class: "became", "aria-label": "What became of rounds", "aria-live": "polite" });
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    const response = client.ordered(Object.keys(view.tables)).flatMap((table) => {
      const { notice } = view.tables[table].state;
      return notice ? [{ table, notice }] : [];
    });
    each(node, response, ({ table, notice }) => `${table}:${notice.round}:${notice.says}`, card);
    shown(node, response.length > 0);
  };
  return { node, update };
}

/** @param {TableNotice} response */
function card({ table, notice: { round, says, clause } }) {
  const cites = clause ? el("small", {}, ` ${clauseMark(clause)}`) : null;
  return el("li", {}, el("b", {}, `${table}, round ${round}: `), says, cites);
}
