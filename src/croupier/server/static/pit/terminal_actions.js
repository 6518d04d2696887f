// The actions on a terminal.

import { openForm } from "../console/forms.js";
import { h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { releaseDevice } from "./devices.js";
import { messageTo, note, notifyFirst } from "./table_actions.js";

/**
 * @typedef {import("./table_actions.js").Action} Action
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../console/widgets.js").Pill} Pill
 * @typedef {import("../shared/types/console.js").SeatRow} SeatRow
 * @typedef {import("./terminal.js").Where} Where
 */

/** @param {ConsoleClient} client @param {Where} where @param {import("../shared/types/console.js").SeatRow} row @returns {Action[]} */
export function terminalActions(client, { table, terminal }, row) {
  return [
    {
      words: say("pit-label.message"),
      command: "SendMessage",
      press: () => messageTo(client, [terminal], say("message.to-terminal", { terminal })),
    },
    { words: say("pit-label.collect_for"), command: "Collect", press: () => collect(client, terminal) },
    { words: say("terminal-action.adjust"), command: "AdjustCredit", press: () => adjust(client, table, terminal) },
    { words: say("terminal-action.end-session"), command: "EndSession", press: () => endSession(client, terminal) },
    row.straight_only
      ? {
        words: say("terminal-action.end-arrangement"),
        command: "EndArrangement",
        press: () => endArrangement(client, table, row),
      }
      : { words: say("terminal-action.arrange"), command: "ArrangeVip", press: () => arrange(client, table, row) },
    { words: say("terminal-action.note"), command: "NoteIncident", press: () => note(client, terminal) },
    {
      words: say("terminal-action.release"),
      command: "ReleaseDevice",
      press: () => releaseDevice(client, terminal),
      grave: true,
    },
    {
      words: say("pit-label.malfunction"),
      command: "RaiseMalfunction",
      press: () => malfunction(client, terminal),
      grave: true,
    },
    row.closed
      ? { words: say("terminal-action.reopen"), command: "ReopenTerminal", press: () => reopen(client, terminal) }
      : {
        words: say("terminal-action.close"),
        command: "CloseTerminal",
        press: () => close(client, terminal),
        grave: true,
      },
  ];
}

/** @param {ConsoleClient} client @param {string} terminal */
function collect(client, terminal) {
  openForm({
    name: "collect",
    title: say("collect.title", { terminal }),
    about: [h("p", null, say("pit-effect.collect_for"))],
    does: say("collect.does"),
    send: () => client.sendRequest("collect_for", { terminal }),
  });
}

/** @param {ConsoleClient} client @param {string} table @param {string} terminal */
function adjust(client, table, terminal) {
  openForm({
    name: "adjust",
    title: say("adjust.title", { terminal }),
    about: [h("p", null, say("adjust.about", { currency: client.felt(table)?.currency ?? "" }))],
    fields: [
      {
        name: "way",
        label: say("adjust.way"),
        kind: "choice",
        choices: [
          ["1", say("adjust.add")],
          ["-1", say("adjust.take")],
        ],
      },
      { name: "amount", label: say("adjust.amount"), kind: "amount" },
      { name: "words", label: say("ticket.why"), kind: "words" },
    ],
    does: say("needs.sign"),
    dual: true,
    grave: true,
    send: ({ way, amount, words }) =>
      client.sendCommand({ type: "AdjustCredit", terminal, amount: Number(way) * amount, words }),
  });
}

/** @param {ConsoleClient} client @param {string} table @param {SeatRow} row */
function arrange(client, table, row) {
  openForm({
    name: "arrange",
    title: say("arrange.title", { terminal: row.terminal }),
    about: [h("p", null, say("arrange.about"))],
    fields: [{ name: "words", label: say("arrange.words"), kind: "words" }],
    does: say("hold.save"),
    send: ({ words }) => client.sendCommand({ type: "ArrangeVip", table, positions: [row.position], words }),
  });
}

/** @param {ConsoleClient} client @param {string} table @param {SeatRow} row */
function endArrangement(client, table, row) {
  openForm({
    name: "end-arrangement",
    title: say("arrange.end-title", { terminal: row.terminal }),
    about: [h("p", null, say("arrange.end-about"))],
    fields: [{ name: "words", label: say("ticket.why"), kind: "words" }],
    does: say("arrange.end"),
    send: ({ words }) =>
      client.sendCommand({ type: "EndArrangement", table, arrangement: row.arrangement ?? 0, words }),
  });
}

/** @param {ConsoleClient} client @param {string} terminal */
function endSession(client, terminal) {
  openForm({
    name: "end-session",
    title: say("end-session.title", { terminal }),
    about: [h("p", null, say("end-session.about"))],
    does: say("end-session.does"),
    send: () => client.sendCommand({ type: "EndSession", terminal }),
  });
}

/** @param {ConsoleClient} client @param {string} terminal */
function malfunction(client, terminal) {
  openForm({
    name: "malfunction",
    title: say("malfunction.title", { terminal }),
    about: [h("p", null, say("malfunction.about"))],
    fields: [
      {
        name: "fault",
        label: say("malfunction.fault"),
        kind: "choice",
        choices: FAULTS.map((fault) => [fault, say(`fault.${fault}`)]),
      },
      { name: "words", label: say("malfunction.words"), kind: "words" },
    ],
    does: say("malfunction.does"),
    grave: true,
    send: ({ fault, words }) => client.sendCommand({ type: "RaiseMalfunction", terminal, fault, words }),
  });
}

/** @param {ConsoleClient} client @param {string} terminal */
function close(client, terminal) {
  openForm({
    name: "close-terminal",
    title: say("close-terminal.title", { terminal }),
    about: [
      h("p", null, say("close-terminal.about")),
      notifyFirst(client, terminal),
    ],
    fields: [{ name: "words", label: say("close-terminal.words"), kind: "words" }],
    does: say("close-terminal.does"),
    grave: true,
    send: ({ words }) => client.sendCommand({ type: "CloseTerminal", terminal, words }),
  });
}

/** @param {ConsoleClient} client @param {string} terminal */
function reopen(client, terminal) {
  openForm({
    name: "open-terminal",
    title: say("reopen-terminal.title", { terminal }),
    does: say("reopen-terminal.does"),
    send: () => client.sendCommand({ type: "ReopenTerminal", terminal }),
  });
}

// Texts about terminals: their status, and the faults they may have.

/** The faults of a terminal. */
const FAULTS = ["credits", "numbers", "interrupted", "opinion"];

/** The status pills of a seat. @param {SeatRow} row @returns {Pill[]} */
export function marksOf({
  credit,
  staked,
  below,
  dark,
  closed,
  case: number,
  held,
  idle,
  idle_long: long,
  spent,
  straight_only,
}) {
  /** @type {(Pill | false)[]} */
  const marks = [
    number !== null && { says: say("seat.case", { case: number }), look: "stop" },
    dark && { says: say("seat.offline"), look: "stop" },
    closed && { says: say("mark.closed"), look: "warn" },
    held > 0 && { says: say("seat.held"), look: "warn" },
    below && { says: say("seat.below"), look: "warn" },
    idle > 0 && { says: say("seat.idle", { n: idle }), look: long ? "warn" : "calm" },
    staked > 0 && { says: say("seat.bets"), look: "ok" },
    straight_only && { says: say("mark.straight"), look: "calm" },
    spent && { says: say("mark.session"), look: "calm" },
    credit + staked === 0 && !spent && { says: say("seat.free"), look: "calm" },
  ];
  const found = marks.filter((mark) => mark !== false);
  return found.length > 0 ? found : [{ says: say("seat.no-bets"), look: "calm" }];
}
