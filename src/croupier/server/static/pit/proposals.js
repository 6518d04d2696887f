// Reviewing and signing a proposal.

import { pressOnce } from "../console/forms.js";
import { withClause, durationOf, figure, labelOf, worded } from "../console/text.js";
import { openDialog } from "../shared/dialog.js";
import { button, el, shown, text } from "../shared/dom.js";
import { money } from "../shared/money.js";
import { locale } from "../shared/text.js";
import { correctionPreview } from "./correction_preview.js";
import { compared, kindName, rangeOf, timerLines, amountFormat } from "./table_settings.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/commands.js").TableSettings} Settings
 */

/** @param {ConsoleClient} client @param {number} number */
export function openProposal(client, number) {
  const found = () => client.view.floor?.proposals?.find(({ proposal }) => proposal === number);
  const row = found();
  if (!row) return;
  const command = /** @type {Record<string, any> & {type: string}} */ (row.command);
  const left = el("p", { class: "dual", role: "timer" });
  const reply = el("p", { class: "reply", role: "alert", hidden: true });
  const ask = async (/** @type {"Approve" | "Withdraw"} */ type) => {
    const { refusal } = await client.sendCommand({ type, proposal: number });
    text(reply, refusal ? withClause(refusal) : "");
    shown(reply, refusal !== null);
    if (!refusal) dialog.close();
  };
  const sign = button("Sign it too", () => pressOnce(sign, () => ask("Approve")), { class: "main" });
  const withdraw = button("Withdraw it", () => pressOnce(withdraw, () => ask("Withdraw")));
  const tick = () => {
    const now = client.session.now() ?? 0;
    const waits = found() !== undefined && row.expires_at_us > now;
    text(
      left,
      waits ? `Good for another ${durationOf(row.expires_at_us - now)}.` : "This was signed, taken back or has lapsed.",
    );
    sign.disabled = !waits;
  };
  const dialog = openDialog({
    name: "proposal",
    title: worded("command.", command.type),
    look: "wide",
    light: false,
    body: [
      el(
        "p",
        {},
        el("b", {}, row.person),
        ` has signed this at ${row.device}. Somebody else signs it too, on another device.`,
      ),
      ...descriptionOf(client, command),
      left,
      reply,
    ],
    foot: [button("Leave it", () => dialog.close()), withdraw, sign],
    update: tick,
    tick,
  });
  tick();
}

// The proposed change as text: current values beside the new ones.

/**
 * @typedef {Record<string, any> & {type: string}} Command
 */

/** @type {Record<string, (client: ConsoleClient, command: Command) => (Node | string)[]>} */
const DESCRIPTIONS = {
  ChangeSettings: settings,
  ChangeRulebook: rulebook,
  CorrectResult: correction,
  InvalidateOutcome: invalidation,
};

/** @param {ConsoleClient} client @param {Command} command @returns {(Node | string)[]} */
const descriptionOf = (client, command) => DESCRIPTIONS[command.type]?.(client, command) ?? [facts(client, command)];

/** Every field of a command by name. @param {ConsoleClient} client @param {Command} command */
function facts(client, command) {
  const response = Object.entries(command).filter(([name, value]) => name !== "type" && value !== null && value !== "");
  return el(
    "dl",
    { class: "pairs" },
    ...response.flatMap(([name, value]) => [
      el("dt", {}, labelOf(name)),
      el("dd", {}, factText(client, command, name, value)),
    ]),
  );
}

/** @param {ConsoleClient} client @param {Command} command @param {string} name @param {any} value */
function factText(client, command, name, value) {
  if (name === "amount" && command.drawer) return drawerAmount(client, command.drawer, value);
  if (name === "amount") return client.amount(value, tableOf(client, command));
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
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

/** Only the differences are listed. @param {ConsoleClient} client @param {Command} command @returns {(Node | string)[]} */
function settings(client, { table, settings: next, words }) {
  const now = /** @type {Settings} */ (client.view.floor?.terms?.[table]?.now.settings ?? {});
  const lines = [...limitLines(client, table, now, next), ...timerLines(now, next)].filter(
    (line) => line.now !== line.next,
  );
  const made = compared("What would change", "Now", "From the next round");
  made.update(lines);
  return [
    el("p", {}, `Table ${table}, from its next round. Why: ${words}`),
    lines.length > 0 ? made.node : "Nothing would change.",
  ];
}

/** @param {ConsoleClient} client @param {string} table @param {Settings} now @param {Settings} next */
function limitLines(client, table, now, next) {
  const write = amountFormat(client, table);
  const range = (
    /** @type {import("../shared/types/commands.js").LimitBounds | undefined} */ bounds,
    /** @type {string} */ none,
  ) => (bounds ? rangeOf(bounds.least ?? null, bounds.most ?? null, write) : none);
  const [was, comes] = [now, next].map(({ limits }) => new Map(limits?.kinds ?? []));
  const kinds = [...new Set([...was.keys(), ...comes.keys()])];
  return [
    { what: "Every spot", now: range(now.limits?.spot, "no limit"), next: range(next.limits?.spot, "no limit") },
    ...kinds.map((kind) => ({
      what: labelOf(kindName(client, table, kind)),
      now: range(was.get(kind), "as every spot"),
      next: range(comes.get(kind), "as every spot"),
    })),
    {
      what: "All bets of a player",
      now: range(now.limits?.total, "no limit"),
      next: range(next.limits?.total, "no limit"),
    },
  ];
}

/** @param {ConsoleClient} client @param {Command} command @returns {(Node | string)[]} */
function rulebook(client, { table, rulebook: digest, words }) {
  const now = client.view.floor?.terms?.[table]?.now.rulebook ?? "";
  const next = client.view.floor?.rulebooks?.find((one) => one.digest === digest);
  const made = compared("What would change", "Now", "From the next round");
  made.update([{ what: "Rulebook", now, next: next ? `${next.rulebook}, ${next.version}` : digest }]);
  return [el("p", {}, `Table ${table}, from its next round. Why: ${words}`), made.node];
}

/** @param {ConsoleClient} client @param {Command} command @returns {(Node | string)[]} */
function correction(client, { table, round, pocket, words }) {
  return [
    el("p", {}, `Round ${round} of table ${table} becomes ${pocket}. Why: ${words}`),
    previewOf(client, { table, round, pocket }),
  ];
}

/** @param {ConsoleClient} client @param {Command} command @returns {(Node | string)[]} */
function invalidation(client, { table, round, reason, words }) {
  return [
    el("p", {}, `The outcome of round ${round} of table ${table} is taken back: ${labelOf(reason)}. Why: ${words}`),
    previewOf(client, { table, round, reason }),
  ];
}

/** Every seat's money before and after. @param {ConsoleClient} client @param {import("./correction_preview.js").PreviewRequest} tried */
function previewOf(client, tried) {
  const made = correctionPreview(client, "The house is asked what this does to every seat's money…");
  made.attempt(tried);
  return made.node;
}
