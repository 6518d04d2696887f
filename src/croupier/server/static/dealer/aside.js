// Beside the round: calling no spin, calling the supervisor, and what the pit was told and has not seen to yet.

import { button, each, el, enabled, shown, text } from "../kit/dom.js";
import { spanOf, timeOf, wordOf } from "../staff/words.js";
import { callNoSpin, mayCall } from "./nospin.js";
import { callSupervisor } from "./supervisor.js";

const SHOWN_MOST = 2;

/** @typedef {import("./deal.js").Deal} Deal */

/** @param {Deal} deal @returns {import("../staff/desk.js").Part} */
export function aside(deal) {
  const off = button("No spin…", () => callNoSpin(deal), { class: "grave large" });
  const help = button("Call supervisor", () => callSupervisor(deal), { class: "large" });
  const told = el("ul", { class: "told", "aria-label": "What the pit was told" });
  const node = el("div", { class: "aside" }, off, help, told);
  const draw = () => {
    const rows = waiting(deal).slice(0, SHOWN_MOST);
    enabled(off, deal.free && mayCall(deal));
    enabled(help, deal.free);
    shown(told, rows.length > 0);
    each(told, rows, ({ key }) => key, () => el("li", {}), (item, { says }) => text(item, says));
  };
  return { node, update: draw, tick: draw };
}

/** What was told of this table and waits: signatures first, then the newest. @param {Deal} deal */
function waiting({ desk, table }) {
  const { proposals = [], incidents = [] } = desk.view.floor ?? {};
  const now = desk.session.now() ?? 0;
  const signed = proposals
    .filter(({ command, expires_at_us }) => /** @type {any} */ (command).table === table && expires_at_us > now)
    .map(({ proposal, person, command, expires_at_us }) => ({
      key: `p${proposal}`,
      says: `${person} has signed ${deed(command)}: a second person signs within ${spanOf(expires_at_us - now)}.`,
    }));
  const noted = incidents
    .filter(({ subject }) => subject === table)
    .sort((one, other) => other.at_us - one.at_us)
    .map(({ incident, at_us, words }) => ({
      key: `i${incident}`,
      says: `${timeOf(at_us)} The pit was told: ${words}`,
    }));
  return [...signed, ...noted];
}

/** What was signed, in words. @param {any} command */
const deed = ({ type, pocket }) =>
  `${wordOf(type.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase()).toLowerCase()}${pocket ? `, ${pocket}` : ""}`;
