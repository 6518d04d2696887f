// Stepping up: the secret given again, before something that takes two signatures; then what was asked is asked again.

import { button, el, field, form, shown, text } from "../kit/dom.js";

/** Give a way to ask that knows what to do where the house wants the secret again.
 * @param {import("../kit/session.js").Session} session @param {HTMLElement} host
 * @returns {import("./console.js").Ask} */
export function stepUp(session, host) {
  const asked = new Map(); // commands by the number they went under
  /** @type {object | null} */
  let waiting = null;
  const says = el("p", { class: "notice", role: "alert", hidden: true });
  const secret = el("input", {
    name: "secret",
    type: "password",
    required: true,
    maxlength: 128,
    autocomplete: "current-password",
  });
  const dialog = el("dialog", { "aria-label": "Give your secret again" });
  dialog.append(
    form(
      {},
      (given, made) => {
        session.say({ t: "step_up", secret: given.secret });
        made.reset();
      },
      el("h2", {}, "Give your secret again"),
      el("p", {}, "This takes two signatures, and yours must be fresh."),
      says,
      field("Secret", secret),
      el("button", { class: "main" }, "Sign"),
      button("Leave it", () => dialog.close()),
    ),
  );
  host.append(dialog);

  const ask = (/** @type {object} */ command) => {
    const id = session.ask(command);
    if (id !== null) asked.set(id, command);
    return id;
  };
  session.hears.ack = (frame) => {
    const command = asked.get(frame.id);
    asked.delete(frame.id);
    if (!command || frame.refusal?.code !== "step_up_needed") return;
    waiting = command;
    // It is asked for here, and need not be said above as well.
    session.state = { ...session.state, said: session.state.said.filter((no) => no.id !== frame.id) };
    shown(says, false);
    if (!dialog.open) dialog.showModal();
  };
  session.hears.stepped_up = () => {
    dialog.close();
    if (waiting) ask(waiting);
    waiting = null;
  };
  const before = session.hears.refused;
  session.hears.refused = (frame) => {
    before?.(frame);
    if (!dialog.open) return;
    text(says, frame.refusal.says);
    shown(says, true);
  };
  return ask;
}
