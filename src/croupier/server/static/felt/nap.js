// The nap of the cloth: a small square of fibres that repeats without a seam, made once.

const SIDE = 128;
/** How strongly a fibre stands out, of 255. */
const STRONGEST = 30;

/** @type {string | null} */
let made = null;

/** An image for the background of a cloth. */
export function nap() {
  made ??= woven();
  return made;
}

function woven() {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = SIDE;
  const context = canvas.getContext("2d");
  if (!context) return "none";
  const image = context.createImageData(SIDE, SIDE);
  for (let at = 0; at < SIDE * SIDE; at += 1) {
    // A fibre lies slantwise over its neighbours, so that the noise has a direction, as brushed wool has.
    const [x, y] = [at % SIDE, Math.floor(at / SIDE)];
    const light = (grain(x, y) + grain(x - 1, y + 1) + grain(x - 2, y + 2)) / 3 - 0.5;
    const shade = light > 0 ? 255 : 0;
    image.data.set([shade, shade, shade, Math.round(Math.abs(light) * 2 * STRONGEST)], at * 4);
  }
  context.putImageData(image, 0, 0);
  return `url("${canvas.toDataURL()}")`;
}

/** The same noise on every screen. @param {number} x @param {number} y */
function grain(x, y) {
  const at = ((y + SIDE) % SIDE) * SIDE + ((x + SIDE) % SIDE);
  const mixed = Math.imul(at ^ (at >>> 7), 0x9e3779b1);
  const again = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return ((again ^ (again >>> 13)) >>> 0) / 2 ** 32;
}
