// The filters of the journal: which entries are wanted, by table, terminal, person, what they are about, and kind.

import { each, el, field } from "../kit/dom.js";

/**
 * @typedef {{table?: string, terminal?: string, person?: string, about?: string, kind?: string}} Filters
 * @typedef {import("../kit/store.js").State} State
 * @typedef {[value: string, words: string]} Choice
 */

/** What entries are about. @type {Choice[]} */
const ABOUT = [
  ["", "everything"],
  ["significant", "what is significant"],
  ["round", "rounds"],
  ["bets", "bets"],
  ["money", "money"],
  ["incident", "what went wrong"],
  ["staff", "staff and the venue"],
];

/** @param {Filters} wanted to begin with @param {(wanted: Filters) => void} change */
export function filters(wanted, change) {
  const choose = (/** @type {keyof Filters} */ name, /** @type {string} */ value) => {
    const { [name]: _, ...rest } = wanted;
    wanted = value === "" ? rest : { ...rest, [name]: value };
    change(wanted);
  };
  /** @param {keyof Filters} name @param {string} label */
  const one = (name, label) => {
    const id = `journal-${name}`;
    // A label around a list would be read out with all that can be chosen.
    const select = el("select", { name, "aria-labelledby": id });
    select.addEventListener("change", () => choose(name, select.value));
    return { name, select, node: el("div", { class: "field" }, el("span", { id }, label), select) };
  };
  const [table, terminal, about] = [one("table", "Table"), one("terminal", "Terminal"), one("about", "About")];
  const kind = one("kind", "Kind");
  const person = el("input", { name: "person", autocomplete: "off", maxlength: 64, placeholder: "anybody" });
  person.addEventListener("change", () => choose("person", person.value.trim()));
  const node = el("div", { class: "filters", role: "group", "aria-label": "Which entries" });
  offer(about.select, ABOUT);
  about.select.value = wanted.about ?? "";
  node.append(table.node, terminal.node, about.node, kind.node, field("Person", person));
  /** @param {State} view @param {Iterable<string>} kinds that were seen */
  const update = (view, kinds) => {
    const tables = Object.keys(view.tables).sort();
    offer(table.select, [["", "all tables"], ...named(tables)]);
    offer(terminal.select, [["", "all terminals"], ...named(terminalsOf(view))]);
    offer(kind.select, [["", "all kinds"], ...[...kinds].sort().map(kindChoice)]);
  };
  return { node, update };
}

/** @param {string[]} names @returns {Choice[]} */
const named = (names) => names.map((name) => [name, name]);

/** A kind of entry in words: BetsOpened is "bets opened". @param {string} kind @returns {Choice} */
const kindChoice = (kind) => [kind, kind.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase()];

/** @param {State} view */
const terminalsOf = (view) =>
  [
    ...new Set(Object.values(view.floor?.tables ?? {}).flatMap(({ seats }) => seats.map(({ terminal }) => terminal))),
  ].sort();

/** Keep the choices in step, and the chosen one chosen. @param {HTMLSelectElement} select @param {Choice[]} choices */
function offer(select, choices) {
  each(
    select,
    choices,
    ([value]) => value,
    ([value, words]) => el("option", { value }, words),
  );
}
