// The wheel as bitmaps: bowl, rotor, light and ball, painted once for each size and order.

/** @typedef {{pocket: string, colour: string}} Pocket as in the felt spec */

/** Radii in thousandths of the wheel's width. */
const RIM = 497;
const LIP = 461;
const TRACK = 453;
const SLOPE = 417;
const DEFLECTOR = 398;
const ROTOR = 374;
const NUMBERS = 312;
const CONE = 236;
const TURRET = 40;
const DEFLECTORS = 8;
/** The width of the ball. */
const BALL = 28;
const TURN = 2 * Math.PI;
/** The part of the wheel that the bitmap of the rotor covers: what turns need not be larger. ball.js has the same. */
const ROTOR_PART = (2 * (ROTOR + 8)) / 1000;

/** Each colour lit, plain and in shade. @type {Record<string, [string, string, string]>} */
const PAINTS = {
  red: ["#df2239", "#c2142b", "#8b0a1b"],
  black: ["#33353c", "#1d1e23", "#0b0c0e"],
  green: ["#14a058", "#0a8043", "#055229"],
};
/** @type {[number, string][]} */
const BRASS = [
  [0, "#fff4cd"],
  [0.3, "#e4bd62"],
  [0.55, "#8f671b"],
  [0.75, "#e9c877"],
  [1, "#6d4c12"],
];

/** @type {Map<string, HTMLCanvasElement>} */
const painted = new Map();
/** The most bitmaps that are kept. */
const KEPT_MOST = 24;

/**
 * A copy of a bitmap. Wheels of one size and order share their painting.
 * @param {"bowl" | "rotor" | "shine" | "ball"} kind @param {number} px the width of the wheel in device pixels
 * @param {readonly Pocket[]} [order] @param {boolean} [hatched]
 */
export function bitmap(kind, px, order = [], hatched = false) {
  const size = Math.max(16, Math.round(px));
  const pockets = order.map((one) => one.pocket).join();
  const name = `${kind} ${size} ${hatched} ${pockets}`;
  let made = painted.get(name);
  if (!made) {
    made = { bowl: paintBowl, rotor: paintRotor, shine: paintShine, ball: paintBall }[kind](size, order, hatched);
    if (painted.size >= KEPT_MOST) painted.delete([...painted.keys()][0]);
    painted.set(name, made);
  }
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [made.width, made.height];
  copy.getContext("2d")?.drawImage(made, 0, 0);
  return copy;
}

/** @typedef {CanvasRenderingContext2D} Pen */

/** A canvas for the middle part of the wheel, in thousandths from its centre. @param {number} size @param {number} [part] @returns {[HTMLCanvasElement, Pen]} */
function surface(size, part = 1) {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.ceil(size * part);
  const pen = /** @type {Pen} */ (canvas.getContext("2d"));
  pen.scale(canvas.width / (1000 * part), canvas.width / (1000 * part));
  pen.translate(500 * part, 500 * part);
  return [canvas, pen];
}

/** @param {Pen} pen @param {number} radius @param {string | CanvasGradient} style @param {number} [dense] */
function disc(pen, radius, style, dense = 1) {
  pen.globalAlpha = dense;
  pen.beginPath();
  pen.arc(0, 0, radius, 0, TURN);
  pen.fillStyle = style;
  pen.fill();
  pen.globalAlpha = 1;
}

/** @param {Pen} pen @param {number} radius @param {string | CanvasGradient} style @param {number} width @param {number} [dense] */
function hoop(pen, radius, style, width, dense = 1) {
  pen.globalAlpha = dense;
  pen.beginPath();
  pen.arc(0, 0, radius, 0, TURN);
  pen.strokeStyle = style;
  pen.lineWidth = width;
  pen.stroke();
  pen.globalAlpha = 1;
}

/** @param {CanvasGradient} gradient @param {[number, string][]} stops */
function withStops(gradient, stops) {
  for (const [offset, colour] of stops) gradient.addColorStop(offset, colour);
  return gradient;
}
/** @param {Pen} pen @param {number} inner @param {number} outer @param {[number, string][]} stops */
const radial = (pen, inner, outer, stops) => withStops(pen.createRadialGradient(0, 0, inner, 0, 0, outer), stops);
/** From the upper left, where the light is. @param {Pen} pen @param {number} reach @param {[number, string][]} stops */
const slanted = (pen, reach, stops) => withStops(pen.createLinearGradient(-reach, -reach, reach, reach), stops);

