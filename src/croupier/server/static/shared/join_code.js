// The QR code with which phones join.

import { fetched } from "./fetched.js";
import { h } from "./render.js";
import { say } from "./text.js";

/** How long after the page the code is fetched, so that nothing competes with its start. */
const AFTER_MS = 2000;

/**
 * A QR code of dark modules on white. Only a screen of the host gets one, and its address is nowhere on the page as text.
 * @param {() => void} arrived
 */
export function joinCode(arrived) {
  const code = fetched("join.json", "join", arrived, { afterMs: AFTER_MS });
  if (!code?.path) return null;
  const { size, path } = code;
  const box = { viewBox: `0 0 ${size} ${size}`, role: "img", "shape-rendering": "crispEdges" };
  return h(
    "svg",
    { class: "qr", ...box, "aria-label": say("lobby.join-code") },
    h("rect", { width: size, height: size, fill: "white" }),
    h("path", { d: path, fill: "black" }),
  );
}
