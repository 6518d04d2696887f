// The frame of a staff console: header, notices and device enrolment.

import { closeSheets, isCovered, tickSheets, updateSheets } from "../shared/dialog.js";
import { button, each, el, field, form, shown, text } from "../shared/dom.js";
import { hideCode, placeOf, Session, wantedBy } from "../shared/session.js";
import { use } from "../shared/text.js";
import { Desk } from "./client.js";
import { signin, stepUp } from "./sign_in.js";
import { clauseMark, timeOf } from "./text.js";
import { pill, repaint } from "./widgets.js";

/**
 * @typedef {import("../shared/types/wire.js").No} No
 * @typedef {import("./client.js").Part} Part
 */

/**
 * @typedef {{title: (view: import("../shared/store.js").State) => string, pills?: (view: import("../shared/store.js").State)
 *   => import("./widgets.js").Pill[], parts: Part[]}} Furniture the content of a console
 */

const TICK_MS = 200;

/** Open a console on this page. @param {string} door @param {(desk: Desk) => Furniture} furnish */
export async function openConsole(door, furnish) {
  const host = document.querySelector(`main.door.${door}`);
  if (!(host instanceof HTMLElement)) return;
  await use("en");
  const desk = new Desk(new Session({ place: placeOf(document), wanted: wantedBy(location) }));
  staffConsole(host, desk, furnish(desk));
}

/** @param {HTMLElement} host @param {Desk} desk @param {Furniture} furniture */
export function staffConsole(host, desk, { title, pills = () => [], parts }) {
  const { session } = desk;
  desk.sign = () => stepUp(desk);
  session.hearsAll = (frame) => desk.hear(frame);
  const head = crown(desk, { title, pills });
  const above = notices(desk);
  const inside = el("div", { class: "inside" }, ...parts.map((part) => part.node));
  const entry = el("div", { class: "entry" });
  const door = signin(desk, { let: (is) => (shown(inside, is), is || closeSheets()) });
  host.replaceChildren(head.node, above.node, entry, door.node, inside);
  session.draw = (view) => {
    head.update(view);
    above.update(view);
    if (desk.who === null && door.isNeeded()) return;
    for (const part of parts) part.update(view);
    updateSheets(view);
  };
  setInterval(() => {
    head.tick();
    parts.forEach((part) => part.tick?.());
    tickSheets();
  }, TICK_MS);
  enrol(session, entry);
  session.redraw();
}

// The header of a console: its title, status pills, who is signed in, and server time.

/**
 * @param {import("./client.js").Desk} desk
 * @param {Pick<Furniture, "title"> & Required<Pick<Furniture, "pills">>} says
 */
function crown(desk, { title, pills }) {
  const { session } = desk;
  const demo = document.querySelector("body > .demo");
  const heading = el("h1", {});
  const marks = el("ul", { class: "pills", "aria-label": "How things stand" });
  const who = el("span", { class: "who" });
  const clock = el("time", { class: "clock" });
  const out = button("Sign out", () => session.say({ t: "sign_out" }), { class: "small" });
  const node = el("header", { class: "crown" }, heading, marks, el("span", { class: "gap" }), who, out, clock);
  if (demo instanceof HTMLElement) heading.after(demo);
  const tick = () => {
    const now = session.now();
    text(clock, now === null ? "" : timeOf(now));
  };
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    text(heading, title(view));
    each(
      marks,
      desk.who ? pills(view) : [],
      (one) => one.key ?? one.says,
      (one) => el("li", {}, pill(one)),
      repaint,
    );
    text(who, whoWords(desk));
    shown(out, desk.who !== null);
    tick();
  };
  return { node, update, tick };
}

/** @param {import("./client.js").Desk} desk */
function whoWords({ who, session }) {
  const device = session.keeper.device?.device ?? "";
  return who ? `${who.person} · ${who.titles.join(", ")} · ${device}` : device;
}

// Enrolment of a console or display: as the stored device, automatically in a demonstration, or with a key.

/** Connect at once where possible, or ask for what is missing. @param {Session} session @param {HTMLElement} host */
export function enrol(session, host) {
  const { keeper, wanted, demo } = session;
  if (wanted.join !== undefined) hideCode(wanted);
  if (keeper.device) return session.enter();
  if (demo) return session.enter({ join: wanted.join ?? "", table: wanted.table ?? "" });
  host.append(withKey(session));
}

/** @param {Session} session */
function withKey(session) {
  const made = form(
    { class: "card enrol" },
    ({ device, key }) => {
      session.keeper.enrol(device.trim(), key.trim());
      made.remove();
      session.enter();
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
const LINES = {
  down: "Connecting…",
  lost: "Connection lost. Nothing can be done here until the line is back; what is shown may be old.",
};

/** How many refusals are shown: the newest. */
const SHOWN_MOST = 3;

/** @param {import("./client.js").Desk} desk @returns {import("./client.js").Part} */
function notices(desk) {
  const { session } = desk;
  const line = el("p", { class: "line", role: "status" });
  const why = el("p", {});
  const bye = el(
    "div",
    { class: "bye", role: "alert", hidden: true },
    why,
    button("Come back in here", () => session.enter()),
    button("Forget this device, and begin again", () => (session.keeper.forget(), location.reload())),
  );
  const list = el("ol", { "aria-label": "What was refused" });
  const dismiss = button("Dismiss", () => ((session.state = { ...session.state, said: [] }), session.redraw()));
  const refused = el(
    "section",
    { class: "refusals", role: "log", "aria-live": "assertive", hidden: true },
    list,
    dismiss,
  );
  const node = el("div", { class: "notices" }, line, bye, refused);
  const update = (/** @type {import("../shared/store.js").State} */ view) => {
    text(line, LINES[view.line]);
    shown(line, view.line in LINES);
    line.className = `line ${view.line}`;
    shown(bye, view.line === "ended");
    text(why, session.bye?.says ?? "The house has shut this door.");
    // A request made in a dialog is answered there.
    shown(refused, view.said.length > 0 && !isCovered());
    each(
      list,
      numbered(view.said).slice(0, SHOWN_MOST),
      ({ key }) => key,
      ({ no }) => refusal(no),
    );
  };
  return { node, update };
}

/** A refusal with its clause. @param {No} no */
export const refusal = (no) => el("li", {}, no.says, " ", no.clause ? el("small", {}, clauseMark(no.clause)) : null);

/** The newest comes first, so a refusal is keyed by its distance from the end. @param {No[]} said */
const numbered = (said) => said.map((no, place) => ({ no, key: `${said.length - place}:${no.id ?? ""}:${no.code}` }));
