// Devices and their builds.

import { openForm } from "../console/forms.js";
import { withClause } from "../console/text.js";
import { openDialog } from "../shared/dialog.js";
import { button, el } from "../shared/dom.js";

/** @typedef {import("../console/client.js").ConsoleClient} ConsoleClient */

/** The kinds of devices. @type {[value: string, words: string][]} */
const KINDS = [
  ["terminal", "A player's terminal"],
  ["dealer", "A dealer's console"],
  ["pit", "A console of the pit"],
  ["cashier", "A cashier's desk"],
  ["board", "A board above a table"],
  ["auditor", "An auditor's console"],
];

/** @param {ConsoleClient} client */
export function openDevices(client) {
  const list = el("ul", { class: "devices", "aria-label": "Consoles, desks and boards" });
  void listed(client, list);
  openDialog({
    name: "devices",
    title: "Devices and software",
    look: "narrow",
    body: [
      el("p", {}, "Two people let a device take part, or no more. Its key is told once, to whoever asked for it."),
      el(
        "div",
        { class: "ways" },
        button("Enrol a device…", () => enrolDevice(client)),
        button("Approve a version of the software…", () => approveSoftware(client)),
      ),
      el("h3", {}, "Consoles, desks and boards"),
      list,
    ],
  });
}

/** List the enrolled devices; a terminal is released in its own dialog. @param {ConsoleClient} client @param {HTMLElement} list */
async function listed(client, list) {
  const response = await client.query("staff");
  if (response.t === "refused") return list.append(el("li", { class: "reply" }, withClause(response.refusal)));
  const row = (/** @type {string} */ device) =>
    el(
      "li",
      {},
      device,
      button("Release…", () => releaseDevice(client, device), { "aria-label": `Release ${device}…` }),
    );
  list.replaceChildren(...response.devices.map(row));
}

/** Show the key of a new device until it is written down. @param {ConsoleClient} client */
export function showDeviceKeys(client) {
  client.session.handlers.enrolled_device = ({ device, kind, key }) => {
    const words = KINDS.find(([name]) => name === kind)?.[1] ?? kind;
    const dialog = openDialog({
      name: `device-key-${device}`,
      title: `The key of ${device}`,
      look: "narrow",
      firm: true,
      body: [
        el("p", {}, `${words} can come in as ${device} with this key. It is told this once, and kept nowhere.`),
        el("p", {}, el("code", { class: "key" }, key)),
      ],
      foot: [button("I have written it down", () => dialog.close(), { class: "main" })],
    });
  };
}

/** @param {ConsoleClient} client */
function enrolDevice(client) {
  openForm({
    name: "enrol-device",
    title: "Enrol a device",
    fields: [
      { name: "device", label: "Its name", kind: "name" },
      { name: "kind", label: "What it is", kind: "choice", choices: KINDS },
    ],
    does: "Sign it",
    dual: true,
    send: ({ device, kind }) => client.sendCommand({ type: "EnrolDevice", device, kind }),
  });
}

/** @param {ConsoleClient} client */
function approveSoftware(client) {
  openForm({
    name: "approve-software",
    title: "Approve a version of the software",
    fields: [
      { name: "version", label: "Version" },
      { name: "reference", label: "Under which reference it was approved" },
    ],
    does: "Sign it",
    dual: true,
    send: ({ version, reference }) => client.sendCommand({ type: "ApproveBuild", version, reference }),
  });
}

/** @param {ConsoleClient} client @param {string} device */
export function releaseDevice(client, device) {
  openForm({
    name: "release-device",
    title: `Release ${device}`,
    about: [el("p", {}, "It takes part no more, until two people enrol it again.")],
    does: "Sign it",
    dual: true,
    grave: true,
    send: () => client.sendCommand({ type: "ReleaseDevice", device }),
  });
}
