// The frame of a staff console: header, notices and device enrolment.

import { clauseInfo } from "../shared/clause.js";
import { closeDialogs, isModalOpen, openDialog, tickDialogs, updateDialogs } from "../shared/dialog.js";
import { button, each, el, field, form, icon, shown, text } from "../shared/dom.js";
import { Preferences } from "../shared/preferences.js";
import { hideCode, pageDataOf, Session, parametersOf } from "../shared/session.js";
import { LANGUAGES, languageInUse, languageOf, say, useLanguage } from "../shared/text.js";
import { ConsoleClient } from "./client.js";
import { signin, stepUp } from "./sign_in.js";
import { refusedText, timeOf } from "./text.js";
import { pill, updatePill } from "./widgets.js";

/**
 * @typedef {import("../shared/types/wire.js").RefusalBody} Refusal
 * @typedef {import("./client.js").Part} Part
 */

/**
 * @typedef {{title: (view: import("../shared/store.js").State) => string, pills?: (view: import("../shared/store.js").State)
 *   => import("./widgets.js").Pill[], parts: Part[], head?: Part}} ConsoleContent the content of a console, with a header
 *   of its own where the usual one has no room
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
 * @param {HTMLElement} host @param {ConsoleClient} client @param {ConsoleContent} furniture
 * @param {(lang: string) => void} [choose] the language of the page
 */
export function staffConsole(host, client, { title, pills = () => [], parts, head: own }, choose = () => {}) {
  const { session } = client;
  client.confirmPassword = () => stepUp(client);
  session.onFrame = (frame) => client.receive(frame);
  const head = own ?? header(client, { title, pills }, choose);
  const above = notices(client);
  const inside = el("div", { class: "inside" }, ...parts.map((part) => part.node));
  const entry = el("div", { class: "entry" });
  const signIn = signin(client, { let: (is) => (shown(inside, is), is || closeDialogs()) });
  host.replaceChildren(head.node, above.node, entry, signIn.node, inside);
  session.draw = (view) => {
    head.update(view);
    above.update(view);
    if (client.who === null && signIn.isNeeded()) return;
    for (const part of parts) part.update(view);
    updateDialogs(view);
  };
  setInterval(() => {
    head.tick?.();
    parts.forEach((part) => part.tick?.());
    tickDialogs();
  }, TICK_MS);
  enrol(session, entry);
  session.redraw();
}

// The header of a console: its title, status pills, who is signed in, and server time.

/**
 * @param {import("./client.js").ConsoleClient} client
 * @param {Pick<ConsoleContent, "title"> & Required<Pick<ConsoleContent, "pills">>} says
 * @param {(lang: string) => void} choose
 */
function header(client, { title, pills }, choose) {
  const { session } = client;
  const demo = document.querySelector("body > .demo");
  const heading = el("h1", {});
  const marks = el("ul", { class: "pills", "aria-label": say("console.status") });
  const who = el("span", { class: "who" });
  const clock = el("time", { class: "clock" });
  const leave = () => session.send({ t: "sign_out" });
  const out = button(say("console.sign-out"), leave, { class: "small wide-only" });
  const menu = button(icon("menu"), () => openMenu(client, leave, choose), {
    class: "menu",
    "aria-label": say("menu.title"),
  });
  const gap = el("span", { class: "gap" });
  const node = el("header", { class: "console-header" }, heading, marks, gap, who, out, clock, menu);
  if (demo instanceof HTMLElement) heading.after(demo);
  text(demo, say("top-bar.demo"));
  const tick = () => {
    const now = session.now();
    text(clock, now === null ? "" : timeOf(now));
  };
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    text(heading, title(view));
    each(
      marks,
      client.who ? pills(view) : [],
      (one) => one.key ?? one.says,
      (one) => el("li", {}, pill(one)),
      updatePill,
    );
    text(who, identityText(client));
    shown(out, client.who !== null);
    tick();
  };
  return { node, update, tick };
}

/**
 * The menu of a console: who is signed in, the language, and signing out.
 * @param {import("./client.js").ConsoleClient} client @param {() => void} leave @param {(lang: string) => void} choose
 */
