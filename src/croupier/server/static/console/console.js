// The frame of a staff console: header, notices and device enrolment.

import { clauseSign } from "../shared/clause.js";
import { closeDialogs, isModalOpen, openDialog, tickDialogs, updateDialogs } from "../shared/dialog.js";
import { enrol } from "../shared/enrolment.js";
import { Preferences } from "../shared/preferences.js";
import { button, h, icon, render } from "../shared/render.js";
import { pageDataOf } from "../shared/page_data.js";
import { parametersOf, Session } from "../shared/session.js";
import { languageInUse, languageOf, LANGUAGES, say, useLanguage } from "../shared/text.js";
import { ConsoleClient } from "./client.js";
import { SignIn, stepUp } from "./sign_in.js";
import { refusedText, timeOf } from "./text.js";
import { statusPill } from "./widgets.js";

/**
 * @typedef {import("../shared/types/wire.js").RefusalBody} Refusal
 * @typedef {import("./client.js").Part} Part
 * @typedef {import("../shared/render.js").Child} Child
 * @typedef {import("../shared/store.js").State} State
 */

/**
 * @typedef {object} ConsoleContent
 * @property {(view: State) => string} title
 * @property {(view: State) => import("./widgets.js").Pill[]} [pills]
 * @property {(Part | ((view: State) => Child))[]} parts a function draws its part anew
 * @property {(view: State) => void} [changed] called after every change, before it is drawn
 * @property {() => Child} [head] draws a header of its own, where the usual one has no room
 */

const TICK_MS = 200;

/**
 * Open a console on this page.
 * @param {string} screen @param {(client: ConsoleClient, choose: (lang: string) => void) => ConsoleContent} build
 * @param {(parameters: Record<string, string>) => Record<string, string>} [adapt] the parameters of its session
 */
export async function openConsole(screen, build, adapt = (parameters) => parameters) {
  const host = document.querySelector(`main.app.${screen}`);
  if (!(host instanceof HTMLElement)) return;
  const [parameters, prefs] = [parametersOf(location), new Preferences(localStorage)];
  await useLanguage(languageOf(parameters.lang, prefs.now.lang, navigator.languages));
  const client = new ConsoleClient(new Session({ pageData: pageDataOf(document), parameters: adapt(parameters) }));
  // Everything is built anew in another language: the page is loaded again, and the session goes on with its token.
  const choose = async (/** @type {string} */ lang) => {
    prefs.set({ lang });
    hideLanguage();
    location.reload();
  };
  staffConsole(host, client, build(client, choose), choose);
}

