// The limits and timers of a table: in force now, and from the next round.

import { openForm } from "../console/forms.js";
import { dataTable } from "../console/widgets.js";
import { centsOf } from "../shared/money.js";
import { h } from "../shared/render.js";
import { kindName as kindNameOf, say } from "../shared/text.js";

/**
 * @typedef {import("../shared/types/commands.js").LimitBounds} Bounds
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/commands.js").TableSettings} Settings
 * @typedef {import("../shared/types/console.js").LimitsInForce} TermsRow
 */

const NAME = "settings";
const FORM = `${NAME}-form`;

/** @param {ConsoleClient} client @param {string} table */
export function openSettings(client, table) {
  const terms = client.view.floor?.terms?.[table];
  const felt = client.felt(table);
  if (!terms || !felt) return;
  const from = /** @type {Settings} */ ((terms.next ?? terms.now).settings);
  const kinds = felt.kinds.map(({ kind }) => kind);
  /** @type {HTMLElement | null} */
  let inputs = null;
  const refer = (/** @type {HTMLElement} */ node) => (inputs = node);
  openForm({
    name: NAME,
    title: say("settings-form.title", { table }),
    look: "wide",
    about: [
      h("p", null, terms.next ? say("settings-form.replaces") : say("settings-form.about")),
      h("div", { class: "settings", ref: refer }, limitFields(client, table, kinds, from), timerFields(from)),
    ],
    fields: [{ name: "words", label: say("settings-form.words"), kind: "words" }],
    does: say("needs.sign"),
    dual: true,
    send: ({ words }) => client.sendCommand({ type: "ChangeSettings", table, settings: read(inputs, from), words }),
  });
}

/** @param {ConsoleClient} client @param {string} table @param {string[]} kinds @param {Settings} from */
function limitFields(client, table, kinds, { limits = {} }) {
  const own = new Map(limits.kinds ?? []);
  const heads = [say("dealer.bet"), say("limit.least"), say("limit.most")].map((head) =>
    h("th", { scope: "col" }, head)
  );
  const rows = [
    limitRow("spot", say("limit.spot"), limits.spot),
    ...kinds.map((kind) => limitRow(kind, kindName(client, table, kind), own.get(/** @type {any} */ (kind)))),
    limitRow("total", say("limit.total"), limits.total),
  ];
  const grid = h("table", { class: "grid" }, h("thead", null, h("tr", null, ...heads)), h("tbody", null, ...rows));
  const says = say("settings-form.limits-about", { currency: client.felt(table)?.currency ?? "" });
  return h("section", null, h("h3", null, say("floor.limits")), h("p", { class: "quiet" }, says), grid);
}

/** @param {string} key @param {string} words @param {Bounds | undefined} bounds */
function limitRow(key, words, bounds) {
  const input = (/** @type {"least" | "most"} */ end) =>
    h("input", {
      name: `${key}.${end}`,
      form: FORM,
      inputmode: "decimal",
      pattern: "\\s*[0-9]{1,12}([.,][0-9]{1,2})?\\s*",
      autocomplete: "off",
      "aria-label": say("limit.end", { bet: words, end: say(`limit.${end}`) }),
      defaultValue: plain(bounds?.[end]),
    });
  return h("tr", null, h("th", { scope: "row" }, words), h("td", null, input("least")), h("td", null, input("most")));
}

/** @param {number | null | undefined} cents */
const plain = (cents) => (cents === null || cents === undefined ? "" : String(cents / 100));

/** @param {Settings} from */
function timerFields(from) {
  const rows = TIMERS.map((name) => {
    const words = say(`timer.${name}`);
    const value = /** @type {Record<string, unknown>} */ (from)[name];
    const looks = { inputmode: "numeric", pattern: "\\s*[0-9]{1,6}\\s*", autocomplete: "off", "aria-label": words };
    const input = h("input", {
      name,
      form: FORM,
      defaultValue: value === null || value === undefined ? "" : String(value),
      ...looks,
    });
    return h("tr", null, h("th", { scope: "row" }, words), h("td", null, input));
  });
  const says = say("settings-form.timers-about");
  const grid = h("table", { class: "grid" }, h("tbody", null, ...rows));
  return h("section", null, h("h3", null, say("settings-form.timers")), h("p", { class: "quiet" }, says), grid);
}

/** The settings as entered. @param {HTMLElement | null} inputs @param {Settings} from @returns {Settings} */
function read(inputs, from) {
  const given = new Map(
    [...(inputs?.querySelectorAll("input") ?? [])].map((input) => [input.name, input.value.trim()]),
  );
  const bounds = (/** @type {string} */ key) => ({
    least: centsOf(given.get(`${key}.least`) ?? ""),
    most: centsOf(given.get(`${key}.most`) ?? ""),
  });
  const kinds = [...given.keys()]
    .filter((name) => name.endsWith(".least") && !/^(spot|total)\./.test(name))
    .map((name) => name.slice(0, -".least".length))
    .map((kind) => /** @type {[any, Bounds]} */ ([kind, bounds(kind)]))
    .filter(([, { least, most }]) => least !== null || most !== null);
  const timers = Object.fromEntries(TIMERS.map((name) => [name, seconds(given.get(name), from, name)]));
  return { ...from, limits: { spot: bounds("spot"), kinds, total: bounds("total") }, ...timers };
}

