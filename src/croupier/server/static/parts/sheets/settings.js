// The settings: how this screen reads, looks and sounds. What the house decides is not among them.

import { el } from "../../kit/dom.js";
import { openSheet } from "../../kit/sheet.js";
import { LANGUAGES, say } from "../../kit/words.js";
import { choice, toggle } from "./choice.js";
import { reply } from "./reply.js";
import { denominationChoice, unitChoice } from "./units.js";

/** @typedef {import("../ui.js").Ui} Ui */

/** @param {Ui} ui */
export function openSettings(ui) {
  const told = reply();
  const { prefs } = ui;
  const { fixture } = ui.view();
  const parts = [
    choice(
      say("settings.language"),
      languages(),
      () => prefs.now.lang,
      (lang) => prefs.set({ lang }),
    ),
    unitChoice(ui),
    denominationChoice(ui, told),
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
  ].filter((part) => part !== null);
  openSheet({
    name: "settings",
    title: say("settings.title"),
    body: [...parts.map((part) => part.node), told.node, ...notes(fixture)],
    update: (view) => {
      for (const part of parts) part.update();
      told.update(view);
    },
  });
}

/** Each language by its own name. */
const languages = () => Object.entries(LANGUAGES).map(([value, words]) => ({ value, words, lang: value }));

/** What is not chosen here: motion is as the system has it, and the break as the operator has it.
 * @param {any} fixture */
function notes(fixture) {
  const reduced = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const minutes = fixture.break_minutes ?? 0;
  return [
    el("p", { class: "quiet" }, reduced ? say("settings.motion-reduced") : say("settings.motion-full")),
    el("p", { class: "quiet" }, minutes > 0 ? say("settings.break", { n: minutes }) : say("settings.no-break")),
  ];
}
