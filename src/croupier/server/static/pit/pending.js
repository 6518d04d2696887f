// Pending items: what needs a decision of the pit, and acting on it.

import { openDisputes } from "../console/disputes.js";
import { openForm } from "../console/forms.js";
import { durationOf, figure } from "../console/text.js";
import { commandText, correctionOf, ruleLink, rulesAt } from "../console/widgets.js";
import { pocketTile } from "../shared/pocket.js";
import { button, h, icon } from "../shared/render.js";
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
 */

/** What needs action, and which of it is new. */
export class PendingItems {
  /** The keys of the items that were there before; null until they are known. @type {Set<string> | null} */
  #known = null;
  /** What came last, for screen readers. */
  #news = "";

  /** @param {ConsoleClient} client */
  constructor(client) {
    this.client = client;
  }

  /** @param {import("../shared/store.js").State} view */
  changed({ floor }) {
    const needs = floor?.needs ?? [];
    const fresh = needs.filter((need) => this.#known !== null && !this.#known.has(keyOf(need)));
    if (fresh.length > 0) this.#news = say("needs.new", { items: fresh.map(titleOf).join("; ") });
    this.#known = floor ? new Set(needs.map(keyOf)) : null;
  }

  /** @param {import("../shared/store.js").State} view */
  draw(view) {
    const { client } = this;
    const needs = view.floor?.needs ?? [];
    const rest = view.floor?.needs_more ?? 0;
    const { loud, hushed } = grouped(needs);
    const sum = needs.length > 0 ? [moneyOf(client, needs), say("needs.order")].filter(Boolean).join(" · ") : "";
    return h(
      "section",
      { class: "needs", "aria-label": say("needs.title") },
      h("div", { class: "top" }, h("h2", { class: "label" }, say("needs.title")), h("span", { class: "waits" }, sum)),
      h("p", { class: "unseen", role: "status" }, this.#news),
      noticeList(client),
      h("div", { class: "groups" }, loud.map((group) => groupSection(client, group))),
      hushed.length > 0 && quietItems(client, hushed),
      needs.length === 0 && h("p", { class: "none" }, say("needs.none")),
      rest > 0 && h("p", { class: "none" }, say("needs.more", { n: rest })),
    );
  }
}

// Groups: what expires or cannot wait first, then by the money that waits; what has no money in it is one quiet line.

/** The groups in their order, each with its kinds. @type {Record<string, PendingItem["kind"][]>} */
const GROUPS = {
  signatures: ["proposal"],
  rounds: ["suspended", "interrupted", "incident", "blocked"],
  devices: ["device"],
  machines: ["case", "dark", "credit_left"],
  wins: ["held_win"],
  calls: ["call"],
  disputes: ["dispute"],
};
/** The incidents of devices that are locked. */
const LOCK_UPS = new Set(["acceptor_locked", "printer_locked", "note_unresolved"]);
/** Kinds that are quiet while no money is at stake. @type {Set<PendingItem["kind"]>} */
const HUSHED = new Set(["dark", "idle"]);

/** Whether an item asks for nothing now. @param {PendingItem} need */
export const isQuiet = ({ kind, amount }) => HUSHED.has(kind) && !amount;

/**
 * Sort items into their groups: by the clock where one runs, then by money. Seats without money are quiet.
 * @param {PendingItem[]} needs
 */
export function grouped(needs) {
  const hushed = needs.filter(isQuiet);
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

/** @param {ConsoleClient} client @param {{name: string, needs: PendingItem[]}} group */
const groupSection = (client, { name, needs }) =>
  h(
    "section",
    { class: "group", key: name, "aria-label": say(`group.${name}`) },
    h(
      "div",
      { class: "head" },
      h("h3", { class: "label" }, say(`group.${name}`)),
      h("span", { class: "sums" }, sumsOf(client, needs)),
    ),
    h("ol", { class: "cards" }, needs.map((need) => itemCard(client, need))),
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

/** Seats without money that have no link or do not play. @param {ConsoleClient} client @param {PendingItem[]} needs */
function quietItems(client, needs) {
  const dark = needs.filter(({ kind }) => kind === "dark").reduce((all, { count }) => all + Math.max(1, count), 0);
  const idle = needs.filter(({ kind }) => kind === "idle").length;
  const parts = [dark > 0 && say("quiet.dark", { n: dark }), idle > 0 && say("quiet.idle", { n: idle })];
  return h(
    "details",
    { class: "hushed" },
    h(
      "summary",
      null,
      icon("statistics"),
      h("span", null, say("quiet.line", { items: parts.filter(Boolean).join(", ") })),
    ),
    h(
      "ul",
      null,
      needs.map((need) =>
        h(
          "li",
          { key: keyOf(need) },
          h("span", null, titleOf(need)),
          h("div", { class: "ways" }, buttons(client, need)),
        )
      ),
    ),
  );
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
      h(
        "p",
        null,
        h("b", null, titleOf(need)),
        " · ",
        itemText(client, need),
        " ",
        ruleLink(rulesAt(client, need.table), need.clause),
      ),
      effectText(label) && h("p", null, effectText(label)),
      wanted.digest && h("p", { class: "digest" }, `${say("needs.digest")} `, h("code", null, wanted.digest)),
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

/** @param {ConsoleClient} client @param {PendingItem} need */
function itemCard(client, need) {
  const { kind, amount, table, since_us: since, due_us: due } = need;
  const { title, text } = contentOf(client, need);
  const now = client.session.now() ?? 0;
  const isOverdue = due !== null && due <= now;
  return h(
    "li",
    { class: "need", key: keyOf(need), "data-look": URGENT.has(kind) ? "stop" : "warn", "data-overdue": isOverdue },
    h("h4", null, title),
    h("p", { class: "says" }, text),
    h(
      "p",
      { class: "counts" },
      amount !== null && amount > 0 && table && h("span", { class: "amount" }, client.amount(amount, table)),
      since !== null && h("span", { class: "since" }, say("needs.since", { time: durationOf(now - since) })),
      due !== null &&
        h("b", { class: "due" }, isOverdue ? say("needs.overdue") : say("needs.left", { time: durationOf(due - now) })),
    ),
    h("div", { class: "ways" }, buttons(client, need)),
  );
}

/** The title and text of an item; a proposal names what was signed and by whom. @param {ConsoleClient} client @param {PendingItem} need */
function contentOf(client, need) {
  const { clause, table } = need;
  const proposal = client.view.floor?.proposals?.find((one) =>
    need.kind === "proposal" && one.proposal === need.number
  );
  if (!proposal) {
    return { title: titleOf(need), text: [itemText(client, need), " ", ruleLink(rulesAt(client, table), clause)] };
  }
  const { command, person, device } = proposal;
  const signed = say("needs.signed", { person, device });
  const correction = correctionOf(client, command);
  if (correction) {
    const colours = client.felt(correction.table)?.colours;
    const was = correction.was !== null && pocketTile(correction.was, colours);
    return {
      title: say("needs.correction", { table: correction.table, round: figure(correction.round) }),
      text: [was, " → ", pocketTile(correction.pocket, colours), " ", signed],
    };
  }
  const { drawer } = /** @type {any} */ (command);
  const money = (
    /** @type {number} */ cents,
  ) => (drawer ? drawerAmount(client, drawer, cents) : client.amount(cents, table ?? ""));
  return { title: say("needs.awaits", { what: commandText(command, null, money) }), text: signed };
}

/** @param {ConsoleClient} client @param {PendingItem} need */
function buttons(client, need) {
  const { kind, number, table, actions } = need;
  if (kind === "proposal" && number !== null) {
    return [button(say("needs.review"), () => openProposal(client, number), { class: "main" })];
  }
  const more = [];
  if (kind === "dispute" && number !== null) {
    more.push(button(say("needs.evidence"), () => openDisputes(client, { dispute: number })));
  } else if (table !== null) more.push(button(say("needs.closer"), () => openTable(client, table), { class: "quiet" }));
  return [...actions.map((action) => actionButton(client, need, action)), ...more];
}

/** An action of another duty names that duty. @param {ConsoleClient} client @param {PendingItem} need @param {Action} action */
function actionButton(client, need, action) {
  const words = actionText(action.label);
  return permittedButton(client, { words, press: () => act(client, need, action), titles: action.titles });
}

// Notices of tables: the outcome of a round that was not simply settled, while its table shows it.

/** @param {ConsoleClient} client */
function noticeList(client) {
  const { tables } = client.view;
  const items = client.ordered(Object.keys(tables)).map((table) => {
    const { notice } = tables[table].state;
    if (!notice) return null;
    const name = say("needs.round", { table, round: figure(notice.round) });
    return h(
      "li",
      { key: `${table}:${notice.round}:${notice.kind}` },
      say("notice.of", { table: name, says: noticeText(notice) }),
      " ",
      ruleLink(rulesAt(client, table), notice.clause),
    );
  });
  return h("ul", {
    class: "became",
    "aria-label": say("needs.became"),
    "aria-live": "polite",
    hidden: !items.some(Boolean),
  }, items);
}
