// Grids: rows of facts under headings, kept in step with what there is.

import { each, el, text } from "../kit/dom.js";

/**
 * @template T
 * @typedef {object} Column
 * @property {string} head
 * @property {(row: T) => string | number | Node} cell
 * @property {boolean} [sum] whether it is an amount, and stands at the end of its column
 */

/**
 * A table of rows by key. Cells of text are changed in place; cells that are elements are made once for each row, and
 * `change` brings them up to date.
 * @template T
 * @param {{label: string, columns: Column<T>[], key: (row: T) => unknown, empty?: string,
 *   change?: (line: HTMLTableRowElement, row: T) => void}} made
 */
export function grid({ label, columns, key, empty = "", change = () => {} }) {
  const body = el("tbody", {});
  const heads = columns.map(({ head, sum }) => el("th", { scope: "col", class: sum ? "sum" : null }, head));
  const none = el("p", { class: "none" }, empty);
  const table = el("table", { class: "grid", "aria-label": label }, el("thead", {}, el("tr", {}, ...heads)), body);
  const node = el("div", { class: "grid-frame", tabindex: "0", role: "region", "aria-label": label }, table, none);
  const line = (/** @type {T} */ row) =>
    el("tr", {}, ...columns.map(({ cell, sum }) => el("td", { class: sum ? "sum" : null }, filled(cell(row)))));
  /** @param {T[]} rows */
  const update = (rows) => {
    each(body, rows, key, line, (one, row) => {
      columns.forEach(({ cell }, place) => {
        const value = cell(row);
        if (!(value instanceof Node)) text(one.children[place], value);
      });
      change(one, row);
    });
    table.hidden = rows.length === 0 && empty !== "";
    none.hidden = rows.length > 0 || empty === "";
  };
  return { node, update };
}

/** @param {string | number | Node} value */
const filled = (value) => (value instanceof Node ? value : String(value));
