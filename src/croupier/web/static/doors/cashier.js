// The cashier door: slips and tickets paid by their number, and the drawer they are paid from.

import { placeOf, Session, wantedBy } from "../kit/session.js";
import { askBox } from "../parts/askbox.js";
import { fixed, staffConsole } from "../parts/console.js";
import { desk } from "../parts/desk.js";
import { docket } from "../parts/floor.js";

export const cashier = (host, session) =>
  staffConsole(host, session, "cashier", (ask) => [desk(session, ask), docket(ask), fixed(askBox(ask))]);

if (document.querySelector("main.door.cashier")) {
  cashier(document.getElementById("door"), new Session({ place: placeOf(document), wanted: wantedBy(location) }));
}
