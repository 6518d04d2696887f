// Help with pictures: every bet and call on a small felt, with its price.

import { thumbnail } from "../../felt/chips.js";
import { openDialog } from "../../shared/dialog.js";
import { oddsText } from "../../shared/multiples.js";
import { button, h } from "../../shared/render.js";
import { kindHelp, kindName, say } from "../../shared/text.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/felt_cache.js").Felt} Felt
 * @typedef {import("../../shared/types/wire.js").SpotPlace} SpotPlace
 * @typedef {import("../../shared/types/wire.js").OfferedCall} Call
 * @typedef {{name: string, price: string, about: string, laid: [string, number][], covers: string[], lang?: string}} Card
 */

/** A chip of a picture, in cents: its colour is seen on red and on black. */
const CHIP = 1000;
/** How long a bet is shown on the felt after its picture was pressed. */
const SHOWN_MS = 4000;

/** @param {Controller} ui */
export function openHelp(ui) {
  const data = ui.data(ui.focus());
  if (!data) return;
  const show = (/** @type {Card} */ card) => {
    dialog.close();
    const table = ui.focus();
    const chip = ui.chip();
    const worth = chip === "eraser" ? CHIP : chip;
    ui.preview(
      card.laid.map(([spot, pieces]) => [spot, pieces * worth]),
      table,
    );
    setTimeout(() => ui.preview(null, table), SHOWN_MS);
  };
  const [bets, calls] = [betCards(data), callCards(data)];
  const dialog = openDialog({
    name: "help",
    title: say("help.title"),
    look: "wide",
    body: () => [
      h("p", { class: "venue", lang: "en", dir: "ltr" }, data.venue),
      cardList(data, bets, show),
      calls.length > 0 && [h("h3", null, say("rules.calls")), cardList(data, calls, show)],
    ],
    foot: () => [
      h("p", { class: "quiet" }, say("help.odds")),
      button(say("menu.rules"), () => (dialog.close(), ui.dialogs.rules())),
      button(say("hold.back"), () => dialog.close(), { class: "main" }),
    ],
  });
}

/** @param {Felt} data @param {Card[]} cards @param {(card: Card) => void} show */
const cardList = (data, cards, show) =>
  h(
    "ul",
    { class: "help-cards" },
    cards.map((card) =>
      h("li", { key: card.name }, button(face(data, card), () => show(card), { class: "help-card" }))
    ),
  );

/** @param {Felt} data @param {Card} card */
function face(data, { name, price, about, laid, covers, lang }) {
  const picture = thumbnail(data, Object.fromEntries(laid.map(([spot, chips]) => [spot, chips * CHIP])), covers);
  return h(
    "span",
    { class: "inner" },
    picture,
    h("span", { class: "head" }, h("b", { lang }, name), h("em", null, price)),
    h("small", null, about),
  );
}

/** Every kind of bet that the venue prices, at a spot near the middle of the felt. @param {Felt} data @returns {Card[]} */
const betCards = (data) =>
  data.kinds.flatMap((kind) => {
    const spot = exampleOf(data, kind.kind);
    if (!spot) return [];
    const card = {
      name: kindName(kind),
      price: oddsText(kind, data.multipliers),
      about: kindHelp(kind),
      laid: /** @type {[string, number][]} */ ([[spot.key, 1]]),
      covers: spot.covers,
    };
    return [card];
  });

/** Every call that is offered, said in its first way. @param {Felt} data @returns {Card[]} */
const callCards = (data) =>
  data.calls.map((call) => {
    const way = call.ways[Math.floor(call.ways.length / 2)];
    const covers = way.pieces.flatMap(([spot]) => data.covers.get(spot) ?? []);
    return {
      name: `${call.label} ${way.of}`.trim(),
      price: chipsOf(call),
      about: "",
      laid: way.pieces,
      covers,
      lang: "en",
    };
  });

/** @param {Call} call */
function chipsOf({ ways }) {
  const chips = ways.map((way) => way.chips);
  const [least, most] = [Math.min(...chips), Math.max(...chips)];
  return least === most ? say("chips", { n: most }) : say("chips.range", { least, n: most });
}

/** The spot of a kind that is nearest to the middle of the felt. @param {Felt} data @param {string} kind */
function exampleOf(data, kind) {
  const middle = (/** @type {number} */ axis) => {
    const places = data.spots.map(({ anchor }) => anchor[axis]);
    return (Math.min(...places) + Math.max(...places)) / 2;
  };
  const [along, across] = [middle(0), middle(1)];
  const distance = (/** @type {SpotPlace} */ { anchor }) => Math.hypot(anchor[0] - along, anchor[1] - across);
  return data.spots.filter((spot) => spot.kind === kind).sort((one, other) => distance(one) - distance(other))[0];
}
