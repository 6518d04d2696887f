// Staff sign-in, and the password prompt before a signature.

import { dialogNamed, openDialog } from "../shared/dialog.js";
import { button, field, form, h } from "../shared/render.js";
import { languageInUse, say } from "../shared/text.js";
import { refusedText } from "./text.js";

/**
 * @typedef {import("./client.js").ConsoleClient} ConsoleClient
 * @typedef {"" | "sign-in" | "new-password" | "inside"} Shows nothing until the server says whether a sign-in is needed
 */

const TOKEN = "croupier:token:";

export class SignIn {
  /** @type {Shows} */
  shows = "";
  /** Whether this console requires a sign-in. */
  isNeeded = false;
  /** Whether a visitor may deal here without a password. */
  isVisitAllowed = false;
  /** The people as whom a visitor may sign in here without a password. @type {string[]} */
  enterAs = [];
  /** Whether a form was sent and not answered yet. */
  isBusy = false;
  /** Why the last form was refused, or the session ended. */
  notice = "";
  /** The credentials typed, while a new password must be chosen with them. @type {{person: string, secret: string} | null} */
  given = null;
  /** The text shown if a stored session is rejected, while it is being resumed. @type {string | null} */
  lapsed = null;

  /** Whether the person signed in is a visitor, who has no password. */
  get isVisitor() {
    return this.enterAs.includes(this.client.who?.person ?? "");
  }

  /** @param {ConsoleClient} client */
  constructor(client) {
    this.client = client;
    const { session } = client;
    this.session = session;
    this.token = TOKEN + session.storage.name;
    const { handlers } = session;
    handlers.welcome = (frame) => this.#welcome(frame);
    handlers.signed_in = (frame) => this.#signedIn(frame);
    handlers.must_choose = () => this.#answered({ shows: "new-password" });
    handlers.signed_out = ({ says }) => this.#leave(languageInUse() === "en" ? says : say("sign-in.signed-out"));
    handlers.refused = (frame) => this.#refused(frame);
  }

  draw() {
    if (this.shows === "" || this.shows === "inside") return null;
    return h(
      "div",
      { class: "signin entrance" },
      h("p", { class: "venue" }, this.session.pageData.venue),
      this.notice && h("p", { class: "notice", role: "alert" }, this.notice),
      this.shows === "sign-in" && this.isVisitAllowed && this.#visit(),
      this.shows === "sign-in" && this.enterAs.length > 0 && this.#enter(),
      this.shows === "sign-in" ? this.#signIn() : this.#newPassword(),
    );
  }

