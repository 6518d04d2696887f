// The dealer door: the steps of every table's round, and what went wrong.

import { placeOf, Session, wantedBy } from "../kit/session.js";
import { staffConsole } from "../parts/console.js";
import { docket, tables } from "../parts/floor.js";
import { steps } from "../parts/steps.js";

/** @param {HTMLElement} host @param {Session} session */
export const dealer = (host, session) =>
  staffConsole(host, session, "dealer", (ask) => [tables(session, (name) => steps(session, name, ask)), docket(ask)]);

const main = document.querySelector("main.door.dealer");
if (main instanceof HTMLElement) dealer(main, new Session({ place: placeOf(document), wanted: wantedBy(location) }));
