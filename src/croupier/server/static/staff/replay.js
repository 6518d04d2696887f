// Replays: any round that is kept, at any terminal, step by step or at speed, on a real felt; and out as a file.

import { button, el, shown, text } from "../kit/dom.js";
import { icon } from "../kit/icon.js";
import { openSheet } from "../kit/sheet.js";
import { save } from "./download.js";
import { saveBundle } from "./replaybundle.js";
import { Player } from "./replayplayer.js";
import { citing, dateOf } from "./words.js";

/**
 * @typedef {import("./desk.js").Desk} Desk
 * @typedef {import("../kit/consoles.js").ToldReplay} Told
 * @typedef {{table: string, round: number, terminal?: string | null}} Which
 */

/** Show a round again. @param {Desk} desk @param {Which} which */
export function openReplay(desk, { table, round, terminal = null }) {
  const reply = el("p", { class: "reply", role: "alert", hidden: true });
  const about = el("p", { class: "quiet" }, "The house looks the round up…");
  const place = el("div", { class: "replayed" });
  /** @type {Player | null} */
  let player = null;
  const say = (/** @type {string} */ words) => {
    text(reply, words);
    shown(reply, words !== "");
  };
  const files = [
    button(withIcon("form", "Save as notation"), () => notation(desk, { table, round }).then(say), { disabled: true }),
    button(withIcon("save", "Save the signed bundle"), () => saveBundle(desk, { table, round }).then(say), {
      disabled: true,
    }),
  ];
  const sheet = openSheet({
    name: "replay",
    title: `Round ${round} at ${table}, replayed`,
    look: "wide",
    body: [about, place, reply],
    foot: [...files, button("Close", () => sheet.close())],
    update: () => player?.draw(),
    closed: () => player?.destroy(),
  });
  found(desk, { table, round, terminal }).then((told) => {
    if (!sheet.node.open) return;
    if (told.t === "refused") return (shown(about, false), say(citing(told.refusal)));
    about.replaceChildren(...summary(told));
    player = new Player(desk, told, terminal);
    place.append(player.node);
    sheet.node.addEventListener("keydown", (event) => player?.key(event));
    files.forEach((one) => (one.disabled = false));
    player.draw();
  });
}

/** Look a round up with all its seats; where that is too much to be told whole, with the one that is meant.
 * @param {Desk} desk @param {Which} which */
async function found(desk, { table, round, terminal }) {
  const whole = await desk.enquire("replay", { table, round });
  return whole.left_out > 0 && terminal ? desk.enquire("replay", { table, round, terminal }) : whole;
}

/** @param {string} name @param {string} words */
const withIcon = (name, words) => el("span", {}, icon(name), words);

/** How the round stands, in a few words. @param {Told} told */
function summary({ opened_at_us: at, pocket, corrected, status, rulebook, left_out: out }) {
  const words = [
    `Opened ${dateOf(at)}`,
    rulebook,
    pocket === null ? `no number, ${status}` : `number ${pocket}, ${status}`,
  ];
  if (corrected.length > 0) words.push(`before it was corrected: ${corrected.join(", ")}`);
  if (out > 0) words.push(`${out} changes of chips are left out: the replay of one terminal has its own`);
  return [words.join(" · ")];
}

/** Save a round as notation; tell what stood in the way. @param {Desk} desk @param {Which} which */
async function notation(desk, { table, round }) {
  const told = await desk.enquire("replay", { table, round, notation: true });
  if (told.t === "refused") return citing(told.refusal);
  if (told.notation === null) return told.no_notation;
  save({ name: `${table}-${round}.round`, type: "text/plain;charset=utf-8", content: told.notation });
  return "";
}
