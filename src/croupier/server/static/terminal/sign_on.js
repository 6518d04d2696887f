// Device sign-on of a terminal.

import { el, field, form } from "../shared/dom.js";
import { fetchFelt } from "../shared/felt_cache.js";
import { hideCode } from "../shared/session.js";
import { say } from "../shared/text.js";

/** @typedef {import("../shared/session.js").Session} Session */

/** Connect at once where possible, or ask for what is missing. @param {Session} session @param {HTMLElement} host */
export function signOn(session, host) {
  const { storage, parameters, demo, pageData } = session;
  if (parameters.join !== undefined) hideCode(parameters);
  const table = parameters.table ?? (pageData.tables.length === 1 ? pageData.tables[0].table : undefined);
  const felt = pageData.tables.find((each) => each.table === table)?.felt;
  // The felt comes while the connection is opened. Another model of terminal may have another felt.
  if (felt) fetchFelt(felt, () => session.redraw());
  if (storage.device) return session.connect();
  if (demo && table !== undefined) return session.connect({ join: parameters.join ?? storage.code, table });
  host.append(demo ? tableForm(session) : keyForm(session));
}

/** @param {Session} session */
function tableForm(session) {
  const tables = session.pageData.tables.map(({ table, title }) =>
    el("option", { value: table }, `${table}: ${title}`)
  );
  const made = form(
    { class: "panel enrol" },
    ({ table, join }) => {
      made.remove();
      session.connect({ table, join });
    },
    el("h2", {}, say("enter.title")),
    field(say("enter.table"), el("select", { name: "table" }, ...tables)),
    field(
      say("enter.code"),
      el("input", { name: "join", autocomplete: "off", value: session.parameters.join ?? session.storage.code }),
    ),
    el("button", { class: "main" }, say("enter.sit")),
  );
  return made;
}

/** @param {Session} session */
function keyForm(session) {
  const made = form(
    { class: "panel enrol" },
    ({ device, key }) => {
      session.storage.enrol(device.trim(), key.trim());
      made.remove();
      session.connect();
    },
    el("h2", {}, say("enter.unknown")),
    el("p", {}, say("enter.give-key")),
    field(say("enter.device"), el("input", { name: "device", required: true, autocomplete: "off", maxlength: 64 })),
    field(
      say("enter.key"),
      el("input", { name: "key", type: "password", required: true, autocomplete: "off", maxlength: 128 }),
    ),
    el("button", { class: "main" }, say("enter.come-in")),
  );
  return made;
}

/**
 * Sit down at another table, in a demonstration. The seat left keeps its credit for this browser.
 * @param {string} table
 */
export function changeTable(table) {
  history.replaceState(null, "", `${location.pathname}#table=${encodeURIComponent(table)}`);
  location.reload();
}

/** Open a second seat in the same browser, in a demonstration. */
export function openAnotherSeat() {
  const seat = Math.random().toString(36).slice(2, 8);
  globalThis.open(`${location.pathname}#seat=${seat}`, "_blank", "noopener");
}
