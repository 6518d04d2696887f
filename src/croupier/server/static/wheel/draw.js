// The wheel as drawn: pockets, rotor and gradients.

import { svg } from "../shared/dom.js";
import { COLOURS } from "../shared/pocket.js";

/** @typedef {{pocket: string, colour: string}} Pocket as in the felt spec */

/** Radii: the cone, the pockets, their numbers, the edge of the rotor, the ball track, the rim. */
const RADIUS = { turret: 44, cone: 232, pockets: 314, rotor: 388, track: 450, rim: 496 };
const DEFLECTORS = 8;
const ARMS = 4;
const VENEERS = 16;

/** A counter for unique gradient ids. */
let wheels = 0;

/** @param {readonly Pocket[]} order clockwise */
export function drawWheel(order) {
  wheels += 1;
  const shades = gradientIds(`wheel${wheels}`);
  return { bowl: bowl(shades), rotor: rotor(order, shades), shine: shine(shades) };
}

/** @typedef {(name: string) => string} GradientIds the id of a gradient @param {string} prefix @returns {GradientIds} */
const gradientIds = (prefix) => (name) => `${prefix}-${name}`;

/** @param {string} name @param {...Node} children */
const dialog = (name, ...children) =>
  svg("svg", { viewBox: "-500 -500 1000 1000", class: name, "aria-hidden": "true" }, ...children);

/** @param {number} r @param {string} stroke @param {number} width @param {number} [opacity] */
const hoop = (r, stroke, width, opacity = 1) =>
  svg("circle", { r, fill: "none", stroke, "stroke-width": width, opacity });

/** @param {number} r @param {string} fill @param {number} [opacity] */
const disc = (r, fill, opacity = 1) => svg("circle", { r, fill, opacity });

/** @type {(r: number, degrees: number) => [number, number]} */
const polar = (r, degrees) => {
  const angle = (degrees * Math.PI) / 180;
  return [r * Math.sin(angle), -r * Math.cos(angle)];
};

/** A ring segment. @type {(inner: number, outer: number, from: number, to: number) => string} */
function slice(inner, outer, from, to) {
  const [a, b, c, d] = [polar(outer, from), polar(outer, to), polar(inner, to), polar(inner, from)];
  return `M${a}A${outer} ${outer} 0 0 1 ${b}L${c}A${inner} ${inner} 0 0 0 ${d}Z`;
}

/** @param {GradientIds} shade */
function bowl(shade) {
  const [wood, track, brass] = ["wood", "track", "rim"].map(shade);
  const { rim, track: edge, rotor: inner } = RADIUS;
  return dialog(
    "wheel-bowl",
    svg("defs", {}, radialGradient(wood, rim, RIM), radialGradient(track, edge, TRACK), linearGradient(brass, BRASS)),
    disc(rim, `url(#${wood})`),
    hoop(rim - 7, `url(#${brass})`, 4),
    disc(edge, `url(#${track})`),
    hoop(edge, "#120702", 4),
    hoop(edge - 3, "#e0b26a", 1.5, 0.6),
    hoop(inner + 6, "#000", 12, 0.45),
    ...Array.from({ length: DEFLECTORS }, (_, place) => deflector(place, brass)),
  );
}

/** Brass deflectors, alternately upright and flat. @param {number} place @param {string} brass */
function deflector(place, brass) {
  const turned = (360 / DEFLECTORS) * (place + 0.5);
  const [x, y] = polar(RADIUS.rotor + 20, turned);
  return svg("path", {
    d: place % 2 ? "M0 -17L6 0L0 17L-6 0Z" : "M0 -9L15 0L0 9L-15 0Z",
    transform: `translate(${x} ${y}) rotate(${turned})`,
    fill: `url(#${brass})`,
    stroke: "#4a3008",
    "stroke-width": 1.5,
  });
}

