// The terminal door: credits, bets and wins of one player, at one table or two.

import { shown } from "../kit/dom.js";
import { write } from "../kit/money.js";
import { Prefs } from "../kit/prefs.js";
import { placeOf, Session, wantedBy } from "../kit/session.js";
import { closeSheets } from "../kit/sheet.js";
import { sound } from "../kit/sound.js";
import { Suspense } from "../kit/suspense.js";
import { languageOf, locale, say, use } from "../kit/words.js";
import { curtain } from "../parts/curtain.js";
import { isReduced } from "../parts/motion.js";
import { onRoom } from "../parts/room.js";
import { Screen } from "../parts/screen.js";
import { sheets } from "../parts/sheets/sheets.js";
import { Ui } from "../parts/ui.js";

/** How often time is looked at. */
const TICK_MS = 100;
const SECOND_MS = 1000;

/** @typedef {import("../kit/prefs.js").Choice} Choice */

/** @param {HTMLElement} host @param {Session} session @param {Prefs} prefs */
export function terminal(host, session, prefs) {
  const ui = new Ui(session, prefs);
  const opened = sheets(ui);
  ui.open = opened.open;
  const demo = /** @type {HTMLElement | null} */ (document.querySelector("body > .demo"));
  let screen = new Screen(ui, demo);
  let front = curtain(ui);
  host.replaceChildren(screen.node, front.node);

  const isWatched = (/** @type {string} */ name) =>
    Boolean(screen.games.get(name)?.cloths.isWheelSeen) && !isReduced() && !document.hidden;
  const suspense = new Suspense(isWatched, () => performance.now());
  ui.landed = (name) => void (suspense.landed(name) && session.redraw());
  session.draw = (told) => {
    const view = suspense.shown(told);
    [ui.told, ui.drawn] = [told, view];
    const { fixture, seat } = view;
    const there = Boolean(fixture && seat);
    if (there) write({ ...writing(prefs.now), currency: fixture.currency, denomination: seat.denomination });
    shown(screen.node, there);
    screen.node.toggleAttribute("inert", view.line === "ended");
    front.update();
    if (there) screen.update();
    opened.update(view);
  };
  /** In another language everything is said anew. @param {string} lang */
  const translate = async (lang) => {
    if (!(await use(lang))) return;
    closeSheets();
    screen.destroy();
    screen = new Screen(ui, demo);
    front = curtain(ui);
    host.replaceChildren(screen.node, front.node);
    session.redraw();
    opened.open.settings();
  };
  prefs.onchange = (now, before) => {
    sound.on(now.sound);
    if (now.lang !== before.lang) void translate(now.lang);
    session.redraw();
  };
  sound.on(prefs.now.sound);
  onRoom(() => session.redraw());
  setInterval(() => ui.drawn?.seat && (screen.tick() || suspense.isDue()) && session.redraw(), TICK_MS);
  setInterval(opened.tick, SECOND_MS);
  front.enter();
  session.redraw();
}

/** @param {Choice} chosen */
const writing = ({ units }) => ({
  units,
  locale: locale(),
  credits: (/** @type {string} */ n) => say("money.credits", { n }),
});

const main = document.querySelector("main.door.terminal");
if (main instanceof HTMLElement) {
  const [wanted, prefs] = [wantedBy(location), new Prefs(localStorage)];
  await use(languageOf(wanted.lang, prefs.now.lang));
  terminal(main, new Session({ place: placeOf(document), wanted }), prefs);
}
