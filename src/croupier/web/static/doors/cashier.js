// The cashier door: slips and tickets paid by their number, and the drawer they are paid from.

import { placeOf, Session, wantedBy } from "../kit/session.js";
import { askBox } from "../parts/askbox.js";
import { fixed, staffConsole } from "../parts/console.js";
import { desk } from "../parts/desk.js";
import { docket } from "../parts/floor.js";

/** @param {HTMLElement} host @param {Session} session */
export const cashier = (host, session) =>
  staffConsole(host, session, "cashier", (ask) => [desk(session, ask), docket(ask), fixed(askBox(ask))]);

const main = document.querySelector("main.door.cashier");
if (main instanceof HTMLElement) cashier(main, new Session({ place: placeOf(document), wanted: wantedBy(location) }));
