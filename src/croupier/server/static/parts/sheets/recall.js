// The recall: the last ten games of this terminal, each to be played again.

import { button, each, el, marked, shown, text } from "../../kit/dom.js";
import { openSheet } from "../../kit/sheet.js";
import { say } from "../../kit/words.js";
import { Replay } from "./replay.js";
import { netOf } from "./session.js";

/** @typedef {import("../ui.js").Ui} Ui */
/** @typedef {import("./frames.js").Past} Past */

/** @param {Ui} ui */
export function openRecall(ui) {
  const waits = el("p", { class: "quiet", role: "status" }, say("replay.coming"));
  const list = el("div", { class: "pasts", role: "group", "aria-label": say("replay.games") });
  const replay = new Replay(ui);
  const pick = (/** @type {Past} */ game) => {
    for (const one of list.children) marked(one, "aria-pressed", String(one.getAttribute("data-key") === keyOf(game)));
    replay.begin(game);
  };
  const before = ui.session.hears.games;
  ui.session.hears.games = (/** @type {{games: Past[]}} */ told) => {
    const games = told.games.filter((game) => !isLanding(ui, game));
    text(waits, games.length === 0 ? say("replay.none") : "");
    shown(waits, games.length === 0);
    each(list, games, keyOf, (game) => button(entry(game), () => pick(game), { class: "row" }));
    if (games.length > 0) pick(games[0]);
  };
  openSheet({
    name: "recall",
    title: say("replay.title"),
    look: "wide",
    body: [waits, el("div", { class: "replay" }, list, replay.node)],
    closed: () => {
      replay.destroy();
      ui.session.hears.games = before;
    },
  });
  if (!ui.session.say({ t: "games" })) text(waits, say("reply.no-line"));
}

/** Whether the number of a game is not told yet, as its ball still lands. @param {Ui} ui @param {Past} game */
function isLanding(ui, { table, round }) {
  const now = ui.table(table);
  return now?.round === round && (now.pocket ?? null) === null && now.phase !== "between";
}

/** @param {Past} game */
const keyOf = ({ table, round }) => `${table} ${round}`;

/** @param {Past} game */
const entry = ({ round, pocket, staked, returned }) =>
  el(
    "span",
    {},
    el("b", {}, say("replay.round", { round })),
    el("span", {}, pocket ?? "–"),
    el("bdi", { class: "net" }, netOf(returned - staked)),
  );
