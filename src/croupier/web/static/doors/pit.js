// The pit door: the floor, what waits for somebody, and any command by hand.

import { placeOf, Session, wantedBy } from "../kit/session.js";
import { askBox } from "../parts/askbox.js";
import { fixed, staffConsole } from "../parts/console.js";
import { docket, tables } from "../parts/floor.js";

export const pit = (host, session) =>
  staffConsole(host, session, "pit", (ask) => [docket(ask), tables(session), fixed(askBox(ask))]);

if (document.querySelector("main.door.pit")) {
  pit(document.getElementById("door"), new Session({ place: placeOf(document), wanted: wantedBy(location) }));
}
