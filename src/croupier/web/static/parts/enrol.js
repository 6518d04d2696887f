// Enrolling: how a page that no device is known of comes in: by sitting down in a demonstration, or by a key.

import { button, el, field, form } from "../kit/dom.js";

/** Come in at once where that is possible, or ask for what it takes. */
export function enrol(session, host) {
  const { keeper, wanted, demo, place } = session;
  if (wanted.join !== undefined) hideCode(wanted);
  if (keeper.device) return session.enter();
  const table = wanted.table ?? (place.tables.length === 1 ? place.tables[0].table : undefined);
  if (demo && (table !== undefined || place.door !== "terminal"))
    return session.enter({ join: wanted.join ?? "", table: table ?? "" });
  host.append(demo ? sitDown(session) : withKey(session));
}

/** The code is for this page alone, and is not left in the address for the next one to see. */
function hideCode({ join, ...rest }) {
  const kept = new URLSearchParams(rest).toString();
  history.replaceState(null, "", location.pathname + (kept && `#${kept}`));
}

function sitDown(session) {
  const tables = session.place.tables.map(({ table, title }) => el("option", { value: table }, `${table}: ${title}`));
  const made = form(
    { class: "card enrol" },
    ({ table, join }) => {
      made.remove();
      session.enter({ table, join });
    },
    el("h2", {}, "Sit down"),
    field("Table", el("select", { name: "table" }, ...tables)),
    field(
      "Code, unless you are at the house's own machine",
      el("input", { name: "join", autocomplete: "off", value: session.wanted.join ?? "" }),
    ),
    el("button", { class: "main" }, "Sit down"),
  );
  return made;
}

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

/** A way to sit down a second time in the same browser, in a demonstration. */
export function anotherSeat(session) {
  if (!session.demo) return null;
  return button("Another seat in a new window", () => {
    const seat = Math.random().toString(36).slice(2, 8);
    window.open(`${location.pathname}#seat=${seat}`, "_blank", "noopener");
  });
}
