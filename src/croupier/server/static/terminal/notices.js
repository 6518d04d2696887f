// Notices by severity, the bar that holds them, and the overlay shown while there is no table.

import { clauseInfo } from "../shared/clause.js";
import { button, el, marked, shown, text } from "../shared/dom.js";
import { languageInUse, noticeText, refusalText, say, seatMessageText, tableName } from "../shared/text.js";
import { fundingText } from "./dialogs/funding.js";
import { signOn } from "./sign_on.js";
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

/** @param {Controller} ui */
export function noticeLine(ui) {
  const words = el("span", { dir: "auto" });
  const clause = clauseInfo((one) => ui.dialogs.rules(one));
  const deal = el("a", { class: "deal", href: "dealer", target: "_blank" }, say("undealt.deal"));
  const node = el("p", { class: "notice-line", hidden: true }, words, " ", deal, clause.node);
  const news = recentMessages(ui);
  const update = () => {
    const tables = ui.tables().flatMap((name) => tableNotices(ui, name));
    const standing = [
      ...connectionNotices(ui),
      ...pauseNotices(ui),
      ...tables,
      ...undealtNotices(ui),
      ...fundingNotices(ui),
    ];
    // A low-priority notice, such as idleness, does not hide a message of the server.
    const word = [...standing.filter(({ look }) => look !== "calm"), ...news(), ...standing][0];
    shown(node, word !== undefined);
    text(words, word?.says);
    marked(words, "lang", word?.house ? "en" : null);
    clause.update(word?.clause);
    shown(deal, Boolean(word?.deal));
    marked(node, "data-look", word?.look);
  };
  return { node, update };
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
  const of = (
    /** @type {string} */ says,
  ) => (ui.tables().length > 1 ? say("notice.of", { table: tableName(name), says }) : says);
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

/** Messages of the server, for a while after they arrived. @param {Controller} ui @returns {() => Notice[]} */
function recentMessages(ui) {
  let [known, fresh, until] = [/** @type {string[] | null} */ (null), /** @type {string[]} */ ([]), 0];
  return () => {
    const { seat } = ui.view();
    if (!seat) return [];
    const now = ui.session.now() ?? 0;
    const messages = (seat.messages ?? []).map((one) => seatMessageText(one, amount));
    // Messages that were there when the page opened are only in the log.
    if (known !== null && messages.length > 0 && messages.join("\n") !== known.join("\n")) {
      // One close may bring several; the server keeps a limited number.
      const news = messages.slice(Math.min(known.length, messages.length - 1));
      fresh = [...(now < until ? fresh : []), ...news].slice(-MESSAGES_MOST);
      until = now + MESSAGE_US;
    }
    known = messages;
    return now < until ? [{ says: fresh.join(" "), look: "calm" }] : [];
  };
}

// The overlay shown while there is no table: sign-on, and a connection that the server ended.

/** @param {Controller} ui */
export function overlay(ui) {
  const { session } = ui;
  const entry = el("div", { class: "entry" });
  const waits = el("p", { class: "coming", role: "status" }, say("status.connecting"));
  const why = el("p", { id: "overlay-why" });
  const title = el("h2", { id: "overlay-title" });
  const over = button(say("overlay.take-over"), () => session.connect(), { class: "main" });
  const again = button(say("overlay.begin-again"), () => {
    session.storage.forget();
    location.reload();
  });
  const shut = el(
    "div",
    {
      class: "panel",
      role: "alertdialog",
      hidden: true,
      "aria-labelledby": title.id,
      "aria-describedby": why.id,
    },
    title,
    why,
    el("div", { class: "row" }, over, again),
  );
  const node = el("div", { class: "overlay" }, entry, waits, shut);
  const update = () => {
    const { connection, seat, fixture } = ui.view();
    const ended = connection === "ended";
    const evicted = session.bye?.code === "evicted";
    shown(node, ended || !seat || !fixture);
    const isNews = ended && shut.hidden;
    shown(shut, ended);
    if (isNews) over.focus();
    shown(waits, !ended && entry.childElementCount === 0);
    text(title, say(evicted ? "overlay.elsewhere" : "overlay.shut"));
    text(why, session.bye ? refusalText(session.bye, amount) : "");
    text(over, say(evicted ? "overlay.take-over" : "overlay.try-again"));
    shown(again, session.demo && !evicted);
  };
  /** Connect, or ask for what is missing. */
  const enter = () => signOn(session, entry);
  return { node, update, enter };
}

// The bar above everything: the kind of seat, and the current notice.

/**
 * @param {Controller} ui @param {HTMLElement | null} demo the demonstration banner of the page
 * @param {HTMLElement} news
 */
export function topBar(ui, demo, news) {
  const practice = el("p", { class: "practice", hidden: true }, say("top-bar.practice"));
  const venue = el("h1", {}, ui.session.pageData.venue);
  const terminal = el("p", { class: "terminal-name" });
  text(demo, say("top-bar.demo"));
  const marks = el("div", { class: "marks" }, demo, practice);
  const node = el("div", { class: "top-bar" }, marks, news, el("div", { class: "where" }, venue, terminal));
  const update = () => {
    const { fixture } = ui.view();
    shown(practice, Boolean(fixture?.practice));
    text(terminal, say("top-bar.terminal", { terminal: fixture?.terminal ?? "" }));
  };
  return { node, update };
}
