// The action buttons: what each does, when it is enabled and how it is labelled.

import { button, h, icon } from "../shared/render.js";
import { isReady } from "../shared/store.js";
import { say } from "../shared/text.js";
import { callBetsOf } from "./calls.js";
import { insertMoney } from "./dialogs/funding.js";

/** @typedef {import("./controller.js").Controller} Controller */

/**
 * @typedef {object} Action
 * @property {string} id also the name of its icon, unless it has another
 * @property {string} [icon]
 * @property {() => string} words
 * @property {() => string} [about] what the action is, where its label names only the next step
 * @property {() => void} press
 * @property {() => boolean} [isOffered] whether the venue offers it
 * @property {() => boolean} [isEnabled] whether it is possible now
 * @property {() => boolean} [isOn] whether it is switched on, if it is a switch
 * @property {(isPointed: boolean) => void} [point] called when a pointer or the focus comes to its button, or leaves it
 * @property {() => boolean} [small] whether a small screen shows it beside the felt
 * @property {boolean} [main]
 */

/** @param {Controller} ui @returns {Action[]} */
export function actionsOf(ui) {
  const placed = () => Object.keys(ui.game()?.bets ?? {}).length > 0;
  const isOpen = () => ui.isOpen();
  return [
    {
      id: "undo",
      words: () => say("action.undo"),
      press: () => ui.sendCommand("UndoBet"),
      isEnabled: () => isOpen() && ui.canUndo(),
      small: () => true,
    },
    {
      id: "clear",
      words: () => say("action.clear"),
      press: () => ui.sendCommand("ClearBets", {}, { clear: true }),
      isEnabled: () => isOpen() && placed(),
      small: () => true,
    },
    {
      id: "repeat",
      words: () => (ui.autoLeft() > 0 ? say("action.stop", { n: ui.autoLeft() }) : say("action.repeat")),
      press: () => (ui.autoLeft() > 0 ? ui.stopAuto() : ui.sendCommand("RepeatBets")),
      isEnabled: () => ui.autoLeft() > 0 || (isOpen() && ui.canRepeat()),
      small: () => !isUnfunded(ui),
    },
    {
      id: "double",
      words: () => say("action.double"),
      press: () => ui.sendCommand("DoubleBets", {}, { add: ui.pendingStakes() }),
      isEnabled: () => isOpen() && placed(),
      small: () => !isUnfunded(ui),
    },
    {
      id: "neighbours",
      words: () => neighbourText(ui.game()?.neighbours, neighbourLabel(ui)),
      about: () => neighbourLabel(ui),
      press: () => pressNeighbours(ui),
      point: (isPointed) => ui.askNeighbours(isPointed),
      isOffered: () => Boolean(ui.data()?.neighbours_button),
      isEnabled: () => isOpen() && Boolean(ui.game()?.neighbours),
    },
    {
      id: "special",
      words: () => say("action.special"),
      press: () => ui.dialogs.specials(),
      isOffered: () => callBetsOf(ui.data()).length > 0,
    },
    {
      id: "save",
      words: () => say("action.save"),
      press: () => ui.dialogs.patterns(),
      isOffered: () => Boolean(ui.data()?.patterns),
    },
    ...viewActions(ui),
    {
      id: "limits",
      words: () => say("action.limits"),
      press: () => ui.prefs.set({ limits: !ui.prefs.now.limits }),
      isOn: () => ui.prefs.now.limits,
    },
    moneyAction(ui),
  ];
}

/** @param {Controller} ui @returns {Action[]} */
function viewActions(ui) {
  const isWheel = () => ui.prefs.now.view === "wheel";
  return [
    {
      id: "view",
      icon: "wheel",
      words: () => say(isWheel() ? "action.table-view" : "action.wheel-view"),
      press: () => ui.prefs.set({ view: isWheel() ? "table" : "wheel" }),
      isOffered: () => !ui.layout.both,
    },
    {
      id: "games",
      icon: "table",
      words: () => say("action.one-game"),
      press: () => ui.prefs.set({ games: 1 }),
      isOffered: () => ui.layout.both,
    },
  ];
}

