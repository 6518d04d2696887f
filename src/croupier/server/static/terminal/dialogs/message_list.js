// The dialog with the messages and refusals of this visit.

import { clauseInfo } from "../../shared/clause.js";
import { openDialog } from "../../shared/dialog.js";
import { each, el, shown } from "../../shared/dom.js";
import { noticeText, refusalText, say, seatMessageText, tableName } from "../../shared/text.js";
import { clockOf } from "../../shared/times.js";
import { amount } from "../money.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("./messages.js").Log} Log
 * @typedef {import("./messages.js").Entry} Entry
 */

/** @param {Controller} ui @param {Log} log */
export function openMessages(ui, log) {
  const list = el("ol", { class: "log" });
  const none = el("p", { class: "quiet" }, say("messages.none"));
  const update = () => {
    shown(none, log.entries.length === 0);
    each(
      list,
      log.entries,
      (entry) => entry.key,
      (entry) => row(ui, entry),
    );
  };
  openDialog({ name: "messages", title: say("messages.title"), body: [none, list], update });
  update();
}

/** @param {Controller} ui @param {Entry} entry */
function row(ui, { at, kind, no, notice, message, clause, table }) {
  const words = no
    ? refusalText(no, amount)
    : notice
    ? noticeText(notice)
    : message
    ? seatMessageText(message, amount)
    : "";
  // With two games the table is named.
  const says = table && ui.tables().length > 1 ? say("notice.of", { table: tableName(table), says: words }) : words;
  return el(
    "li",
    { "data-kind": kind },
    el("p", { class: "when" }, el("b", {}, say(KINDS[kind])), at === null ? null : el("time", {}, clockOf(at))),
    el("p", { dir: "auto" }, says),
    clauseInfo((one) => ui.dialogs.rules(one), clause).node,
  );
}

const KINDS = { message: "messages.message", refusal: "messages.refusal", notice: "messages.notice" };
