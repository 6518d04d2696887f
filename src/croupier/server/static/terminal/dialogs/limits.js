// Limits by kind of bet.

import { openDialog } from "../../shared/dialog.js";
import { el } from "../../shared/dom.js";
import { kindName, say } from "../../shared/text.js";
import { toggle } from "./settings.js";
import { amount } from "../money.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 * @typedef {import("../../shared/types/wire.js").KindRow} KindRow
 */

/** @typedef {[string, number | null, number | null, number | null]} Limit kind, minimum, maximum, maximum win */

/** The symbols of the three limits, beside their colours. */
const SIGNS = { min: "▼", max: "▲", win: "★" };

/** @param {Controller} ui */
export function openLimits(ui) {
  const rows = el("tbody", {});
  const table = el(
    "table",
    { class: "limits" },
    el("caption", { class: "unseen" }, say("limits.title")),
    heads(),
    rows,
  );
  const switched = toggle(
    say("limits.show"),
    () => ui.prefs.now.limits,
    (on) => ui.prefs.set({ limits: on }),
  );
  let drawn = "";
  const update = (/** @type {TerminalView} */ view) => {
    switched.update();
    const game = view.seat.games[ui.focus()] ?? {};
    const wanted = JSON.stringify([
      game.limits,
      game.total_least,
      game.total_most,
      view.seat.denomination,
      ui.prefs.now.units,
    ]);
    if (wanted === drawn) return;
    drawn = wanted;
    const kinds = new Map((ui.data(ui.focus())?.kinds ?? []).map((one) => [one.kind, one]));
    const limits = game.limits ?? [];
    rows.replaceChildren(
      ...limits.map(([kind, ...figures]) => row(nameOf(kinds.get(kind), kind), oddsOf(kinds.get(kind)), figures)),
      row(say("limits.total"), "", [game.total_least ?? null, game.total_most ?? null, null], "total"),
    );
  };
  openDialog({ name: "limits", title: say("limits.title"), look: "middle", body: [switched.node, table], update });
  update(ui.seated());
}

function heads() {
  const head = (/** @type {string} */ words, /** @type {"min" | "max" | "win" | null} */ sign = null) =>
    el("th", { scope: "col", class: sign }, ...(sign ? [mark(sign), " "] : []), words);
  return el(
    "thead",
    {},
    el(
      "tr",
      {},
      head(say("limits.bet")),
      head(say("limits.pays")),
      head(say("limits.least"), "min"),
      head(say("limits.most"), "max"),
      head(say("limits.win"), "win"),
    ),
  );
}

/** @param {"min" | "max" | "win"} sign */
const mark = (sign) => el("span", { "aria-hidden": "true" }, SIGNS[sign]);

/** @param {string} name @param {string} odds @param {(number | null)[]} figures @param {string | null} look */
function row(name, odds, figures, look = null) {
  const cells = ["min", "max", "win"].map((sign, place) => {
    const cents = figures[place];
    return cents === null
      ? el("td", { class: sign, "aria-label": say("limits.none") }, "–")
      : el("td", { class: sign }, el("bdi", {}, amount(cents)));
  });
  return el("tr", { class: look }, el("th", { scope: "row" }, name), el("td", {}, odds), ...cells);
}

/** A kind by the letter that the legend of the rules gives it. @param {KindRow | undefined} kind @param {string} fallback */
const nameOf = (kind, fallback) => (kind ? `${kind.letter} ${kindName(kind)}`.trim() : fallback);
/** @param {KindRow | undefined} kind */
const oddsOf = (kind) => (kind?.pays === undefined ? "" : say("odds", { pays: kind.pays }));
