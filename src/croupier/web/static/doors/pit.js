// The pit door: the floor, what waits for somebody, and any command by hand.

import { placeOf, Session, wantedBy } from "../kit/session.js";
import { askBox } from "../parts/askbox.js";
import { fixed, staffConsole } from "../parts/console.js";
import { docket, tables } from "../parts/floor.js";

/** @param {HTMLElement} host @param {Session} session */
export const pit = (host, session) =>
  staffConsole(host, session, "pit", (ask) => [docket(ask), tables(session), fixed(askBox(ask))]);

const main = document.querySelector("main.door.pit");
if (main instanceof HTMLElement) pit(main, new Session({ place: placeOf(document), wanted: wantedBy(location) }));
