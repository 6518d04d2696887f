// Enrolment of a console or display: as the stored device, automatically in a demonstration, or with a key.

import { field, form, h, render } from "./render.js";
import { hideCode } from "./session.js";
import { say } from "./text.js";

/** Connect at once where possible, or ask for what is missing. @param {import("./session.js").Session} session @param {HTMLElement} host */
export function enrol(session, host) {
  const { storage, parameters, demo } = session;
  if (parameters.join !== undefined) hideCode(parameters);
  if (storage.device) return session.connect();
  if (demo) return session.connect({ join: parameters.join ?? "", table: parameters.table ?? "" });
  const connect = (/** @type {{device: string, key: string}} */ { device, key }) => {
    storage.enrol(device.trim(), key.trim());
    render(host);
    session.connect();
  };
  const input = { required: true, autocomplete: "off" };
  render(
    host,
    form(
      { class: "card enrol" },
      connect,
      h("h2", null, say("enter.unknown")),
      h("p", null, say("enter.give-key")),
      field(say("enter.device"), h("input", { ...input, name: "device", maxlength: 64 })),
      field(say("enter.key"), h("input", { ...input, name: "key", type: "password", maxlength: 128 })),
      h("button", { class: "main" }, say("enter.come-in")),
    ),
  );
}
