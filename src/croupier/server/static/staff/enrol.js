// Enrolling: how a console or a display comes in: as a device that is known, unasked in a demonstration, or by a key.

import { el, field, form } from "../kit/dom.js";
import { hideCode } from "../kit/session.js";

/** @typedef {import("../kit/session.js").Session} Session */

/** Come in at once where that is possible, or ask for what it takes.
 * @param {Session} session @param {HTMLElement} host */
export function enrol(session, host) {
  const { keeper, wanted, demo } = session;
  if (wanted.join !== undefined) hideCode(wanted);
  if (keeper.device) return session.enter();
  if (demo) return session.enter({ join: wanted.join ?? "", table: wanted.table ?? "" });
  host.append(withKey(session));
}

/** @param {Session} session */
function withKey(session) {
  const made = form(
    { class: "card enrol" },
    ({ device, key }) => {
      session.keeper.enrol(device.trim(), key.trim());
      made.remove();
      session.enter();
    },
    el("h2", {}, "This device is not enrolled"),
    el("p", {}, "Give the name and the key that it was enrolled with."),
    field("Device", el("input", { name: "device", required: true, autocomplete: "off", maxlength: 64 })),
    field("Key", el("input", { name: "key", type: "password", required: true, autocomplete: "off", maxlength: 128 })),
    el("button", { class: "main" }, "Come in"),
  );
  return made;
}
