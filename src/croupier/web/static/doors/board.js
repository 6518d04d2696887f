// The board: a display for everybody. It shows no number that it has not just been told.

import { each, el, shown } from "../kit/dom.js";
import { placeOf, Session, wantedBy } from "../kit/session.js";
import { isReady } from "../kit/store.js";
import { enrol } from "../parts/enrol.js";
import { notices } from "../parts/notices.js";
import { round } from "../parts/round.js";

const DIFFERS = "If this display and your terminal differ, the terminal counts.";

/** @param {HTMLElement} host @param {Session} session */
export function board(host, session) {
  const above = notices(session);
  const entry = el("div", {});
  const games = el("div", { class: "games" });
  const made = new Map();
  host.replaceChildren(
    el("header", {}, el("h1", {}, session.place.venue)),
    above.node,
    entry,
    games,
    el("footer", {}, DIFFERS),
  );
  session.draw = (view) => {
    above.update(view);
    // A stale number must never look like a new one.
    shown(games, isReady(view));
    each(
      games,
      Object.keys(view.tables).sort(),
      (name) => name,
      (name) => {
        const shows = round(session);
        made.set(name, shows);
        return el(
          "section",
          { class: "game", "aria-label": `Table ${name}` },
          el("h2", {}, `Table ${name}`),
          shows.node,
        );
      },
    );
    for (const [name, shows] of made) if (view.tables[name]) shows.update(view.tables[name].state);
  };
  setInterval(() => made.forEach((shows) => shows.tick()), 200);
  enrol(session, entry);
  session.redraw();
}

const main = document.querySelector("main.door.board");
if (main instanceof HTMLElement) board(main, new Session({ place: placeOf(document), wanted: wantedBy(location) }));
