// The staff of the house.

import { askSheet } from "../console/forms.js";
import { citing, dateOf } from "../console/text.js";
import { grid } from "../console/widgets.js";
import { openSheet } from "../shared/dialog.js";
import { button, el } from "../shared/dom.js";

/**
 * @typedef {import("../console/client.js").Desk} Desk
 * @typedef {import("../shared/types/console.js").PersonRow} PersonRow
 */

/** @param {Desk} desk */
export function openStaff(desk) {
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
      { head: "Change", cell: (row) => deeds(desk, row, read) },
    ],
    key: ({ person, titles }) => `${person} ${titles}`,
    empty: "Nobody is told of.",
  });
  const says = el("p", { role: "status" });
  const read = async () => {
    const frame = await desk.enquire("staff");
    made.update(frame.t === "staff" ? frame.people : []);
    says.textContent =
      frame.t === "refused" ? citing(frame.refusal) : frame.more > 0 ? `${frame.more} more work here.` : "";
  };
  const enrol = button("Enrol somebody…", () => enrolment(desk, { person: "", titles: [] }, read));
  openSheet({ name: "staff", title: "Staff and titles", look: "wide", body: [says, made.node], foot: [enrol] });
  void read();
}

/** @param {Desk} desk @param {PersonRow} row @param {() => void} again */
function deeds(desk, row, again) {
  const one = (/** @type {string} */ words, /** @type {() => void} */ press, grave = false) =>
    button(words, press, { class: grave ? "small grave" : "small", "aria-label": `${words} ${row.person}` });
  return el(
    "span",
    { class: "ways" },
    one("Titles…", () => enrolment(desk, row, again)),
    one("Acting…", () => acting(desk, row, again)),
    one("Unlock…", () => unlock(desk, row, again)),
    one("Release…", () => release(desk, row, again), true),
  );
}

/** @param {Desk} desk @param {{person: string, titles: string[]}} row @param {() => void} done */
function enrolment(desk, { person, titles }, done) {
  askSheet({
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
    send: (given) => desk.ask({ type: "EnrolPerson", person: given.person ?? person, titles: listed(given.titles) }),
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

/** @param {Desk} desk @param {PersonRow} row @param {() => void} done */
function acting(desk, { person }, done) {
  askSheet({
    name: "acting",
    title: `${person} acts for a time`,
    fields: [
      { name: "title", label: "As" },
      { name: "hours", label: "For how many hours, from now", kind: "number", value: 8 },
    ],
    does: "Appoint",
    send: ({ title, hours }) => {
      const now = desk.session.now() ?? 0;
      return desk.ask({ type: "AppointActing", person, title, begins_at: now, ends_at: now + hours * HOUR_US });
    },
    done,
  });
}

/** @param {Desk} desk @param {PersonRow} row @param {() => void} done */
function unlock(desk, { person }, done) {
  askSheet({
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
    send: () => desk.ask({ type: "UnlockAccount", person }),
    done,
  });
}

/** @param {Desk} desk @param {PersonRow} row @param {() => void} done */
function release(desk, { person }, done) {
  askSheet({
    name: "release-person",
    title: `Release ${person}`,
    about: [el("p", {}, "All titles end, and whoever is signed in by this name is signed out.")],
    does: "Release",
    grave: true,
    send: () => desk.ask({ type: "ReleasePerson", person }),
    done,
  });
}
