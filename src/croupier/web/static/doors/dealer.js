// The dealer door: the steps of every table's round, and what went wrong.

import { placeOf, Session, wantedBy } from "../kit/session.js";
import { staffConsole } from "../parts/console.js";
import { docket, tables } from "../parts/floor.js";
import { steps } from "../parts/steps.js";

export const dealer = (host, session) =>
  staffConsole(host, session, "dealer", (ask) => [tables(session, (name) => steps(session, name, ask)), docket(ask)]);

if (document.querySelector("main.door.dealer")) {
  dealer(document.getElementById("door"), new Session({ place: placeOf(document), wanted: wantedBy(location) }));
}
