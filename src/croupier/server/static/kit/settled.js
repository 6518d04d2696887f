// The round just settled: its chips are remembered until the next one opens, to show which won and which lost. Pure.

/**
 * @typedef {Record<string, number>} Stakes
 * @typedef {object} Settled
 * @property {number} round
 * @property {number} spin
 * @property {Stakes} stakes the chips as they were sealed
 * @property {string | null} pocket the number, once it counts
 */

/**
 * Remember the chips of a round while they are sealed, and its number when it comes; forget them when bets open again.
 * @param {Settled | null} known @param {any} table @param {any} mine the game, as it was last told
 * @returns {Settled | null}
 */
export function settledAfter(known, table, mine) {
  const pocket = table.pocket ?? null;
  const same = known !== null && known.round === table.round;
  if (mine.sealed === table.round && table.phase !== "between" && !(same && known.pocket !== null))
    return { round: table.round, spin: table.spin, stakes: { ...mine.bets }, pocket };
  if (!same) return null;
  // A number may be corrected or taken back after it was told.
  return known.pocket === pocket ? known : { ...known, pocket };
}

/**
 * What the winning chips of a round add up to, and the losing ones.
 * @param {Stakes} stakes @param {string} pocket @param {Map<string, string[]>} covers numbers by spot
 */
export function parted(stakes, pocket, covers) {
  let [kept, lost] = [0, 0];
  for (const [spot, stake] of Object.entries(stakes)) {
    if (covers.get(spot)?.includes(pocket)) kept += stake;
    else lost += stake;
  }
  return { kept, lost };
}

/** Whether more came back than was staked: less than that is nothing to celebrate.
 * @param {number} won beyond the winning stakes
 * @param {Settled | null} settled @param {Map<string, string[]>} covers */
export function isWin(won, settled, covers) {
  if (settled === null || settled.pocket === null) return false;
  return won > parted(settled.stakes, settled.pocket, covers).lost;
}
