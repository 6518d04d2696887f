// The banner of a result.

import { el, marked } from "../shared/dom.js";
import { signed } from "../shared/money.js";
import { h, render } from "../shared/render.js";
import { say, spotName } from "../shared/text.js";
import { amount, netOf } from "./money.js";
import { countUp } from "./outcome.js";

/**
 * @typedef {import("./controller.js").GameState} GameState
 * @typedef {import("./outcome.js").Brought} Brought
 */

/** The most bets that the banner lists. */
const LISTED_MOST = 3;

/** The banner with the number and the amount. */
export class Banner {
  constructor() {
    this.node = el("section", { class: "banner", hidden: true, "aria-hidden": "true" });
    /** What it shows, and the amount while it is counted. @type {{of: string, at: GameState, brought: Brought} | null} */
    this.shown = null;
    this.counted = 0;
    this.count = countUp((cents) => {
      this.counted = cents;
      this.#draw();
    });
  }

  /** @param {GameState} at @param {Brought | null} brought @param {boolean} isPaid whether it is time */
  show(at, brought, isPaid) {
    const pocket = at.table.pocket ?? null;
    if (!isPaid || brought === null || pocket === null) {
      this.shown = null;
      return this.#draw();
    }
    // What was won may arrive after the number.
    const of = `${at.table.round}/${at.table.spin}/${pocket}/${brought.won}`;
    const isNews = of !== this.shown?.of;
    this.shown = { of, at, brought };
    if (isNews && isWin(brought)) this.count(0, brought.returned - brought.staked);
    this.#draw();
  }

  #draw() {
    marked(this.node, "hidden", this.shown ? null : "");
    if (!this.shown) return;
    const { at, brought } = this.shown;
    const { mood, returned, staked } = brought;
    const pocket = at.table.pocket ?? "";
    const colour = at.data.colours.get(pocket) ?? "green";
    marked(this.node, "data-mood", mood);
    const words = isWin(brought) ? say("win.you-win") : mood === "less" ? backText(returned, staked) : say("win.none");
    render(
      this.node,
      h("b", { class: "banner-number", "data-colour": colour }, pocket),
      h(
        "div",
        { class: "says" },
        h("p", { class: "title" }, say("number", { pocket, colour: say(`colour.${colour}`) })),
        h(
          "p",
          { class: "sum" },
          h("span", null, words),
          " ",
          h("strong", { hidden: !isWin(brought) }, amount(this.counted)),
        ),
      ),
      h("dl", null, rows(at, brought, mood === "large")),
    );
  }
}

/** @param {Brought} brought */
const isWin = ({ mood }) => mood === "large" || mood === "small";

/** What came back, of what was staked, and the difference. @param {number} returned @param {number} staked */
const backText = (returned, staked) =>
  say("win.back", { returned: amount(returned), staked: amount(staked), net: netOf(returned - staked) });

/** @param {GameState} at @param {Brought} brought @param {boolean} isListed */
function rows({ data }, brought, isListed) {
  const { paid, staked, returned } = brought;
  const best = Object.entries(paid).sort(([, one], [, other]) => other - one);
  const lines = (isListed ? best.slice(0, LISTED_MOST) : []).map(([spot, cents]) => {
    const place = data.spotsByKey.get(spot);
    return [place ? spotName(place) : spot, signed(amount(cents))];
  });
  const items = lines.map(([name, words]) => h("div", null, h("dt", null, name), h("dd", null, words)));
  return isWin(brought) ? [...items, h("div", { class: "basis" }, h("dt", null, backText(returned, staked)))] : items;
}
