// The notes in which an amount is handed over, from those that a drawer has. Pure.

/** How many of the largest notes are left to be chosen among: more than any better choice below them needs. */
const CHOSEN_LARGEST = 20;

/**
 * The fewest notes for as much of an amount as notes can make, by value, and what is left for coins.
 * @param {number} amount @param {number[]} values of the notes that are there
 * @returns {{notes: [value: number, pieces: number][], coins: number}}
 */
export function brokenDown(amount, values) {
  const sorted = values.filter((value) => value > 0).sort((one, other) => other - one);
  const [largest] = sorted;
  if (largest === undefined) return { notes: [], coins: amount };
  const taken = Math.max(0, Math.floor(amount / largest) - CHOSEN_LARGEST);
  const unit = sorted.reduce(commonDivisor);
  const most = Math.floor((amount - taken * largest) / unit);
  /** The last note of the fewest notes that make up a number of units; 0 where none do. */
  const last = new Array(most + 1).fill(0);
  const pieces = [0, ...new Array(most).fill(Infinity)];
  for (let units = 1; units <= most; units += 1) {
    for (const value of sorted) {
      const before = units - value / unit;
      if (before >= 0 && pieces[before] + 1 < pieces[units]) {
        pieces[units] = pieces[before] + 1;
        last[units] = value;
      }
    }
  }
  let made = most;
  while (pieces[made] === Infinity) made -= 1;
  /** @type {Map<number, number>} */
  const counts = new Map(taken > 0 ? [[largest, taken]] : []);
  for (let units = made; units > 0; units -= last[units] / unit) {
    counts.set(last[units], (counts.get(last[units]) ?? 0) + 1);
  }
  const notes = [...counts].sort(([one], [other]) => other - one);
  return { notes, coins: amount - taken * largest - made * unit };
}

/** @param {number} one @param {number} other @returns {number} */
const commonDivisor = (one, other) => (other === 0 ? one : commonDivisor(other, one % other));
