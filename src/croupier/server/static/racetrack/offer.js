// What a racetrack offers: the calls of a felt, the neighbours that a touch brings along, and the parts of the field.
// Pure. How many chips go where is the felt's word; nothing is reckoned here but which pockets they cover.

/**
 * @typedef {import("./geometry.js").Arc} Arc
 * @typedef {{said: string, of: string, chips: number, pieces: [string, number][], reach?: number | null}} Way
 * @typedef {{name: string, label: string, kind: string, takes: string, ways: Way[]}} Call
 * @typedef {{wheel: {pocket: string, colour: string}[], spots: {key: string, covers: string[]}[], calls: Call[],
 *   sectors: {call: string, first: number, pockets: string[]}[]}} Felt as much of one as is needed here
 * @typedef {{call: Call, arcs: Arc[], within: boolean}} Sector the part of the wheel that a call covers, and whether
 *   it lies within another's
 * @typedef {{order: string[], covers: Map<string, string[]>, beside: Call | null, reaches: number[], calls: Call[],
 *   sectors: Sector[], others: Call[]}} Offer `beside` is the neighbours call and `calls` are all the rest, of which
 *   `others` have no sector
 */

/** @param {Felt} felt @returns {Offer} */
export function offerOf(felt) {
  const beside = felt.calls.find(({ kind }) => NEIGHBOURS.has(kind)) ?? null;
  const sectors = sectorsOf(felt);
  const calls = felt.calls.filter((call) => call !== beside);
  return {
    order: felt.wheel.map(({ pocket }) => pocket),
    covers: new Map(felt.spots.map(({ key, covers }) => [key, covers])),
    beside,
    reaches: reachesOf(beside),
    calls,
    sectors,
    others: calls.filter((call) => !sectors.some((sector) => sector.call === call)),
  };
}

const NEIGHBOURS = new Set(["neighbours", "marker"]);

/** The steps of the reach: where there is a choice of it, the number alone is one too. @param {Call | null} beside */
function reachesOf(beside) {
  const offered = [...new Set((beside?.ways ?? []).map(({ reach }) => reach ?? 0))].sort((one, other) => one - other);
  return offered.length === 1 ? offered : [0, ...offered];
}

/** @param {Felt} felt @returns {Sector[]} */
function sectorsOf({ calls, sectors }) {
  const found = calls.flatMap((call) => {
    const own = sectors.filter((sector) => sector.call === call.name);
    const arcs = own.map(({ first, pockets }) => ({ first, count: pockets.length }));
    return own.length === 0 ? [] : [{ call, arcs, pockets: own.flatMap(({ pockets }) => pockets) }];
  });
  return found.map(({ call, arcs, pockets }) => {
    const larger = found.filter((other) => other.pockets.length > pockets.length);
    const within = larger.some((other) => pockets.every((pocket) => other.pockets.includes(pocket)));
    return { call, arcs, within };
  });
}

/** The offered reach that is nearest to the one that is wished for. @param {Offer} offer @param {number} wanted */
export const reachNear = ({ reaches }, wanted) =>
  reaches.reduce((best, one) => (Math.abs(one - wanted) < Math.abs(best - wanted) ? one : best));

/** What a touch of a pocket lays. @param {Offer} offer @param {string} pocket @param {number} reach @returns {Way} */
export function wayOf({ beside }, pocket, reach) {
  const called = beside?.ways.find((way) => way.of === pocket && way.reach === reach);
  return called ?? { said: pocket, of: pocket, chips: 1, pieces: [[pocket, 1]], reach: 0 };
}

/** Whether all that is to be said of a call is its name. @param {Call} call */
export const isPlain = ({ takes }) => takes === "nothing";

/** The pockets under some chips. @param {Offer} offer @param {readonly [string, number][]} pieces */
export const covered = ({ covers }, pieces) => new Set(pieces.flatMap(([spot]) => covers.get(spot) ?? []));
