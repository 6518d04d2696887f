// The player's own limits of a session, and a break.

import { openDialog } from "../../shared/dialog.js";
import { button, h } from "../../shared/render.js";
import { say } from "../../shared/text.js";
import { pauseNotices } from "../notices.js";
import { lengthOf } from "../../shared/times.js";
import { Reply } from "./response.js";
import { timePlayed } from "./session.js";
import { amount } from "../money.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {{loss: number | null, minutes: number | null, rest: number | null}} Chosen
 */

/** Losses in units of the currency, and minutes of play and of a break. */
const LOSSES = [5_000, 10_000, 20_000, 50_000];
const TIMES = [30, 60, 120, 240];
const BREAKS = [15, 60, 24 * 60];
const MINUTE_US = 60e6;

/** @param {Controller} ui */
export function openOwnLimits(ui) {
  const response = new Reply(ui);
  const { own_limits: now = { loss: null, minutes: null } } = ui.seated().seat;
  /** @type {Chosen} */
  const chosen = { ...now, rest: null };
  const choose = (/** @type {Partial<Chosen>} */ given) => {
    Object.assign(chosen, given);
    dialog.redraw();
  };
  const send = () => {
    const { rest: minutes, ...limits } = chosen;
    const command = minutes === null ? { type: "SetPlayLimits", ...limits } : { type: "TakeBreak", minutes };
    const { terminal } = ui.seated().fixture;
    void response.await(ui.session.sendCommand({ ...command, terminal }), () => dialog.close());
  };
  const own = () => ui.seated().seat.own_limits ?? { loss: null, minutes: null };
  const body = () => {
    const { seat } = ui.seated();
    const { loss, minutes } = own();
    const lost = Math.max(0, -(seat.session?.net ?? 0));
    const played = timePlayed(ui) ?? 0;
    return [
      h("p", { class: "paused", role: "status", hidden: !seat.pause }, pauseNotices(ui)[0]?.says),
      response.tree(),
      choiceRow({
        name: "loss",
        values: [...LOSSES, null],
        words: amount,
        chosen: chosen.loss,
        limit: loss,
        choose: (cents) => choose({ loss: cents, rest: null }),
        spent: loss === null ? null : [lost / loss, say("own.used", { used: amount(lost), limit: amount(loss) })],
      }),
      choiceRow({
        name: "time",
        values: [...TIMES, null],
        words: minutesText,
        chosen: chosen.minutes,
        limit: minutes,
        choose: (time) => choose({ minutes: time, rest: null }),
        spent: minutes === null ? null : [
          played / (minutes * MINUTE_US),
          say("own.used", { used: lengthOf(played), limit: minutesText(minutes) }),
        ],
      }),
      choiceRow({
        name: "break",
        values: BREAKS,
        words: minutesText,
        chosen: chosen.rest,
        limit: null,
        spent: null,
        choose: (rest) => choose({ rest }),
      }),
      h("p", { class: "quiet" }, say("own.tighter")),
    ];
  };
  const foot = () => {
    const { loss, minutes } = own();
    return [
      button(say("own.cancel"), () => dialog.close()),
      button(chosen.rest === null ? say("own.keep") : say("own.rest", { time: minutesText(chosen.rest) }), send, {
        class: "main",
        disabled: chosen.rest === null && chosen.loss === loss && chosen.minutes === minutes,
      }),
    ];
  };
  const dialog = openDialog({ name: "own-limits", title: say("own.title"), body, foot });
}

/** @param {number} minutes */
const minutesText = (minutes) =>
  minutes < 60 ? say("length.minutes", { n: minutes }) : say("own.hours", { n: minutes / 60 });

/**
 * A row of choices with what is used of the limit. A limit that is set can only be tightened.
 * @param {{name: string, values: (number | null)[], words: (value: number) => string, chosen: number | null,
 *   choose: (value: number | null) => void, limit: number | null, spent: [share: number, words: string] | null}} row null
 *   among the values is no limit
 */
function choiceRow({ name, values, words, chosen, choose, limit, spent }) {
  const offered = [...new Set([...values, limit])].filter((value) => value !== null).sort((one, other) => one - other);
  const key = (/** @type {number | null} */ value) =>
    button(value === null ? say("own.none") : words(value), () => choose(value), {
      key: String(value),
      "aria-pressed": String(value === chosen),
      disabled: limit !== null && (value === null || value > limit),
    });
  return h(
    "div",
    { class: "own", "data-own": name },
    h("p", { class: "name" }, h("b", null, say(`own.${name}`)), h("span", null, say(`own.${name}-about`))),
    h(
      "div",
      null,
      h(
        "div",
        { class: "choices", role: "group", "aria-label": say(`own.${name}`) },
        offered.map(key),
        values.includes(null) && key(null),
      ),
      spent && h(
        "p",
        { class: "used" },
        h("span", { class: "bar" }, h("i", { style: { "inline-size": `${Math.min(100, 100 * spent[0])}%` } })),
        h("span", null, spent[1]),
      ),
    ),
  );
}
