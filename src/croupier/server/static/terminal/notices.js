// Notices by severity, the bar that holds them, and the overlay shown while there is no table.

import { clauseSign } from "../shared/clause.js";
import { button, h } from "../shared/render.js";
import { languageInUse, noticeText, refusalText, say, seatMessageText, shortTableName } from "../shared/text.js";
import { fundingText } from "./dialogs/funding.js";
import { clockOf } from "../shared/times.js";
import { amount } from "./money.js";

/** @typedef {import("./controller.js").Controller} Controller */

/** How long a message of the server is shown before only the log has it. */
const MESSAGE_US = 20_000_000;
/** How many are shown at once. */
const MESSAGES_MOST = 2;

/**
 * @typedef {{says: string, clause?: string | null, look: "stop" | "warn" | "calm", house?: boolean, deal?: boolean}} Notice
 *   house: the rules fix the text, and it is not translated; deal: with a link to the page where a visitor deals
 */

/** The line of the most important notice. @param {Controller} ui */
export function noticeLine(ui) {
  const tables = ui.tables().flatMap((name) => tableNotices(ui, name));
  const standing = [
    ...connectionNotices(ui),
    ...pauseNotices(ui),
    ...tables,
    ...undealtNotices(ui),
    ...fundingNotices(ui),
  ];
  const isRecent = (ui.session.now() ?? 0) < ui.news.until;
  /** @type {Notice[]} */
  const news = isRecent
    ? [{ says: ui.news.fresh.map((one) => seatMessageText(one, amount)).join(" "), look: "calm" }]
    : [];
  // A low-priority notice, such as idleness, does not hide a message of the server.
  const word = [...standing.filter(({ look }) => look !== "calm"), ...news, ...standing][0];
  return h(
    "p",
    { class: "notice-line", hidden: word === undefined, "data-look": word?.look },
    h("span", { dir: "auto", lang: word?.house ? "en" : null }, word?.says),
    " ",
    word?.deal && h("a", { class: "deal", href: "dealer", target: "_blank" }, say("undealt.deal")),
    clauseSign(word?.clause, (clause) => ui.dialogs.rules(clause)),
  );
}

/** Out of service, and a lost connection with its effect on the bets. @param {Controller} ui @returns {Notice[]} */
export function connectionNotices(ui) {
  const { seat, connection } = ui.view();
  const out = seat?.out_of_service;
  if (seat && seat.in_service === false) {
    return [{ says: out ? refusalText(out, amount) : say("notice.service"), clause: out?.clause, look: "stop" }];
  }
  if (connection !== "lost") return [];
  const rule = ui.data()?.line_lost;
  const staked = Object.values(seat?.games ?? {}).some((game) => (game.staked ?? 0) > 0);
  if (!rule || !staked) return [{ says: say("notice.lost"), look: "stop" }];
  return [
    {
      says: say("notice.lost-with-bets", { rule: say(`line-lost.${rule.choice}`) }),
      clause: rule.clause,
      look: "stop",
    },
  ];
}

/**
 * The outcome of a round, and what must change before the close.
 * @param {Controller} ui @param {string} name @returns {Notice[]}
 */
export function tableNotices(ui, name) {
  const { notice } = ui.table(name) ?? {};
  const { warning, idle, staked = 0 } = ui.game(name) ?? {};
  const of = (/** @type {string} */ says) => ofTable(ui, name, says);
  /** @type {Notice[]} */
  const found = [];
  if (warning) found.push({ says: of(warningText(warning)), look: "stop", house: languageInUse() === "en" });
  if (notice) found.push({ says: of(noticeText(notice)), clause: notice.clause, look: "warn" });
  // A player with stakes on the felt is not idle.
  if (idle && staked === 0) {
    found.push({ says: of(say("notice.idle", { n: idle.spins })), clause: idle.clause, look: "calm" });
  }
  return found;
}

/** The rules fix the warning; its meaning follows it in other languages. @param {string} warning */
const warningText = (warning) => (languageInUse() === "en" ? warning : `${warning} · ${say("notice.warning")}`);

/** A break, or the player's own time that is over. @param {Controller} ui @returns {Notice[]} */
export function pauseNotices(ui) {
  const { seat } = ui.view();
  if (!seat?.pause) return [];
  const { until_us: until } = seat.pause;
  return [{ says: until === null ? say("pause.time") : say("pause.break", { time: clockOf(until) }), look: "warn" }];
}

