// Staff sign-in, and the password prompt before a signature.

import { openDialog, dialogNamed } from "../shared/dialog.js";
import { button, el, enabled, field, form, shown, text } from "../shared/dom.js";
import { languageInUse, say } from "../shared/text.js";
import { refusedText } from "./text.js";

const TOKEN = "croupier:token:";

/**
 * @param {import("./client.js").ConsoleClient} client
 * @param {{let: (is: boolean) => void}} inside shows or hides the content
 */
export function signin(client, inside) {
  const { session } = client;
  /**
   * The credentials typed, while a new password must be chosen with them.
   * @type {{person: string, secret: string} | null}
   */
  let code = null;
  let needed = false; // whether this console requires sign-in
  let visits = false; // whether a visitor may deal here
  /** The text shown if a stored session is rejected, while it is being resumed. @type {string | null} */
  let lapsed = null;
  const token = TOKEN + session.storage.name;
  const says = el("p", { class: "notice", role: "alert" });
  /** @param {string} name @param {string} words @param {string} autocomplete */
  const secret = (name, words, autocomplete) =>
    field(words, el("input", { name, type: "password", required: true, maxlength: 128, autocomplete }));
  const [go, keep] = [say("sign-in.title"), say("sign-in.keep")].map((words) => el("button", { class: "main" }, words));
  const first = form(
    { class: "card" },
    (given) => {
      code = given;
      saying("");
      enabled(go, false);
      session.send({ t: "sign_in", person: given.person.trim(), secret: given.secret });
    },
    el("h2", {}, say("sign-in.title")),
    field(say("sign-in.name"), el("input", { name: "person", required: true, maxlength: 64, autocomplete: "username" })),
    secret("secret", say("sign-in.secret"), "current-password"),
    go,
  );
  // In a demonstration a visitor deals one table without a password.
  const visit = el(
    "div",
    { class: "card visit", hidden: true },
    el("h2", {}, say("visit.title")),
    el("p", {}, say("visit.about")),
    button(say("visit.deal"), () => session.send({ t: "visit" }), { class: "main" }),
  );
  const choose = form(
    { class: "card" },
    (given, made) => {
      if (given.secret !== given.again) return saying(say("sign-in.differ"));
      saying("");
      session.send({ t: "new_secret", person: code?.person.trim(), code: code?.secret, secret: given.secret });
      made.reset();
      enabled(keep, false);
    },
    el("h2", {}, say("sign-in.choose")),
    el("p", {}, say("sign-in.about")),
    secret("secret", say("sign-in.new"), "new-password"),
    secret("again", say("sign-in.again"), "new-password"),
    keep,
  );
  const node = el("div", { class: "signin" }, says, visit, first, choose);
  const saying = (/** @type {string} */ words) => {
    text(says, words);
    shown(says, words !== "");
  };
  const show = (/** @type {string} */ which) => {
    shown(first, which === "first");
    shown(visit, which === "first" && visits);
    shown(choose, which === "choose");
    inside.let(which === "inside");
  };

  /** A response to the form has arrived, or will not. */
  const answered = () => {
    const typed = first.querySelector("[name=secret]");
    if (typed instanceof HTMLInputElement) typed.value = "";
    enabled(go, true);
    enabled(keep, true);
  };
  const leave = (/** @type {string} */ says) => {
    lapsed = null;
    sessionStorage.removeItem(token);
    client.signOut();
    saying(says);
    show("first");
  };

  session.handlers.welcome = (welcome) => {
    const { epoch, pending } = session.state;
    const kept = sessionStorage.getItem(token);
    needed = welcome.staff;
    visits = Boolean(welcome.visit);
    answered();
    if (!needed) return show("inside");
    if (kept === null) return leave("");
    // The same person continues where they were.
    const restarted = epoch !== 0 && epoch !== welcome.epoch;
    lapsed = restarted ? [say("sign-in.restarted"), ...(pending.length > 0 ? [say("sign-in.unanswered")] : [])].join(" ") : "";
    session.send({ t: "resume", token: kept });
  };
  session.handlers.signed_in = (frame) => {
    if (frame.person !== client.who?.person) {
      inside.let(false);
      session.state = { ...session.state, refusals: [] };
    }
    client.who = { person: frame.person, titles: frame.titles };
    code = lapsed = null;
    answered();
    first.reset();
    saying("");
    sessionStorage.setItem(token, frame.token);
    show("inside");
  };
  session.handlers.must_choose = () => {
    answered();
    show("choose");
  };
  session.handlers.signed_out = (frame) => leave(languageInUse() === "en" ? frame.says : say("sign-in.signed-out"));
  session.handlers.refused = (frame) => {
    if (frame.q !== undefined || !needed) return;
    if (lapsed !== null) return leave(lapsed || refusedText(frame.refusal));
    if (client.who !== null) return;
    // It is shown here, not in the notices.
    client.dismissRefusal(frame.refusal);
    answered();
    saying(refusedText(frame.refusal));
  };
  saying("");
  show("");
  return { node, isNeeded: () => needed };
}

// The password prompt before an action with two signatures.

const NAME = "step-up";

/**
 * Ask for the password. Resolves to whether it was right.
 * @param {import("./client.js").ConsoleClient} client @returns {Promise<boolean>}
 */
export function stepUp(client) {
  dialogNamed(NAME)?.close();
  const { session } = client;
  return new Promise((signed) => {
    const says = el("p", { class: "reply", role: "alert", hidden: true });
    const secret = el("input", {
      name: "secret",
      type: "password",
      required: true,
      maxlength: 128,
      autocomplete: "off",
    });
    const made = form(
      { class: "fields", id: "step-up-form" },
      (given) => {
        void client.queries.sendPassword({ t: "step_up", secret: given.secret });
        made.reset();
      },
      el("p", {}, say("step-up.about")),
      says,
      field(say("step-up.secret"), secret),
    );
    const close = () => dialog.close();
    session.handlers.stepped_up = () => (settle(true), close());
    const before = session.handlers.refused;
    session.handlers.refused = (frame) => {
      before?.(frame);
      if (frame.q !== undefined) return;
      client.dismissRefusal(frame.refusal);
      text(says, refusedText(frame.refusal));
      shown(says, true);
      secret.focus();
    };
    const settle = (/** @type {boolean} */ is) => {
      session.handlers.refused = before;
      signed(is);
    };
    const dialog = openDialog({
      name: NAME,
      title: say("step-up.title"),
      look: "narrow",
      light: false,
      body: [made],
      foot: [button(say("form.leave"), close), el("button", { class: "main", form: "step-up-form" }, say("step-up.sign"))],
      // A promise settles once: closing the dialog after signing changes nothing.
      closed: () => settle(false),
    });
    secret.focus();
  });
}
