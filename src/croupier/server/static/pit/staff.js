// The staff of the house.

import { openForm } from "../console/forms.js";
import { withClause, dateOf } from "../console/text.js";
import { grid } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { button, el } from "../shared/dom.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").PersonRow} PersonRow
 */

/** @param {ConsoleClient} client */
export function openStaff(client) {
  const made = grid({
    label: "Staff",
    columns: [
      { head: "Name", cell: (/** @type {PersonRow} */ { person }) => person },
      { head: "Titles", cell: ({ titles }) => titles.join(", ") || "none" },
      {
        head: "Acting",
        cell: ({ acting }) => acting.map(([title, ends]) => `${title} until ${dateOf(ends)}`).join(", "),
      },
      { head: "Signed in at", cell: ({ devices }) => devices.join(", ") },
      { head: "Change", cell: (row) => personActions(client, row, read) },
    ],
    key: ({ person, titles }) => `${person} ${titles}`,
    empty: "Nobody is told of.",
  });
  const says = el("p", { role: "status" });
  const read = async () => {
    const frame = await client.query("staff");
    made.update(frame.t === "staff" ? frame.people : []);
    says.textContent =
      frame.t === "refused" ? withClause(frame.refusal) : frame.more > 0 ? `${frame.more} more work here.` : "";
  };
  const enrol = button("Enrol somebody…", () => enrolment(client, { person: "", titles: [] }, read));
  openDialog({ name: "staff", title: "Staff and titles", look: "wide", body: [says, made.node], foot: [enrol] });
  void read();
}

/** @param {ConsoleClient} client @param {PersonRow} row @param {() => void} again */
function personActions(client, row, again) {
  const one = (/** @type {string} */ words, /** @type {() => void} */ press, grave = false) =>
    button(words, press, { class: grave ? "small grave" : "small", "aria-label": `${words} ${row.person}` });
  return el(
    "span",
    { class: "ways" },
    one("Titles…", () => enrolment(client, row, again)),
    one("Acting…", () => acting(client, row, again)),
    one("Unlock…", () => unlock(client, row, again)),
    one("Release…", () => release(client, row, again), true),
  );
}

/** @param {ConsoleClient} client @param {{person: string, titles: string[]}} row @param {() => void} done */
function enrolment(client, { person, titles }, done) {
  openForm({
    name: "enrol-person",
    title: person ? `Titles of ${person}` : "Enrol somebody",
    about: [
      el(
        "p",
        {},
        "Titles are those of the rulebooks. A new member of staff signs in with a code, which the office gives.",
      ),
    ],
    fields: [
      ...(person ? [] : [WHO]),
      { name: "titles", label: "Titles", about: "with commas between them", value: titles.join(", ") },
    ],
    does: "Sign it",
    dual: true,
    send: (given) =>
      client.sendCommand({ type: "EnrolPerson", person: given.person ?? person, titles: listed(given.titles) }),
    done,
  });
}

/** @type {import("../console/forms.js").Field} */
const WHO = { name: "person", label: "Name", kind: "name" };

/** @param {string} written */
const listed = (written) =>
  written
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");

const HOUR_US = 3_600_000_000;

/** @param {ConsoleClient} client @param {PersonRow} row @param {() => void} done */
function acting(client, { person }, done) {
  openForm({
    name: "acting",
    title: `${person} acts for a time`,
    fields: [
      { name: "title", label: "As" },
      { name: "hours", label: "For how many hours, from now", kind: "number", value: 8 },
    ],
    does: "Appoint",
    send: ({ title, hours }) => {
      const now = client.session.now() ?? 0;
      return client.sendCommand({
        type: "AppointActing",
        person,
        title,
        begins_at: now,
        ends_at: now + hours * HOUR_US,
      });
    },
    done,
  });
}

/** @param {ConsoleClient} client @param {PersonRow} row @param {() => void} done */
function unlock(client, { person }, done) {
  openForm({
    name: "unlock-person",
    title: `Unlock ${person}`,
    about: [
      el(
        "p",
        {},
        `After wrong passwords ${person} is refused for a while on the device where they were given. ` +
          "Find out who gave them. Two colleagues let the name sign in again at once.",
      ),
    ],
    does: "Sign it",
    dual: true,
    send: () => client.sendCommand({ type: "UnlockAccount", person }),
    done,
  });
}

/** @param {ConsoleClient} client @param {PersonRow} row @param {() => void} done */
function release(client, { person }, done) {
  openForm({
    name: "release-person",
    title: `Release ${person}`,
    about: [el("p", {}, "All titles end, and whoever is signed in by this name is signed out.")],
    does: "Release",
    grave: true,
    send: () => client.sendCommand({ type: "ReleasePerson", person }),
    done,
  });
}
