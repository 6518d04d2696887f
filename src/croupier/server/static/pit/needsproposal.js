// Reviewing what somebody else has signed: all of it in plain words, and then the second signature, or none.

import { button, el, shown, text } from "../kit/dom.js";
import { openSheet } from "../kit/sheet.js";
import { pressOnce } from "../staff/press.js";
import { citing, spanOf } from "../staff/words.js";
import { COMMANDS } from "./needswords.js";
import { proposed } from "./needsproposed.js";

/** @typedef {import("../staff/desk.js").Desk} Desk */

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
