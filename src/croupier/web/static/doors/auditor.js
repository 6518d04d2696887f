// The auditor door: everything that staff see, and nothing that changes it.

import { placeOf, Session, wantedBy } from "../kit/session.js";
import { staffConsole } from "../parts/console.js";
import { docket, tables } from "../parts/floor.js";

/** @param {HTMLElement} host @param {Session} session */
export const auditor = (host, session) => staffConsole(host, session, "auditor", () => [docket(), tables(session)]);

const main = document.querySelector("main.door.auditor");
if (main instanceof HTMLElement) auditor(main, new Session({ place: placeOf(document), wanted: wantedBy(location) }));