/** Whether the seat has neither credit nor stakes. @param {Controller} ui */
const isUnfunded = (ui) => ui.view().seat?.credit === 0 && ui.tables().every((table) => !ui.game(table)?.staked);

/**
 * Without credit the button inserts money instead of collecting. A small screen shows it while the seat has none.
 * @param {Controller} ui @returns {Action}
 */
function moneyAction(ui) {
  const isEmpty = () => ui.view().seat?.credit === 0;
  return {
    id: "collect",
    words: () => say(isEmpty() ? "action.insert" : "action.collect"),
    press: () => (isEmpty() ? insertMoney(ui) : ui.dialogs.collect()),
    isEnabled: () => isReady(ui.view()),
    small: () => isUnfunded(ui),
    main: true,
  };
}

/** The venue's name for neighbours bets. @param {Controller} ui */
const neighbourLabel = (ui) =>
  ui.data()?.calls.find(({ kind }) => kind === "neighbours")?.label ?? say("action.neighbours");

/** @typedef {{pocket: string, reach: number, adds: Record<string, number>} | null | undefined} NextNeighbours */

/** Whether the button has not been pressed for a number yet. @param {NonNullable<NextNeighbours>} next */
export const isFirstPress = ({ pocket, reach, adds }) => !adds[pocket] && Object.keys(adds).length === 2 * reach;

/**
 * The label for the next press of the button.
 * @param {NextNeighbours} next
 * @param {string} label of the button
 */
function neighbourText(next, label) {
  if (!next) return label;
  const { pocket, reach, adds } = next;
  if (adds[pocket]) return say("action.neighbours-raise");
  return say(isFirstPress(next) ? "action.neighbours-first" : "action.neighbours-next", { label, reach });
}

/** @param {Controller} ui */
function pressNeighbours(ui) {
  const next = ui.game()?.neighbours;
  if (next) ui.sendCommand("PressNeighbours", {}, { add: next.adds }, { spot: next.pocket });
}

// The action buttons. A small screen shows the first few and the rest in its menu.

/** @param {Action[]} actions @param {boolean} small @param {() => void} more opens the menu of a small screen */
export function actionBar(actions, small, more) {
  /** @type {Action} */
  const menu = { id: "more", icon: "menu", words: () => say("action.more"), press: more, small: () => true };
  const offered = actions.filter((action) => (action.isOffered?.() ?? true) && (!small || action.small?.()));
  const shown = small ? [...offered, menu] : offered;
  const columns = small ? shown.length + (shown.some(({ main }) => main) ? 1 : 0) : Math.ceil(shown.length / 2);
  return h(
    "div",
    {
      class: "actions",
      role: "group",
      "aria-label": say("actions.label"),
      style: { "--columns": String(columns) },
    },
    shown.map(actionButton),
  );
}

/** @param {Action} action */
function actionButton({ id, icon: drawn, words: wordsOf, about: aboutOf, press, isEnabled, isOn, point, main }) {
  const [words, about] = [wordsOf(), aboutOf?.() ?? ""];
  const moved = point &&
    ((/** @type {{currentTarget: Element}} */ { currentTarget }) =>
      point(currentTarget.matches(":hover, :focus-visible")));
  return button([icon(drawn ?? id), h("span", null, words)], press, {
    key: id,
    class: `act${main ? " main" : ""}`,
    "data-act": id,
    disabled: !(isEnabled?.() ?? true),
    "aria-label": words.includes(about) ? null : say("action.about", { about, words }),
    "aria-pressed": isOn ? String(isOn()) : null,
    ...(moved && { pointerenter: moved, focus: moved, pointerleave: moved, blur: moved }),
  });
}
