// The head of a game: its timer, its message, the information box and the history bar.

import { el } from "../kit/dom.js";
import { sound } from "../kit/sound.js";
import { history } from "./history.js";
import { info } from "./info.js";
import { message } from "./message.js";
import { timer } from "./timer.js";

/** @typedef {import("./ui.js").Ui} Ui */

/** The last seconds tick. */
const HEARD_FROM = 5;

/** @param {Ui} ui @param {string} name of the table */
export function head(ui, name) {
  const parts = { timer: timer(), message: message(), info: info(), history: history() };
  const node = el("div", { class: "head", "data-table": name }, ...Object.values(parts).map((part) => part.node));

  /** @type {number | null} */
  let heard = null;
  /** What goes on by itself, without a word of the house. */
  const tick = () => {
    const [moment, seconds] = [ui.moment(name), ui.seconds(name)];
    if (seconds !== heard && seconds !== null && seconds <= HEARD_FROM && name === ui.focus()) sound.tick();
    heard = seconds;
    parts.timer.update(moment, seconds, ui.table(name)?.closes_at);
    parts.message.update(ui, name, moment);
  };
  const update = () => {
    tick();
    parts.info.update(ui.mine(name));
    const table = ui.table(name);
    parts.history.update(table?.numbers ?? [], ui.data(name)?.colours, Boolean(table?.pocket));
  };
  return { node, update, tick };
}
