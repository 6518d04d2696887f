// One terminal and its meters.

import { openDocument } from "../console/documents.js";
import { durationOf, figure, refusedText, worded } from "../console/text.js";
import { factList, statusPill } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { money } from "../shared/money.js";
import { button, h } from "../shared/render.js";
import { locale, say } from "../shared/text.js";
import { permittedButton, titlesFor } from "./table_actions.js";
import { marksOf, terminalActions } from "./terminal_actions.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../console/client.js").Refusal} Refusal
 * @typedef {import("../shared/types/console.js").MetersResult} MetersResult
 * @typedef {{table: string, terminal: string}} Where
 */

/** @param {ConsoleClient} client @param {Where} where */
export function openTerminal(client, where) {
  const { table, terminal } = where;
  /** The meters, or why they were not read; null before they are. @type {MetersResult | {t: "refused", refusal: Refusal} | null} */
  let meters = null;
  const read = async () => {
    meters = await client.query("meters", { terminal });
    dialog.redraw();
  };
  const dialog = openDialog({
    name: "terminal",
    title: say("terminal.name", { terminal }),
    body: () => {
      const seat = client.view.floor?.tables?.[table]?.seats.find((row) => row.terminal === terminal);
      return [
        seat && seatFacts(client, where, seat),
        h(
          "section",
          { class: "meters" },
          h("h3", null, say("terminal.meters")),
          meterFacts(client, table, meters),
          button(say("terminal.read"), read),
        ),
      ];
    },
  });
}

/** @param {ConsoleClient} client @param {Where} where @param {import("../shared/types/console.js").SeatRow} seat */
function seatFacts(client, where, seat) {
  const { table, terminal } = where;
  const now = client.session.now();
  const lost = seat.lost_at_us !== null && now !== null
    ? say("terminal.lost-for", { time: durationOf(now - seat.lost_at_us) })
    : say("terminal.lost");
  const amount = (/** @type {number} */ cents) => client.amount(cents, table);
  return [
    h("p", { class: "pills" }, marksOf(seat).map(statusPill)),
    factList(
      [
        [say("terminal-fact.credit"), amount(seat.credit)],
        [say("terminal-fact.staked"), amount(seat.staked)],
        [say("terminal-fact.held"), amount(seat.held)],
        [say("terminal-fact.idle"), figure(seat.idle)],
        [say("terminal-fact.link"), seat.dark ? lost : say("terminal.linked")],
      ],
      "pairs",
    ),
    h(
      "div",
      { class: "ways", role: "group", "aria-label": say("terminal.actions", { terminal }) },
      terminalActions(client, where, seat).map(({ command, grave, ...action }) =>
        permittedButton(client, { ...action, titles: titlesFor(client, table, command), looks: grave ? "grave" : "" })
      ),
    ),
  ];
}

// The meters of a terminal, and whether they balance.

/** @param {ConsoleClient} client @param {string} table @param {MetersResult | {t: "refused", refusal: Refusal} | null} meters */
function meterFacts(client, table, meters) {
  if (meters === null) return null;
  if ("refusal" in meters) return h("p", { class: "reply", role: "alert" }, refusedText(meters.refusal));
  const { meters: counted, by_meters: by, on_terminal: on, difference, sound } = meters;
  const amount = (/** @type {number} */ cents) => client.amount(cents, table);
  /** @param {import("../shared/types/console.js").AuditLine} line @returns {[string, string]} */
  const fact = ({ line, amount: cents }) => [say(`audit-line.${line}`), amount(cents)];
  return [
    factList([[say("meters.games"), figure(counted.games)], ...by.map(fact)], "pairs"),
    h("h3", null, say("meters.on")),
    factList(on.map(fact), "pairs"),
    h(
      "p",
      { class: !sound && "reply" },
      sound ? say("meters.sound") : say("meters.short", { amount: amount(difference) }),
    ),
  ];
}

// Slips printed at this console after staff have collected for a player.

/** @param {import("../console/client.js").ConsoleClient} client */
export function showSlips(client) {
  client.session.handlers.slip = (/** @type {import("../shared/types/wire.js").SlipPrinted} */ slip) => {
    const { sequence, number, form, amount, currency, terminal } = slip;
    const print = () => openDocument(client, { type: "slip", sequence, number });
    const dialog = openDialog({
      name: `collected-${sequence}`,
      title: say("collected.title", { paper: worded("paper.", form), terminal }),
      look: "narrow",
      firm: true,
      body: () => [h("p", { class: "sum" }, money(amount, currency, locale())), h("p", null, say("collected.about"))],
      foot: () => [
        button(say("collected.done"), () => dialog.close()),
        button(say("collected.paper"), print, { class: "main" }),
      ],
    });
  };
}
