// The QR code with which phones join.

import { svg } from "./dom.js";

/** A QR code of dark modules on white. @param {number} size @param {string} path */
const qrCode = (size, path) =>
  svg(
    "svg",
    { class: "qr", viewBox: `0 0 ${size} ${size}`, role: "img", "shape-rendering": "crispEdges" },
    svg("rect", { width: size, height: size, fill: "#fff" }),
    svg("path", { d: path, fill: "#07110c" }),
  );

/** The response, which is fetched once. @type {Promise<{size: number, path: string}> | null} */
let response = null;

/** Fetch the code: only a screen of the host gets one, and its address is nowhere on the page as text. @returns {Promise<SVGElement | null>} */
export async function fetchJoinCode() {
  try {
    response ??= fetch(new URL("join.json", document.baseURI)).then((answer) => answer.json());
    const { size, path } = await response;
    return path ? qrCode(size, path) : null;
  } catch {
    // Without it the page is whole.
    response = null;
    return null;
  }
}
