// Display settings, units and their inputs.

import { openDialog } from "../../shared/dialog.js";
import { isMotionReduced } from "../../shared/dom.js";
import { money } from "../../shared/money.js";
import { h } from "../../shared/render.js";
import { languageInUse, LANGUAGES, locale, say } from "../../shared/text.js";
import { Reply } from "./response.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 */

/** @param {Controller} ui */
export function openSettings(ui) {
  const response = new Reply(ui);
  const { prefs } = ui;
  const body = () => [
    choice({
      name: "settings-language",
      words: say("settings.language"),
      choices: Object.entries(LANGUAGES).map(([value, words]) => ({ value, words, lang: value })),
      chosen: languageInUse(),
      choose: (lang) => prefs.set({ lang }),
    }),
    unitChoice(ui, "settings"),
    denominationChoice(ui, response, "settings"),
    choice({
      name: "settings-hand",
      words: say("settings.hand"),
      choices: [
        { value: "right", words: say("settings.right") },
        { value: "left", words: say("settings.left") },
      ],
      chosen: prefs.now.hand,
      choose: (hand) => prefs.set({ hand: /** @type {"right" | "left"} */ (hand) }),
    }),
    toggle(say("settings.assist"), prefs.now.assist, (assist) => prefs.set({ assist }), say("settings.assist-about")),
    toggle(say("settings.sound"), prefs.now.sound, (sound) => prefs.set({ sound }), say("settings.sound-about")),
    choice({
      name: "settings-volume",
      words: say("settings.volume"),
      choices: VOLUMES.map((value) => ({ value, words: percent(value) })),
      chosen: prefs.now.volume,
      choose: (volume) => prefs.set({ volume }),
    }),
    response.tree(),
    notes(ui.seated().fixture),
  ];
  openDialog({ name: "settings", title: say("settings.title"), body });
}

/** What is not set here: motion follows the system, and breaks follow the operator. @param {TerminalView["fixture"]} fixture */
function notes(fixture) {
  const minutes = fixture.break_minutes ?? 0;
  return [
    h("p", { class: "quiet" }, say(isMotionReduced() ? "settings.motion-reduced" : "settings.motion-full")),
    h("p", { class: "quiet" }, minutes > 0 ? say("settings.break", { n: minutes }) : say("settings.no-break")),
  ];
}

// Inputs: a switch, and one of several choices.

/** How loud the sound may be. */
const VOLUMES = [0.3, 0.7, 1];

/** @param {number} part */
const percent = (part) => new Intl.NumberFormat(locale(), { style: "percent" }).format(part);

/** A switch. @param {string} words @param {boolean} isOn @param {(on: boolean) => void} turn @param {string} [about] */
export const toggle = (words, isOn, turn, about = "") =>
  h(
    "label",
    { class: "toggle" },
    h("span", { class: "words" }, words, about && h("small", null, about)),
    h("input", {
      type: "checkbox",
      role: "switch",
      checked: isOn,
      change: (/** @type {{currentTarget: HTMLInputElement}} */ { currentTarget }) => turn(currentTarget.checked),
    }),
    h("span", { class: "track", "aria-hidden": "true" }),
  );

/**
 * One of several choices. A label may be in another language than the page.
 * @template {string | number} T
 * @param {{name: string, words: string, choices: {value: T, words: string, lang?: string}[], chosen: T,
 *   choose: (value: T) => void}} asked its name is that of no other choice of the page
 */
export const choice = ({ name, words, choices, chosen, choose }) =>
  h(
    "fieldset",
    { class: "choice", key: name },
    h("legend", null, words),
    h(
      "div",
      { class: "segments" },
      choices.map((one) =>
        h(
          "label",
          null,
          h("input", {
            type: "radio",
            name,
            value: one.value,
            checked: one.value === chosen,
            change: () => choose(one.value),
          }),
          h("bdi", { lang: one.lang }, one.words),
        )
      ),
    ),
  );

// The unit of amounts, and the value of one credit.

/** Format cents in the currency, whatever the unit of amounts is. @param {number} cents @param {string} currency */
export const cash = (cents, currency) => money(cents, currency, locale(), "narrowSymbol");

/** The choice of the unit of amounts. @param {Controller} ui @param {string} dialog */
export const unitChoice = (ui, dialog) =>
  choice({
    name: `${dialog}-units`,
    words: say("settings.units"),
    choices: [
      { value: "currency", words: say("settings.currency", { currency: ui.seated().fixture.currency }) },
      { value: "credits", words: say("settings.credits") },
    ],
    chosen: ui.prefs.now.units,
    choose: (units) => ui.prefs.set({ units: /** @type {"currency" | "credits"} */ (units) }),
  });

/**
 * The value of one credit, where there is a choice; the server may refuse it.
 * @param {Controller} ui @param {Reply} response @param {string} dialog
 */
export function denominationChoice(ui, response, dialog) {
  const { fixture } = ui.seated();
  if (fixture.denominations.length < 2) return null;
  const choose = (/** @type {number} */ denomination) => {
    const command = { type: "ChooseDenomination", terminal: fixture.terminal, denomination };
    void response.await(ui.session.sendCommand(command));
  };
  return choice({
    name: `${dialog}-denomination`,
    words: say("settings.denomination"),
    choices: fixture.denominations.map((cents) => ({ value: cents, words: cash(cents, fixture.currency) })),
    chosen: chosenDenomination(ui.seated()),
    choose,
  });
}

/** The value of one credit, including a pending change. @param {TerminalView} view @returns {number} */
function chosenDenomination({ seat, pending }) {
  const commands = pending.map((request) => request.message.command);
  const last = commands.reverse().find((command) => command?.type === "ChooseDenomination");
  return last?.denomination ?? seat.denomination;
}
