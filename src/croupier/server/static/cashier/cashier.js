// The cashier's console: a number is scanned, looked at and paid from a drawer; and all else that a drawer is for.

import { el } from "../kit/dom.js";
import { drawerCard } from "./drawer.js";
import { holds } from "./holds.js";
import { payables } from "./payables.js";
import { payout } from "./payout.js";
import { scan } from "./scan.js";
import { ticketCard } from "./ticket.js";
import { Till } from "./till.js";
import { waiting } from "./waiting.js";

/** What is paid otherwise than on paper: held wins and payables. @param {Till} till
 * @returns {import("../staff/desk.js").Part} */
function settles(till) {
  const parts = [payables(till), holds(till)];
  const node = el("div", { class: "settles" }, ...parts.map((part) => part.node));
  const update = (/** @type {import("../kit/store.js").State} */ view) => parts.forEach((part) => part.update(view));
  return { node, update };
}

/** @param {import("../staff/desk.js").Desk} desk @returns {import("../staff/console.js").Furniture} */
export function cashier(desk) {
  const till = new Till(desk);
  return {
    title: () => "Cashier",
    pills: ({ floor }) => [
      till.drawer
        ? { key: "drawer", says: `Drawer ${till.drawer.drawer}`, look: "ok" }
        : { key: "drawer", says: "No drawer", look: "warn" },
      ...((floor?.holds ?? []).length > 0
        ? [{ key: "holds", says: `${floor?.holds?.length} held`, look: /** @type {const} */ ("warn") }]
        : []),
      ...((floor?.debts ?? []).some(({ payable }) => payable > 0)
        ? [{ key: "payables", says: "Payables", look: /** @type {const} */ ("warn") }]
        : []),
    ],
    parts: [scan(till), ticketCard(till), payout(till), settles(till), drawerCard(till), waiting(till)],
  };
}