/** @param {Pen} pen @param {number} inner @param {number} outer @param {number} from @param {number} to */
function ringPart(pen, inner, outer, from, to) {
  pen.beginPath();
  pen.arc(0, 0, outer, from - TURN / 4, to - TURN / 4);
  pen.arc(0, 0, inner, to - TURN / 4, from - TURN / 4, true);
  pen.closePath();
}

/** Light and shade around the middle. @param {Pen} pen @param {number} strength */
function light(pen, strength) {
  const bright = (/** @type {number} */ dense) => `rgb(255 240 205 / ${dense * strength})`;
  const dark = (/** @type {number} */ dense) => `rgb(0 0 0 / ${dense * strength})`;
  return withStops(pen.createConicGradient(-TURN / 4 - 0.8, 0, 0), [
    [0, bright(0.48)],
    [0.1, bright(0.12)],
    [0.22, dark(0.25)],
    [0.38, dark(0.05)],
    [0.5, bright(0.2)],
    [0.6, dark(0.1)],
    [0.78, dark(0.32)],
    [0.9, bright(0.1)],
    [1, bright(0.48)],
  ]);
}

/** The grain of turned wood. @param {Pen} pen @param {number} inner @param {number} outer @param {number} lines */
function grain(pen, inner, outer, lines) {
  let state = 11;
  const roll = () => (state = (state * 48271) % 2147483647) / 2147483647;
  for (let line = 0; line < lines; line += 1) {
    const from = roll() * TURN;
    pen.beginPath();
    pen.arc(0, 0, inner + (outer - inner) * roll(), from, from + 0.3 + roll() * 1.3);
    pen.strokeStyle = roll() < 0.5 ? "#180802" : "#ffcf8f";
    pen.globalAlpha = 0.05 + roll() * 0.08;
    pen.lineWidth = 0.6 + roll() * 1.6;
    pen.stroke();
  }
  pen.globalAlpha = 1;
}

/** @param {number} size */
function paintBowl(size) {
  const [canvas, pen] = surface(size);
  const rim = radial(pen, LIP - 6, RIM, [
    [0, "#3a1b0a"],
    [0.25, "#8d4e21"],
    [0.6, "#b4713a"],
    [0.85, "#6c3615"],
    [1, "#2a1206"],
  ]);
  disc(pen, RIM, rim);
  grain(pen, LIP, RIM, 220);
  disc(pen, RIM, light(pen, 0.9));
  hoop(pen, RIM - 1.5, "#1a0b03", 3);
  hoop(pen, LIP, slanted(pen, LIP, BRASS), 5);
  const slope = radial(pen, ROTOR, TRACK + 6, [
    [0, "#1d0d05"],
    [0.3, "#5b2f13"],
    [0.52, "#7d4520"],
    [0.56, "#3a1b0a"],
    [0.62, "#552a10"],
    [0.85, "#7a431d"],
    [0.97, "#2b1307"],
    [1, "#120702"],
  ]);
  disc(pen, TRACK + 6, slope);
  grain(pen, ROTOR + 6, TRACK, 380);
  disc(pen, TRACK + 4, light(pen, 0.75));
  hoop(pen, TRACK + 5, "#0c0501", 4, 0.9);
  hoop(pen, SLOPE + 3, "#0c0501", 3.5, 0.7);
  hoop(pen, SLOPE, "#f0c987", 1.4, 0.5);
  for (let place = 0; place < DEFLECTORS; place += 1) deflector(pen, place);
  const shade = radial(pen, ROTOR - 10, ROTOR + 12, [
    [0, "#000"],
    [0.6, "#000c"],
    [1, "#0000"],
  ]);
  disc(pen, ROTOR + 12, shade);
  return canvas;
}