/** A table that nobody deals. @param {Controller} ui @returns {Notice[]} */
const undealtNotices = (ui) =>
  ui.tables().some((name) => ui.undealt.has(name)) ? [{ says: say("undealt"), look: "calm", deal: true }] : [];

/** A seat without credit says how it gets some. @param {Controller} ui @returns {Notice[]} */
function fundingNotices(ui) {
  const { seat } = ui.view();
  if (!seat || seat.credit > 0 || Object.values(seat.games).some((game) => (game.staked ?? 0) > 0)) return [];
  return [{ says: ui.session.demo ? say("funding.demo") : fundingText(ui), look: "calm" }];
}

/**
 * Messages of the server that are shown for a while after they arrived: all of them as text, those shown, and until when.
 * @typedef {import("../shared/types/wire.js").MessageView} MessageView
 * @typedef {{known: string[] | null, fresh: MessageView[], until: number}} News
 */

/** @type {News} */
export const NO_NEWS = { known: null, fresh: [], until: 0 };

/** What is news after other messages have arrived. @param {News} news @param {MessageView[]} messages @param {number} now @returns {News} */
export function nextNews({ known: before, fresh, until }, messages, now) {
  const known = messages.map((message) => JSON.stringify(message));
  // Messages that were there when the page opened are only in the log.
  if (before === null || messages.length === 0 || known.join() === before.join()) return { known, fresh, until };
  // One close may bring several; the server keeps a limited number.
  const added = messages.slice(Math.min(before.length, messages.length - 1));
  return {
    known,
    fresh: [...(now < until ? fresh : []), ...added].slice(-MESSAGES_MOST),
    until: now + MESSAGE_US,
  };
}

// The overlay shown while there is no table: sign-on, and a connection that the server ended.

/** @param {Controller} ui @param {HTMLElement} entry the place of the sign-on */
export function overlay(ui, entry) {
  const { session } = ui;
  const { connection, seat, fixture } = ui.view();
  const ended = connection === "ended";
  return h(
    "div",
    { class: "overlay", hidden: !ended && seat !== null && fixture !== null },
    entry,
    h(
      "p",
      { class: "coming", role: "status", hidden: ended || entry.childElementCount > 0 },
      say("status.connecting"),
    ),
    ended && endedPanel(session, session.bye?.code === "evicted"),
  );
}

/** A connection that the server ended. @param {Controller["session"]} session @param {boolean} isEvicted */
function endedPanel(session, isEvicted) {
  const begin = () => {
    session.storage.forget();
    location.reload();
  };
  return h(
    "div",
    {
      class: "panel",
      role: "alertdialog",
      "aria-labelledby": "overlay-title",
      "aria-describedby": "overlay-why",
    },
    h("h2", { id: "overlay-title" }, say(isEvicted ? "overlay.elsewhere" : "overlay.shut")),
    h("p", { id: "overlay-why" }, session.bye ? refusalText(session.bye, amount) : ""),
    h(
      "div",
      { class: "row" },
      button(say(isEvicted ? "overlay.take-over" : "overlay.try-again"), () => session.connect(), {
        class: "main",
        ref: (/** @type {HTMLElement} */ made) => made.focus(),
      }),
      button(say("overlay.begin-again"), begin, { hidden: !session.demo || isEvicted }),
    ),
  );
}

/**
 * The bar above everything: the kind of seat, and the current notice.
 * @param {Controller} ui @param {boolean} isDemo @param {import("../shared/render.js").Child} notice
 */
export function topBar(ui, isDemo, notice) {
  const { fixture } = ui.view();
  return h(
    "div",
    { class: "top-bar" },
    h(
      "div",
      { class: "marks" },
      isDemo && h("p", { class: "demo" }, say("top-bar.demo")),
      h("p", { class: "practice", hidden: !fixture?.practice }, say("top-bar.practice")),
    ),
    h("div", { class: "news" }, notice),
    h(
      "div",
      { class: "where" },
      h("h1", null, ui.session.pageData.venue),
      h("p", { class: "terminal-name" }, say("top-bar.terminal", { terminal: fixture?.terminal ?? "" })),
    ),
  );
}

/** A text of a table; with several tables it names it. @param {Controller} ui @param {string} name @param {string} says */
export const ofTable = (ui, name, says) =>
  ui.tables().length > 1 ? say("notice.of", { table: shortTableName(name), says }) : says;
