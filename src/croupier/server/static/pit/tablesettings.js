// Changing limits and timers: asked for by one person, signed by another, and in force from the next round.

import { el } from "../kit/dom.js";
import { centsOf } from "../kit/money.js";
import { askSheet } from "../staff/askform.js";
import { kindName, TIMERS } from "./tablewords.js";

/**
 * @typedef {import("../staff/desk.js").Desk} Desk
 * @typedef {import("../kit/commands.js").TableSettings} Settings
 * @typedef {import("../kit/commands.js").Bounds} Bounds
 */

const NAME = "settings";
const FORM = `${NAME}-form`;

/** @param {Desk} desk @param {string} table */
export function openSettings(desk, table) {
  const terms = desk.view.floor?.terms?.[table];
  const felt = desk.felt(table);
  if (!terms || !felt) return;
  const from = /** @type {Settings} */ ((terms.next ?? terms.now).settings);
  const kinds = felt.kinds.map(({ kind }) => kind);
  const asked = el("div", { class: "settings" }, limitFields(desk, table, kinds, from), timerFields(from));
  askSheet({
    name: NAME,
    title: `Limits and timers of table ${table}`,
    look: "wide",
    about: [
      el("p", {}, terms.next ? "Other terms wait for the next round already: these come in their place." : FROM_NEXT),
      asked,
    ],
    fields: [{ name: "words", label: "Why they are changed", kind: "words" }],
    does: "Sign it",
    dual: true,
    send: ({ words }) => desk.ask({ type: "ChangeSettings", table, settings: read(asked, from), words }),
  });
}

const FROM_NEXT = "The round that runs is played by what it began with: this counts from the next one.";

/** @param {Desk} desk @param {string} table @param {string[]} kinds @param {Settings} from */
function limitFields(desk, table, kinds, { limits = {} }) {
  const own = new Map(limits.kinds ?? []);
  const heads = ["Bet", "Least", "Most"].map((head) => el("th", { scope: "col" }, head));
  const rows = [
    limitRow("spot", "Every spot", limits.spot),
    ...kinds.map((kind) => limitRow(kind, kindName(desk, table, kind), own.get(/** @type {any} */ (kind)))),
    limitRow("total", "All bets of a player", limits.total),
  ];
  const grid = el("table", { class: "grid" }, el("thead", {}, el("tr", {}, ...heads)), el("tbody", {}, ...rows));
  const says = `In ${desk.felt(table)?.currency ?? ""}. A kind of bet without figures has those of every spot.`;
  return el("section", {}, el("h3", {}, "Limits"), el("p", { class: "quiet" }, says), grid);
}

/** @param {string} key @param {string} words @param {Bounds | undefined} bounds */
function limitRow(key, words, bounds) {
  const input = (/** @type {"least" | "most"} */ end) =>
    el("input", {
      name: `${key}.${end}`,
      form: FORM,
      inputmode: "decimal",
      pattern: "\\s*[0-9]{1,12}([.,][0-9]{1,2})?\\s*",
      autocomplete: "off",
      "aria-label": `${words}, ${end}`,
      value: plain(bounds?.[end]),
    });
  return el("tr", {}, el("th", { scope: "row" }, words), el("td", {}, input("least")), el("td", {}, input("most")));
}

/** @param {number | null | undefined} cents */
const plain = (cents) => (cents === null || cents === undefined ? "" : String(cents / 100));

/** @param {Settings} from */
function timerFields(from) {
  const rows = TIMERS.map(([name, words]) => {
    const value = /** @type {Record<string, unknown>} */ (from)[name];
    const looks = { inputmode: "numeric", pattern: "\\s*[0-9]{1,6}\\s*", autocomplete: "off", "aria-label": words };
    const input = el("input", {
      name,
      form: FORM,
      value: value === null || value === undefined ? "" : String(value),
      ...looks,
    });
    return el("tr", {}, el("th", { scope: "row" }, words), el("td", {}, input));
  });
  const says = "In whole seconds. What is left empty is switched off, or as the rules have it.";
  const grid = el("table", { class: "grid" }, el("tbody", {}, ...rows));
  return el("section", {}, el("h3", {}, "Timers"), el("p", { class: "quiet" }, says), grid);
}

/** The settings as they stand in the fields. @param {HTMLElement} asked @param {Settings} from @returns {Settings} */
function read(asked, from) {
  const given = new Map([...asked.querySelectorAll("input")].map((input) => [input.name, input.value.trim()]));
  const bounds = (/** @type {string} */ key) => ({
    least: centsOf(given.get(`${key}.least`) ?? ""),
    most: centsOf(given.get(`${key}.most`) ?? ""),
  });
  const kinds = [...given.keys()]
    .filter((name) => name.endsWith(".least") && !/^(spot|total)\./.test(name))
    .map((name) => name.slice(0, -".least".length))
    .map((kind) => /** @type {[any, Bounds]} */ ([kind, bounds(kind)]))
    .filter(([, { least, most }]) => least !== null || most !== null);
  const timers = Object.fromEntries(TIMERS.map(([name]) => [name, seconds(given.get(name), from, name)]));
  return { ...from, limits: { spot: bounds("spot"), kinds, total: bounds("total") }, ...timers };
}

/** A time that was emptied is off; what was never there stays as it was.
 * @param {string | undefined} written @param {Settings} from @param {string} name */
function seconds(written, from, name) {
  if (written) return Number(written);
  const was = /** @type {Record<string, unknown>} */ (from)[name];
  return typeof was === "number" ? null : was;
}
