// The staff of the house.

import { openForm } from "../console/forms.js";
import { dateOf, refusedText } from "../console/text.js";
import { dataTable } from "../console/widgets.js";
import { openDialog } from "../shared/dialog.js";
import { button, h } from "../shared/render.js";
import { say } from "../shared/text.js";

/**
 * @typedef {import("../console/client.js").ConsoleClient} ConsoleClient
 * @typedef {import("../shared/types/console.js").PersonRow} PersonRow
 */

/** @param {ConsoleClient} client */
export function openStaff(client) {
  /** @type {PersonRow[]} */
  let people = [];
  let notice = "";
  const read = async () => {
    const frame = await client.query("staff");
    people = frame.t === "staff" ? frame.people : [];
    notice = frame.t === "refused"
      ? refusedText(frame.refusal)
      : frame.more > 0
      ? say("staff.more", { n: frame.more })
      : "";
    dialog.redraw();
  };
  const dialog = openDialog({
    name: "staff",
    title: say("staff.title"),
    look: "wide",
    body: () => [
      h("p", { role: "status" }, notice),
      dataTable({
        label: say("staff.list"),
        columns: [
          { head: say("sign-in.name"), cell: ({ person }) => person },
          { head: say("staff.titles"), cell: ({ titles }) => titles.join(", ") || say("dispute.no-number") },
          {
            head: say("staff.acting"),
            cell: ({ acting }) =>
              acting.map(([title, ends]) => say("staff.acting-until", { title, time: dateOf(ends) })).join(", "),
          },
          { head: say("staff.devices"), cell: ({ devices }) => devices.join(", ") },
          { head: say("staff.change"), cell: (row) => personActions(client, row, read) },
        ],
        rows: people,
        key: ({ person }) => person,
        empty: say("staff.none"),
      }),
    ],
    foot: () => button(say("staff.enrol-open"), () => enrolment(client, { person: "", titles: [] }, read)),
  });
  void read();
}

/** @param {ConsoleClient} client @param {PersonRow} row @param {() => void} again */
function personActions(client, row, again) {
  const one = (/** @type {string} */ words, /** @type {() => void} */ press, grave = false) =>
    button(words, press, {
      class: grave ? "small grave" : "small",
      "aria-label": say("staff.action-of", { action: words, person: row.person }),
    });
  return h(
    "span",
    { class: "ways" },
    one(say("staff.titles-open"), () => enrolment(client, row, again)),
    one(say("staff.acting-open"), () => acting(client, row, again)),
    one(say("pit-label.unlock"), () => unlock(client, row, again)),
    one(say("staff.release"), () => release(client, row, again), true),
  );
}

/** @param {ConsoleClient} client @param {{person: string, titles: string[]}} row @param {() => void} done */
function enrolment(client, { person, titles }, done) {
  openForm({
    name: "enrol-person",
    title: person ? say("staff.titles-title", { person }) : say("staff.enrol"),
    about: [h("p", null, say("staff.enrol-about"))],
    fields: [
      ...(person ? [] : [
        /** @type {import("../console/forms.js").Field} */ ({
          name: "person",
          label: say("sign-in.name"),
          kind: "name",
        }),
      ]),
      { name: "titles", label: say("staff.titles"), about: say("staff.commas"), value: titles.join(", ") },
    ],
    does: say("needs.sign"),
    dual: true,
    send: (given) =>
      client.sendCommand({ type: "EnrolPerson", person: given.person ?? person, titles: listed(given.titles) }),
    done,
  });
}

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
    title: say("staff.acting-title", { person }),
    fields: [
      { name: "title", label: say("staff.acting-as") },
      { name: "hours", label: say("staff.acting-hours"), kind: "number", value: 8 },
    ],
    does: say("needs.sign"),
    dual: true,
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
    title: say("staff.unlock-title", { person }),
    about: [h("p", null, say("staff.unlock-about", { person }))],
    does: say("needs.sign"),
    dual: true,
    send: () => client.sendCommand({ type: "UnlockAccount", person }),
    done,
  });
}

/** @param {ConsoleClient} client @param {PersonRow} row @param {() => void} done */
function release(client, { person }, done) {
  openForm({
    name: "release-person",
    title: say("devices.release", { device: person }),
    about: [h("p", null, say("staff.release-about"))],
    does: say("staff.release-does"),
    grave: true,
    send: () => client.sendCommand({ type: "ReleasePerson", person }),
    done,
  });
}