  /** In a demonstration a visitor deals one table without a password. */
  #visit() {
    return h(
      "div",
      { class: "card visit" },
      h("h2", null, say("visit.title")),
      h("p", null, say("visit.about")),
      button(say("visit.deal"), () => this.session.send({ t: "visit" }), { class: "main" }),
    );
  }

  /** In a demonstration a visitor enters as a person who has not chosen a password. */
  #enter() {
    const entry = (/** @type {string} */ person) =>
      button(say("visit.as", { person }), () => this.session.send({ t: "visit", person }), { key: person });
    return h(
      "div",
      { class: "card enter" },
      h("h2", null, say("visit.enter")),
      h("p", null, say("visit.enter-about")),
      h("div", { class: "people" }, this.enterAs.map(entry)),
    );
  }

  #signIn() {
    const send = (/** @type {{person: string, secret: string}} */ given, /** @type {HTMLFormElement} */ node) => {
      Object.assign(this, { given, notice: "", isBusy: true });
      this.session.send({ t: "sign_in", person: given.person.trim(), secret: given.secret });
      /** @type {HTMLInputElement} */ (node.elements.namedItem("secret")).value = "";
      this.session.redraw();
    };
    return form(
      { class: "card", key: "sign-in" },
      send,
      h("h2", null, say("sign-in.title")),
      field(
        say("sign-in.name"),
        h("input", { name: "person", required: true, maxlength: 64, autocomplete: "username" }),
      ),
      password("secret", say("sign-in.secret"), "current-password"),
      h("button", { class: "main", disabled: this.isBusy }, say("sign-in.title")),
    );
  }

  #newPassword() {
    const send = (/** @type {{secret: string, again: string}} */ given, /** @type {HTMLFormElement} */ node) => {
      const isSame = given.secret === given.again;
      Object.assign(this, { notice: isSame ? "" : say("sign-in.differ"), isBusy: isSame });
      this.session.redraw();
      if (!isSame) return;
      this.session.send({
        t: "new_secret",
        person: this.given?.person.trim(),
        code: this.given?.secret,
        secret: given.secret,
      });
      node.reset();
    };
    return form(
      { class: "card", key: "new-password" },
      send,
      h("h2", null, say("sign-in.choose")),
      h("p", null, say("sign-in.about")),
      password("secret", say("sign-in.new"), "new-password"),
      password("again", say("sign-in.again"), "new-password"),
      h("button", { class: "main", disabled: this.isBusy }, say("sign-in.keep")),
    );
  }

  /** A response to the form has arrived, or will not. @param {Partial<SignIn>} [changes] */
  #answered(changes = {}) {
    Object.assign(this, { isBusy: false, ...changes });
    this.session.redraw();
  }

  /** @param {string} notice */
  #leave(notice) {
    sessionStorage.removeItem(this.token);
    this.client.signOut();
    this.#answered({ notice, lapsed: null, shows: "sign-in" });
  }

  /** @param {import("../shared/types/wire.js").Welcome} welcome */
  #welcome({ staff, visit, enter_as: enterAs = [], epoch: current }) {
    const { epoch, pending } = this.session.state;
    const token = sessionStorage.getItem(this.token);
    this.#answered({ isNeeded: staff, isVisitAllowed: Boolean(visit), enterAs });
    if (!staff) return this.#answered({ shows: "inside" });
    if (token === null) return this.#leave("");
    // The same person continues where they were.
    const isRestarted = epoch !== 0 && epoch !== current;
    this.lapsed = isRestarted
      ? [say("sign-in.restarted"), ...(pending.length > 0 ? [say("sign-in.unanswered")] : [])].join(" ")
      : "";
    this.session.send({ t: "resume", token });
  }

  /** @param {{person: string, titles: string[], token: string}} frame */
  #signedIn({ person, titles, token }) {
    if (person !== this.client.who?.person) this.client.dismissRefusals();
    this.client.who = { person, titles };
    sessionStorage.setItem(this.token, token);
    this.#answered({ given: null, lapsed: null, notice: "", shows: "inside" });
  }

  /** @param {{q?: number, refusal: import("./client.js").Refusal}} frame */
  #refused({ q, refusal }) {
    if (q !== undefined || !this.isNeeded) return;
    if (this.lapsed !== null) return this.#leave(this.lapsed || refusedText(refusal));
    if (this.client.who !== null) return;
    // It is shown here, not in the notices.
    this.client.dismissRefusal(refusal);
    this.#answered({ notice: refusedText(refusal) });
  }
}

/** @param {string} name @param {string} label @param {string} autocomplete */
const password = (name, label, autocomplete) =>
  field(label, h("input", { name, type: "password", required: true, maxlength: 128, autocomplete }));

// The password prompt before an action with two signatures.

const NAME = "step-up";

/**
 * Ask for the password; a visitor of a demonstration, who has none, only confirms. Resolves to whether it was right.
 * @param {ConsoleClient} client @param {boolean} isVisitor @returns {Promise<boolean>}
 */
export function stepUp(client, isVisitor) {
  dialogNamed(NAME)?.close();
  const { handlers } = client.session;
  return new Promise((signed) => {
    let notice = "";
    const before = handlers.refused;
    const settle = (/** @type {boolean} */ isSigned) => {
      handlers.refused = before;
      signed(isSigned);
    };
    handlers.stepped_up = () => {
      settle(true);
      dialog.close();
    };
    handlers.refused = (frame) => {
      before?.(frame);
      if (frame.q !== undefined) return;
      client.dismissRefusal(frame.refusal);
      notice = refusedText(frame.refusal);
      dialog.redraw();
      dialog.node.querySelector("input")?.focus();
    };
    const send = (/** @type {{secret?: string}} */ { secret = "-" }, /** @type {HTMLFormElement} */ node) => {
      void client.queries.sendPassword({ t: "step_up", secret });
      node.reset();
    };
    const dialog = openDialog({
      name: NAME,
      title: say("step-up.title"),
      look: "narrow",
      light: false,
      body: () =>
        form(
          { class: "fields", id: "step-up-form" },
          send,
          !isVisitor && h("p", null, say("step-up.about")),
          notice && h("p", { class: "reply", role: "alert" }, notice),
          !isVisitor && password("secret", say("step-up.secret"), "off"),
        ),
      foot: () => [
        button(say("form.leave"), () => dialog.close()),
        h("button", { class: "main", form: "step-up-form" }, say("step-up.sign")),
      ],
      // A promise settles once: closing the dialog after signing changes nothing.
      closed: () => settle(false),
    });
    dialog.node.querySelector("input")?.focus();
  });
}
