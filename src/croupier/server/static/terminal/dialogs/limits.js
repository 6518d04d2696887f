// Limits by kind of bet.

import { openDialog } from "../../shared/dialog.js";
import { oddsText } from "../../shared/multiples.js";
import { h } from "../../shared/render.js";
import { kindName, say } from "../../shared/text.js";
import { toggle } from "./settings.js";
import { amount } from "../money.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/types/wire.js").KindRow} KindRow
 */

/** @typedef {[string, number | null, number | null, number | null]} Limit kind, minimum, maximum, maximum win */

/** The symbols of the three limits, beside their colours. */
const SIGNS = { min: "▼", max: "▲", win: "★" };

/** @param {Controller} ui */
export function openLimits(ui) {
  const body = () => {
    const { limits = [], total_least: least = null, total_most: most = null } = ui.game() ?? {};
    const kinds = new Map((ui.data()?.kinds ?? []).map((one) => [one.kind, one]));
    return [
      toggle(say("limits.show"), ui.prefs.now.limits, (limits) => ui.prefs.set({ limits })),
      h(
        "table",
        { class: "limits" },
        h("caption", { class: "unseen" }, say("limits.title")),
        heads(),
        h(
          "tbody",
          null,
          limits.map(([kind, ...figures]) => row(nameOf(kinds.get(kind), kind), oddsOf(kinds.get(kind)), figures)),
          row(say("limits.total"), "", [least, most, null], "total"),
        ),
      ),
    ];
  };
  openDialog({ name: "limits", title: say("limits.title"), look: "middle", body });
}

function heads() {
  const head = (/** @type {string} */ words, /** @type {"min" | "max" | "win" | null} */ sign = null) =>
    h("th", { scope: "col", class: sign }, sign && [mark(sign), " "], words);
  return h(
    "thead",
    null,
    h(
      "tr",
      null,
      head(say("limits.bet")),
      head(say("limits.pays")),
      head(say("limits.least"), "min"),
      head(say("limits.most"), "max"),
      head(say("limits.win"), "win"),
    ),
  );
}

/** @param {"min" | "max" | "win"} sign */
const mark = (sign) => h("span", { "aria-hidden": "true" }, SIGNS[sign]);

/** @param {string} name @param {string} odds @param {(number | null)[]} figures @param {string | null} look */
function row(name, odds, figures, look = null) {
  const cells = ["min", "max", "win"].map((sign, place) => {
    const cents = figures[place];
    return cents === null
      ? h("td", { class: sign, "aria-label": say("limits.none") }, "–")
      : h("td", { class: sign }, h("bdi", null, amount(cents)));
  });
  return h("tr", { class: look }, h("th", { scope: "row" }, name), h("td", null, odds), cells);
}

/** A kind by the letter that the legend of the rules gives it. @param {KindRow | undefined} kind @param {string} fallback */
const nameOf = (kind, fallback) => (kind ? `${kind.letter} ${kindName(kind)}`.trim() : fallback);
/** @param {KindRow | undefined} kind */
const oddsOf = (kind) => (kind?.pays === undefined ? "" : oddsText(kind, null));
