// A reckoning: what something would do to every seat's money, asked of the house anew for as long as it is looked at.

import { el } from "../kit/dom.js";
import { citing } from "../staff/words.js";
import { correctionTable } from "./correctiontable.js";

/**
 * @typedef {import("../staff/desk.js").Desk} Desk
 * @typedef {import("../kit/consoles.js").ToldPreview} Preview
 * @typedef {{table: string, round: number, pocket?: string, reason?: string}} Tried
 */

/** Money goes on moving while somebody thinks: so often it is reckoned anew. */
const ANEW_MS = 2000;

/** A place for what comes of something that is tried: whoever signs first and whoever signs second see it alike.
 * @param {Desk} desk @param {Node | string} begins what stands there before anything is tried
 * @param {(told: Preview | null) => void} [heard] told what the house has reckoned, and null while it has not */
export function reckoning(desk, begins, heard = () => {}) {
  const node = el("div", { class: "outcome", "aria-live": "polite" }, begins);
  /** @type {Tried | null} */
  let tried = null;
  /** What was last drawn, as text. */
  let drawn = "";
  let waits = false;
  const show = (/** @type {string} */ wanted, /** @type {() => Node | string} */ make) => {
    if (drawn !== wanted) node.replaceChildren(make());
    drawn = wanted;
  };
  const reckon = async () => {
    const asked = tried;
    if (asked === null) return;
    waits = true;
    const told = await desk.enquire("preview", asked);
    if (asked !== tried) return;
    waits = false;
    node.removeAttribute("aria-busy");
    if (told.t === "refused") show(citing(told.refusal), () => el("p", { class: "reply" }, citing(told.refusal)));
    else show(JSON.stringify({ ...told, q: 0 }), () => correctionTable(desk, told));
    heard(told.t === "refused" ? null : told);
  };
  const timer = setInterval(() => {
    if (!node.isConnected) clearInterval(timer);
    else if (!waits) void reckon();
  }, ANEW_MS);
  /** @param {Tried | null} next */
  const attempt = (next) => {
    tried = next;
    heard(null);
    // What was reckoned before stands there until then, so that nothing jumps.
    if (next === null) show("", () => begins);
    else node.setAttribute("aria-busy", "true");
    void reckon();
  };
  return { node, attempt };
}
