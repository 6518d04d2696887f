// The numbers: as they lie on the felt, the one that is meant and what is done with it, and those of past spins.

import { button, el, enabled, marked, shown, text } from "../kit/dom.js";
import { repaintTile, tiles } from "../staff/number.js";
import { pad } from "../staff/pad.js";
import { wordOf } from "../staff/words.js";
import { callSupervisor } from "./supervisor.js";

/** @typedef {import("./deal.js").Deal} Deal */

const PAST_MOST = 15;

/** @param {Deal} deal @returns {import("../staff/desk.js").Part} */
export function numbers(deal) {
  const label = el("h2", {});
  const keys = pad({ label: "Numbers, as they lie on the felt", pick: (pocket) => deal.mean(pocket) });
  const past = tiles("Last numbers, the newest first");
  const meant = word(deal);
  const node = el(
    "section",
    { class: "numbers", "aria-label": "Number" },
    el("div", { class: "card cloth" }, label, keys.node),
    meant.node,
    el("div", { class: "card past" }, el("h2", {}, "Last numbers"), past.node),
  );
  return {
    node,
    update: () => {
      const { felt, entry, wants, state } = deal;
      text(label, heading(deal));
      marked(keys.node, "data-live", wants ? "true" : null);
      keys.update(felt, wants ? entry.pocket : null, !wants || !deal.free, state?.pocket ?? null);
      meant.update();
      past.update(state?.numbers ?? [], felt?.colours, PAST_MOST);
    },
  };
}

/** @param {Deal} deal */
function heading({ wants, entry }) {
  if (!wants) return "Numbers";
  if (wants.step === "confirm") return "Winning number: touch to correct, then confirm";
  if (entry.first !== null) return "The same number once more, as the ball lies";
  return `Winning number: ${wants.asks.includes("again") ? "entered by hand, twice" : "touch, then confirm"}`;
}

/** The number that is meant, in full, and the one thing to be done with it. @param {Deal} deal */
function word(deal) {
  const big = el("span", { class: "tile big" });
  const name = el("p", { class: "name", "aria-live": "polite" });
  const about = el("p", { class: "about" });
  const say = button("", () => void deal.say(), { class: "go say" });
  const back = button("", () => deal.forget(), { class: "back" });
  const help = button("", () => callSupervisor(deal, differing(deal)), { class: "help" });
  const node = el("div", { class: "card word" }, big, el("div", {}, name, about), back, help, say);
  const update = () => {
    const { wants, entry, state, felt, differs } = deal;
    const pocket = wants ? entry.pocket : (state?.pocket ?? null);
    repaintTile(big, pocket, felt?.colours);
    const none = wants ? "Which number?" : "No number yet";
    text(name, pocket === null ? none : `${pocket} ${wordOf(felt?.colours.get(pocket) ?? "")}`);
    text(about, words(deal));
    marked(node, "data-differs", differs ? "true" : null);
    const twice = wants?.asks.includes("again") && entry.first === null;
    text(say, pocket === null ? "Confirm" : `${twice ? "Enter" : "Confirm"} ${pocket}`);
    enabled(say, deal.free && pocket !== null);
    shown(say, Boolean(wants) && !differs);
    shown(help, differs);
    text(help, "Have it attested");
    shown(back, differs || (Boolean(wants) && (entry.first !== null || entry.typed !== "")));
    text(back, differs ? `Back to ${deal.floor?.reported}` : "Begin again");
  };
  return { node, update };
}

const DIFFERS =
  "Another number counts only once two people of the pit have attested it, each on a device of their own.";

/** What there is to know of the number. @param {Deal} deal */
function words({ wants, entry, floor, differs, state, next }) {
  if (differs) return `The sensor reads ${floor?.reported}, and ${entry.pocket} was touched. ${DIFFERS}`;
  if (wants?.step === "confirm" && floor?.doubtful) return doubt(floor);
  if (wants?.step === "confirm") return `The sensor reads ${floor?.reported}. Look at the ball, then confirm.`;
  if (entry.first !== null) return `Entered once: ${entry.first}. Look again, and enter what you see.`;
  if (wants) return "No sensor has reported: enter where the ball lies.";
  if (state?.pocket) return "The dolly stands on it.";
  return next?.step === "number" ? "The wheel reports it." : "It is asked for once the ball has come to rest.";
}

/** @param {import("../kit/consoles.js").FloorTable} floor */
const doubt = ({ reported, seen }) =>
  `The sensor reads ${reported}, but saw the spin go wrong or contradicts itself: ${seen.join("; ")}. ` +
  "Confirm only a valid spin; otherwise call no spin.";

/** @param {Deal} deal */
const differing = ({ floor, entry }) => `The sensor reads ${floor?.reported}; the ball lies in ${entry.pocket}.`;
