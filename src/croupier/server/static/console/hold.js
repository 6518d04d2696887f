// The hold of a table: what it kept of the stakes, against the expected hold and its range by chance.

import { h } from "../shared/render.js";
import { locale, say } from "../shared/text.js";
import { figure } from "./text.js";

/**
 * @typedef {import("./client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").TableWin} TableWin
 */

/** @param {ConsoleClient} client @param {string} name of the table @param {TableWin | null | undefined} takings */
export function holdFigure(client, name, takings) {
  if (!takings || takings.played === 0) {
    return h(
      "div",
      { class: "hold" },
      h("span", { class: "figures" }, h("b", null, "–"), h("small", null, say("hold-rate.none"))),
    );
  }
  const { held, played, expected } = takings;
  const { short, look } = verdictOf(takings);
  return h(
    "div",
    { class: "hold", "data-look": look, title: holdText(client, name, takings) },
    h(
      "span",
      { class: "figures" },
      h("b", null, share(held, played)),
      h("small", null, say("hold-rate.odds", { share: share(expected, played) })),
    ),
    holdBar(takings),
    h("small", { class: "words" }, short),
  );
}

/**
 * All of it in one sentence.
 * @param {ConsoleClient} client @param {string} name
 * @param {TableWin} takings
 */
export function holdText(client, name, takings) {
  const { played, held, expected, low, high, rounds } = takings;
  if (played === 0) return say("hold-rate.no-round");
  const money = (/** @type {number} */ cents) => client.amount(cents, name);
  const sums = { staked: money(played), rounds: figure(rounds), held: money(held), share: share(held, played) };
  const odds = { expected: money(expected), by_odds: share(expected, played), low: money(low), high: money(high) };
  return `${say("hold-rate.sentence", { ...sums, ...odds })} ${verdictOf(takings).says}`;
}

/**
 * Whether it is within the range of chance, as text.
 * @param {TableWin} takings @returns {{short: string, says: string, look: string}}
 */
export function verdictOf({ held, low, high }) {
  if (held < low) return { short: say("hold-rate.below"), says: say("hold-rate.below-says"), look: "warn" };
  if (held > high) return { short: say("hold-rate.above"), says: say("hold-rate.above-says"), look: "warn" };
  return { short: say("hold-rate.within"), says: say("hold-rate.within-says"), look: "ok" };
}

/** @param {number} part @param {number} whole */
export const share = (part, whole) =>
  say("hold-rate.percent", {
    n: ((100 * part) / whole).toLocaleString(locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
  });

/** The range of chance, and the position of the hold. @param {Pick<TableWin, "held" | "low" | "high">} takings */
function holdBar({ held, low, high }) {
  const least = Math.min(low, held);
  const most = Math.max(high, held);
  const margin = (most - least) / 10 || 1;
  const place = (/** @type {number} */ at) => `${((at - least + margin) * 100) / (most - least + 2 * margin)}%`;
  const style = { "--low": place(low), "--high": place(high), "--at": place(held) };
  return h("span", { class: "bar", "aria-hidden": "true", style }, h("i", { class: "band" }), h("i", { class: "at" }));
}

/**
 * The hold of every table beside the range that chance gives it, on one scale.
 * @param {ConsoleClient} client @param {[table: string, title: string][]} tables
 */
export function holdChart(client, tables) {
  const rows = tables.flatMap(([table, title]) => {
    const takings = client.view.floor?.tables?.[table]?.takings;
    return takings && takings.played > 0 ? [{ table, title, takings }] : [];
  });
  if (rows.length === 0) return h("p", { class: "none" }, say("hold-rate.no-round"));
  const shares = rows.flatMap((
    { takings: { played, held, low, high } },
  ) => [held / played, low / played, high / played]);
  const [least, most] = [Math.max(-SCALE_MOST, Math.min(0, ...shares)), Math.min(SCALE_MOST, Math.max(0, ...shares))];
  const place = (/** @type {number} */ part) =>
    `${(100 * (Math.min(most, Math.max(least, part)) - least)) / (most - least || 1)}%`;
  const row = (/** @type {typeof rows[number]} */ { table, title, takings }) => {
    const { played, held, low, high, expected } = takings;
    const verdict = verdictOf(takings);
    const style = {
      "--low": place(low / played),
      "--high": place(high / played),
      "--at": place(held / played),
      "--odds": place(expected / played),
      "--zero": place(0),
    };
    return h(
      "li",
      { key: table, "data-look": verdict.look, title: holdText(client, table, takings) },
      h("b", { class: "title" }, title),
      h(
        "span",
        { class: "bar", "aria-hidden": "true", style },
        h("i", { class: "band" }),
        h("i", { class: "zero" }),
        h("i", { class: "odds" }),
        h("i", { class: "at" }),
      ),
      h(
        "span",
        { class: "figures" },
        h("b", null, share(held, played)),
        " ",
        h("small", null, say("hold-rate.odds", { share: share(expected, played) })),
      ),
      h("small", { class: "words" }, verdict.short),
    );
  };
  return h("ul", { class: "hold-chart", "aria-label": say("audit.chart") }, rows.map(row));
}

/** What lies beyond is drawn at the edge. */
const SCALE_MOST = 1;
