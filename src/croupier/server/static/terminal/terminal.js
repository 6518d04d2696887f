// The terminal: credits, bets and wins of one player at one table or two.

import { colourTray } from "../felt/chips.js";
import { closeDialogs, dialogNamed } from "../shared/dialog.js";
import { isMotionReduced, shown } from "../shared/dom.js";
import { MoneyFormat } from "../shared/money.js";
import { Preferences } from "../shared/preferences.js";
import { ResultDelay } from "../shared/result_delay.js";
import { pageDataOf, parametersOf, Session } from "../shared/session.js";
import { sound } from "../shared/sound.js";
import { languageOf, locale, say, useLanguage } from "../shared/text.js";
import { Controller } from "./controller.js";
import { terminalDialogs } from "./dialogs/dialogs.js";
import { overlay } from "./notices.js";
import { onResize, Screen } from "./screen.js";
import { useMoneyFormat } from "./money.js";

/** @typedef {import("../shared/preferences.js").PreferenceValues} Choice */

/** How often time is checked. */
const TICK_MS = 100;
const SECOND_MS = 1000;
/** How often a demonstration is asked whether anybody deals. */
const DEALER_MS = 3000;

/** @param {HTMLElement} host @param {Session} session @param {Preferences} prefs */
export function terminal(host, session, prefs) {
  const ui = new Controller(session, prefs);
  const dialogs = terminalDialogs(ui);
  ui.dialogs = dialogs.open;
  const demo = /** @type {HTMLElement | null} */ (document.querySelector("body > .demo"));
  let screen = new Screen(ui, demo);
  let front = overlay(ui);
  host.replaceChildren(screen.node, front.node);

  const isWatched = (/** @type {string} */ name) =>
    Boolean(screen.games.get(name)?.surfaces.isWheelSeen) && !isMotionReduced() && !document.hidden;
  const resultDelay = new ResultDelay(isWatched, () => performance.now());
  ui.landed = (name) => void (resultDelay.landed(name) && session.redraw());
  session.draw = (serverView) => {
    const view = resultDelay.shown(serverView);
    [ui.serverView, ui.drawnView] = [serverView, view];
    const { fixture, seat } = view;
    const there = Boolean(fixture && seat);
    if (fixture && seat) {
      useMoneyFormat(
        new MoneyFormat({ ...writing(prefs.now), currency: fixture.currency, denomination: seat.denomination }),
      );
      colourTray(fixture.chips.map((/** @type {number} */ chip) => chip * seat.denomination));
    }
    shown(screen.node, there);
    screen.node.toggleAttribute("inert", view.connection === "ended");
    front.update();
    if (there) screen.update();
    dialogs.update(view);
  };
  // The lobby promises play money to everybody who sits down.
  let isNew = false;
  session.handlers.enrolled = () => void (isNew = session.demo && session.parameters.sit !== undefined);
  session.handlers.snap = ({ seat }) => {
    if (isNew && seat?.credit === 0) session.send({ t: "practice" });
    isNew = false;
  };
  /** A change of language rebuilds everything. @param {string} lang */
  const translate = async (lang) => {
    if (!(await useLanguage(lang))) return;
    const wasSettings = dialogNamed("settings") !== undefined;
    closeDialogs();
    screen.destroy();
    screen = new Screen(ui, demo);
    front = overlay(ui);
    host.replaceChildren(screen.node, front.node);
    session.redraw();
    if (wasSettings) dialogs.open.settings();
  };
  prefs.onchange = (now, before) => {
    sound.on(now.sound, now.volume);
    if (now.lang !== before.lang) void translate(now.lang);
    session.redraw();
  };
  sound.on(prefs.now.sound, prefs.now.volume);
  onResize(() => session.redraw());
  setInterval(() => ui.drawnView?.seat && (screen.tick() || resultDelay.isDue()) && session.redraw(), TICK_MS);
  setInterval(dialogs.tick, SECOND_MS);
  if (session.demo) setInterval(() => void ui.askDealer(), DEALER_MS);
  front.enter();
  session.redraw();
}

/** @param {Choice} chosen */
const writing = ({ units }) => ({
  units,
  locale: locale(),
  credits: (/** @type {string} */ n) => say("money.credits", { n }),
});

const main = document.querySelector("main.app.terminal");
if (main instanceof HTMLElement) {
  const [parameters, prefs] = [parametersOf(location), new Preferences(localStorage)];
  await useLanguage(languageOf(parameters.lang, prefs.now.lang, navigator.languages));
  terminal(main, new Session({ pageData: pageDataOf(document), parameters }), prefs);
}
