// Devices and their builds.

import { openForm } from "../console/forms.js";
import { openDialog } from "../shared/dialog.js";
import { button, h } from "../shared/render.js";
import { say } from "../shared/text.js";
import { refusedText } from "../console/text.js";

/** @typedef {import("../console/client.js").ConsoleClient} ConsoleClient */

/** The kinds of devices. */
const KINDS = ["terminal", "dealer", "pit", "cashier", "board", "auditor"];
/** @param {string} kind */
const kindText = (kind) => say(`device-kind.${kind}`);

/** The enrolled devices; a terminal is released in its own dialog. @param {ConsoleClient} client */
export function openDevices(client) {
  /** @type {string[]} */
  let devices = [];
  let notice = "";
  const row = (/** @type {string} */ device) =>
    h(
      "li",
      { key: device },
      device,
      button(say("staff.release"), () => releaseDevice(client, device), {
        "aria-label": say("devices.release-open", { device }),
      }),
    );
  const dialog = openDialog({
    name: "devices",
    title: say("devices.title"),
    look: "narrow",
    body: () => [
      h("p", null, say("devices.about")),
      h(
        "div",
        { class: "ways" },
        button(say("devices.enrol-open"), () => enrolDevice(client)),
        button(say("devices.approve-open"), () => approveSoftware(client)),
      ),
      h("h3", null, say("devices.list")),
      notice && h("p", { class: "reply" }, notice),
      h("ul", { class: "devices", "aria-label": say("devices.list") }, devices.map(row)),
    ],
  });
  void client.query("staff").then((response) => {
    if (response.t === "refused") notice = refusedText(response.refusal);
    else devices = response.devices;
    dialog.redraw();
  });
}

/** Show the key of a new device until it is written down. @param {ConsoleClient} client */
export function showDeviceKeys(client) {
  client.session.handlers.enrolled_device = ({ device, kind, key }) => {
    const dialog = openDialog({
      name: `device-key-${device}`,
      title: say("devices.key-title", { device }),
      look: "narrow",
      firm: true,
      body: () => [
        h("p", null, say("devices.key-about", { kind: kindText(kind), device })),
        h("p", null, h("code", { class: "key" }, key)),
      ],
      foot: () => button(say("devices.key-done"), () => dialog.close(), { class: "main" }),
    });
  };
}

/** @param {ConsoleClient} client */
function enrolDevice(client) {
  openForm({
    name: "enrol-device",
    title: say("devices.enrol"),
    fields: [
      { name: "device", label: say("new-terminal.name"), kind: "name" },
      {
        name: "kind",
        label: say("devices.kind"),
        kind: "choice",
        choices: KINDS.map((kind) => [kind, kindText(kind)]),
      },
    ],
    does: say("needs.sign"),
    dual: true,
    send: ({ device, kind }) => client.sendCommand({ type: "EnrolDevice", device, kind }),
  });
}

/** @param {ConsoleClient} client */
function approveSoftware(client) {
  openForm({
    name: "approve-software",
    title: say("devices.approve"),
    fields: [
      { name: "version", label: say("devices.version") },
      { name: "reference", label: say("pit-field.reference") },
    ],
    does: say("needs.sign"),
    dual: true,
    send: ({ version, reference }) => client.sendCommand({ type: "ApproveBuild", version, reference }),
  });
}

/** @param {ConsoleClient} client @param {string} device */
export function releaseDevice(client, device) {
  openForm({
    name: "release-device",
    title: say("devices.release", { device }),
    about: [h("p", null, say("devices.release-about"))],
    does: say("needs.sign"),
    dual: true,
    grave: true,
    send: () => client.sendCommand({ type: "ReleaseDevice", device }),
  });
}
