// The header of a live table: the phase with its time, the limits, the last numbers, and the menu.

import { identityText, openMenu } from "../console/console.js";
import { timeOf } from "../console/text.js";
import { callSupervisor } from "../dealer/round.js";
import { openDialog } from "../shared/dialog.js";
import { drawnNumbers } from "../shared/multiples.js";
import { pocketTile, pocketTiles } from "../shared/pocket.js";
import { button, h, icon } from "../shared/render.js";
import { secondsLeft } from "../shared/table_status.js";
import { say, tableName } from "../shared/text.js";
import { openChips } from "./chips_sheet.js";
import { openGap } from "./float_sheet.js";
import { clauseSign } from "./table.js";
import { openNote } from "./walk.js";
import { tableMessage } from "../shared/phase.js";

/** @typedef {import("./table.js").LiveTable} LiveTable */

const PAST_MOST = 8;
/** Seconds at which the ring is full, and at which it warns. */
const FULL_S = 30;
const WARN_S = 8;

/** The look of a phase. @type {Record<string, string>} */
const LOOKS = { open: "ok", open_running: "ok", last_call: "warn", between: "calm", paying: "calm" };

/** @param {LiveTable} live @param {(lang: string) => void} choose the language */
export function header(live, choose) {
  const { state, felt, client } = live;
  const isInside = client.who !== null && state !== null;
  const left = live.betting ? secondsLeft(state?.closes_at, client.session.now()) : null;
  const pocket = state?.pocket ?? null;
  return h(
    "header",
    { class: "live-header", "data-look": LOOKS[state?.phase ?? "between"] ?? "stop" },
    left !== null &&
      h(
        "span",
        {
          class: "ring",
          role: "timer",
          "aria-label": say("live.seconds"),
          "data-look": left <= WARN_S ? "warn" : "ok",
          style: { "--share": String(Math.min(1, left / FULL_S)) },
        },
        h("b", null, left),
      ),
    left === null && !pocket && h("span", { class: "lamp", "aria-hidden": "true" }),
    pocket && pocketTile(pocket, felt?.colours),
    h(
      "div",
      { class: "phase" },
      h("strong", { role: "status" }, isInside ? phaseText(live) : say("live.title")),
      h("small", null, isInside && say("message.round", { table: tableName(live.table), round: state.round })),
      isInside && drawnNumbers(state.multiples, felt?.colours),
    ),
    isInside && button(h("span", null, limitTexts(live)), () => openLimits(live), { class: "limits" }),
    client.session.demo && h("p", { class: "demo" }, say("top-bar.demo")),
    h("span", { class: "gap" }),
    isInside && pocketTiles(say("live.past"), (state.numbers ?? []).slice(0, PAST_MOST), felt?.colours),
    isInside &&
      button([icon("money"), h("span", null, say("live.chips"))], () => openChips(live), { class: "chips-key" }),
    button(icon("menu"), () => openTableMenu(live, choose), { class: "plain", "aria-label": say("live.menu") }),
  );
}

/** The number and what is done with it, or the message of the table. @param {LiveTable} live */
function phaseText({ mode, state, felt, walk }) {
  const number = walk ? `${walk.pocket} ${felt?.colours.get(walk.pocket) ?? ""}` : "";
  if (mode === "collect") return say("live.phase-collect", { number });
  if (mode === "done") return say("live.phase-done", { number });
  if (mode === "pay" || mode === "tap") return say("live.phase-pay", { number });
  return state ? tableMessage(state) : "";
}

/** The limits in short: the minimum, and the maximum of a straight up and of an even chance. @param {LiveTable} live */
function limitTexts(live) {
  const { notice } = live.client.view;
  const straight = notice?.rows.find(({ kinds }) => kinds.includes("straight"))?.most;
  const even = notice?.rows.find(({ segment }) => segment === "even_chances")?.most;
  const parts = [
    [say("live.limits"), say("live.from", { amount: live.amount(notice?.least) })],
    [say("live.straight-to"), live.amount(straight)],
    [say("live.even-to"), live.amount(even)],
  ];
  return parts.map(([label, value]) => h("span", null, h("small", null, label), h("b", null, value)));
}

/** @param {LiveTable} live @param {(lang: string) => void} choose */
function openTableMenu(live, choose) {
  const { client } = live;
  const key = (/** @type {string} */ label, /** @type {() => void} */ act) =>
    button(label, () => (dialog.close(), act()));
  const now = client.session.now();
  const notice = { class: "key", href: `notice#table=${encodeURIComponent(live.table)}`, target: "_blank" };
  const dialog = openDialog({
    name: "menu",
    title: say("live.menu"),
    look: "narrow",
    body: () => [
      h("p", null, identityText(client)),
      h("p", null, now !== null && timeOf(now)),
      h(
        "nav",
        { class: "menu-keys" },
        key(say("live.supervisor"), () => callSupervisor(live)),
        key(say("live.dispute-title"), () => openNote(live)),
        key(say("live.gap"), () => openGap(live)),
        key(say("live.limits-title"), () => openLimits(live)),
        h("a", notice, say("live.notice-page")),
        key(say("live.account"), () => openMenu(client, () => client.session.send({ t: "sign_out" }), choose)),
      ),
    ],
  });
}

/** Every kind of bet with its odds and limits. @param {LiveTable} live */
function openLimits(live) {
  const heads = ["live.bet", "live.rule", "live.pays", "live.least", "live.most"];
  const line = (/** @type {import("../shared/types/wire.js").OddsRow} */ row) =>
    h(
      "tr",
      null,
      h("th", { scope: "row" }, row.labels.map((label) => label.charAt(0).toUpperCase() + label.slice(1)).join(", ")),
      h("td", null, clauseSign(live.rulebook, row.clause)),
      h("td", null, say("live.to-one", { n: row.pays })),
      h("td", null, live.amount(row.least)),
      h("td", null, live.amount(row.most)),
    );
  openDialog({
    name: "limits",
    title: say("live.limits-title"),
    look: "middle",
    body: () =>
      h(
        "table",
        { class: "limits-table" },
        h("thead", null, h("tr", null, heads.map((id) => h("th", { scope: "col" }, say(id))))),
        h("tbody", null, (live.client.view.notice?.rows ?? []).map(line)),
      ),
  });
}
