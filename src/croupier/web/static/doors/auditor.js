// The auditor door: everything that staff see, and nothing that changes it.

import { placeOf, Session, wantedBy } from "../kit/session.js";
import { staffConsole } from "../parts/console.js";
import { docket, tables } from "../parts/floor.js";

export const auditor = (host, session) => staffConsole(host, session, "auditor", () => [docket(), tables(session)]);

if (document.querySelector("main.door.auditor")) {
  auditor(document.getElementById("door"), new Session({ place: placeOf(document), wanted: wantedBy(location) }));
}
