// Device sign-on of a terminal.

import { fetchFelt } from "../shared/felt_cache.js";
import { field, form, h, render } from "../shared/render.js";
import { hideCode } from "../shared/session.js";
import { say, tableName } from "../shared/text.js";

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
  const done = () => render(host);
  render(host, demo ? tableForm(session, done) : keyForm(session, done));
}

/** @param {Session} session @param {() => void} done */
function tableForm(session, done) {
  const code = session.parameters.join ?? session.storage.code;
  return form(
    { class: "panel enrol" },
    ({ table, join }) => {
      done();
      session.connect({ table, join });
    },
    h("h2", null, say("enter.title")),
    field(
      say("enter.table"),
      h(
        "select",
        { name: "table" },
        session.pageData.tables.map(({ table }) => h("option", { value: table }, tableName(table))),
      ),
    ),
    field(say("enter.code"), h("input", { name: "join", autocomplete: "off", defaultValue: code })),
    h("button", { class: "main" }, say("enter.sit")),
  );
}

/** @param {Session} session @param {() => void} done */
const keyForm = (session, done) =>
  form(
    { class: "panel enrol" },
    ({ device, key }) => {
      session.storage.enrol(device.trim(), key.trim());
      done();
      session.connect();
    },
    h("h2", null, say("enter.unknown")),
    h("p", null, say("enter.give-key")),
    field(say("enter.device"), h("input", { name: "device", required: true, autocomplete: "off", maxlength: 64 })),
    field(
      say("enter.key"),
      h("input", { name: "key", type: "password", required: true, autocomplete: "off", maxlength: 128 }),
    ),
    h("button", { class: "main" }, say("enter.come-in")),
  );

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
