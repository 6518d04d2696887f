// The terminal: credits, bets and wins of one player at one table or two.

import { colourTray } from "../felt/chips.js";
import { closeDialogs, dialogNamed } from "../shared/dialog.js";
import { el, isMotionReduced } from "../shared/dom.js";
import { MoneyFormat } from "../shared/money.js";
import { Preferences } from "../shared/preferences.js";
import { render } from "../shared/render.js";
import { ResultDelay } from "../shared/result_delay.js";
import { pageDataOf } from "../shared/page_data.js";
import { parametersOf, Session } from "../shared/session.js";
import { sound } from "../shared/sound.js";
import { languageOf, locale, say, useLanguage } from "../shared/text.js";
import { Controller, onResize } from "./controller.js";
import { terminalDialogs } from "./dialogs/dialogs.js";
import { overlay } from "./notices.js";
import { Screen } from "./screen.js";
import { signOn } from "./sign_on.js";
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
  // The page says that it is a demonstration until the bar does.
  const demo = document.querySelector("body > .demo");
  demo?.remove();
  let screen = new Screen(ui, demo !== null);
  const entry = el("div", { class: "entry" });

  const isWatched = (/** @type {string} */ name) =>
    Boolean(screen.games.get(name)?.surfaces.isWheelSeen) && !isMotionReduced() && !document.hidden;
  const resultDelay = new ResultDelay(isWatched, () => performance.now());
  ui.landed = (name) => void (resultDelay.landed(name) && session.redraw());
  // What a view brings is taken in first, then drawn; what follows from it is done last.
  session.draw = (serverView) => {
    const view = resultDelay.shown(serverView);
    ui.observe(serverView, view);
    if (!view.fixture || !view.seat) return render(host, null, overlay(ui, entry));
    const seated = /** @type {import("../shared/store.js").TerminalView} */ (view);
    const { fixture, seat: { denomination } } = seated;
    useMoneyFormat(new MoneyFormat({ ...writing(prefs.now), currency: fixture.currency, denomination }));
    colourTray(fixture.chips.map((chip) => chip * denomination));
    screen.observe();
    dialogs.observe(seated);
    render(host, screen.tree(), overlay(ui, entry));
    screen.drawParts();
    dialogs.draw(seated);
    dialogs.react(seated);
    screen.react();
  };
  // The lobby promises play money to everybody who sits down.
  let isNew = false;
  session.handlers.enrolled = () => void (isNew = session.demo && session.parameters.sit !== undefined);
  session.handlers.snap = ({ seat }) => {
    if (isNew && seat?.credit === 0) session.send({ t: "practice" });
    isNew = false;
  };
  /** A change of language draws the felts again. @param {string} lang */
  const translate = async (lang) => {
    if (!(await useLanguage(lang))) return;
    const wasSettings = dialogNamed("settings") !== undefined;
    closeDialogs();
    screen.destroy();
    screen = new Screen(ui, demo !== null);
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
  setInterval(() => ui.drawnView?.seat && (screen.isDue() || resultDelay.isDue()) && session.redraw(), TICK_MS);
  setInterval(dialogs.tick, SECOND_MS);
  if (session.demo) setInterval(() => void ui.askDealer(), DEALER_MS);
  signOn(session, entry);
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
