// Display preferences. Pure.

/**
 * @typedef {object} Choice
 * @property {string} lang the language of the words
 * @property {"table" | "wheel"} view the felt as printed, or its numbers as they lie on the wheel
 * @property {"table" | "racetrack" | "wheel" | "stats"} tab what a small screen shows
 * @property {number} games how many of a terminal's games are shown at once
 * @property {string} focus the table that buttons act on
 * @property {number | "eraser"} chip how many credits a touch lays, or that it takes off; 0 is the first of the tray
 * @property {number} reach how many neighbours on each side, where the venue leaves it open
 * @property {boolean} limits whether limits are shown on the felt
 * @property {boolean} heat whether the felt shows how often each number came
 * @property {boolean} assist whether red is hatched as well
 * @property {"right" | "left"} hand
 * @property {boolean} sound
 * @property {"currency" | "credits"} units what amounts are written in
 */

/** @type {Choice} */
const FIRST = {
  lang: "en",
  view: "table",
  tab: "table",
  games: 2,
  focus: "",
  chip: 0,
  reach: 2,
  limits: false,
  heat: false,
  assist: false,
  hand: "right",
  sound: false,
  units: "currency",
};
/** What may be chosen, where not everything of a kind may. @type {Record<string, unknown[]>} */
const ALLOWED = {
  view: ["table", "wheel"],
  tab: ["table", "racetrack", "wheel", "stats"],
  games: [1, 2],
  hand: ["right", "left"],
  units: ["currency", "credits"],
};
const NAME = "croupier:prefs";

export class Prefs {
  /** @param {Pick<Storage, "getItem" | "setItem">} storage */
  constructor(storage) {
    this.storage = storage;
    /** Hears of every change: what is chosen now, and what was before. @type {(now: Choice, before: Choice) => void} */
    this.onchange = () => {};
    this.now = { ...FIRST, ...sound(read(storage)) };
  }

  /** @param {Partial<Choice>} chosen */
  set(chosen) {
    const before = this.now;
    this.now = { ...before, ...sound(chosen) };
    try {
      this.storage.setItem(NAME, JSON.stringify(this.now));
    } catch {
      // A full or forbidden storage costs the memory of a choice, not the choice.
    }
    this.onchange(this.now, before);
  }
}

/** What of a choice can be one. @param {Record<string, unknown>} given @returns {Partial<Choice>} */
function sound(given) {
  const kept = Object.entries(given).filter(([name, value]) => {
    if (name === "chip") return value === "eraser" || typeof value === "number";
    if (name in ALLOWED) return ALLOWED[name].includes(value);
    return name in FIRST && typeof value === typeof FIRST[/** @type {keyof Choice} */ (name)];
  });
  return Object.fromEntries(kept);
}

/** @param {Pick<Storage, "getItem">} storage @returns {Record<string, unknown>} */
function read(storage) {
  try {
    return JSON.parse(storage.getItem(NAME) ?? "{}") ?? {};
  } catch {
    return {};
  }
}
