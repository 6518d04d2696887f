// Taking an outcome back: for a reason that the rules list, with what it does to every seat's money before it is
// signed.

import { button, el, enabled, field, form, shown, text } from "../kit/dom.js";
import { openSheet } from "../kit/sheet.js";
import { pressOnce } from "../staff/press.js";
import { citing, wordOf } from "../staff/words.js";
import { reckoning } from "./reckoning.js";

/** @typedef {import("../staff/desk.js").Desk} Desk @typedef {{table: string, round: number}} Which */

const NAME = "invalidate";
const FORM = "invalidate-form";
const NONE = "The rules of this table list no reason for which an outcome is taken back.";
const TWO = "A round that is settled takes two people: you sign here, and somebody else signs it on another device.";

/** Ask why, show what it does, and sign it. @param {Desk} desk @param {Which} which */
export function openInvalidate(desk, which) {
  const { table, round } = which;
  const reasons = desk.felt(table)?.take_back ?? [];
  const reason = el("select", { name: "reason", required: true }, el("option", { value: "" }, "Choose the reason"));
  reason.append(...reasons.map((one) => el("option", { value: one.reason }, `${wordOf(one.reason)} [${one.clause}]`)));
  const suspect = el("input", { name: "suspect", autocomplete: "off", maxlength: 64 });
  const whom = field("Whom it is laid to", suspect);
  const words = el("textarea", { name: "words", required: true, maxlength: 500, rows: 3 });
  const reply = el("p", { class: "reply", role: "alert", hidden: true });
  const main = el("button", { class: "grave", form: FORM, disabled: true }, "Take the outcome back");
  const outcome = reckoning(desk, "", (told) => enabled(main, told !== null));
  const say = (/** @type {import("../kit/types.js").No | null} */ no) => {
    text(reply, no ? citing(no) : "");
    shown(reply, no !== null);
  };
  const reckon = () => {
    const isFraud = reason.value.startsWith("fraud");
    shown(whom, isFraud);
    suspect.required = isFraud;
    say(null);
    outcome.attempt(reason.value === "" ? null : { table, round, reason: reason.value });
  };
  const send = async (/** @type {Record<string, string>} */ given) => {
    const command = { type: "InvalidateOutcome", table, round, reason: given.reason, words: given.words.trim() };
    const { refusal } = await desk.ask({ ...command, suspect: given.suspect?.trim() ?? "" });
    say(refusal);
    if (refusal === null) sheet.close();
  };
  reason.addEventListener("change", reckon);
  const made = form(
    { class: "fields", id: FORM },
    (given) => pressOnce(main, () => send(given)),
    field("Reason", reason),
    whom,
    field("What happened, in plain words", words),
  );
  const sheet = openSheet({
    name: NAME,
    title: `Take back the outcome of round ${round} at ${table}`,
    light: false,
    body: reasons.length > 0 ? [made, outcome.node, el("p", { class: "dual" }, TWO), reply] : [NONE],
    foot: [button("Leave it", () => sheet.close()), main],
  });
  shown(whom, false);
}
