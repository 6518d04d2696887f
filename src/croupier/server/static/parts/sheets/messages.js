// The messages: what the house told this player and what it refused, the newest first, with clause and time.

import { button, each, el, shown } from "../../kit/dom.js";
import { amount } from "../../kit/money.js";
import { openSheet } from "../../kit/sheet.js";
import { refusalWords, say } from "../../kit/words.js";
import { clockOf } from "./when.js";
import { openRules } from "./rules.js";

/** @typedef {import("../ui.js").Ui} Ui */
/** @typedef {import("./log.js").Entry} Entry */

/** @param {Ui} ui @param {import("./log.js").Log} log */
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
  openSheet({ name: "messages", title: say("messages.title"), body: [none, list], update });
  update();
}

/** @param {Ui} ui @param {Entry} entry */
function row(ui, { at, kind, words: told, no, clause, table }) {
  // Of two games it takes the name to know which is meant.
  const words = table && told && ui.tables().length > 1 ? say("told.of", { table, says: told }) : told;
  const says = no ? el("p", {}, refusalWords(no, amount)) : el("p", { lang: "en", dir: "ltr" }, words ?? "");
  return el(
    "li",
    { "data-kind": kind },
    el("p", { class: "when" }, el("b", {}, say(KINDS[kind])), at === null ? null : el("time", {}, clockOf(at))),
    says,
    clause ? button(say("clause", { clause }), () => openRules(ui, clause), { class: "clause" }) : null,
  );
}

const KINDS = { message: "messages.message", refusal: "messages.refusal", notice: "messages.notice" };
