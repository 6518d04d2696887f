// The dialog with the messages and refusals of this visit.

import { clauseSign } from "../../shared/clause.js";
import { openDialog } from "../../shared/dialog.js";
import { h } from "../../shared/render.js";
import { noticeText, refusalText, say, seatMessageText } from "../../shared/text.js";
import { clockOf } from "../../shared/times.js";
import { amount } from "../money.js";
import { ofTable } from "../notices.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("./messages.js").Log} Log
 * @typedef {import("./messages.js").Entry} Entry
 */

/** @param {Controller} ui @param {Log} log */
export function openMessages(ui, log) {
  const body = () => [
    h("p", { class: "quiet", hidden: log.entries.length > 0 }, say("messages.none")),
    h("ol", { class: "log" }, log.entries.map((entry) => row(ui, entry))),
  ];
  openDialog({ name: "messages", title: say("messages.title"), body });
}

/** @param {Controller} ui @param {Entry} entry */
function row(ui, { key, at, kind, no, notice, message, clause, table }) {
  const words = no
    ? refusalText(no, amount)
    : notice
    ? noticeText(notice)
    : message
    ? seatMessageText(message, amount)
    : "";
  return h(
    "li",
    { "data-kind": kind, key },
    h("p", { class: "when" }, h("b", null, say(KINDS[kind])), at !== null && h("time", null, clockOf(at))),
    h("p", { dir: "auto" }, table ? ofTable(ui, table, words) : words),
    clauseSign(clause, (one) => ui.dialogs.rules(one)),
  );
}

const KINDS = { message: "messages.message", refusal: "messages.refusal", notice: "messages.notice" };
