// Documents and reports on screen.

import { openDialog } from "../shared/dialog.js";
import { button, field, form, h, icon } from "../shared/render.js";
import { loadAllMessages, say, tableName } from "../shared/text.js";
import { venueDate } from "../shared/times.js";
import { refusedText } from "./text.js";
import { bytesOf, openInTab, save } from "./widgets.js";

/**
 * @typedef {import("../shared/types/console.js").BarcodeBlock} BarcodeBlock
 * @typedef {import("../shared/types/console.js").AnyBlock} Block
 * @typedef {import("./client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").File} File
 * @typedef {import("../shared/types/console.js").GridBlock} GridBlock
 */

/** @typedef {import("../shared/types/console.js").Document} DocumentQuery a document, as requested */

/** Show a document, with buttons to print it. @param {ConsoleClient} client @param {DocumentQuery} document */
export function openDocument(client, document) {
  /** The document, once it is there. @type {{title: string, roll: boolean, blocks: Block[]} | null} */
  let paper = null;
  let notice = "";
  const file = async (/** @type {"pdf" | "escpos"} */ format, /** @type {(file: File) => void} */ keep) => {
    const response = await client.query("paper", { form: format, document });
    notice = response.t === "refused" ? refusedText(response.refusal) : "";
    if (response.t === "file") keep(response);
    dialog.redraw();
  };
  const dialog = openDialog({
    name: "paper",
    title: say("document.paper"),
    body: () => [
      notice && h("p", { class: "reply", role: "alert" }, notice),
      (paper || !notice) &&
      h(
        "div",
        { class: paper?.roll ? "paper roll" : "paper", "aria-busy": paper === null && "true", tabindex: "0" },
        paper?.blocks.map(blockOf),
      ),
    ],
    foot: () => [
      button(say("document.close"), () => dialog.close()),
      button(h("span", null, icon("save"), say("document.thermal")), () => file("escpos", saveFile), {
        disabled: paper === null,
      }),
      button(h("span", null, icon("print"), say("document.pdf")), () => file("pdf", printFile), {
        class: "main",
        disabled: paper === null,
      }),
    ],
  });
  void client.query("paper", { form: "screen", document }).then((response) => {
    if (response.t === "refused") notice = refusedText(response.refusal);
    if (response.t === "paper") {
      paper = response;
      dialog.retitle(response.title);
    }
    dialog.redraw();
  });
}

/**
 * Replay a round; the replay is loaded when it is opened first.
 * @param {ConsoleClient} client @param {import("./replay.js").Which} which
 */
export async function openReplay(client, which) {
  const [replay] = await Promise.all([import("./replay.js"), loadAllMessages()]);
  return replay.openReplay(client, which);
}

/** @param {File} response */
const contentOf = ({ name, type, content }) => ({ name, type, content: bytesOf(content) });

/** @param {File} response */
const saveFile = (response) => save(contentOf(response));

/**
 * A document opens in another tab, where the browser prints it; where that is blocked, it is saved.
 * @param {File} response
 */
const printFile = (response) => openInTab(contentOf(response)) || save(contentOf(response));

// The blocks of a document: text, pairs, grids, barcodes and signature lines.

/** The height of bars, in modules. */
const BAR_HEIGHT = 60;
/** The quiet zone on either side, in modules. */
const QUIET = 10;
/** The width of a module on screen: a whole number of pixels keeps edges sharp. */
const PART_PX = 2;

/** @param {Block} block */
export function blockOf(block) {
  switch (block.type) {
    case "text":
      return h("p", { class: "words", "data-look": block.look, "data-align": block.align }, block.words);
    case "heading":
      return h("h3", null, block.words);
    case "pair":
      return h(
        "p",
        { class: "pair", "data-look": block.look },
        h("span", null, block.label),
        h("span", null, block.value),
      );
    case "grid":
      return gridOf(block);
    case "barcode":
      return barcode(block);
    case "signature":
      return h("p", { class: "signature" }, block.label);
    case "rule":
      return h("hr", null);
    case "gap":
      return h("p", { class: "gap" });
  }
}

