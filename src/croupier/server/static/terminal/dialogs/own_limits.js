// The player's own limits of a session, and a break.

import { openDialog } from "../../shared/dialog.js";
import { button, each, el, enabled, marked, shown, text } from "../../shared/dom.js";
import { isReady } from "../../shared/store.js";
import { say } from "../../shared/text.js";
import { pauseNotices } from "../notices.js";
import { lengthOf } from "../../shared/times.js";
import { reply } from "./response.js";
import { timePlayed } from "./session.js";
import { amount } from "../money.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 * @typedef {{loss: number | null, minutes: number | null, rest: number | null}} Chosen
 */

/** Losses in units of the currency, and minutes of play and of a break. */
const LOSSES = [5_000, 10_000, 20_000, 50_000];
const TIMES = [30, 60, 120, 240];
const BREAKS = [15, 60, 24 * 60];
const MINUTE_US = 60e6;

/** @param {Controller} ui */
export function openOwnLimits(ui) {
  const response = reply();
  const { own_limits: now = { loss: null, minutes: null } } = ui.seated().seat;
  /** @type {Chosen} */
  const chosen = { ...now, rest: null };
  const choose = (/** @type {Partial<Chosen>} */ given) => {
    Object.assign(chosen, given);
    update(ui.seated());
  };
  const loss = choiceRow("loss", LOSSES, amount, (cents) => choose({ loss: cents, rest: null }));
  const time = choiceRow("time", TIMES, minutesText, (minutes) => choose({ minutes, rest: null }));
  const rest = choiceRow("break", BREAKS, minutesText, (minutes) => choose({ rest: minutes }), false);
  const pause = el("p", { class: "paused", role: "status" });
  const keep = button("", () => send(), { class: "main" });
  const send = () => {
    const { fixture } = ui.seated();
    if (!isReady(ui.view())) return response.await(null);
    const { rest: minutes, ...limits } = chosen;
    const command = minutes === null ? { type: "SetPlayLimits", ...limits } : { type: "TakeBreak", minutes };
    response.await(ui.session.sendCommand({ ...command, terminal: fixture.terminal }), () => dialog.close());
  };
  const update = (/** @type {TerminalView} */ view) => {
    const { seat } = view;
    const own = seat.own_limits ?? { loss: null, minutes: null };
    const lost = Math.max(0, -(seat.session?.net ?? 0));
    const played = timePlayed(ui) ?? 0;
    loss.update(
      chosen.loss,
      own.loss,
      own.loss === null ? null : [lost / own.loss, say("own.used", { used: amount(lost), limit: amount(own.loss) })],
    );
    time.update(
      chosen.minutes,
      own.minutes,
      own.minutes === null ? null : [
        played / (own.minutes * MINUTE_US),
        say("own.used", { used: lengthOf(played), limit: minutesText(own.minutes) }),
      ],
    );
    rest.update(chosen.rest, null, null);
    text(pause, pauseNotices(ui)[0]?.says);
    shown(pause, Boolean(seat.pause));
    text(keep, chosen.rest === null ? say("own.keep") : say("own.rest", { time: minutesText(chosen.rest) }));
    enabled(keep, chosen.rest !== null || chosen.loss !== own.loss || chosen.minutes !== own.minutes);
    response.update(view);
  };
  const dialog = openDialog({
    name: "own-limits",
    title: say("own.title"),
    body: [pause, response.node, loss.node, time.node, rest.node, el("p", { class: "quiet" }, say("own.tighter"))],
    foot: [button(say("own.cancel"), () => dialog.close()), keep],
    update,
    tick: () => update(ui.seated()),
  });
  update(ui.seated());
}

/** @param {number} minutes */
const minutesText = (minutes) =>
  minutes < 60 ? say("length.minutes", { n: minutes }) : say("own.hours", { n: minutes / 60 });

/**
 * A row of choices with what is used of the limit. A limit that is set can only be tightened.
 * @param {string} name @param {number[]} values @param {(value: number) => string} words
 * @param {(value: number | null) => void} choose @param {boolean} [none] whether no limit is a choice
 */
function choiceRow(name, values, words, choose, none = true) {
  const keys = el("div", { class: "choices", role: "group", "aria-label": say(`own.${name}`) });
  const bar = el("i", {});
  const used = el("span", {});
  const meter = el("p", { class: "used", hidden: true }, el("span", { class: "bar" }, bar), used);
  const node = el(
    "div",
    { class: "own", "data-own": name },
    el("p", { class: "name" }, el("b", {}, say(`own.${name}`)), el("span", {}, say(`own.${name}-about`))),
    el("div", {}, keys, meter),
  );
  /** @param {number | null} chosen @param {number | null} limit in force @param {[number, string] | null} spent */
  const update = (chosen, limit, spent) => {
    const offered = [...new Set([...values, ...(limit === null ? [] : [limit])])].sort((one, other) => one - other);
    each(
      keys,
      /** @type {(number | null)[]} */ (none ? [...offered, null] : offered),
      (value) => String(value),
      (value) => button(value === null ? say("own.none") : words(value), () => choose(value)),
      (key, value) => {
        marked(key, "aria-pressed", String(value === chosen));
        enabled(/** @type {HTMLButtonElement} */ (key), limit === null || (value !== null && value <= limit));
      },
    );
    shown(meter, spent !== null);
    if (spent === null) return;
    bar.style.setProperty("inline-size", `${Math.min(100, 100 * spent[0])}%`);
    text(used, spent[1]);
  };
  return { node, update };
}