export function openMenu(client, leave, choose) {
  const rows = Object.entries(LANGUAGES).map(([lang, name]) =>
    button(el("bdi", { lang }, name), () => choose(lang), {
      class: "row",
      "aria-current": lang === languageInUse() ? "true" : null,
    }),
  );
  const dialog = openDialog({
    name: "console-menu",
    title: say("menu.title"),
    look: "narrow",
    body: [
      el("p", { class: "who" }, identityText(client)),
      el("h3", {}, say("settings.language")),
      el("ul", { class: "rows languages" }, ...rows.map((one) => el("li", {}, one))),
    ],
    foot: client.who ? [button(say("console.sign-out"), () => (dialog.close(), leave()))] : [],
  });
}

/** Who is signed in, and at which device. @param {import("./client.js").ConsoleClient} client */
export function identityText({ who, session }) {
  const device = session.storage.device?.device ?? "";
  return who ? `${who.person} · ${who.titles.join(", ")} · ${device}` : device;
}

// Enrolment of a console or display: as the stored device, automatically in a demonstration, or with a key.

/** Connect at once where possible, or ask for what is missing. @param {Session} session @param {HTMLElement} host */
export function enrol(session, host) {
  const { storage, parameters, demo } = session;
  if (parameters.join !== undefined) hideCode(parameters);
  if (storage.device) return session.connect();
  if (demo) return session.connect({ join: parameters.join ?? "", table: parameters.table ?? "" });
  host.append(keyForm(session));
}

/** @param {Session} session */
function keyForm(session) {
  const made = form(
    { class: "card enrol" },
    ({ device, key }) => {
      session.storage.enrol(device.trim(), key.trim());
      made.remove();
      session.connect();
    },
    el("h2", {}, say("enter.unknown")),
    el("p", {}, say("enter.give-key")),
    field(say("enter.device"), el("input", { name: "device", required: true, autocomplete: "off", maxlength: 64 })),
    field(say("enter.key"), el("input", { name: "key", type: "password", required: true, autocomplete: "off", maxlength: 128 })),
    el("button", { class: "main" }, say("enter.come-in")),
  );
  return made;
}

// Notices above everything else: connection state, a connection ended by the server, and refusals.

/** How many refusals are shown: the newest. */
const SHOWN_MOST = 3;

/** @param {import("./client.js").ConsoleClient} client @returns {import("./client.js").Part} */
function notices(client) {
  const { session } = client;
  const line = el("p", { class: "line", role: "status" });
  const why = el("p", {});
  const bye = el(
    "div",
    { class: "bye", role: "alert", hidden: true },
    why,
    button(say("overlay.try-again"), () => session.connect()),
    button(say("overlay.begin-again"), () => (session.storage.forget(), location.reload())),
  );
  const list = el("ol", { "aria-label": say("console.refused") });
  const dismiss = button(say("console.dismiss"), () => ((session.state = { ...session.state, refusals: [] }), session.redraw()));
  const refused = el(
    "section",
    { class: "refusals", role: "log", "aria-live": "assertive", hidden: true },
    list,
    dismiss,
  );
  const node = el("div", { class: "notices" }, line, bye, refused);
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    const waits = view.connection === "down" ? say("status.connecting") : view.connection === "lost" ? say("console.lost") : "";
    text(line, waits);
    shown(line, waits !== "");
    line.className = `line ${view.connection}`;
    shown(bye, view.connection === "ended");
    text(why, session.bye ? refusedText(session.bye) : say("overlay.shut"));
    // A request made in a dialog is answered there.
    shown(refused, view.refusals.length > 0 && !isModalOpen());
    each(
      list,
      keyed(view.refusals).slice(0, SHOWN_MOST),
      ({ key }) => key,
      ({ no }) => refusalItem(no),
    );
  };
  return { node, update };
}

/** A refusal with its clause. @param {Refusal} no */
export const refusalItem = (no) => el("li", {}, refusedText(no), " ", clauseInfo(undefined, no.clause).node);

/** The newest comes first, so a refusal is keyed by its distance from the end. @param {Refusal[]} refusals */
const keyed = (refusals) =>
  refusals.map((no, place) => ({ no, key: `${refusals.length - place}:${no.id ?? ""}:${no.code}` }));
