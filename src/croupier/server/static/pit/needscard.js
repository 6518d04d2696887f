// Cards: one thing that waits for somebody, with what can be done about it and by whom.

import { button, el, marked, shown, text } from "../kit/dom.js";
import { clauseMark, spanOf } from "../staff/words.js";
import { openDisputes } from "../staff/disputes.js";
import { act } from "./needsact.js";
import { openProposal } from "./needsproposal.js";
import { LABELS, titleOf } from "./needswords.js";
import { openTable } from "./table.js";
import { rightfulButton } from "./tablerights.js";

/**
 * @typedef {import("../staff/desk.js").Desk} Desk
 * @typedef {import("../kit/consoles.js").Need} Need
 * @typedef {import("../kit/consoles.js").Action} Action
 */

/** What cannot wait. @type {Set<Need["kind"]>} */
export const GRAVE = new Set(["suspended", "interrupted", "incident", "blocked", "case"]);

/** By what a need is known from one picture of the floor to the next. @param {Need} need */
export const keyOf = ({ kind, number, table, terminal, what }) =>
  [kind, kind === "idle" ? "" : kind === "blocked" ? what : number, table, terminal].join(":");

/** @param {Desk} desk */
export function needCard(desk) {
  /** What each card counts. @type {Map<HTMLElement, Need>} */
  const counted = new Map();
  const make = (/** @type {Need} */ { kind }) =>
    el(
      "li",
      { class: "need", "data-look": GRAVE.has(kind) ? "stop" : "warn" },
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
  const update = (/** @type {HTMLElement} */ card, /** @type {Need} */ need) => {
    counted.set(card, need);
    const shows = JSON.stringify([need, desk.who, Boolean(need.table && desk.felt(need.table))]);
    if (card.dataset.shows !== shows) paint(card, desk, need);
    card.dataset.shows = shows;
    count(card, desk, need);
  };
  const tick = () => {
    for (const [card, need] of counted) {
      if (card.isConnected) count(card, desk, need);
      else counted.delete(card);
    }
  };
  return { make, update, tick };
}

/** @param {HTMLElement} card @param {Desk} desk @param {Need} need */
function paint(card, desk, need) {
  const { says, clause, amount, table } = need;
  text(card.querySelector("h3"), titleOf(need));
  const words = card.querySelector(".says");
  words?.replaceChildren(says, ...(clause ? [" ", el("small", {}, clauseMark(clause))] : []));
  text(card.querySelector(".amount"), amount && table ? desk.amount(amount, table) : "");
  const deeds = /** @type {HTMLElement} */ (card.querySelector(".ways"));
  deeds.replaceChildren(...buttons(desk, need));
}

/** @param {Desk} desk @param {Need} need */
function buttons(desk, need) {
  const { kind, number, table, actions } = need;
  if (kind === "proposal" && number !== null)
    return [button("Review and sign…", () => openProposal(desk, number), { class: "main" })];
  const more = [];
  if (kind === "dispute" && number !== null)
    more.push(button("Evidence…", () => openDisputes(desk, { dispute: number })));
  else if (table !== null) more.push(button("Look closer…", () => openTable(desk, table), { class: "quiet" }));
  return [...actions.map((action) => actionButton(desk, need, action)), ...more];
}

/** What somebody may not ask for says who may. @param {Desk} desk @param {Need} need @param {Action} action */
function actionButton(desk, need, action) {
  const words = LABELS[action.label] ?? action.label;
  return rightfulButton(desk, { words, press: () => act(desk, need, action), titles: action.titles });
}

/** How long it has waited, and how long it may. @param {HTMLElement} card @param {Desk} desk @param {Need} need */
function count(card, desk, { since_us: since, due_us: due }) {
  const now = desk.session.now();
  if (now === null) return;
  text(card.querySelector(".since"), since === null ? "" : `for ${spanOf(now - since)}`);
  const left = due === null ? null : due - now;
  text(card.querySelector(".due"), left === null ? "" : left > 0 ? `${spanOf(left)} left` : "overdue");
  marked(card, "data-overdue", left !== null && left <= 0 ? "" : null);
  const counts = /** @type {HTMLElement} */ (card.querySelector(".counts"));
  shown(
    counts,
    [...counts.children].some((child) => child.textContent !== ""),
  );
}
