// Devices and their builds.

import { askSheet } from "../console/forms.js";
import { citing } from "../console/text.js";
import { openSheet } from "../shared/dialog.js";
import { button, el } from "../shared/dom.js";

/** @typedef {import("../console/client.js").Desk} Desk */

/** The kinds of devices. @type {[value: string, words: string][]} */
const KINDS = [
  ["terminal", "A player's terminal"],
  ["dealer", "A dealer's console"],
  ["pit", "A console of the pit"],
  ["cashier", "A cashier's desk"],
  ["board", "A board above a table"],
  ["auditor", "An auditor's console"],
];

/** @param {Desk} desk */
export function openDevices(desk) {
  const list = el("ul", { class: "devices", "aria-label": "Consoles, desks and boards" });
  void listed(desk, list);
  openSheet({
    name: "devices",
    title: "Devices and software",
    look: "narrow",
    body: [
      el("p", {}, "Two people let a device take part, or no more. Its key is told once, to whoever asked for it."),
      el(
        "div",
        { class: "ways" },
        button("Enrol a device…", () => enrolDevice(desk)),
        button("Approve a version of the software…", () => approveSoftware(desk)),
      ),
      el("h3", {}, "Consoles, desks and boards"),
      list,
    ],
  });
}

/** List the enrolled devices; a terminal is released in its own dialog. @param {Desk} desk @param {HTMLElement} list */
async function listed(desk, list) {
  const told = await desk.enquire("staff");
  if (told.t === "refused") return list.append(el("li", { class: "reply" }, citing(told.refusal)));
  const row = (/** @type {string} */ device) =>
    el(
      "li",
      {},
      device,
      button("Release…", () => releaseDevice(desk, device), { "aria-label": `Release ${device}…` }),
    );
  list.replaceChildren(...told.devices.map(row));
}

/** Show the key of a new device until it is written down. @param {Desk} desk */
export function hearKeys(desk) {
  desk.session.hears.enrolled_device = ({ device, kind, key }) => {
    const words = KINDS.find(([name]) => name === kind)?.[1] ?? kind;
    const sheet = openSheet({
      name: `device-key-${device}`,
      title: `The key of ${device}`,
      look: "narrow",
      firm: true,
      body: [
        el("p", {}, `${words} can come in as ${device} with this key. It is told this once, and kept nowhere.`),
        el("p", {}, el("code", { class: "key" }, key)),
      ],
      foot: [button("I have written it down", () => sheet.close(), { class: "main" })],
    });
  };
}

/** @param {Desk} desk */
function enrolDevice(desk) {
  askSheet({
    name: "enrol-device",
    title: "Enrol a device",
    fields: [
      { name: "device", label: "Its name", kind: "name" },
      { name: "kind", label: "What it is", kind: "choice", choices: KINDS },
    ],
    does: "Sign it",
    dual: true,
    send: ({ device, kind }) => desk.ask({ type: "EnrolDevice", device, kind }),
  });
}

/** @param {Desk} desk */
function approveSoftware(desk) {
  askSheet({
    name: "approve-software",
    title: "Approve a version of the software",
    fields: [
      { name: "version", label: "Version" },
      { name: "reference", label: "Under which reference it was approved" },
    ],
    does: "Sign it",
    dual: true,
    send: ({ version, reference }) => desk.ask({ type: "ApproveBuild", version, reference }),
  });
}

/** @param {Desk} desk @param {string} device */
export function releaseDevice(desk, device) {
  askSheet({
    name: "release-device",
    title: `Release ${device}`,
    about: [el("p", {}, "It takes part no more, until two people enrol it again.")],
    does: "Sign it",
    dual: true,
    grave: true,
    send: () => desk.ask({ type: "ReleaseDevice", device }),
  });
}
