// The action buttons: what each does, when it is enabled and how it is labelled.

import { button, each, el, enabled, icon, marked, text } from "../shared/dom.js";
import { isReady } from "../shared/store.js";
import { say } from "../shared/text.js";
import { specialsOf } from "./dialogs/call_bets.js";

/** @typedef {import("./controller.js").Ui} Ui */

/**
 * @typedef {object} Deed
 * @property {string} id also the name of its icon, unless it has another
 * @property {string} [icon]
 * @property {() => string} words
 * @property {() => string} [about] what the action is, where its label names only the next step
 * @property {() => void} press
 * @property {() => boolean} [there] whether the venue offers it
 * @property {() => boolean} [can] whether it is possible now
 * @property {() => boolean} [on] whether it is switched on, if it is a switch
 * @property {boolean} [small] whether a small screen shows it beside the felt
 * @property {boolean} [main]
 */

/** @param {Ui} ui @returns {Deed[]} */
export function deedsOf(ui) {
  const lies = () => Object.keys(ui.mine()?.bets ?? {}).length > 0;
  const isOpen = () => ui.isOpen();
  return [
    { id: "undo", words: () => say("action.undo"), press: () => ui.ask("UndoBet"), can: isOpen, small: true },
    {
      id: "clear",
      words: () => say("action.clear"),
      press: () => ui.ask("ClearBets", {}, { clear: true }),
      can: () => isOpen() && lies(),
      small: true,
    },
    { id: "repeat", words: () => say("action.repeat"), press: () => ui.ask("RepeatBets"), can: isOpen, small: true },
    {
      id: "double",
      words: () => say("action.double"),
      press: () => ui.ask("DoubleBets", {}, { add: ui.lying() }),
      can: () => isOpen() && lies(),
      small: true,
    },
    {
      id: "neighbours",
      words: () => neighbourWords(ui.mine()?.neighbours, neighbourLabel(ui)),
      about: () => neighbourLabel(ui),
      press: () => pressNeighbours(ui),
      there: () => Boolean(ui.data()?.neighbours_button),
      can: () => isOpen() && Boolean(ui.mine()?.neighbours),
    },
    {
      id: "special",
      words: () => say("action.special"),
      press: () => ui.open.specials(),
      there: () => specialsOf(ui.data()).length > 0,
    },
    {
      id: "save",
      words: () => say("action.save"),
      press: () => ui.open.patterns(),
      there: () => Boolean(ui.data()?.patterns),
    },
    ...viewDeeds(ui),
    {
      id: "limits",
      words: () => say("action.limits"),
      press: () => ui.prefs.set({ limits: !ui.prefs.now.limits }),
      on: () => ui.prefs.now.limits,
    },
    moneyDeed(ui),
  ];
}

/** @param {Ui} ui @returns {Deed[]} */
function viewDeeds(ui) {
  const isWheel = () => ui.prefs.now.view === "wheel";
  return [
    {
      id: "view",
      icon: "wheel",
      words: () => say(isWheel() ? "action.table-view" : "action.wheel-view"),
      press: () => ui.prefs.set({ view: isWheel() ? "table" : "wheel" }),
      there: () => !ui.shows.both,
    },
    {
      id: "games",
      icon: "table",
      words: () => say("action.one-game"),
      press: () => ui.prefs.set({ games: 1 }),
      there: () => ui.shows.both,
    },
  ];
}

/** Without credit the button inserts money instead of collecting. @param {Ui} ui @returns {Deed} */
function moneyDeed(ui) {
  const isEmpty = () => ui.view().seat?.credit === 0;
  return {
    id: "collect",
    words: () => say(isEmpty() ? "action.insert" : "action.collect"),
    press: () => (isEmpty() ? ui.open.money() : ui.open.collect()),
    can: () => isReady(ui.view()),
    main: true,
  };
}

/** The venue's name for neighbours bets. @param {Ui} ui */
const neighbourLabel = (ui) =>
  ui.data()?.calls.find(({ kind }) => kind === "neighbours")?.label ?? say("action.neighbours");

/**
 * The label for the next press of the button.
 * @param {{pocket: string, reach: number, adds: Record<string, number>} | null | undefined} next
 * @param {string} label of the button
 */
function neighbourWords(next, label) {
  if (!next) return label;
  const { pocket, reach, adds } = next;
  if (adds[pocket]) return say("action.neighbours-raise");
  const isFirst = Object.keys(adds).length === 2 * reach;
  return say(isFirst ? "action.neighbours-first" : "action.neighbours-next", { label, reach });
}

/** @param {Ui} ui */
function pressNeighbours(ui) {
  const next = ui.mine()?.neighbours;
  if (next) ui.ask("PressNeighbours", {}, { add: next.adds }, { spot: next.pocket });
}

// The action buttons. A small screen shows the first few and the rest in its menu.

/** @param {Deed[]} deeds @param {() => void} more opens the menu of a small screen */
export function actions(deeds, more) {
  const node = el("div", { class: "actions", role: "group", "aria-label": say("actions.label") });
  /** @type {Deed} */
  const menu = { id: "more", icon: "menu", words: () => say("action.more"), press: more, small: true };

  const make = (/** @type {Deed} */ deed) => {
    const made = button("", deed.press, { class: `act${deed.main ? " main" : ""}`, "data-act": deed.id });
    made.append(icon(deed.icon ?? deed.id), el("span", {}));
    return made;
  };
  /** @param {boolean} small */
  const update = (small) => {
    const offered = deeds.filter((deed) => (deed.there?.() ?? true) && (!small || deed.small));
    const shown = small ? [...offered, menu] : offered;
    node.style.setProperty("--columns", String(small ? shown.length : Math.ceil(shown.length / 2)));
    each(
      node,
      shown,
      (deed) => deed.id,
      make,
      (made, deed) => {
        const [words, about] = [deed.words(), deed.about?.() ?? ""];
        text(made.lastElementChild, words);
        marked(made, "aria-label", words.includes(about) ? null : say("action.about", { about, words }));
        enabled(made, deed.can?.() ?? true);
        marked(made, "aria-pressed", deed.on ? String(deed.on()) : null);
      },
    );
  };
  return { node, update };
}
