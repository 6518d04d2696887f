// The steps of a round, for whoever deals. All are offered at all times: which of them may be taken the house decides.

import { button, each, el, enabled, field, form, text } from "../kit/dom.js";
import { isReady } from "../kit/store.js";
import { felt } from "./felts.js";
import { wordOf } from "./words.js";

const STEPS = [
  ["Open bets", "OpenBets"],
  ["Finish betting", "FinishBetting"],
  ["No more bets", "CloseBets"],
  ["Spin the ball", "SpinBall"],
  ["Reset the terminals", "ResetTerminals"],
];

/** @param {import("../kit/session.js").Session} session @param {string} name @param {import("./console.js").Ask} ask */
export function steps(session, name, ask) {
  /** @type {import("../kit/types.js").TableState | null} */
  let table = null;
  const about = () => ({ table: name, round: table?.round, spin: table?.spin });
  const numbers = (/** @type {string} */ words) => el("select", { name: words, required: true });
  const number = numbers("pocket");
  const again = numbers("again");
  const reason = el("select", { name: "reason" });
  const reported = el("p", { class: "reported", role: "status" });
  const node = el(
    "div",
    { class: "steps" },
    el("div", { class: "tools" }, ...STEPS.map(([words, type]) => button(words, () => ask({ type, table: name })))),
    reported,
    form(
      { class: "row" },
      ({ pocket }) => ask({ type: "ConfirmResult", ...about(), pocket }),
      field("Number", number),
      el("button", { class: "main" }, "Confirm the number"),
    ),
    form(
      { class: "row" },
      ({ again: second }) => ask({ type: "EnterResult", ...about(), pocket: number.value, again: second }),
      field("The number again", again),
      el("button", {}, "Enter it by hand"),
    ),
    form(
      { class: "row" },
      (given) =>
        ask({
          type: "CallNoSpin",
          ...about(),
          reason: given.reason,
          words: given.words,
          before_rest: given.before_rest !== undefined,
          ball_removed: given.ball_removed !== undefined,
        }),
      field("Reason", reason),
      field("Words", el("input", { name: "words", maxlength: 200 })),
      el(
        "label",
        { class: "tick" },
        el("input", { type: "checkbox", name: "before_rest", checked: true }),
        "It arose before the ball came to rest",
      ),
      el("label", { class: "tick" }, el("input", { type: "checkbox", name: "ball_removed" }), "The ball was taken out"),
      el("button", {}, "No spin"),
    ),
    form(
      { class: "row" },
      ({ words }) => ask({ type: "ReferRound", table: name, words }),
      field("What is in doubt", el("input", { name: "words", required: true, maxlength: 200 })),
      el("button", {}, "Refer the round"),
    ),
  );
  let drawn = "";
  /** @type {string | null} */
  let preset = null;

  /**
   * @param {import("../kit/types.js").TableState} now
   * @param {import("../kit/types.js").FloorTable | undefined} floor @param {import("../kit/store.js").State} view
   */
  const update = (now, floor, view) => {
    table = now;
    const data = felt(now.felt, () => session.redraw());
    if (data && drawn !== now.felt) {
      drawn = now.felt;
      const pockets = data.cells.map((/** @type {{pocket: string}} */ cell) => cell.pocket);
      for (const choice of [number, again])
        each(
          choice,
          pockets,
          (one) => one,
          (one) => el("option", { value: one }, `${one} ${data.colours.get(one)}`),
        );
      each(
        reason,
        data.no_spin,
        (one) => one.reason,
        (one) => el("option", { value: one.reason }, `${wordOf(one.reason)} (${one.clause}; ${one.by.join(", ")})`),
      );
    }
    const waiting = floor?.reported ?? null;
    text(reported, waiting === null ? "" : `The wheel reports ${waiting}.`);
    // What the wheel saw is chosen beforehand, once; whoever deals may choose another.
    if (waiting !== null && preset !== `${now.round}:${now.spin}:${waiting}`) {
      preset = `${now.round}:${now.spin}:${waiting}`;
      number.value = waiting;
    }
    for (const control of node.querySelectorAll("button")) enabled(control, isReady(view));
  };
  return { node, update };
}