/** The language of the address would outrank the choice. */
function hideLanguage() {
  const rest = location.hash.slice(1).split("&").filter((part) => !part.startsWith("lang="));
  history.replaceState(null, "", `${location.pathname}${location.search}${rest.join("&") ? `#${rest.join("&")}` : ""}`);
}

/**
 * @param {HTMLElement} host @param {ConsoleClient} client @param {ConsoleContent} content
 * @param {(lang: string) => void} [choose] the language of the page
 */
export function staffConsole(host, client, { title, pills = () => [], parts, changed, head }, choose = () => {}) {
  const { session } = client;
  const built = parts.flatMap((part) => (typeof part === "function" ? [] : [part]));
  // The header has the mark of a demonstration.
  document.querySelector("body > .demo")?.remove();
  const entry = document.createElement("div");
  entry.className = "entry";
  const signIn = new SignIn(client);
  client.confirmPassword = () => stepUp(client, signIn.isVisitor);
  session.onFrame = (frame) => client.receive(frame);
  const draw = (/** @type {State} */ view) => {
    const isInside = signIn.shows === "inside";
    render(
      host,
      head ? head() : header(client, { title: title(view), pills: client.who ? pills(view) : [] }, choose),
      notices(client, view),
      entry,
      signIn.draw(),
      h(
        "div",
        { class: "inside", hidden: !isInside },
        isInside && parts.map((part) => (typeof part === "function" ? part(view) : part.node)),
      ),
    );
    if (!isInside) closeDialogs();
    return isInside;
  };
  session.draw = (view) => {
    changed?.(view);
    const isInside = draw(view);
    if (!isInside) return;
    for (const part of built) part.update(view);
    updateDialogs(view);
  };
  setInterval(() => {
    draw(client.view);
    for (const part of built) part.tick?.();
    tickDialogs();
  }, TICK_MS);
  enrol(session, entry);
  session.redraw();
}

// The header of a console: its title, status pills, who is signed in, and server time.

/**
 * @param {ConsoleClient} client @param {{title: string, pills: import("./widgets.js").Pill[]}} shows
 * @param {(lang: string) => void} choose
 */
function header(client, { title, pills }, choose) {
  const { session, who } = client;
  const now = session.now();
  const leave = () => session.send({ t: "sign_out" });
  return h(
    "header",
    { class: "console-header" },
    h("h1", null, title),
    session.demo && h("p", { class: "demo" }, say("top-bar.demo")),
    h(
      "ul",
      { class: "pills", "aria-label": say("console.status") },
      pills.map((one) => h("li", { key: one.key ?? one.says }, statusPill(one))),
    ),
    h("span", { class: "gap" }),
    h("span", { class: "who" }, identityText(client, 1)),
    who && button(say("console.sign-out"), leave, { class: "small wide-only" }),
    h("time", { class: "clock" }, now === null ? "" : timeOf(now)),
    button(icon("menu"), () => openMenu(client, leave, choose), { class: "menu", "aria-label": say("menu.title") }),
  );
}

/**
 * The menu of a console: who is signed in, the language, and signing out.
 * @param {ConsoleClient} client @param {() => void} leave @param {(lang: string) => void} choose
 */
export function openMenu(client, leave, choose) {
  const language = (/** @type {[string, string]} */ [lang, name]) =>
    h(
      "li",
      null,
      button(h("bdi", { lang }, name), () => choose(lang), {
        class: "row",
        "aria-current": lang === languageInUse() && "true",
      }),
    );
  const dialog = openDialog({
    name: "console-menu",
    title: say("menu.title"),
    look: "narrow",
    body: () => [
      h("p", { class: "who" }, identityText(client)),
      h("h3", null, say("settings.language")),
      h("ul", { class: "rows languages" }, Object.entries(LANGUAGES).map(language)),
    ],
    foot: () => client.who && button(say("console.sign-out"), () => (dialog.close(), leave())),
  });
}

/**
 * Who is signed in, and at which device.
 * @param {ConsoleClient} client @param {number} [most] titles that are shown
 */
export function identityText({ who, session }, most = Infinity) {
  const device = session.storage.device?.device ?? "";
  return who ? `${who.person} · ${who.titles.slice(0, most).join(", ")} · ${device}` : device;
}

// Notices above everything else: connection state, a connection ended by the server, and refusals.

/** How many refusals are shown: the newest. */
const SHOWN_MOST = 3;

/** @param {ConsoleClient} client @param {State} view */
function notices(client, { connection, refusals }) {
  const { session } = client;
  const status = connection === "down" ? say("status.connecting") : connection === "lost" ? say("console.lost") : "";
  const begin = () => {
    session.storage.forget();
    location.reload();
  };
  // The newest comes first, so a refusal is keyed by its distance from the end.
  const item = (/** @type {Refusal} */ refusal, /** @type {number} */ place) =>
    h(
      "li",
      { key: `${refusals.length - place}:${refusal.id ?? ""}:${refusal.code}` },
      refusedText(refusal),
      " ",
      clauseSign(refusal.clause),
    );
  return h(
    "div",
    { class: "notices" },
    h("p", { class: `line ${connection}`, role: "status", hidden: status === "" }, status),
    connection === "ended" &&
      h(
        "div",
        { class: "bye", role: "alert" },
        h("p", null, session.bye ? refusedText(session.bye) : say("overlay.shut")),
        button(say("overlay.try-again"), () => session.connect()),
        button(say("overlay.begin-again"), begin),
      ),
    // A request made in a dialog is answered there.
    h(
      "section",
      { class: "refusals", role: "log", "aria-live": "assertive", hidden: refusals.length === 0 || isModalOpen() },
      h("ol", { "aria-label": say("console.refused") }, refusals.slice(0, SHOWN_MOST).map(item)),
      button(say("console.dismiss"), () => client.dismissRefusals()),
    ),
  );
}
