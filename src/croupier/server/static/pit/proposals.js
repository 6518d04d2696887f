// Reviewing and signing a proposal.

import { pressOnce, refusalText } from "../console/forms.js";
import { dateOf, durationOf, figure, worded } from "../console/text.js";
import { commandText, factList } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { money } from "../shared/money.js";
import { button, h } from "../shared/render.js";
import { locale, say } from "../shared/text.js";
import { CorrectionPreview } from "./correction_preview.js";
import { amountFormat, comparison, kindName, rangeOf, timerLines } from "./table_settings.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/commands.js").TableSettings} Settings
 */

/** @param {ConsoleClient} client @param {number} number */
export function openProposal(client, number) {
  const found = () => client.view.floor?.proposals?.find(({ proposal }) => proposal === number);
  const row = found();
  if (!row) return;
  const command = /** @type {Command} */ (row.command);
  const description = descriptionOf(client, command);
  /** @type {import("../console/client.js").Refusal | null} */
  let refusal = null;
  const send = async (/** @type {"Approve" | "Withdraw"} */ type) => {
    ({ refusal } = await client.sendCommand({ type, proposal: number }));
    if (refusal) dialog.redraw();
    else dialog.close();
  };
  const timeLeft = () => (found() === undefined ? 0 : row.expires_at_us - (client.session.now() ?? 0));
  const request = previewRequest(command);
  const preview = request && new CorrectionPreview(client, () => dialog.redraw());
  const dialog = openDialog({
    name: "proposal",
    title: commandText(command, null, (cents) => factText(client, command, "amount", cents)),
    look: "wide",
    light: false,
    body: () => [
      h("p", null, say("needs.signed", { person: row.person, device: row.device })),
      description,
      preview?.draw(say("proposal.preview")),
      h(
        "p",
        { class: "dual", role: "timer" },
        timeLeft() > 0 ? say("proposal.left", { time: durationOf(timeLeft()) }) : say("proposal.over"),
      ),
      refusalText(refusal),
    ],
    foot: () => [
      button(say("form.leave"), () => dialog.close()),
      button(say("vault.withdraw"), ({ currentTarget }) => pressOnce(currentTarget, () => send("Withdraw"))),
      button(say("proposal.sign"), ({ currentTarget }) => pressOnce(currentTarget, () => send("Approve")), {
        class: "main",
        disabled: timeLeft() <= 0,
      }),
    ],
    closed: () => preview?.end(),
  });
  preview?.attempt(request);
}

// The proposed change as text: current values beside the new ones.

/**
 * @typedef {Record<string, any> & {type: string}} Command
 * @typedef {import("../shared/render.js").Child} Child
 */

/** @type {Record<string, (client: ConsoleClient, command: Command) => Child>} */
const DESCRIPTIONS = {
  ChangeSettings: settings,
  ChangeRulebook: rulebook,
  CorrectResult: (_client, { table, round, pocket, words }) =>
    h("p", null, say("proposal.correction", { table, round: figure(round), pocket, words })),
  InvalidateOutcome: (_client, { table, round, reason, words }) =>
    h(
      "p",
      null,
      say("proposal.invalidation", { table, round: figure(round), reason: worded("reason.", reason), words }),
    ),
};

/** @param {ConsoleClient} client @param {Command} command @returns {Child} */
const descriptionOf = (client, command) => DESCRIPTIONS[command.type]?.(client, command) ?? [facts(client, command)];

/** Every field of a command by name. @param {ConsoleClient} client @param {Command} command */
function facts(client, command) {
  const response = Object.entries(command).filter(([name, value]) => name !== "type" && value !== null && value !== "");
  return factList(
    response.map(([name, value]) => [worded("command-field.", name), factText(client, command, name, value)]),
    "pairs",
  );
}

/** @param {ConsoleClient} client @param {Command} command @param {string} name @param {any} value */
function factText(client, command, name, value) {
  if (name === "amount" && command.drawer) return drawerAmount(client, command.drawer, value);
  if (name === "amount") return client.amount(value, tableOf(client, command));
  if (name === "chips" && Array.isArray(value)) return chipsText(client, command, value);
  if (name === "begins_at" || name === "ends_at") return dateOf(value);
  if (typeof value === "boolean") return say(value ? "proposal.yes" : "proposal.no");
  return plainText(value);
}

