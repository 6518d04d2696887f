// Widgets of staff consoles: grid, status pill, clause link and download.

import { el } from "../shared/dom.js";
import { h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { labelOf, refusedText } from "./text.js";

/**
 * A table of rows by key, in a frame that scrolls sideways where it must.
 * @template T
 * @param {{label: string, columns: {head: string, cell: (row: T) => import("../shared/render.js").Child, sum?: boolean}[],
 *   rows: T[], key: (row: T) => unknown, empty?: string, attributes?: (row: T) => Record<string, any>}} table
 */
export function dataTable({ label, columns, rows, key, empty = "", attributes = () => ({}) }) {
  const head = h(
    "thead",
    null,
    h("tr", null, columns.map(({ head: title, sum }) => h("th", { scope: "col", class: sum && "sum" }, title))),
  );
  const line = (/** @type {T} */ row) =>
    h(
      "tr",
      { key: key(row), ...attributes(row) },
      columns.map(({ cell, sum }) => h("td", { class: sum && "sum" }, cell(row))),
    );
  return h(
    "div",
    { class: "grid-frame", tabindex: "0", role: "region", "aria-label": label },
    rows.length === 0 && empty
      ? h("p", { class: "none" }, empty)
      : h("table", { class: "grid", "aria-label": label }, head, h("tbody", null, rows.map(line))),
  );
}

/** Facts in two columns: their names, and their values. @param {[name: string, value: import("../shared/render.js").Child][]} facts @param {string} [look] */
export const factList = (facts, look = "facts") =>
  h(
    "dl",
    { class: look },
    facts.map(([name, value]) => [h("dt", { key: `${name} name` }, name), h("dd", { key: name }, value)]),
  );

/** Facts of which each stands by itself, its name above or beside its value. @param {[name: string, value: import("../shared/render.js").Child][]} facts @param {string} [look] */
export const factPairs = (facts, look) =>
  h(
    "dl",
    { class: look },
    facts.map(([name, value]) => h("div", { key: name }, h("dt", null, name), h("dd", null, value))),
  );

// Clauses: the rule behind something, as a link.

/**
 * A clause as a link to the page of its rules, in another tab; nothing where there is none.
 * @param {string | null | undefined} rulebook @param {string | null | undefined} clause
 */
export function ruleLink(rulebook, clause) {
  if (!clause) return null;
  const label = say("clause.info", { clause });
  const sign = h("i", { class: "info-sign", "aria-hidden": "true" });
  if (!rulebook) return h("small", { class: "clause", title: label, role: "img", "aria-label": label }, sign);
  const href = `rules/${encodeURIComponent(rulebook)}#${encodeURIComponent(clause)}`;
  return h("a", { class: "clause", href, target: "_blank", rel: "noopener", title: label, "aria-label": label }, sign);
}

/** The rulebook of a table. @param {import("./client.js").ConsoleClient} client @param {string | null} table */
export const rulesAt = (client, table) => (table === null ? null : (client.view.tables[table]?.state.rulebook ?? null));

// Downloads: content from the server, saved as a file.

/** @typedef {{name: string, type: string, content: BlobPart}} FileContent */

/** How long the URL of a file stays valid. */
const URL_VALID_MS = 60_000;

/** Save content as a file. @param {FileContent} saved */
export function save({ name, type, content }) {
  const href = address({ name, type, content });
  const link = el("a", { href, download: name, hidden: true });
  document.body.append(link);
  link.click();
  link.remove();
}

/** Open content in another tab. Returns false where the browser blocked it. @param {FileContent} shown */
export const openInTab = (shown) => globalThis.open(address(shown), "_blank") !== null;

/** The bytes of base64 text. @param {string} text */
export const bytesOf = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0));

/** @param {FileContent} saved */
function address({ type, content }) {
  const href = URL.createObjectURL(new Blob([content], { type }));
  setTimeout(() => URL.revokeObjectURL(href), URL_VALID_MS);
  return href;
}

// The signed bundle of a round: its part of the journal with the proof of integrity, as a file.

/**
 * Save the bundle of a round. Returns the reason where it failed, or "".
 * @param {import("./client.js").ConsoleClient} client @param {{table: string, round: number}} which @returns {Promise<string>}
 */
export async function saveBundle(client, { table, round }) {
  const response = await client.query("bundle", { table, round });
  if (response.t === "refused") return refusedText(response.refusal);
  save({ name: response.name, type: response.type, content: bytesOf(response.content) });
  return "";
}

// Status pills: a short text, supported by a colour.

/** @typedef {{says: string, look?: "ok" | "warn" | "stop" | "calm", key?: string}} Pill */

/** @param {Pill} pill */
export const statusPill = ({ says, look = "calm" }) => h("span", { class: "pill", "data-look": look }, says);

// Commands as text.

/**
 * A command that takes two signatures, as text: a correction with its round and numbers.
 * @param {any} command @param {string | null} was the number that counted
 * @param {(cents: number) => string} money formats its amount
 */
export function commandText({ type, round, pocket, drawer, amount: cents, counted }, was, money) {
  if (type === "FillDrawer") return say("command.fill", { drawer, amount: money(cents) });
  if (type === "CloseDrawer") return say("command.hand-in", { drawer, amount: money(counted) });
  if (type === "DropDrawer") return say("command.drop", { drawer, amount: money(cents) });
  if (type === "CorrectResult") {
    return was ? say("command.correction", { round, was, pocket }) : say("command.correction-to", { round, pocket });
  }
  if (type === "InvalidateOutcome") return say("command.take-back", { round });
  const id = `command.${type}`;
  return say(id) === id ? labelOf(type.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase()) : say(id);
}

/**
 * The correction that a command asks for: its table, round and numbers; null for any other command.
 * @param {import("./client.js").ConsoleClient} client @param {any} command
 * @returns {{table: string, round: number, was: string | null, pocket: string} | null}
 */
export function correctionOf(client, { type, table, round, pocket }) {
  if (type !== "CorrectResult") return null;
  const row = client.view.floor?.tables?.[table]?.rounds?.find((one) => one.round === round);
  return { table, round, was: row?.pocket ?? null, pocket };
}
