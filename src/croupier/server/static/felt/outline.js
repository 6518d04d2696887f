// Outlines: the printed shape of every cell and box in pixels, sharp inside the print and rounded at its edges. Pure.

/**
 * @typedef {import("./geometry.js").Area} Area
 * @typedef {import("./geometry.js").FeltData} FeltData
 * @typedef {import("./geometry.js").Point} Point
 * @typedef {import("./geometry.js").Projection} Projection
 */

/** How round an outer corner is, and the shoulder of the zeros, in parts of the shape's smaller side. */
const ROUND = { corner: 0.09, shoulder: 0.42 };

/** Every printed area under the name of the bet that is made on it.
 * @param {FeltData} data @returns {[string, Area][]} */
export const areasOf = (data) => [
  ...data.cells.map((cell) => /** @type {[string, Area]} */ ([cell.pocket, cell])),
  ...data.boxes.map((box) => /** @type {[string, Area]} */ ([box.bet, box])),
];

/** The path of every printed area. @param {FeltData} data @param {Projection} laid @returns {Map<string, string>} */
export function outlines(data, laid) {
  const areas = areasOf(data);
  const first = Math.min(...areas.map(([, area]) => area.along[0]));
  /** @param {number} along @param {number} across */
  const sharing = (along, across) => areas.filter(([, area]) => holds(area, along, across)).length;
  return new Map(
    areas.map(([key, area]) => {
      const [[a0, a1], [b0, b1]] = [area.along, area.across];
      const { width, height } = laid.area(area);
      const side = Math.min(width, height);
      /** @type {[number, number][]} */
      const corners = [
        [a0, b0],
        [a1, b0],
        [a1, b1],
        [a0, b1],
      ];
      return [
        key,
        path(
          corners.map(([along, across]) => ({
            ...whole(laid.point(along, across)),
            round: sharing(along, across) > 1 ? 0 : side * (along === first ? ROUND.shoulder : ROUND.corner),
          })),
        ),
      ];
    }),
  );
}

/** Lines lie on whole pixels, so that they are sharp and meet. @param {Point} point */
export const whole = ({ x, y }) => ({ x: Math.round(x), y: Math.round(y) });

/** @param {Area} area @param {number} along @param {number} across */
const holds = (area, along, across) =>
  area.along[0] <= along && along <= area.along[1] && area.across[0] <= across && across <= area.across[1];

/** @param {(Point & {round: number})[]} corners */
function path(corners) {
  const steps = corners.map((corner, at) => {
    const before = corners[(at + 3) % 4];
    const after = corners[(at + 1) % 4];
    const start = at === 0 ? "M" : "L";
    if (corner.round === 0) return `${start}${corner.x} ${corner.y}`;
    return `${start}${towards(corner, before)}Q${corner.x} ${corner.y} ${towards(corner, after)}`;
  });
  return `${steps.join("")}Z`;
}

/** @param {Point & {round: number}} corner @param {Point} other */
function towards(corner, other) {
  const far = Math.hypot(other.x - corner.x, other.y - corner.y);
  const part = corner.round / far;
  const x = corner.x + (other.x - corner.x) * part;
  const y = corner.y + (other.y - corner.y) * part;
  return `${x.toFixed(1)} ${y.toFixed(1)}`;
}