/** @param {GridBlock} block */
function gridOf({ heads, rows, total }) {
  const row = (/** @type {string[]} */ cells) => h("tr", null, cells.map((cell) => h("td", null, cell)));
  return h(
    "table",
    {},
    h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", null, rows.map(row)),
    h("tfoot", null, row(total)),
  );
}

/** @param {BarcodeBlock} block */
function barcode({ digits, width, bars }) {
  const drawn = bars.map(([x, wide]) => h("rect", { x: x + QUIET, y: 0, width: wide, height: BAR_HEIGHT }));
  const parts = width + 2 * QUIET;
  const size = { viewBox: `0 0 ${parts} ${BAR_HEIGHT}`, width: parts * PART_PX, preserveAspectRatio: "none" };
  const look = { ...size, role: "img", "aria-label": say("document.barcode", { digits }) };
  return h("div", { class: "barcode" }, h("svg", look, drawn));
}

// Reports: a gaming day of the house in one currency, or of one table.

const DAY_US = 86_400_000_000;

/** The reports of a console in one bar: by date, and by table. @param {ConsoleClient} client */
export function reportBar(client) {
  const tables = client.ordered(Object.keys(client.view.tables));
  const currencies = currenciesOf(client);
  /** What is chosen in the bar. @param {Event} event */
  const chosen = (event) => {
    const bar = /** @type {HTMLFormElement} */ (/** @type {Element} */ (event.currentTarget).closest("form"));
    const { day, currency, table } = Object.fromEntries(
      [...new FormData(bar)].map(([name, value]) => [name, String(value)]),
    );
    return { day: dayNumber(day ?? ""), currency: currency || null, table };
  };
  const dayReport = (/** @type {Event} */ event) => {
    const { day, currency } = chosen(event);
    openDocument(client, { type: "day_report", day, currency });
  };
  const tableReport = (/** @type {Event} */ event) => {
    const { day, table } = chosen(event);
    openDocument(client, { type: "table_report", table, day });
  };
  return form(
    { class: "report-bar", "aria-label": say("report.title") },
    () => {},
    field(say("report.day-field"), h("input", { type: "date", name: "day" })),
    currencies.length > 1 && field(say("report.currency"), h("select", { name: "currency" }, options(currencies))),
    button(say("report.day"), dayReport, { class: "main" }),
    field(
      say("report.table-field"),
      h(
        "select",
        { name: "table" },
        tables.map((table) => h("option", { key: table, value: table }, tableName(table))),
      ),
    ),
    button(say("report.table"), tableReport),
  );
}

/** @param {string[]} names */
const options = (names) => names.map((name) => h("option", { key: name, value: name }, name));

/** Ask for a past gaming day, and show its report. @param {ConsoleClient} client */
export function openDayReport(client) {
  const yesterday = venueDate((client.session.now() ?? 0) - DAY_US);
  const show = (/** @type {{day: string, currency?: string}} */ { day, currency }) =>
    openDocument(client, { type: "day_report", day: dayNumber(day), currency: currency || null });
  const dialog = openDialog({
    name: "day-report",
    title: say("report.close-title"),
    look: "narrow",
    body: () => {
      const currencies = currenciesOf(client);
      return form(
        { class: "fields", id: "day-report-form" },
        show,
        field(
          say("report.over-field"),
          h("input", { type: "date", name: "day", required: true, defaultValue: yesterday }),
        ),
        currencies.length > 1 && field(say("report.currency"), h("select", { name: "currency" }, options(currencies))),
      );
    },
    foot: () => [
      button(say("document.close"), () => dialog.close()),
      h("button", { class: "main", form: "day-report-form" }, say("report.show")),
    ],
  });
}

/** The currencies of the house; empty until all felts are fetched. @param {ConsoleClient} client */
export function currenciesOf(client) {
  const found = new Set(Object.keys(client.view.tables).map((table) => client.felt(table)?.currency ?? ""));
  return found.has("") ? [] : [...found].sort();
}

/** A date as the number of a gaming day; null where it is empty. @param {string} date */
const dayNumber = (date) => (date === "" ? null : Number(date.replaceAll("-", "")));