/**
 * An emptied time is switched off; a setting that was never there stays.
 * @param {string | undefined} written @param {Settings} from @param {string} name
 */
function seconds(written, from, name) {
  if (written) return Number(written);
  const was = /** @type {Record<string, unknown>} */ (from)[name];
  return typeof was === "number" ? null : was;
}

// The terms of a table: limits by kind of bet and timers, now and, if they change, from the next round.

/**
 * @typedef {{what: string, now: string, next: string}} Line
 */

/** @param {ConsoleClient} client @param {string} name */
export function settingsSection(client, name) {
  const terms = client.view.floor?.terms?.[name];
  if (!terms) return null;
  const lines = settingLines(client, name, terms.now, terms.next ?? terms.now);
  const label = say("settings-form.heading");
  return h(
    "section",
    { class: "terms" },
    h("h3", null, label),
    terms.next && h("p", { class: "coming" }, say("settings-form.coming")),
    comparison({ label, now: say("compare.now"), next: terms.next ? say("compare.next") : "", lines }),
  );
}

/**
 * Current and new values; differences are marked.
 * @param {{label: string, now: string, next: string, lines: Line[]}} compared `next` is empty where nothing changes
 */
export const comparison = ({ label, now, next, lines }) =>
  dataTable({
    label,
    columns: [
      { head: say("journal.what"), cell: ({ what }) => what },
      { head: now, cell: (line) => line.now, sum: true },
      ...(next ? [{ head: next, cell: (/** @type {Line} */ line) => line.next, sum: true }] : []),
    ],
    rows: lines,
    key: ({ what }) => what,
    attributes: (line) => ({ "data-differs": next !== "" && line.now !== line.next }),
  });

/**
 * The rows of two sets of terms.
 * @param {ConsoleClient} client @param {string} name @param {TermsRow} now
 * @param {TermsRow} next @returns {Line[]}
 */
function settingLines(client, name, now, next) {
  const write = amountFormat(client, name);
  const kinds = new Map(next.limits.kinds.map((row) => [row[0], row]));
  const total = (/** @type {TermsRow} */ { limits }) => rangeOf(limits.total_least, limits.total_most, write);
  return [
    { what: say("compare.rulebook"), now: now.rulebook, next: next.rulebook },
    ...now.limits.kinds.map(([kind, least, most]) => {
      const [, nextLeast = null, nextMost = null] = kinds.get(kind) ?? [];
      const what = kindName(client, name, kind);
      return { what, now: rangeOf(least, most, write), next: rangeOf(nextLeast, nextMost, write) };
    }),
    { what: say("limit.total"), now: total(now), next: total(next) },
    ...timerLines(now.settings, next.settings),
  ];
}

/** @param {unknown} now @param {unknown} next @returns {Line[]} */
export function timerLines(now, next) {
  const [was, comes] = /** @type {Record<string, unknown>[]} */ ([now, next]);
  return TIMERS.map((key) => ({ what: say(`timer.${key}`), now: timeText(was[key]), next: timeText(comes[key]) }));
}

// Texts about tables: wheels, limits, settings, and the seconds left.

/**
 * @typedef {(cents: number | null) => string} Write
 */

/** The kind of a wheel. @param {string} wheel */
export const wheelText = (wheel) => say(`wheel-kind.${wheel}`);

/** The settings that are times. */
const TIMERS = [
  ...["betting_s", "warning_s", "launch_to_close_s", "rest_s", "pause_s", "betting_min_s", "offline_grace_s"],
  ...["decision_s", "attest_s", "session_idle_s"],
];

/**
 * Whole seconds until betting closes; null where no timer runs.
 * @param {ConsoleClient} client @param {import("../shared/types/wire.js").TableState} state
 */
export function secondsOf(client, { closes_at: closes, closed, phase }) {
  const now = client.session.now();
  if (closed || phase === "suspended" || closes === null || closes === undefined || now === null || closes <= now) {
    return null;
  }
  return Math.ceil((closes - now) / 1e6);
}

/** The amount format of a table. @param {ConsoleClient} client @param {string} table @returns {Write} */
export const amountFormat = (client, table) => (cents) => client.amount(cents, table);

/** An amount without its currency sign. @param {string} written */
const withoutSign = (written) => written.replace(/^[^\d-]+/, "");

/**
 * A minimum and a maximum as text.
 * @param {number | null} least @param {number | null} most
 * @param {Write} write
 */
export function rangeOf(least, most, write) {
  if (least === null && most === null) return say("limit.none");
  if (most === null) return say("limit.from", { least: write(least) });
  if (least === null) return say("limit.up-to", { most: write(most) });
  return least === most ? write(most) : say("limit.range", { least: write(least), most: withoutSign(write(most)) });
}

/**
 * The limits of a spot.
 * @param {ConsoleClient} client @param {string} name
 * @param {import("../shared/types/console.js").LimitsRow} limits
 */
export const limitsInShort = (client, name, { spot_least, spot_most }) =>
  rangeOf(spot_least, spot_most, amountFormat(client, name));

/** The name of a kind of bet at a table. @param {ConsoleClient} client @param {string} name @param {string} kind */
export function kindName(client, name, kind) {
  const known = client.felt(name)?.kinds.find((one) => one.kind === kind);
  const words = known ? kindNameOf(known) : say(`kind.${kind}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A setting as text. @param {unknown} value */
const timeText = (value) => (typeof value === "number" ? say("seconds.short", { n: value }) : say("timer.off"));
