// One terminal and its meters.

import { openDocument } from "../console/documents.js";
import { durationOf, figure, refusedText, worded } from "../console/text.js";
import { pill } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { button, el, text } from "../shared/dom.js";
import { money } from "../shared/money.js";
import { say } from "../shared/text.js";
import { permittedButton, titlesFor } from "./table_actions.js";
import { marksOf, terminalActions } from "./terminal_actions.js";

/** @typedef {import("../console/client.js").ConsoleClient} ConsoleClient */

/**
 * @typedef {{table: string, terminal: string}} Where
 */

/** @param {ConsoleClient} client @param {Where} where */
export function openTerminal(client, where) {
  const { table, terminal } = where;
  const facts = factList(["credit", "staked", "held", "idle", "link"]);
  const marks = el("p", { class: "pills" });
  const actions = el("div", { class: "ways", role: "group", "aria-label": say("terminal.actions", { terminal }) });
  const meters = metersView(client, where);
  const seat = () => client.view.floor?.tables?.[table]?.seats.find((row) => row.terminal === terminal);
  const tick = () => {
    const row = seat();
    const now = client.session.now();
    if (!row) return;
    const gone = row.lost_at_us !== null && now !== null ? say("terminal.lost-for", { time: durationOf(now - row.lost_at_us) }) : say("terminal.lost");
    facts.set("link", row.dark ? gone : say("terminal.linked"));
  };
  const update = () => {
    const row = seat();
    if (!row) return;
    facts.set("credit", client.amount(row.credit, table));
    facts.set("staked", client.amount(row.staked, table));
    facts.set("held", client.amount(row.held, table));
    facts.set("idle", figure(row.idle));
    tick();
    const shows = JSON.stringify([marksOf(row), row.closed, row.straight_only]);
    if (marks.dataset.shows === shows) return;
    marks.dataset.shows = shows;
    marks.replaceChildren(...marksOf(row).map(pill));
    actions.replaceChildren(
      ...terminalActions(client, where, row).map(({ command, grave, ...action }) =>
        permittedButton(client, { ...action, titles: titlesFor(client, table, command), looks: grave ? "grave" : "" }),
      ),
    );
  };
  openDialog({
    name: "terminal",
    title: say("terminal.name", { terminal }),
    body: [marks, facts.node, actions, meters],
    update,
    tick,
  });
  update();
}

/** A list of facts whose values change, by the ids of their names. @param {string[]} names */
function factList(names) {
  const values = new Map(names.map((name) => [name, el("dd", {})]));
  const node = el("dl", { class: "pairs" }, ...[...values].flatMap(([name, value]) => [el("dt", {}, say(`terminal-fact.${name}`)), value]));
  return {
    node,
    set: (/** @type {string} */ name, /** @type {string} */ value) => text(values.get(name) ?? null, value),
  };
}

// The meters of a terminal, and whether they balance.

/** @param {import("../console/client.js").ConsoleClient} client @param {Where} where @returns {HTMLElement} */
function metersView(client, { table, terminal }) {
  const host = el("section", { class: "meters" }, el("h3", {}, say("terminal.meters")));
  const read = async () => {
    const frame = await client.query("meters", { terminal });
    if (frame.t === "refused")
      return host.append(el("p", { class: "reply", role: "alert" }, refusedText(frame.refusal)));
    host.replaceChildren(el("h3", {}, say("terminal.meters")), ...meterLines(client, table, frame), again);
  };
  const again = button(say("terminal.read"), () => void read());
  host.append(again);
  return host;
}

/** @param {import("../console/client.js").ConsoleClient} client @param {string} table
 * @param {import("../shared/types/console.js").MetersResult} frame */
function meterLines(client, table, { meters, by_meters: by, on_terminal: on, difference, sound }) {
  const write = (/** @type {number} */ cents) => client.amount(cents, table);
  const list = (/** @type {[string, string][]} */ facts) =>
    el("dl", { class: "pairs" }, ...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]));
  /** @param {import("../shared/types/console.js").AuditLine} line @returns {[string, string]} */
  const line = ({ line: name, amount: cents }) => [say(`audit-line.${name}`), write(cents)];
  const verdict = sound ? say("meters.sound") : say("meters.short", { amount: write(difference) });
  return [
    list([[say("meters.games"), figure(meters.games)], ...by.map(line)]),
    el("h3", {}, say("meters.on")),
    list(on.map(line)),
    el("p", { class: sound ? "" : "reply" }, verdict),
  ];
}

// Slips printed at this console after staff have collected for a player.

/** @param {import("../console/client.js").ConsoleClient} client */
export function showSlips(client) {
  client.session.handlers.slip = (/** @type {import("../shared/types/wire.js").SlipPrinted} */ slip) => {
    const { sequence, number, form, amount, currency, terminal } = slip;
    const print = button(say("collected.paper"), () => openDocument(client, { type: "slip", sequence, number }), {
      class: "main",
    });
    const dialog = openDialog({
      name: `collected-${sequence}`,
      title: say("collected.title", { paper: worded("paper.", form), terminal }),
      look: "narrow",
      firm: true,
      body: [
        el("p", { class: "sum" }, money(amount, currency)),
        el("p", {}, say("collected.about")),
      ],
      foot: [button(say("collected.done"), () => dialog.close()), print],
    });
  };
}
