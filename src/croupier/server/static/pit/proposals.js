// Reviewing and signing a proposal.

import { pressOnce } from "../console/forms.js";
import { citing, spanOf, wordOf } from "../console/text.js";
import { openSheet } from "../shared/dialog.js";
import { button, el, shown, text } from "../shared/dom.js";
import { reckoning } from "./correction_preview.js";
import { COMMANDS } from "./pending_fields.js";
import { compared, kindName, rangeOf, timerLines, writing } from "./table_settings.js";

/**
 * @typedef {import("../console/client.js").Desk} Desk
 * @typedef {import("../shared/types/commands.js").TableSettings} Settings
 */

/** @param {Desk} desk @param {number} number */
export function openProposal(desk, number) {
  const found = () => desk.view.floor?.proposals?.find(({ proposal }) => proposal === number);
  const row = found();
  if (!row) return;
  const command = /** @type {Record<string, any> & {type: string}} */ (row.command);
  const left = el("p", { class: "dual", role: "timer" });
  const reply = el("p", { class: "reply", role: "alert", hidden: true });
  const ask = async (/** @type {"Approve" | "Withdraw"} */ type) => {
    const { refusal } = await desk.ask({ type, proposal: number });
    text(reply, refusal ? citing(refusal) : "");
    shown(reply, refusal !== null);
    if (!refusal) sheet.close();
  };
  const sign = button("Sign it too", () => pressOnce(sign, () => ask("Approve")), { class: "main" });
  const withdraw = button("Withdraw it", () => pressOnce(withdraw, () => ask("Withdraw")));
  const tick = () => {
    const now = desk.session.now() ?? 0;
    const waits = found() !== undefined && row.expires_at_us > now;
    text(
      left,
      waits ? `Good for another ${spanOf(row.expires_at_us - now)}.` : "This was signed, taken back or has lapsed.",
    );
    sign.disabled = !waits;
  };
  const sheet = openSheet({
    name: "proposal",
    title: COMMANDS[command.type] ?? command.type,
    look: "wide",
    light: false,
    body: [
      el(
        "p",
        {},
        el("b", {}, row.person),
        ` has signed this at ${row.device}. Somebody else signs it too, on another device.`,
      ),
      ...proposed(desk, command),
      left,
      reply,
    ],
    foot: [button("Leave it", () => sheet.close()), withdraw, sign],
    update: tick,
    tick,
  });
  tick();
}

// The proposed change as text: current values beside the new ones.

/**
 * @typedef {Record<string, any> & {type: string}} Command
 */

/** @type {Record<string, (desk: Desk, command: Command) => (Node | string)[]>} */
const SHOWN = {
  ChangeSettings: settings,
  ChangeRulebook: rulebook,
  CorrectResult: correction,
  InvalidateOutcome: invalidation,
};

/** @param {Desk} desk @param {Command} command @returns {(Node | string)[]} */
const proposed = (desk, command) => SHOWN[command.type]?.(desk, command) ?? [facts(desk, command)];

/** Every field of a command by name. @param {Desk} desk @param {Command} command */
function facts(desk, command) {
  const told = Object.entries(command).filter(([name, value]) => name !== "type" && value !== null && value !== "");
  return el(
    "dl",
    { class: "pairs" },
    ...told.flatMap(([name, value]) => [
      el("dt", {}, wordOf(name)),
      el("dd", {}, factWords(desk, command, name, value)),
    ]),
  );
}

/** @param {Desk} desk @param {Command} command @param {string} name @param {any} value */
function factWords(desk, command, name, value) {
  if (name === "amount") return desk.amount(value, tableOf(desk, command));
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The table of a command: its own, or that of its terminal. @param {Desk} desk @param {Command} command */
function tableOf(desk, { table, terminal }) {
  const tables = Object.entries(desk.view.floor?.tables ?? {});
  return table ?? tables.find(([, { seats }]) => seats.some((seat) => seat.terminal === terminal))?.[0] ?? "";
}

/** Only the differences are listed. @param {Desk} desk @param {Command} command @returns {(Node | string)[]} */
function settings(desk, { table, settings: next, words }) {
  const now = /** @type {Settings} */ (desk.view.floor?.terms?.[table]?.now.settings ?? {});
  const lines = [...limitLines(desk, table, now, next), ...timerLines(now, next)].filter(
    (line) => line.now !== line.next,
  );
  const made = compared("What would change", "Now", "From the next round");
  made.update(lines);
  return [
    el("p", {}, `Table ${table}, from its next round. Why: ${words}`),
    lines.length > 0 ? made.node : "Nothing would change.",
  ];
}

/** @param {Desk} desk @param {string} table @param {Settings} now @param {Settings} next */
function limitLines(desk, table, now, next) {
  const write = writing(desk, table);
  const range = (
    /** @type {import("../shared/types/commands.js").Bounds | undefined} */ bounds,
    /** @type {string} */ none,
  ) => (bounds ? rangeOf(bounds.least ?? null, bounds.most ?? null, write) : none);
  const [was, comes] = [now, next].map(({ limits }) => new Map(limits?.kinds ?? []));
  const kinds = [...new Set([...was.keys(), ...comes.keys()])];
  return [
    { what: "Every spot", now: range(now.limits?.spot, "no limit"), next: range(next.limits?.spot, "no limit") },
    ...kinds.map((kind) => ({
      what: wordOf(kindName(desk, table, kind)),
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

/** @param {Desk} desk @param {Command} command @returns {(Node | string)[]} */
function rulebook(desk, { table, rulebook: digest, words }) {
  const now = desk.view.floor?.terms?.[table]?.now.rulebook ?? "";
  const next = desk.view.floor?.rulebooks?.find((one) => one.digest === digest);
  const made = compared("What would change", "Now", "From the next round");
  made.update([{ what: "Rulebook", now, next: next ? `${next.rulebook}, ${next.version}` : digest }]);
  return [el("p", {}, `Table ${table}, from its next round. Why: ${words}`), made.node];
}

/** @param {Desk} desk @param {Command} command @returns {(Node | string)[]} */
function correction(desk, { table, round, pocket, words }) {
  return [
    el("p", {}, `Round ${round} of table ${table} becomes ${pocket}. Why: ${words}`),
    reckoned(desk, { table, round, pocket }),
  ];
}

/** @param {Desk} desk @param {Command} command @returns {(Node | string)[]} */
function invalidation(desk, { table, round, reason, words }) {
  return [
    el("p", {}, `The outcome of round ${round} of table ${table} is taken back: ${wordOf(reason)}. Why: ${words}`),
    reckoned(desk, { table, round, reason }),
  ];
}

/** Every seat's money before and after. @param {Desk} desk @param {import("./correction_preview.js").Tried} tried */
function reckoned(desk, tried) {
  const made = reckoning(desk, "The house is asked what this does to every seat's money…");
  made.attempt(tried);
  return made.node;
}
