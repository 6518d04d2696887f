// The console of a live table: the felt with the chips of all players, entry by touch, calls, and the payment.

import { openConsole } from "../console/console.js";
import { el, marked, shown } from "../shared/dom.js";
import { block } from "./block.js";
import { bar } from "./calls.js";
import { FeltOfTable, stacksOnFelt, tableFelt } from "./felt.js";
import { header } from "./header.js";
import { players } from "./players.js";
import { LiveTable } from "./table.js";
import { advice, tools } from "./tools.js";
import { walkPanel } from "./walk.js";

/**
 * @typedef {import("../console/client.js").Part} Part
 * @typedef {import("./felt.js").Stack} Stack
 * @typedef {"enter" | "number" | "collect" | "pay" | "tap" | "done"} Mode what the page shows
 */

/**
 * @param {import("../console/client.js").ConsoleClient} client @param {(lang: string) => void} choose
 * @returns {import("../console/console.js").ConsoleContent}
 */
function liveTable(client, choose) {
  const live = new LiveTable(client);
  const mode = () => modeOf(live);
  const table = tableFelt(live, {
    stacks: () => stacksIn(live, mode()),
    mode,
    veiled: () => isVeiled(mode()),
    dolly: () => (mode() === "enter" ? null : (live.walk?.pocket ?? live.entry.pocket)),
  });
  const shownIn = (/** @type {Part} */ part, /** @type {Mode[]} */ ...modes) => ({
    ...part,
    update: (/** @type {any} */ view) => {
      shown(part.node, modes.includes(mode()));
      if (modes.includes(mode())) part.update(view);
    },
  });
  const lens = picture(live, mode);
  const parts = [
    table,
    lens,
    players(live, mode),
    shownIn(tools(live), "enter", "number"),
    shownIn(block(live), "enter", "number"),
    shownIn(advice(live), "enter", "number"),
    shownIn(walkPanel(live, mode), "collect", "pay", "tap", "done"),
    bar(live, mode),
  ];
  const head = header(live, mode, choose);
  const update = (/** @type {any} */ view) => {
    const page = head.node.closest(".app");
    if (page) marked(page, "data-mode", mode());
    head.update(view);
  };
  return { title: () => "", parts, head: { ...head, update } };
}

/** A browser with several tables has a device for each. @param {Record<string, string>} parameters */
function ownDevice(parameters) {
  const seat = parameters.seat ?? parameters.table;
  return seat ? { ...parameters, seat } : parameters;
}

/** @param {LiveTable} live @returns {Mode} */
function modeOf(live) {
  const { walk, state } = live;
  if (walk && (state?.phase === "paying" || walk.over) && state?.round === walk.round) {
    if (!walk.collected) return "collect";
    if (walk.over) return "done";
    return live.betsRecorded ? "pay" : "tap";
  }
  return live.numberStep ? "number" : "enter";
}

/** Whether chips are dimmed: those that are collected, and those that are not paid now. @param {Mode} mode */
const isVeiled = (mode) => mode === "collect" || mode === "pay";

/** The chips as the mode shows them. @param {LiveTable} live @param {Mode} mode @returns {Stack[]} */
function stacksIn(live, mode) {
  const { walk } = live;
  if (mode === "enter" || mode === "number" || !walk) return stacksOnFelt(live);
  const { payment } = live;
  const lit = new Set(mode === "pay" ? payment?.lines.map(({ spot }) => spot) : []);
  return walk.positions.flatMap(({ position, sealed, stays }) =>
    Object.entries(mode === "collect" ? sealed : stays).flatMap(([spot, pieces]) =>
      Object.entries(pieces).map(([chip, count]) => {
        const now = mode === "pay" && position === payment?.position && lit.has(spot);
        const look = mode === "collect" && spot in stays ? "stays" : now ? "now" : "";
        return { spot, position, chip, pieces: count, look, tag: "" };
      }),
    ),
  );
}

/** How much larger than the felt the picture around the number is. */
const LARGER = 2.6;

/** The felt around the number, while the bets there are paid. @param {LiveTable} live @param {() => Mode} mode @returns {Part} */
function picture(live, mode) {
  const inner = el("div", { class: "picture-felt" });
  const node = el("section", { class: "picture", "aria-hidden": "true" }, inner);
  /** @type {FeltOfTable | null} */
  let drawn = null;
  const update = () => {
    const { felt, walk, payment } = live;
    const on = mode() === "tap" || (mode() === "pay" && payment?.segment === "inside");
    const page = node.closest(".app");
    if (page) marked(page, "data-zoomed", on ? "true" : null);
    shown(node, on);
    if (!on || !felt || !walk) return;
    if (drawn?.hash !== felt.hash) {
      drawn?.destroy();
      drawn = new FeltOfTable(inner, live, felt);
      // A picture: nothing on it can be reached by the keyboard.
      drawn.felt.keys.node.remove();
    }
    drawn.update(stacksIn(live, mode()), walk.pocket, [], isVeiled(mode()));
    centre(walk.pocket);
  };
  /** Scroll the felt so that the number stands in the middle. @param {string} pocket */
  const centre = (pocket) => {
    const { clientWidth: wide, clientHeight: high } = node;
    inner.style.setProperty("width", `${wide * LARGER * 1.6}px`);
    inner.style.setProperty("height", `${high * LARGER * 0.75}px`);
    const at = drawn?.felt.scene.placeOf(pocket);
    const corner = drawn?.felt.scene.corner();
    if (at && corner) node.scrollTo(at.x + corner.x - wide / 2, at.y + corner.y - high / 2);
  };
  return { node, update };
}

await openConsole("live_table", liveTable, ownDevice);
