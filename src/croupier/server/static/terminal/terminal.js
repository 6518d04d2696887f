// The terminal: credits, bets and wins of one player at one table or two.

import { closeSheets } from "../shared/dialog.js";
import { isMotionReduced, shown } from "../shared/dom.js";
import { write } from "../shared/money.js";
import { Prefs } from "../shared/preferences.js";
import { Suspense } from "../shared/result_delay.js";
import { placeOf, Session, wantedBy } from "../shared/session.js";
import { sound } from "../shared/sound.js";
import { languageOf, locale, say, use } from "../shared/text.js";
import { Ui } from "./controller.js";
import { sheets } from "./dialogs/dialogs.js";
import { curtain } from "./notices.js";
import { onRoom, Screen } from "./screen.js";

/** @typedef {import("../shared/preferences.js").Choice} Choice */

/** How often time is checked. */
const TICK_MS = 100;
const SECOND_MS = 1000;

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
    Boolean(screen.games.get(name)?.cloths.isWheelSeen) && !isMotionReduced() && !document.hidden;
  const suspense = new Suspense(isWatched, () => performance.now());
  ui.landed = (name) => void (suspense.landed(name) && session.redraw());
  session.draw = (told) => {
    const view = suspense.shown(told);
    [ui.told, ui.drawn] = [told, view];
    const { fixture, seat } = view;
    const there = Boolean(fixture && seat);
    if (fixture && seat) write({ ...writing(prefs.now), currency: fixture.currency, denomination: seat.denomination });
    shown(screen.node, there);
    screen.node.toggleAttribute("inert", view.line === "ended");
    front.update();
    if (there) screen.update();
    opened.update(view);
  };
  /** A change of language rebuilds everything. @param {string} lang */
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
