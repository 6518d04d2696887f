// Display settings, units and their inputs.

import { openDialog } from "../../shared/dialog.js";
import { el, isMotionReduced } from "../../shared/dom.js";
import { money } from "../../shared/money.js";
import { languageInUse, LANGUAGES, locale, say } from "../../shared/text.js";
import { reply } from "./response.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/store.js").TerminalView} TerminalView
 */

/** @param {Controller} ui */
export function openSettings(ui) {
  const response = reply();
  const { prefs } = ui;
  const { fixture } = ui.seated();
  const parts = [
    choice(say("settings.language"), languages(), languageInUse, (lang) => prefs.set({ lang })),
    unitChoice(ui),
    denominationChoice(ui, response),
    choice(
      say("settings.hand"),
      [
        { value: "right", words: say("settings.right") },
        { value: "left", words: say("settings.left") },
      ],
      () => prefs.now.hand,
      (hand) => prefs.set({ hand: /** @type {"right" | "left"} */ (hand) }),
    ),
    toggle(
      say("settings.assist"),
      () => prefs.now.assist,
      (assist) => prefs.set({ assist }),
      say("settings.assist-about"),
    ),
    toggle(
      say("settings.sound"),
      () => prefs.now.sound,
      (sound) => prefs.set({ sound }),
      say("settings.sound-about"),
    ),
    choice(
      say("settings.volume"),
      VOLUMES.map((value) => ({ value, words: percent(value) })),
      () => prefs.now.volume,
      (volume) => prefs.set({ volume: Number(volume) }),
    ),
  ].filter((part) => part !== null);
  openDialog({
    name: "settings",
    title: say("settings.title"),
    body: [...parts.map((part) => part.node), response.node, ...notes(fixture)],
    update: (/** @type {TerminalView} */ view) => {
      for (const part of parts) part.update();
      response.update(view);
    },
  });
}

/** Each language by its own name. */
const languages = () => Object.entries(LANGUAGES).map(([value, words]) => ({ value, words, lang: value }));

/** What is not set here: motion follows the system, and breaks follow the operator. @param {TerminalView["fixture"]} fixture */
function notes(fixture) {
  const reduced = isMotionReduced();
  const minutes = fixture.break_minutes ?? 0;
  return [
    el("p", { class: "quiet" }, reduced ? say("settings.motion-reduced") : say("settings.motion-full")),
    el("p", { class: "quiet" }, minutes > 0 ? say("settings.break", { n: minutes }) : say("settings.no-break")),
  ];
}

// Inputs: a switch, and one of several choices.

/** How loud the sound may be. */
const VOLUMES = [0.3, 0.7, 1];

/** @param {number} part */
const percent = (part) => new Intl.NumberFormat(locale(), { style: "percent" }).format(part);

/** A switch.
 * @param {string} words @param {() => boolean} read @param {(on: boolean) => void} write @param {string} [about] */
export function toggle(words, read, write, about = "") {
  const box = el("input", { type: "checkbox", role: "switch" });
  box.addEventListener("change", () => write(box.checked));
  const response = el("span", { class: "words" }, words, about ? el("small", {}, about) : null);
  const node = el("label", { class: "toggle" }, response, box, el("span", { class: "track", "aria-hidden": "true" }));
  const update = () => {
    box.checked = read();
  };
  update();
  return { node, update };
}

/**
 * One of several choices. A label may be in another language than the page.
 * @template {string | number} T
 * @param {string} words
 * @param {{value: T, words: string, lang?: string}[]} choices
 * @param {() => T} read @param {(value: T) => void} write
 */
export function choice(words, choices, read, write) {
  const name = `choice-${(made += 1)}`;
  const boxes = choices.map(({ value }) => {
    const box = el("input", { type: "radio", name, value: String(value) });
    box.addEventListener("change", () => write(value));
    return box;
  });
  const labels = choices.map((one, place) =>
    el("label", {}, boxes[place], el("bdi", { lang: one.lang ?? null }, one.words))
  );
  const node = el(
    "fieldset",
    { class: "choice" },
    el("legend", {}, words),
    el("div", { class: "segments" }, ...labels),
  );
  const update = () => {
    for (const [place, { value }] of choices.entries()) boxes[place].checked = value === read();
  };
  update();
  return { node, update };
}

let made = 0;

// The unit of amounts, and the value of one credit.

/** Format cents in the currency, whatever the unit of amounts is. @param {number} cents @param {string} currency */
export const cash = (cents, currency) => money(cents, currency, locale(), "narrowSymbol");

/** The choice of the unit of amounts. @param {Controller} ui */
export const unitChoice = (ui) =>
  choice(
    say("settings.units"),
    [
      { value: "currency", words: say("settings.currency", { currency: ui.seated().fixture.currency }) },
      { value: "credits", words: say("settings.credits") },
    ],
    () => ui.prefs.now.units,
    (units) => ui.prefs.set({ units: /** @type {"currency" | "credits"} */ (units) }),
  );

/**
 * The value of one credit, where there is a choice; the server may refuse it.
 * @param {Controller} ui @param {import("./response.js").Reply} response
 */
export function denominationChoice(ui, response) {
  const { fixture } = ui.seated();
  if (fixture.denominations.length < 2) return null;
  const choices = fixture.denominations.map((cents) => ({
    value: cents,
    words: cash(cents, fixture.currency),
  }));
  const choose = (/** @type {number} */ denomination) =>
    response.await(ui.session.sendCommand({ type: "ChooseDenomination", terminal: fixture.terminal, denomination }));
  return choice(say("settings.denomination"), choices, () => chosen(ui.seated()), choose);
}

/** The value of one credit, including a pending change. @param {TerminalView} view @returns {number} */
function chosen({ seat, pending }) {
  const commands = pending.map((request) => request.message.command);
  const last = commands.reverse().find((command) => command?.type === "ChooseDenomination");
  return last?.denomination ?? seat.denomination;
}