/** A cut diamond of brass, alternately upright and flat. @param {Pen} pen @param {number} place */
function deflector(pen, place) {
  const [wide, high] = place % 2 ? [8.5, 21] : [21, 8.5];
  pen.save();
  pen.rotate((TURN / DEFLECTORS) * (place + 0.5));
  pen.translate(0, -DEFLECTOR);
  const corners = [
    [0, -high],
    [wide, 0],
    [0, high],
    [-wide, 0],
  ];
  pen.beginPath();
  for (const [x, y] of corners) pen.lineTo(x + 3, y + 4);
  pen.fillStyle = "#0008";
  pen.fill();
  ["#e9c878", "#a87a28", "#c9a048", "#fff0c0"].forEach((tone, side) => {
    const [from, to] = [corners[side], corners[(side + 1) % corners.length]];
    pen.beginPath();
    pen.moveTo(0, 0);
    pen.lineTo(from[0], from[1]);
    pen.lineTo(to[0], to[1]);
    pen.closePath();
    pen.fillStyle = tone;
    pen.fill();
  });
  pen.restore();
}

/** @param {number} size @param {readonly Pocket[]} order @param {boolean} hatched */
function paintRotor(size, order, hatched) {
  const [canvas, pen] = surface(size, ROTOR_PART);
  disc(pen, ROTOR + 5, "#0b0502");
  const step = TURN / order.length;
  order.forEach(({ colour }, place) => pocket(pen, colour, place * step, step, hatched));
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = '700 43px "Helvetica Neue", Arial, "Liberation Sans", sans-serif';
  order.forEach((one, place) => {
    pen.save();
    pen.rotate(place * step);
    pen.translate(0, -(NUMBERS + ROTOR) / 2 - 1);
    pen.scale(0.86, 1);
    pen.fillStyle = "#0009";
    pen.fillText(one.pocket, 1.5, 3);
    pen.fillStyle = "#fffdf4";
    pen.fillText(one.pocket, 0, 1);
    pen.restore();
  });
  order.forEach((_, place) => fret(pen, (place - 0.5) * step));
  hoop(pen, ROTOR + 1, slanted(pen, ROTOR, BRASS), 8);
  hoop(pen, NUMBERS, "#f1dca0", 3.5, 0.95);
  hoop(pen, NUMBERS - 4, "#000", 4, 0.45);
  cone(pen);
  turret(pen, size);
  return canvas;
}

/** A number on its ring, and below it the pocket, which is dark at its outer wall.
 * @param {Pen} pen @param {string} colour @param {number} middle @param {number} step @param {boolean} hatched */
function pocket(pen, colour, middle, step, hatched) {
  const [lit, plain, shade] = PAINTS[colour];
  const [from, to] = [middle - step / 2, middle + step / 2];
  ringPart(pen, NUMBERS, ROTOR, from, to);
  pen.fillStyle = radial(pen, NUMBERS, ROTOR, [
    [0, shade],
    [0.25, plain],
    [0.8, lit],
    [1, plain],
  ]);
  pen.fill();
  ringPart(pen, CONE, NUMBERS, from, to);
  pen.fillStyle = radial(pen, CONE, NUMBERS, [
    [0, plain],
    [0.35, shade],
    [0.8, shade],
    [1, "#050505"],
  ]);
  pen.fill();
  ringPart(pen, CONE, NUMBERS, from, from + step * 0.2);
  pen.fillStyle = "#0007";
  pen.fill();
  if (!hatched || colour !== "red") return;
  for (let part = 0.15; part < 1; part += 0.28) {
    ringPart(pen, CONE, NUMBERS, from + step * part, from + step * (part + 0.1));
    pen.fillStyle = "#ffffff70";
    pen.fill();
  }
}

/** @param {Pen} pen @param {number} angle */
function fret(pen, angle) {
  const deep = NUMBERS - CONE;
  pen.save();
  pen.rotate(angle);
  pen.fillStyle = "#0008";
  pen.fillRect(-1, -NUMBERS, 6.5, deep);
  pen.fillStyle = "#e9c778";
  pen.fillRect(-2.2, -NUMBERS - 2, 4.4, deep + 2);
  pen.fillStyle = "#fff3cc";
  pen.fillRect(-2.2, -NUMBERS - 2, 1.5, deep + 2);
  pen.fillStyle = "#f4e6bdbf";
  pen.fillRect(-0.9, -ROTOR, 1.8, ROTOR - NUMBERS);
  pen.restore();
}