/** Value chips with their count, and their sum. @param {ConsoleClient} client @param {Command} command @param {[number, number][]} chips */
function chipsText(client, command, chips) {
  const write = (/** @type {number} */ cents) => client.amount(cents, tableOf(client, command));
  const total = chips.reduce((sum, [value, count]) => sum + value * count, 0);
  return `${chips.map(([value, count]) => `${count} × ${write(value)}`).join(", ")} = ${write(total)}`;
}

/** A value that has no unit: a name, a count, or several of them. @param {any} value @returns {string} */
function plainText(value) {
  if (Array.isArray(value)) return value.map(plainText).join(", ");
  if (value === null || typeof value !== "object") return String(value);
  return Object.entries(value).map(([name, one]) => `${name}: ${plainText(one)}`).join("; ");
}

/** An amount in the currency of a drawer, which may not have one yet. @param {ConsoleClient} client @param {string} name @param {number} cents */
export function drawerAmount(client, name, cents) {
  const currency = client.view.floor?.drawers?.find(({ drawer }) => drawer === name)?.currency;
  return currency ? money(cents, currency, locale()) : figure(cents / 100);
}

/** The table of a command: its own, or that of its terminal. @param {ConsoleClient} client @param {Command} command */
function tableOf(client, { table, terminal }) {
  const tables = Object.entries(client.view.floor?.tables ?? {});
  return table ?? tables.find(([, { seats }]) => seats.some((seat) => seat.terminal === terminal))?.[0] ?? "";
}

/** Only the differences are listed. @param {ConsoleClient} client @param {Command} command @returns {Child} */
function settings(client, { table, settings: next, words }) {
  const now = /** @type {Settings} */ (client.view.floor?.terms?.[table]?.now.settings ?? {});
  const lines = [...limitLines(client, table, now, next), ...timerLines(now, next)].filter(
    (line) => line.now !== line.next,
  );
  return [
    h("p", null, say("proposal.from-next", { table, words })),
    lines.length > 0 ? changes(lines) : say("compare.same"),
  ];
}

/** @param {ConsoleClient} client @param {string} table @param {Settings} now @param {Settings} next */
function limitLines(client, table, now, next) {
  const write = amountFormat(client, table);
  const range = (
    /** @type {import("../shared/types/commands.js").LimitBounds | undefined} */ bounds,
    /** @type {string} */ missing,
  ) => (bounds ? rangeOf(bounds.least ?? null, bounds.most ?? null, write) : missing);
  const none = say("limit.none");
  const [was, comes] = [now, next].map(({ limits }) => new Map(limits?.kinds ?? []));
  const kinds = [...new Set([...was.keys(), ...comes.keys()])];
  return [
    { what: say("limit.spot"), now: range(now.limits?.spot, none), next: range(next.limits?.spot, none) },
    ...kinds.map((kind) => ({
      what: kindName(client, table, kind),
      now: range(was.get(kind), say("limit.as-spot")),
      next: range(comes.get(kind), say("limit.as-spot")),
    })),
    { what: say("limit.total"), now: range(now.limits?.total, none), next: range(next.limits?.total, none) },
  ];
}

/** @param {ConsoleClient} client @param {Command} command @returns {Child} */
function rulebook(client, { table, rulebook: digest, words }) {
  const now = client.view.floor?.terms?.[table]?.now.rulebook ?? "";
  const next = client.view.floor?.rulebooks?.find((one) => one.digest === digest);
  const line = { what: say("compare.rulebook"), now, next: next ? `${next.rulebook}, ${next.version}` : digest };
  return [h("p", null, say("proposal.from-next", { table, words })), changes([line])];
}

/** @param {{what: string, now: string, next: string}[]} lines */
const changes = (lines) =>
  comparison({ label: say("compare.title"), now: say("compare.now"), next: say("compare.next"), lines });

/** What is asked to show every seat's money before and after. @param {Command} command @returns {import("./correction_preview.js").PreviewRequest | null} */
function previewRequest({ type, table, round, pocket, reason }) {
  if (type === "CorrectResult") return { table, round, pocket };
  return type === "InvalidateOutcome" ? { table, round, reason } : null;
}
