// The look of a felt: what it is told to draw, put together from what the house says, what was chosen and what is
// aimed at.

/**
 * @typedef {import("./ui.js").Ui} Ui
 * @typedef {import("./ui.js").Standing} Standing
 * @typedef {import("../kit/settled.js").Settled} Settled
 * @typedef {Record<string, [number | null, number | null, number | null]>} SpotLimits least, most and greatest win
 */

/** @param {Ui} ui @param {Standing} at @param {Settled | null} settled @param {Record<string, number> | null} heat */
export function lookOf(ui, { name, table, mine, data }, settled, heat) {
  const { guessed } = ui.view();
  const pocket = table.pocket ?? null;
  const isOver = pocket !== null && table.phase === "between";
  return {
    stakes: mine.bets,
    guessed: guessed[name] ?? {},
    red: mine.red ?? [],
    ghosts: { ...mine.ghosts, ...(ui.aimed?.table === name ? ui.aimed.ghosts : {}) },
    ringed: ui.isOpen(name) ? ringedBy(mine.neighbours) : [],
    winning: pocket,
    last: isOver && settled ? { stakes: settled.stakes } : null,
    dolly: pocket,
    open: ui.isOpen(name),
    chip: ui.chip(),
    limits: ui.prefs.now.limits ? spotLimits(mine.limits ?? [], data.spots) : null,
    heat: ui.prefs.now.heat ? heat : null,
    assist: ui.prefs.now.assist,
    live: isOver ? Object.keys(mine.bets) : [],
    sealed: mine.sealed === table.round,
  };
}

/** The set that the Neighbours button acts on, its number first.
 * @param {{pocket: string, adds: Record<string, number>} | null | undefined} next */
export const ringedBy = (next) =>
  next ? [next.pocket, ...Object.keys(next.adds).filter((spot) => spot !== next.pocket)] : [];

/** Limits come by kind of bet; a felt shows them by spot.
 * @param {import("../kit/types.js").KindLimits[]} limits
 * @param {import("../kit/types.js").SpotPlace[]} spots */
function spotLimits(limits, spots) {
  const known = new Map(limits.map(([kind, ...figures]) => [kind, figures]));
  /** @type {SpotLimits} */
  const found = {};
  for (const { key, kind } of spots) {
    const figures = known.get(kind);
    if (figures) found[key] = figures;
  }
  return found;
}
