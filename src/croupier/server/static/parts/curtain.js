// The curtain: what stands in the place of the table while there is none: coming in, and a door that was shut.

import { button, el, shown, text } from "../kit/dom.js";
import { amount } from "../kit/money.js";
import { refusalWords, say } from "../kit/words.js";
import { sitDown } from "./sitdown.js";

/** @typedef {import("./ui.js").Ui} Ui */

/** @param {Ui} ui */
export function curtain(ui) {
  const { session } = ui;
  const entry = el("div", { class: "entry" });
  const waits = el("p", { class: "coming", role: "status" }, say("moment.connecting"));
  const why = el("p", { id: "curtain-why" });
  const title = el("h2", { id: "curtain-title" });
  const over = button(say("curtain.take-over"), () => session.enter(), { class: "main" });
  const again = button(say("curtain.begin-again"), () => {
    session.keeper.forget();
    location.reload();
  });
  const shut = el(
    "div",
    {
      class: "panel",
      role: "alertdialog",
      hidden: true,
      "aria-labelledby": title.id,
      "aria-describedby": why.id,
    },
    title,
    why,
    el("div", { class: "row" }, over, again),
  );
  const node = el("div", { class: "curtain" }, entry, waits, shut);
  const update = () => {
    const { line, seat, fixture } = ui.view();
    const ended = line === "ended";
    const evicted = session.bye?.code === "evicted";
    shown(node, ended || !seat || !fixture);
    const isNews = ended && shut.hidden;
    shown(shut, ended);
    if (isNews) over.focus();
    shown(waits, !ended && entry.childElementCount === 0);
    text(title, say(evicted ? "curtain.elsewhere" : "curtain.shut"));
    text(why, session.bye ? refusalWords(session.bye, amount) : "");
    text(over, say(evicted ? "curtain.take-over" : "curtain.try-again"));
    shown(again, session.demo && !evicted);
  };
  /** Come in, or ask for what it takes. */
  const enter = () => sitDown(session, entry);
  return { node, update, enter };
}
