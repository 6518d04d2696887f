// Stepping up: the secret given again, before something that takes two signatures.

import { button, el, field, form, shown, text } from "../kit/dom.js";
import { openSheet, sheetNamed } from "../kit/sheet.js";

const NAME = "step-up";

/** Ask for the secret; tell whether it was right. @param {import("./desk.js").Desk} desk @returns {Promise<boolean>} */
export function stepUp(desk) {
  sheetNamed(NAME)?.close();
  const { session } = desk;
  return new Promise((signed) => {
    const says = el("p", { class: "reply", role: "alert", hidden: true });
    const secret = el("input", { name: "secret", type: "password", required: true, maxlength: 128, autocomplete: "off" });
    const made = form(
      { class: "fields", id: "step-up-form" },
      (given) => {
        void desk.questions.confide({ t: "step_up", secret: given.secret });
        made.reset();
      },
      el("p", {}, "This takes a fresh signature: give the secret that you signed in with."),
      says,
      field("Secret", secret),
    );
    const close = () => sheet.close();
    session.hears.stepped_up = () => (settle(true), close());
    const before = session.hears.refused;
    session.hears.refused = (frame) => {
      before?.(frame);
      if (frame.q !== undefined) return;
      desk.forget(frame.refusal);
      text(says, frame.refusal.says);
      shown(says, true);
      secret.focus();
    };
    const settle = (/** @type {boolean} */ is) => {
      session.hears.refused = before;
      signed(is);
    };
    const sheet = openSheet({
      name: NAME,
      title: "Sign again",
      look: "narrow",
      light: false,
      body: [made],
      foot: [button("Leave it", close), el("button", { class: "main", form: "step-up-form" }, "Sign")],
      // A promise is kept once: whoever closes the sheet after signing has signed.
      closed: () => settle(false),
    });
    secret.focus();
  });
}
