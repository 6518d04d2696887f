// Documents and reports on screen.

import { openDialog } from "../shared/dialog.js";
import { button, el, field, form, icon, shown, svg, text } from "../shared/dom.js";
import { loadAllMessages, say } from "../shared/text.js";
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
  const reply = el("p", { class: "reply", role: "alert", hidden: true });
  const page = el("div", { class: "paper", "aria-busy": "true", tabindex: "0" });
  const report = (/** @type {string} */ words) => {
    text(reply, words);
    shown(reply, words !== "");
  };
  const file = async (/** @type {"pdf" | "escpos"} */ form, /** @type {(file: File) => void} */ keep) => {
    const response = await client.query("paper", { form, document });
    report(response.t === "refused" ? refusedText(response.refusal) : "");
    if (response.t !== "refused") keep(response);
  };
  const prints = [
    button(el("span", {}, icon("save"), say("document.thermal")), () => file("escpos", saveFile), {
      disabled: true,
    }),
    button(el("span", {}, icon("print"), say("document.pdf")), () => file("pdf", printFile), {
      class: "main",
      disabled: true,
    }),
  ];
  const dialog = openDialog({
    name: "paper",
    title: say("document.paper"),
    body: [reply, page],
    foot: [button(say("document.close"), () => dialog.close()), ...prints],
  });
  client.query("paper", { form: "screen", document }).then((response) => {
    page.removeAttribute("aria-busy");
    shown(page, response.t !== "refused");
    if (response.t === "refused") return report(refusedText(response.refusal));
    text(dialog.node.querySelector("h2"), response.title);
    page.classList.toggle("roll", response.roll);
    page.replaceChildren(...response.blocks.map(blockOf));
    prints.forEach((one) => (one.disabled = false));
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

/** @param {Block} block @returns {HTMLElement} */
export function blockOf(block) {
  switch (block.type) {
    case "text":
      return el("p", { class: "words", "data-look": block.look, "data-align": block.align }, block.words);
    case "heading":
      return el("h3", {}, block.words);
    case "pair":
      return el(
        "p",
        { class: "pair", "data-look": block.look },
        el("span", {}, block.label),
        el("span", {}, block.value),
      );
    case "grid":
      return gridOf(block);
    case "barcode":
      return barcode(block);
    case "signature":
      return el("p", { class: "signature" }, block.label);
    case "rule":
      return el("hr", {});
    case "gap":
      return el("p", { class: "gap" });
  }
}

/** @param {GridBlock} block */
function gridOf({ heads, rows, total }) {
  const row = (/** @type {string[]} */ cells) => el("tr", {}, ...cells.map((cell) => el("td", {}, cell)));
  return el(
    "table",
    {},
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...rows.map(row)),
    el("tfoot", {}, row(total)),
  );
}

/** @param {BarcodeBlock} block */
function barcode({ digits, width, bars }) {
  const drawn = bars.map(([x, wide]) => svg("rect", { x: x + QUIET, y: 0, width: wide, height: BAR_HEIGHT }));
  const parts = width + 2 * QUIET;
  const size = { viewBox: `0 0 ${parts} ${BAR_HEIGHT}`, width: parts * PART_PX, preserveAspectRatio: "none" };
  const look = { ...size, role: "img", "aria-label": say("document.barcode", { digits }) };
  return el("div", { class: "barcode" }, svg("svg", look, ...drawn));
}

// Reports: a gaming day of the house in one currency, or of one table.

const DAY_MS = 86_400_000;

/**
 * The report part of a console: by date, and by table.
 * @param {ConsoleClient} client
 * @returns {import("./client.js").Part}
 */
export function reports(client) {
  const date = el("input", { type: "date", name: "day" });
  const table = el("select", { name: "table" });
  const currency = currencyField(client);
  const today = button(
    say("report.today"),
    () => openDocument(client, { type: "day_report", day: null, currency: currency.value }),
    { class: "main" },
  );
  const node = el(
    "section",
    { class: "card reports" },
    el("h2", {}, say("report.title")),
    today,
    field(say("report.day-field"), date),
    el(
      "div",
      { class: "row" },
      currency.node,
      button(say("report.day"), () =>
        openDocument(client, { type: "day_report", day: dayOf(date), currency: currency.value }),
      ),
    ),
    el(
      "div",
      { class: "row" },
      field(say("report.table-field"), table),
      button(say("report.table"), () =>
        openDocument(client, { type: "table_report", table: table.value, day: dayOf(date) }),
      ),
    ),
  );
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    listOptions(table, Object.keys(view.tables).sort());
    currency.update();
  };
  return { node, update };
}

/** Ask for a past gaming day, and show its report. @param {ConsoleClient} client */
export function openDayReport(client) {
  const now = new Date((client.session.now() ?? 0) / 1000 - DAY_MS);
  const date = el("input", { type: "date", name: "day", required: true, value: now.toLocaleDateString("sv") });
  const currency = currencyField(client);
  const made = form(
    { class: "fields", id: "day-report-form" },
    () => openDocument(client, { type: "day_report", day: dayOf(date), currency: currency.value }),
    field(say("report.over-field"), date),
    currency.node,
  );
  currency.update();
  const dialog = openDialog({
    name: "day-report",
    title: say("report.close-title"),
    look: "narrow",
    body: [made],
    foot: [
      button(say("document.close"), () => dialog.close()),
      el("button", { class: "main", form: "day-report-form" }, say("report.show")),
    ],
    update: currency.update,
  });
}

/** The currencies of the house; empty until all felts are fetched. @param {ConsoleClient} client */
export function currenciesOf(client) {
  const found = new Set(Object.keys(client.view.tables).map((table) => client.felt(table)?.currency ?? ""));
  return found.has("") ? [] : [...found].sort();
}

/** The currency of a report, which is asked for where there are several. @param {ConsoleClient} client */
function currencyField(client) {
  const select = el("select", { name: "currency" });
  const node = field(say("report.currency"), select);
  const update = () => {
    listOptions(select, currenciesOf(client));
    shown(node, select.options.length > 1);
  };
  return {
    node,
    update,
    get value() {
      return select.value || null;
    },
  };
}

/** @param {HTMLSelectElement} select @param {string[]} names */
function listOptions(select, names) {
  if (names.length !== select.options.length)
    select.replaceChildren(...names.map((name) => el("option", { value: name }, name)));
}

/** @param {HTMLInputElement} date */
const dayOf = ({ value }) => (value === "" ? null : Number(value.replaceAll("-", "")));
