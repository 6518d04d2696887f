// The barcode of a slip: two digits are woven into five bars and five spaces, two of each five wide. Pure.

const WOVEN = ["00110", "10001", "01001", "11000", "00101", "10100", "01100", "00011", "10010", "01010"];
/** A wide bar, in narrow ones; the printed slip has the same. */
const WIDE = 3;
const START = "0000";
const STOP = "100";

/** The position and the width of each bar, in narrow ones. @param {string} digits an even number of them */
export function barsOf(digits) {
  const pairs = digits.match(/\d\d/g) ?? [];
  const woven = pairs.map(([bar, space]) => [...WOVEN[Number(bar)]].map((wide, at) => wide + WOVEN[Number(space)][at]));
  /** @type {[number, number][]} */
  const bars = [];
  let at = 0;
  [...(START + woven.map((one) => one.join("")).join("") + STOP)].forEach((wide, place) => {
    const width = wide === "1" ? WIDE : 1;
    if (place % 2 === 0) bars.push([at, width]);
    at += width;
  });
  return bars;
}
