// The frame of a staff console: header, notices and device enrolment.

import { closeDialogs, isModalOpen, tickDialogs, updateDialogs } from "../shared/dialog.js";
import { button, each, el, field, form, shown, text } from "../shared/dom.js";
import { hideCode, pageDataOf, Session, parametersOf } from "../shared/session.js";
import { useLanguage } from "../shared/text.js";
import { ConsoleClient } from "./client.js";
import { signin, stepUp } from "./sign_in.js";
import { clauseMark, timeOf } from "./text.js";
import { pill, updatePill } from "./widgets.js";

/**
 * @typedef {import("../shared/types/wire.js").RefusalBody} Refusal
 * @typedef {import("./client.js").Part} Part
 */

/**
 * @typedef {{title: (view: import("../shared/store.js").State) => string, pills?: (view: import("../shared/store.js").State)
 *   => import("./widgets.js").Pill[], parts: Part[]}} ConsoleContent the content of a console
 */

const TICK_MS = 200;

/** Open a console on this page. @param {string} screen @param {(client: ConsoleClient) => ConsoleContent} build */
export async function openConsole(screen, build) {
  const host = document.querySelector(`main.app.${screen}`);
  if (!(host instanceof HTMLElement)) return;
  await useLanguage("en");
  const client = new ConsoleClient(new Session({ pageData: pageDataOf(document), parameters: parametersOf(location) }));
  staffConsole(host, client, build(client));
}

/** @param {HTMLElement} host @param {ConsoleClient} client @param {ConsoleContent} furniture */
export function staffConsole(host, client, { title, pills = () => [], parts }) {
  const { session } = client;
  client.confirmPassword = () => stepUp(client);
  session.onFrame = (frame) => client.receive(frame);
  const head = header(client, { title, pills });
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
    head.tick();
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
 */
function header(client, { title, pills }) {
  const { session } = client;
  const demo = document.querySelector("body > .demo");
  const heading = el("h1", {});
  const marks = el("ul", { class: "pills", "aria-label": "How things stand" });
  const who = el("span", { class: "who" });
  const clock = el("time", { class: "clock" });
  const out = button("Sign out", () => session.send({ t: "sign_out" }), { class: "small" });
  const node = el("header", { class: "console-header" }, heading, marks, el("span", { class: "gap" }), who, out, clock);
  if (demo instanceof HTMLElement) heading.after(demo);
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

/** @param {import("./client.js").ConsoleClient} client */
function identityText({ who, session }) {
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
    el("h2", {}, "This device is not enrolled"),
    el("p", {}, "Give the name and the key that it was enrolled with."),
    field("Device", el("input", { name: "device", required: true, autocomplete: "off", maxlength: 64 })),
    field("Key", el("input", { name: "key", type: "password", required: true, autocomplete: "off", maxlength: 128 })),
    el("button", { class: "main" }, "Come in"),
  );
  return made;
}

// Notices above everything else: connection state, a connection ended by the server, and refusals.

/** @type {Record<string, string>} */
const CONNECTION_TEXTS = {
  down: "Connecting…",
  lost: "Connection lost. Nothing can be done here until the line is back; what is shown may be old.",
};

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
    button("Come back in here", () => session.connect()),
    button("Forget this device, and begin again", () => (session.storage.forget(), location.reload())),
  );
  const list = el("ol", { "aria-label": "What was refused" });
  const dismiss = button("Dismiss", () => ((session.state = { ...session.state, refusals: [] }), session.redraw()));
  const refused = el(
    "section",
    { class: "refusals", role: "log", "aria-live": "assertive", hidden: true },
    list,
    dismiss,
  );
  const node = el("div", { class: "notices" }, line, bye, refused);
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    text(line, CONNECTION_TEXTS[view.connection]);
    shown(line, view.connection in CONNECTION_TEXTS);
    line.className = `line ${view.connection}`;
    shown(bye, view.connection === "ended");
    text(why, session.bye?.says ?? "The house has closed this connection.");
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
export const refusalItem = (no) =>
  el("li", {}, no.says, " ", no.clause ? el("small", {}, clauseMark(no.clause)) : null);

/** The newest comes first, so a refusal is keyed by its distance from the end. @param {Refusal[]} refusals */
const keyed = (refusals) =>
  refusals.map((no, place) => ({ no, key: `${refusals.length - place}:${no.id ?? ""}:${no.code}` }));