/** The cone has two woods in turn. @param {Pen} pen */
function cone(pen) {
  const wood = radial(pen, 30, CONE, [
    [0, "#c07c3c"],
    [0.3, "#8c4c20"],
    [0.68, "#6b3615"],
    [0.9, "#48220c"],
    [1, "#1e0d04"],
  ]);
  disc(pen, CONE + 2, wood);
  for (let part = 0; part < 16; part += 2) {
    ringPart(pen, TURRET, CONE - 2, (TURN / 16) * part, (TURN / 16) * (part + 1));
    pen.fillStyle = "#1c0b0333";
    pen.fill();
  }
  grain(pen, 60, CONE - 4, 240);
  hoop(pen, CONE, slanted(pen, CONE, BRASS), 8);
  hoop(pen, CONE - 7, "#140701", 4, 0.6);
  hoop(pen, CONE * 0.68, "#1c0b03", 3, 0.55);
  hoop(pen, CONE * 0.68 - 3, "#f1c887", 1.4, 0.45);
}

/** @param {Pen} pen @param {number} size */
function turret(pen, size) {
  const dim = radial(pen, TURRET, TURRET + 46, [
    [0, "#0009"],
    [1, "#0000"],
  ]);
  disc(pen, TURRET + 46, dim);
  for (let arm = 0; arm < 4; arm += 1) {
    pen.save();
    pen.rotate((TURN / 4) * (arm + 0.5));
    pen.shadowColor = "#000a";
    pen.shadowBlur = size / 70;
    pen.shadowOffsetY = size / 160;
    const metal = pen.createLinearGradient(-12, 0, 12, 0);
    pen.fillStyle = withStops(metal, [
      [0, "#8a6118"],
      [0.35, "#fff1c4"],
      [0.6, "#d9ad4e"],
      [1, "#6d4c12"],
    ]);
    pen.beginPath();
    for (
      const [x, y] of [
        [-11, -28],
        [-6, -126],
        [6, -126],
        [11, -28],
      ]
    ) {
      pen.lineTo(x, y);
    }
    pen.fill();
    pen.fillStyle = withStops(pen.createRadialGradient(-6, -143, 2, 0, -137, 21), [
      [0, "#fffdf0"],
      [0.35, "#f0cf7c"],
      [0.8, "#a57724"],
      [1, "#5e410e"],
    ]);
    pen.beginPath();
    pen.arc(0, -137, 20, 0, TURN);
    pen.fill();
    pen.restore();
  }
  disc(pen, TURRET, slanted(pen, TURRET, BRASS));
  hoop(pen, TURRET, "#3f2b08", 2);
  const knob = radial(pen, 0, TURRET * 0.68, [
    [0, "#fffbe8"],
    [0.5, "#eccb78"],
    [1, "#9c7221"],
  ]);
  disc(pen, TURRET * 0.68, knob);
  disc(pen, TURRET * 0.3, slanted(pen, 12, BRASS));
}

/** The light that stays while the rotor turns under it. @param {number} size */
function paintShine(size) {
  const [canvas, pen] = surface(size, ROTOR_PART);
  disc(pen, ROTOR, light(pen, 0.42));
  const edge = radial(pen, CONE, ROTOR, [
    [0, "#0000"],
    [0.86, "#0000"],
    [1, "#0006"],
  ]);
  disc(pen, ROTOR, edge);
  return canvas;
}

/** @param {number} size */
function paintBall(size) {
  const [canvas, pen] = surface(Math.max(24, (size * BALL * 1.3) / 1000));
  const ivory = pen.createRadialGradient(-160, -190, 20, 0, 0, 480);
  disc(
    pen,
    470,
    withStops(ivory, [
      [0, "#fff"],
      [0.45, "#f7f3e8"],
      [0.78, "#c9c2b1"],
      [1, "#7e776a"],
    ]),
  );
  return canvas;
}
