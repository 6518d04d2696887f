// Devices and their builds.

import { openForm } from "../console/forms.js";
import { openDialog } from "../shared/dialog.js";
import { button, el } from "../shared/dom.js";
import { say } from "../shared/text.js";
import { refusedText } from "../console/text.js";

/** @typedef {import("../console/client.js").ConsoleClient} ConsoleClient */

/** The kinds of devices. */
const KINDS = ["terminal", "dealer", "pit", "cashier", "board", "auditor"];
/** @param {string} kind */
const kindText = (kind) => say(`device-kind.${kind}`);

/** @param {ConsoleClient} client */
export function openDevices(client) {
  const list = el("ul", { class: "devices", "aria-label": say("devices.list") });
  void listed(client, list);
  openDialog({
    name: "devices",
    title: say("devices.title"),
    look: "narrow",
    body: [
      el("p", {}, say("devices.about")),
      el(
        "div",
        { class: "ways" },
        button(say("devices.enrol-open"), () => enrolDevice(client)),
        button(say("devices.approve-open"), () => approveSoftware(client)),
      ),
      el("h3", {}, say("devices.list")),
      list,
    ],
  });
}

/** List the enrolled devices; a terminal is released in its own dialog. @param {ConsoleClient} client @param {HTMLElement} list */
async function listed(client, list) {
  const response = await client.query("staff");
  if (response.t === "refused") return list.append(el("li", { class: "reply" }, refusedText(response.refusal)));
  const row = (/** @type {string} */ device) =>
    el(
      "li",
      {},
      device,
      button(say("staff.release"), () => releaseDevice(client, device), { "aria-label": say("devices.release-open", { device }) }),
    );
  list.replaceChildren(...response.devices.map(row));
}

/** Show the key of a new device until it is written down. @param {ConsoleClient} client */
export function showDeviceKeys(client) {
  client.session.handlers.enrolled_device = ({ device, kind, key }) => {
    const dialog = openDialog({
      name: `device-key-${device}`,
      title: say("devices.key-title", { device }),
      look: "narrow",
      firm: true,
      body: [
        el("p", {}, say("devices.key-about", { kind: kindText(kind), device })),
        el("p", {}, el("code", { class: "key" }, key)),
      ],
      foot: [button(say("devices.key-done"), () => dialog.close(), { class: "main" })],
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
      { name: "kind", label: say("devices.kind"), kind: "choice", choices: KINDS.map((kind) => [kind, kindText(kind)]) },
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
    about: [el("p", {}, say("devices.release-about"))],
    does: say("needs.sign"),
    dual: true,
    grave: true,
    send: () => client.sendCommand({ type: "ReleaseDevice", device }),
  });
}