/** @param {readonly Pocket[]} order @param {GradientIds} shade */
function rotor(order, shade) {
  const { cone, pockets, rotor: edge } = RADIUS;
  const step = 360 / order.length;
  const hatch = shade("hatch");
  const [brass, wood] = ["brass", "cone"].map(shade);
  const defs = svg(
    "defs",
    {},
    ...COLOURS.map((colour) => pocketGradient(shade(colour), edge, colour)),
    linearGradient(brass, BRASS),
    radialGradient(wood, cone, CONE),
    svg(
      "pattern",
      { id: hatch, width: 12, height: 12, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svg("rect", { width: 5, height: 12, fill: "#ffffff66" }),
    ),
  );
  const cells = order.flatMap(({ pocket, colour }, place) => {
    const piece = (/** @type {number} */ outer) => slice(cone, outer, (place - 0.5) * step, (place + 0.5) * step);
    const number = svg("text", { y: -(pockets + edge) / 2, transform: `rotate(${place * step})` }, pocket);
    const marks = colour === "red" ? [svg("path", { d: piece(pockets), fill: `url(#${hatch})`, class: "hatch" })] : [];
    return [svg("path", { d: piece(edge), fill: `url(#${shade(colour)})` }), ...marks, number];
  });
  const walls = order.flatMap((_, place) => {
    const turn = `rotate(${(place - 0.5) * step})`;
    const line = { x1: 0, x2: 0, transform: turn };
    return [
      svg("line", { ...line, y1: -pockets, y2: -edge, stroke: "#f0e3bb", "stroke-width": 1.6, opacity: 0.8 }),
      svg("line", { ...line, y1: -cone, y2: -pockets, stroke: "#3a2608", "stroke-width": 7, opacity: 0.6 }),
      svg("line", { ...line, y1: -cone, y2: -pockets, stroke: "#dcb566", "stroke-width": 3.6 }),
    ];
  });
  return dialog(
    "wheel-rotor",
    defs,
    disc(edge + 4, "#0d0704"),
    ...cells,
    ...walls,
    hoop(edge, `url(#${brass})`, 6),
    hoop(pockets, "#f0e3bb", 2.5, 0.85),
    disc(cone, `url(#${wood})`),
    ...veneers(),
    hoop(cone, `url(#${brass})`, 7),
    hoop(cone * 0.7, "#1c0b03", 2, 0.5),
    hoop(cone * 0.7 - 2, "#e0b26a", 1, 0.35),
    ...turret(brass),
  );
}

/** The cone has two woods in turn. */
const veneers = () =>
  Array.from({ length: VENEERS / 2 }, (_, place) => {
    const from = (720 / VENEERS) * place;
    return svg("path", {
      d: slice(RADIUS.turret, RADIUS.cone, from, from + 360 / VENEERS),
      fill: "#1c0b03",
      opacity: 0.2,
    });
  });

/** @param {string} brass */
function turret(brass) {
  const { turret: r } = RADIUS;
  const metal = { fill: `url(#${brass})`, stroke: "#4a3008", "stroke-width": 1.5 };
  const arms = Array.from({ length: ARMS }, (_, place) => {
    const turn = `rotate(${(360 / ARMS) * (place + 0.5)})`;
    return svg(
      "g",
      { transform: turn },
      svg("path", { d: "M-9 -30L-5.5 -122L5.5 -122L9 -30Z", ...metal }),
      svg("circle", { cy: -130, r: 17, ...metal }),
      svg("circle", { cx: -4, cy: -135, r: 6, fill: "#fff8e0", opacity: 0.6 }),
    );
  });
  return [
    disc(r + 30, "#000", 0.22),
    ...arms,
    svg("circle", { r, ...metal }),
    disc(r * 0.62, "#fff3c9", 0.5),
    svg("circle", { r: r * 0.3, ...metal }),
  ];
}

/** The light stays in place while the rotor turns. @param {GradientIds} shade */
function shine(shade) {
  const light = shade("light");
  const { rim, rotor: edge } = RADIUS;
  return dialog(
    "wheel-shine",
    svg("defs", {}, linearGradient(light, LIGHT)),
    disc(rim, `url(#${light})`),
    hoop(edge + 2, "#000", 4, 0.35),
  );
}

// Gradients: wood, brass, pocket colours and light.

/** @typedef {[number, string, number?][]} Stops offset, colour, opacity */

/** A radial gradient around the centre. @param {string} id @param {number} r @param {Stops} stops */
export const radialGradient = (id, r, stops) =>
  svg("radialGradient", { id, gradientUnits: "userSpaceOnUse", cx: 0, cy: 0, r }, ...gradientStops(stops));

/** A linear gradient from the top left, where the light comes from. @param {string} id @param {Stops} stops */
const linearGradient = (id, stops) =>
  svg("linearGradient", { id, x1: 0.15, y1: 0, x2: 0.85, y2: 1 }, ...gradientStops(stops));

/** The gradient of the pockets of a colour. @param {string} id @param {number} r @param {string} colour */
const pocketGradient = (id, r, colour) =>
  svg(
    "radialGradient",
    { id, gradientUnits: "userSpaceOnUse", cx: 0, cy: 0, r },
    ...POCKET_OFFSETS.map((offset, place) => svg("stop", { offset, class: `pocket-${colour}-${place + 1}` })),
  );

/** @param {Stops} stops */
const gradientStops = (stops) =>
  stops.map(([offset, colour, dense = 1]) => svg("stop", { offset, "stop-color": colour, "stop-opacity": dense }));

/** The wood of the rim. @type {Stops} */
const RIM = [
  [0, "#2b1408"],
  [0.905, "#4a220c"],
  [0.93, "#8f5125"],
  [0.955, "#b87a41"],
  [0.975, "#7b4019"],
  [1, "#2a1207"],
];
/** The polished ball track. @type {Stops} */
export const TRACK = [
  [0, "#120702"],
  [0.86, "#1d0c04"],
  [0.9, "#4b250e"],
  [0.955, "#8a5327"],
  [0.985, "#5d3013"],
  [1, "#1c0b03"],
];
/** The cone in the middle of the rotor. @type {Stops} */
const CONE = [
  [0, "#c98f4c"],
  [0.3, "#94592a"],
  [0.65, "#6b3a18"],
  [0.92, "#45210c"],
  [1, "#1f0d04"],
];
/** @type {Stops} */
const BRASS = [
  [0, "#fff5d2"],
  [0.3, "#eac468"],
  [0.62, "#9a6f20"],
  [0.85, "#d9ae55"],
  [1, "#f6e0a4"],
];
/** The light of the room. @type {Stops} */
const LIGHT = [
  [0, "#fff", 0.24],
  [0.4, "#fff", 0.03],
  [0.6, "#000", 0.02],
  [1, "#000", 0.36],
];

/** The stops of a pocket: the number ring is lit, the pocket below it is in shade. numbers.css has their colours. */
const POCKET_OFFSETS = [0.6, 0.79, 0.81, 1];
