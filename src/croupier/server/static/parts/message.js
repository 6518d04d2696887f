// The message line: one state at a time, in the venue's own words where it fixes them.

import { el, marked, text } from "../kit/dom.js";
import { language, say } from "../kit/words.js";

/**
 * @typedef {import("../kit/moment.js").Moment} Moment
 * @typedef {import("./ui.js").Ui} Ui
 */

export function message() {
  const words = el("b", {});
  const about = el("span", {});
  const node = el("div", { class: "message" }, words, about);

  /** @param {Ui} ui @param {string} name of the table @param {Moment} moment */
  const update = (ui, name, moment) => {
    const said = momentWords(ui, name, moment);
    text(words, said);
    marked(words, "lang", moment.says ? "en" : null);
    // Long words take a smaller size rather than another line.
    marked(words, "data-long", said.length > 22 ? "very" : said.length > 15 ? "yes" : null);
    marked(node, "data-zone", moment.zone);
    marked(node, "data-moment", moment.is);
    const table = ui.table(name);
    // Words that the rules fix stay as they are; what they mean is said after them.
    const meant = moment.says && language !== "en" ? say(`moment.${moment.is}`) : "";
    text(about, [meant, table ? placeWords(table) : ""].filter(Boolean).join(" · "));
  };
  return { node, update };
}

/** What a moment is called: by the venue, or by us. @param {Ui} ui @param {string} name @param {Moment} moment */
export function momentWords(ui, name, { is, says }) {
  if (says) return says;
  if (is !== "winning") return say(`moment.${is}`);
  const pocket = ui.table(name)?.pocket ?? "";
  const colour = ui.data(name)?.colours.get(pocket);
  return colour ? say("moment.winning", { pocket, colour: say(`colour.${colour}`) }) : pocket;
}

/** @param {any} table */
const placeWords = ({ table, round, spin }) =>
  spin > 1 ? say("message.spin", { table, round, spin }) : say("message.round", { table, round });
