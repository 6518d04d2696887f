// Display preferences. Pure.

/**
 * @typedef {object} PreferenceValues
 * @property {string} lang the chosen language of the texts; that of the browser where none was chosen
 * @property {"table" | "wheel"} view the felt as printed, or its numbers in wheel order
 * @property {"table" | "racetrack" | "wheel" | "stats"} tab what a small screen shows
 * @property {number} games how many games are shown at once
 * @property {string} focus the table that the buttons act on
 * @property {number | "eraser"} chip how many credits a press places, or the eraser; 0 is the smallest that meets the minimum
 * @property {number} reach how many neighbours on each side, where the venue allows a choice
 * @property {boolean} limits whether limits are shown on the felt
 * @property {boolean} heat whether the felt shows how often each number came up
 * @property {boolean} assist whether red is also hatched
 * @property {"right" | "left"} hand
 * @property {boolean} sound
 * @property {number} volume of the sound, from 0 to 1
 * @property {"currency" | "credits"} units the unit of amounts
 */

/** @type {PreferenceValues} */
const DEFAULTS = {
  lang: "",
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
  volume: 0.7,
  units: "currency",
};
/** The allowed values of the fields that do not accept every value of their type. @type {Record<string, unknown[]>} */
const ALLOWED = {
  view: ["table", "wheel"],
  tab: ["table", "racetrack", "wheel", "stats"],
  games: [1, 2],
  hand: ["right", "left"],
  units: ["currency", "credits"],
};
const NAME = "croupier:prefs";

export class Preferences {
  /** @param {Pick<Storage, "getItem" | "setItem">} storage */
  constructor(storage) {
    this.storage = storage;
    /** Called on every change, with the new and the old preferences. @type {(now: PreferenceValues, before: PreferenceValues) => void} */
    this.onchange = () => {};
    this.now = { ...DEFAULTS, ...validated(read(storage)) };
  }

  /** @param {Partial<PreferenceValues>} chosen */
  set(chosen) {
    const before = this.now;
    this.now = { ...before, ...validated(chosen) };
    try {
      this.storage.setItem(NAME, JSON.stringify(this.now));
    } catch {
      // With full or forbidden storage the preference still holds for this page.
    }
    this.onchange(this.now, before);
  }
}

/** The valid fields of stored preferences. @param {Record<string, unknown>} given @returns {Partial<PreferenceValues>} */
function validated(given) {
  const kept = Object.entries(given).filter(([name, value]) => {
    if (name === "chip") return value === "eraser" || typeof value === "number";
    if (name in ALLOWED) return ALLOWED[name].includes(value);
    return name in DEFAULTS && typeof value === typeof DEFAULTS[/** @type {keyof PreferenceValues} */ (name)];
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
