// Signing in: who is at this console. A code that is good once is exchanged for a secret of one's own.

import { el, field, form, shown, text } from "../kit/dom.js";

const TOKEN = "croupier:token:";

/**
 * @param {import("./desk.js").Desk} desk
 * @param {{let: (is: boolean) => void}} inside lets somebody see what is inside, or nobody
 */
export function signin(desk, inside) {
  const { session } = desk;
  /** What was typed, for as long as a secret must be chosen with it. @type {{person: string, secret: string} | null} */
  let code = null;
  let needed = false; // whether this door asks for a person at all
  const token = TOKEN + session.keeper.name;
  const says = el("p", { class: "notice", role: "alert" });
  /** @param {string} name @param {string} words @param {string} autocomplete */
  const secret = (name, words, autocomplete) =>
    field(words, el("input", { name, type: "password", required: true, maxlength: 128, autocomplete }));
  const first = form(
    { class: "card" },
    (given) => {
      code = given;
      saying("");
      session.say({ t: "sign_in", person: given.person.trim(), secret: given.secret });
    },
    el("h2", {}, "Sign in"),
    field("Name", el("input", { name: "person", required: true, maxlength: 64, autocomplete: "username" })),
    secret("secret", "Secret, or the code you were given", "current-password"),
    el("button", { class: "main" }, "Sign in"),
  );
  const choose = form(
    { class: "card" },
    (given, made) => {
      if (given.secret !== given.again) return saying("The two are not the same: type the new secret twice.");
      saying("");
      session.say({ t: "new_secret", person: code?.person.trim(), code: code?.secret, secret: given.secret });
      made.reset();
    },
    el("h2", {}, "Choose your secret"),
    el("p", {}, "Your code was right, and is good once. From now on you sign in with a secret that only you know."),
    secret("secret", "New secret", "new-password"),
    secret("again", "The same again", "new-password"),
    el("button", { class: "main" }, "Keep it"),
  );
  const node = el("div", { class: "signin" }, says, first, choose);
  const saying = (/** @type {string} */ words) => {
    text(says, words);
    shown(says, words !== "");
  };
  const show = (/** @type {string} */ which) => {
    shown(first, which === "first");
    shown(choose, which === "choose");
    inside.let(which === "inside");
  };

  session.hears.welcome = (welcome) => {
    needed = welcome.staff;
    const kept = sessionStorage.getItem(token);
    show(needed ? "first" : "inside");
    if (needed && kept) session.say({ t: "resume", token: kept });
  };
  session.hears.signed_in = (frame) => {
    desk.who = { person: frame.person, titles: frame.titles };
    code = null;
    first.reset();
    saying("");
    sessionStorage.setItem(token, frame.token);
    show("inside");
  };
  session.hears.must_choose = () => show("choose");
  session.hears.signed_out = (frame) => {
    sessionStorage.removeItem(token);
    desk.who = null;
    session.state = { ...session.state, floor: null, waits: true, said: [] };
    saying(frame.says);
    show("first");
  };
  session.hears.refused = (frame) => {
    if (frame.refusal.code === "signed_out") sessionStorage.removeItem(token);
    if (!needed || desk.who !== null) return;
    // It is said here, and need not be said above as well.
    desk.forget(frame.refusal);
    saying(frame.refusal.says);
  };
  saying("");
  show("");
  return { node, isNeeded: () => needed };
}
