// The header of a live table: the phase with its time, the limits, the last numbers, and the menu.

import { identityText, openMenu } from "../console/console.js";
import { tableMessage, timeOf } from "../console/text.js";
import { callSupervisor } from "../dealer/round.js";
import { openDialog } from "../shared/dialog.js";
import { button, el, icon, marked, shown, text } from "../shared/dom.js";
import { repaintTile, tiles } from "../shared/pocket.js";
import { secondsLeft } from "../shared/table_status.js";
import { say } from "../shared/text.js";
import { openChips } from "./chips_sheet.js";
import { openGap } from "./float_sheet.js";
import { clauseSign } from "./table.js";
import { openNote } from "./walk.js";

/** @typedef {import("./table.js").LiveTable} LiveTable */

const PAST_MOST = 8;
/** Seconds at which the ring is full. */
const FULL_S = 30;

/** The look of a phase. @type {Record<string, string>} */
const LOOKS = { open: "ok", open_running: "ok", last_call: "warn", between: "calm", paying: "calm" };

/**
 * @param {LiveTable} live @param {() => string} mode what the page shows @param {(lang: string) => void} choose the language
 * @returns {import("../console/client.js").Part}
 */
export function header(live, mode, choose) {
  const ring = el("span", { class: "ring", role: "timer", "aria-label": say("live.seconds") }, el("b"));
  const lamp = el("span", { class: "lamp", "aria-hidden": "true" });
  const number = el("span", { class: "tile" });
  const phase = el("strong", { role: "status" });
  const place = el("small");
  const limits = el("span");
  const limitsKey = button(limits, () => openLimits(live), { class: "limits" });
  const past = tiles(say("live.past"));
  const chips = button(icon("money"), () => openChips(live), { class: "chips-key" });
  chips.append(el("span", {}, say("live.chips")));
  const menu = button(icon("menu"), () => openTableMenu(live, choose), { class: "plain", "aria-label": say("live.menu") });
  const node = el("header", { class: "live-header" });
  node.append(ring, lamp, number, el("div", { class: "phase" }, phase, place), limitsKey);
  const demo = document.querySelector("body > .demo");
  if (demo instanceof HTMLElement) node.append(demo);
  node.append(el("span", { class: "gap" }), past.node, chips, menu);
  const tick = () => {
    const { state } = live;
    const left = live.betting ? secondsLeft(state?.closes_at, live.client.session.now()) : null;
    shown(ring, left !== null);
    text(ring.firstElementChild, left ?? "");
    ring.style.setProperty("--share", String(Math.min(1, (left ?? 0) / FULL_S)));
    marked(ring, "data-look", left !== null && left <= 8 ? "warn" : "ok");
    shown(lamp, left === null && !state?.pocket);
  };
  const update = () => {
    const { state, felt, client } = live;
    const inside = client.who !== null && state !== null;
    marked(node, "data-look", LOOKS[state?.phase ?? "between"] ?? "stop");
    shown(number, Boolean(state?.pocket));
    repaintTile(number, state?.pocket, felt?.colours);
    text(phase, inside ? phaseText(live, mode()) : say("live.title"));
    text(place, inside ? say("live.place", { table: live.table, round: state.round }) : "");
    limits.replaceChildren(...(inside ? limitTexts(live) : []));
    for (const each of [limitsKey, past.node, chips]) shown(each, inside);
    past.update(state?.numbers ?? [], felt?.colours, PAST_MOST);
    tick();
  };
  return { node, update, tick };
}

/** The number and what is done with it, or the message of the table. @param {LiveTable} live @param {string} mode */
function phaseText(live, mode) {
  const { state, felt, walk } = live;
  const number = walk ? `${walk.pocket} ${felt?.colours.get(walk.pocket) ?? ""}` : "";
  if (mode === "collect") return say("live.phase-collect", { number });
  if (mode === "done") return say("live.phase-done", { number });
  if (mode === "pay" || mode === "tap") return say("live.phase-pay", { number });
  return state ? tableMessage(state) : "";
}

/** The limits in short: the minimum, and the maximum of a straight up and of an even chance. @param {LiveTable} live */
function limitTexts(live) {
  const { notice } = live.client.view;
  const most = (/** @type {"straight" | "red"} */ kind) =>
    live.amount(notice?.rows.find(({ kinds }) => kinds.includes(kind))?.most);
  const parts = [
    [say("live.limits"), say("live.from", { amount: live.amount(notice?.least) })],
    [say("live.straight-to"), most("straight")],
    [say("live.even-to"), most("red")],
  ];
  return parts.map(([label, value]) => el("span", {}, el("small", {}, label), el("b", {}, value)));
}

/** @param {LiveTable} live @param {(lang: string) => void} choose */
function openTableMenu(live, choose) {
  const { client } = live;
  const at = client.session.now();
  const close = (/** @type {() => void} */ action) => () => (dialog.close(), action());
  const dialog = openDialog({
    name: "menu",
    title: say("live.menu"),
    look: "narrow",
    body: [
      el("p", {}, identityText(client)),
      el("p", {}, at === null ? "" : timeOf(at)),
      el("nav", { class: "menu-keys" },
        button(say("live.supervisor"), close(() => callSupervisor(live))),
        button(say("live.dispute-title"), close(() => openNote(live))),
        button(say("live.gap"), close(() => openGap(live))),
        button(say("live.limits-title"), close(() => openLimits(live))),
        el("a", { class: "key", href: `notice#table=${encodeURIComponent(live.table)}`, target: "_blank" }, say("live.notice-page")),
        button(say("live.account"), close(() => openMenu(client, () => client.session.send({ t: "sign_out" }), choose))),
      ),
    ],
  });
}

/** Every kind of bet with its odds and limits. @param {LiveTable} live */
function openLimits(live) {
  const rows = live.client.view.notice?.rows ?? [];
  const heads = ["live.bet", "live.rule", "live.pays", "live.least", "live.most"];
  const line = (/** @type {import("../shared/types/wire.js").OddsRow} */ row) =>
    el(
      "tr",
      {},
      el("th", { scope: "row" }, row.labels.map((label) => label.charAt(0).toUpperCase() + label.slice(1)).join(", ")),
      el("td", {}, clauseSign(live.rulebook, row.clause)),
      el("td", {}, say("live.to-one", { n: row.pays })),
      el("td", {}, live.amount(row.least)),
      el("td", {}, live.amount(row.most)),
    );
  openDialog({
    name: "limits",
    title: say("live.limits-title"),
    look: "middle",
    body: [
      el(
        "table",
        { class: "limits-table" },
        el("thead", {}, el("tr", {}, ...heads.map((id) => el("th", { scope: "col" }, say(id))))),
        el("tbody", {}, ...rows.map(line)),
      ),
    ],
  });
}
