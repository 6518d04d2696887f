// The console of a live table: the felt with the chips of all players, entry by touch, calls, and the payment.

import { openConsole } from "../console/console.js";
import { marked, shown } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { block } from "./block.js";
import { bar } from "./calls.js";
import { FeltOfTable, stacksOnFelt, waiting } from "./felt.js";
import { header } from "./header.js";
import { players } from "./players.js";
import { LiveTable } from "./table.js";
import { advice, tools } from "./tools.js";
import { walkPanel } from "./walk.js";

/**
 * @typedef {import("../console/client.js").Part} Part
 * @typedef {import("./felt.js").Stack} Stack
 * @typedef {import("./table.js").Mode} Mode
 */

/**
 * @param {import("../console/client.js").ConsoleClient} client @param {(lang: string) => void} choose
 * @returns {import("../console/console.js").ConsoleContent}
 */
function liveTable(client, choose) {
  const live = new LiveTable(client);
  const panels =
    () => (live.mode === "enter" || live.mode === "number"
      ? [tools(live), block(live), advice(live)]
      : walkPanel(live));
  return {
    title: () => "",
    head: () => header(live, choose),
    parts: [wholeFelt(live), picture(live), () => players(live), panels, () => bar(live)],
  };
}

/** A browser with several tables has a device for each. @param {Record<string, string>} parameters */
function ownDevice(parameters) {
  const seat = parameters.seat ?? parameters.table;
  return seat ? { ...parameters, seat } : parameters;
}

/** Whether chips are dimmed: those that are collected, and those that are not paid now. @param {Mode} mode */
const isVeiled = (mode) => mode === "collect" || mode === "pay";

/** The chips as the mode shows them. @param {LiveTable} live @param {Mode} mode @returns {Stack[]} */
function stacksIn(live, mode) {
  const { walk } = live;
  if (mode === "enter" || mode === "number" || !walk) return stacksOnFelt(live);
  const { payment } = live;
  const lit = new Set(mode === "pay" ? payment?.lines.map(({ spot }) => spot) : []);
  return walk.positions.flatMap(({ position, sealed, stays, came, carried, returned }) => {
    const bets = Object.entries(mode === "collect" ? sealed : stays).flatMap(([spot, pieces]) =>
      Object.entries(pieces).map(([chip, count]) => {
        const now = mode === "pay" && position === payment?.position && lit.has(spot);
        const look = mode === "collect" && (spot in stays || spot in carried || spot in returned)
          ? "stays"
          : now
          ? "now"
          : "";
        return { spot, position, chip, pieces: count, look, tag: "", waits: false };
      })
    );
    const waits = waiting({ position, carried: mode === "collect" ? came : carried });
    return [...bets, ...waits.map((stack) => ({ ...stack, look: stack.spot in carried ? "stays" : "" }))];
  });
}

/** The felt with the chips of all players. @param {LiveTable} live @returns {Part} */
function wholeFelt(live) {
  const node = document.createElement("section");
  node.className = "cloth-frame";
  node.setAttribute("aria-label", say("live.felt"));
  const drawn = new FeltOfTable(node, live);
  const update = () => {
    const { mode, walk, entry } = live;
    marked(/** @type {HTMLElement} */ (node.closest(".app")), "data-mode", mode);
    drawn.update(stacksIn(live, mode), mode === "enter" ? null : (walk?.pocket ?? entry.pocket), isVeiled(mode));
  };
  return { node, update };
}

/** How much larger than the felt the picture around the number is. */
const LARGER = 2.6;

/** The felt around the number, while the bets there are paid. @param {LiveTable} live @returns {Part} */
function picture(live) {
  const [node, inner] = [document.createElement("section"), document.createElement("div")];
  node.className = "picture";
  node.setAttribute("aria-hidden", "true");
  inner.className = "picture-felt";
  node.append(inner);
  const drawn = new FeltOfTable(inner, live, { viewOnly: true });
  const update = () => {
    const { mode, walk } = live;
    const isOn = mode === "tap" || (mode === "pay" && live.isAroundNumber);
    marked(/** @type {HTMLElement} */ (node.closest(".app")), "data-zoomed", isOn ? "true" : null);
    shown(node, isOn);
    if (!isOn || !walk) return;
    const { clientWidth: wide, clientHeight: high } = node;
    inner.style.setProperty("width", `${wide * LARGER * 1.6}px`);
    inner.style.setProperty("height", `${high * LARGER * 0.75}px`);
    drawn.update(stacksIn(live, mode), walk.pocket, isVeiled(mode));
    // The number stands in the middle.
    const at = drawn.placeOf(walk.pocket);
    if (at) node.scrollTo(at.x - wide / 2, at.y - high / 2);
  };
  return { node, update };
}

await openConsole("live_table", liveTable, ownDevice);
