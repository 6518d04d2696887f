// The felt of a replay: a real one, on which nothing can be laid.

import { short, write } from "../kit/money.js";
import { spotLabel } from "../kit/words.js";
import { Felt } from "../felt/api.js";
import { BARE } from "../felt/piles.js";
import { chipsOf } from "./replayframes.js";

const nothing = () => {};
const LOOKED_AT = { place: nothing, take: nothing, move: nothing, drop: nothing };

/** @param {HTMLElement} host @param {import("../kit/felts.js").Felt} data */
export function replayFelt(host, data) {
  write({ currency: data.currency });
  const label = (/** @type {string} */ spot) => {
    const named = data.named.get(spot);
    return named ? spotLabel(named, data.kinds) : spot;
  };
  const felt = new Felt(host, { data: /** @type {any} */ (data), amount: short, label, on: LOOKED_AT });
  felt.lay({ orientation: "landscape", mirrored: false, lens: false });
  return felt;
}

/** What a felt shows of a frame: the chips as they lie, and who has won with them once that is settled.
 * @param {import("./replayframes.js").Frame} frame @param {string | null} terminal
 * @returns {import("../felt/piles.js").Look} */
export function lookOf(frame, terminal) {
  const { winning, settled, seen, sealed } = frame;
  const stakes = chipsOf(frame, terminal);
  const look = { ...BARE, sealed, dolly: winning ?? seen };
  return settled && winning !== null ? { ...look, winning, last: { stakes } } : { ...look, stakes };
}
