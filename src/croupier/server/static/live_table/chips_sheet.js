// The chips of a live table's players: buy in, redeem, a second colour, and colours that go back.

import { refusalLine } from "../console/forms.js";
import { chipOf, pilesOf, STACK, stacksOf } from "../felt/pieces.js";
import { openDialog } from "../shared/dialog.js";
import { button, el, enabled, field, icon, marked, shown, text } from "../shared/dom.js";
import { centsOf } from "../shared/money.js";
import { say } from "../shared/text.js";
import { inValueChips, piecesOn } from "./entry.js";
import { openFloat } from "./float_sheet.js";
import { clauseSign } from "./table.js";

/**
 * @typedef {import("./table.js").LiveTable} LiveTable
 * @typedef {import("./table.js").PlayerRow} PlayerRow
 * @typedef {import("./table.js").ColourRow} ColourRow
 * @typedef {{node: HTMLElement, foot: HTMLElement[], draw: () => void}} Tab
 */

const SEATS = 8;
const TABS = ["buy-in", "redeem", "second"];
/** The value of chips that are not of a colour. */
const VALUE = "value";

/** @type {Record<string, (live: LiveTable, send: Send) => Tab>} */
const BUILDERS = { "buy-in": buyIn, redeem, second };

/** Open the sheet, at a tab. @param {LiveTable} live @param {string} [tab] */
export function openChips(live, tab = "buy-in") {
  const reply = refusalLine();
  const tabs = el("div", { class: "levels", role: "tablist" });
  const body = el("div", { class: "tab" });
  const foot = el("div", { class: "foot-keys" });
  /** @type {Tab | null} */
  let open = null;
  /** Send commands one after another until one is refused. @param {(() => object | null)[]} commands */
  const send = async (commands) => {
    reply.update(null);
    for (const command of commands) {
      const wanted = command();
      if (wanted === null) continue;
      const { refusal } = await live.client.sendCommand({ ...wanted, table: live.table });
      if (!refusal) continue;
      reply.update(refusal);
      return open?.draw();
    }
    dialog.close();
  };
  const go = (/** @type {string} */ name) => {
    for (const key of tabs.children) marked(key, "aria-selected", String(key.getAttribute("data-tab") === name));
    open = BUILDERS[name](live, send);
    body.replaceChildren(open?.node ?? "");
    foot.replaceChildren(button(say("live.leave"), () => dialog.close()), ...(open?.foot ?? []));
    reply.update(null);
    open?.draw();
  };
  tabs.append(
    ...TABS.map((name) => button(say(`live-tab.${name}`), () => go(name), { role: "tab", "data-tab": name })),
    button(say("live-tab.float"), () => (dialog.close(), openFloat(live)), { role: "tab", "aria-selected": "false" }),
  );
  const dialog = openDialog({
    name: "chips",
    title: say("live.chips-of", { table: live.table }),
    look: "wide",
    light: false,
    body: [tabs, body, reply.node],
    foot: [foot],
    update: () => open?.draw(),
  });
  dialog.node.classList.add("chips-sheet");
  go(tab);
}

/** @typedef {(commands: (() => object | null)[]) => Promise<void>} Send */

/** @param {LiveTable} live @param {Send} send @returns {Tab} */
function buyIn(live, send) {
  const free = live.colours.find(({ position }) => position === null);
  const current = live.current;
  const state = {
    label: current ? live.labelOf(current) : freeSeat(live),
    colour: current?.colours[0] ?? free?.colour ?? VALUE,
    value: live.live.least ?? live.denominations.at(-1) ?? 100,
    cents: 0,
    tender: "cash",
  };
  const labels = Array.from({ length: SEATS }, (_, seat) => say("live.seat", { n: seat + 1 }));
  const seats = el("div", { class: "picks" });
  const colours = el("div", { class: "picks" });
  const values = el("div", { class: "picks" });
  const tenders = el("div", { class: "picks" });
  const valueLine = el("div", {});
  const offer = el("div", { class: "offer" });
  const typed = el("input", { inputmode: "decimal", "aria-label": say("live.amount"), autocomplete: "off" });
  typed.addEventListener("input", () => set({ cents: centsOf(typed.value) ?? 0 }, false));
  const go = button("", () => void buy(), { class: "main" });
  const owner = () => live.players.find((player) => live.labelOf(player) === state.label) ?? null;
  const set = (/** @type {Partial<typeof state>} */ chosen, rewrite = true) => {
    Object.assign(state, chosen);
    if (rewrite) typed.value = state.cents % 100 === 0 ? String(state.cents / 100) : (state.cents / 100).toFixed(2);
    draw();
  };
  const worth = () => {
    const own = live.colour(state.colour);
    return own?.position === null || own === null ? state.value : own.value;
  };
  const pieces = () => (state.colour === VALUE ? 0 : Math.floor(state.cents / worth()));
  const buy = () => {
    const known = owner();
    /** The player, once seated. */
    const position = () => (known ?? live.players.filter(({ label }) => label === state.label).at(-1))?.position;
    const allocates = state.colour !== VALUE && live.colour(state.colour)?.position === null;
    const colour = state.colour === VALUE ? null : state.colour;
    return send([
      () => (known ? null : { type: "SeatPlayer", label: state.label }),
      () => (allocates ? { type: "AllocateColour", position: position(), colour, value: state.value } : null),
      () => ({ type: "BuyChips", position: position(), tender: state.tender, amount: state.cents, colour }),
    ]);
  };
  const draw = () => {
    const player = owner();
    seats.replaceChildren(...labels.map((label) => pick(label, state.label === label, () => set({ label, colour: colourFor(live, label, state.colour) }))));
    const swatches = live.colours.map((row) => swatch(live, row, state, player, () => set({ colour: row.colour })));
    const plain = pick(say("live.value-chips"), state.colour === VALUE, () => set({ colour: VALUE, tender: "cash" }));
    colours.replaceChildren(...swatches, plain);
    shown(valueLine, state.colour !== VALUE && live.colour(state.colour)?.position === null);
    const least = live.live.least ?? 0;
    const offered = [...new Set([...(least ? [least] : []), ...[...live.denominations].reverse().filter((each) => each >= least)])];
    values.replaceChildren(...offered.map((value) => pick(live.amount(value), state.value === value, () => set({ value }))));
    tenders.replaceChildren(
      pick(say("live.notes"), state.tender === "cash", () => set({ tender: "cash" })),
      ...(state.colour === VALUE ? [] : [pick(say("live.value-tender"), state.tender === "value_chips", () => set({ tender: "value_chips" }))]),
    );
    offer.replaceChildren(...offerOf());
    const count = pieces();
    const amount = live.amount(state.cents);
    text(go, count ? say("live.hand-out", { n: count, amount }) : say("live.hand-out-value", { amount }));
    enabled(go, state.label !== "" && state.cents > 0);
  };
  const offerOf = () => {
    const count = pieces();
    const rest = state.colour === VALUE ? 0 : state.cents - count * worth();
    const [full, over] = [Math.floor(count / STACK), count % STACK];
    const adds = [...live.denominations].reverse().filter((each) => each >= (live.live.least ?? 0)).slice(-4);
    return [
      field(say("live.amount"), typed),
      el("div", { class: "picks" }, ...adds.map((cents) => button(`+ ${live.amount(cents)}`, () => set({ cents: state.cents + cents }))), button(say("live.clear"), () => set({ cents: 0 }))),
      ...(state.colour === VALUE
        ? [cashLine(live, state.cents)]
        : [
            el("p", { class: "eq" }, say("live.divides", { amount: live.amount(state.cents), value: live.amount(worth()), n: count })),
            el("p", {}, count ? say("live.stacks", { full, over }) : "", rest ? ` · ${say("live.change", { amount: live.amount(rest) })}` : ""),
            stacksOf(state.colour, count, 8),
          ]),
      ...(state.colour !== VALUE && worth() > (live.live.least ?? 0) && live.colour(state.colour)?.position === null
        ? [el("p", { class: "notice" }, say("live.put-marker", { value: live.amount(worth()), colour: live.chipName(state.colour) }))]
        : []),
    ];
  };
  const clause = live.client.view.notice?.rules.find(({ rule }) => rule === "chip-value")?.clause;
  valueLine.append(el("h3", {}, say("live.chip-worth")), values, el("p", { class: "small" }, say("live.one-value"), " ", clauseSign(live.rulebook, clause) ?? ""));
  const left = el("div", { class: "stackcol" });
  left.append(
    el("h3", {}, say("live.seat-title")),
    seats,
    el("h3", {}, say("live.colour-title")),
    colours,
    valueLine,
    el("h3", {}, say("live.paid-with")),
    tenders,
  );
  set({}, true);
  return { node: el("div", { class: "two" }, left, offer), foot: [go], draw };
}

/** The first seat without a player. @param {LiveTable} live */
function freeSeat(live) {
  const taken = new Set(live.players.map((player) => live.labelOf(player)));
  const seats = Array.from({ length: SEATS }, (_, seat) => say("live.seat", { n: seat + 1 }));
  return seats.find((label) => !taken.has(label)) ?? "";
}

/** A choice. @param {string} words @param {boolean} chosen @param {() => void} press */
const pick = (words, chosen, press) => button(words, press, { "aria-pressed": String(chosen) });

/** The colour that a seat buys: its own, or a free one. @param {LiveTable} live @param {string} label @param {string} before */
function colourFor(live, label, before) {
  const player = live.players.find((each) => live.labelOf(each) === label);
  if (player) return player.colours[0] ?? before;
  const row = live.colour(before);
  return row?.position === null ? before : (live.colours.find(({ position }) => position === null)?.colour ?? VALUE);
}

/**
 * @param {LiveTable} live @param {ColourRow} row @param {{colour: string}} state @param {PlayerRow | null} player
 * @param {() => void} press
 */
function swatch(live, row, state, player, press) {
  const holder = row.position === null ? null : live.player(row.position);
  const key = button(chipOf(row.colour, ""), press, { class: "swatch", "aria-pressed": String(state.colour === row.colour) });
  key.append(el("span", {}, live.chipName(row.colour)), el("small", {}, holder ? live.labelOf(holder) : say("live.free")));
  enabled(key, holder === null || holder === player);
  return key;
}

/** An amount in value chips. @param {LiveTable} live @param {number} cents */
export function cashLine(live, cents) {
  const { chips, left } = inValueChips(cents, live.denominations);
  const parts = chips.map(([value, count]) =>
    el("span", { class: "cash-one" }, chipOf(`v${value}`, value % 100 === 0 ? value / 100 : (value / 100).toFixed(2)), el("b", {}, `× ${count}`)),
  );
  return el("div", { class: "cash-row" }, ...parts, left ? el("b", {}, `+ ${live.amount(left)}`) : "");
}

/** Exchange chips of a colour for value chips, and take the colour back. @param {LiveTable} live @param {Send} send @returns {Tab} */
function redeem(live, send) {
  const owned = () => live.colours.filter(({ position }) => position !== null);
  const state = { colour: live.current?.colours[0] ?? owned()[0]?.colour ?? "", count: 0 };
  const colours = el("div", { class: "picks" });
  const left = el("div", { class: "stackcol" });
  const offer = el("div", { class: "offer" });
  const go = button("", () => void pay(), { class: "main" });
  const back = button(say("live.take-back"), () => void takeBack());
  const leave = button(say("live.leaves"), () => void send([() => ({ type: "LeaveTable", position: live.colour(state.colour)?.position ?? live.current?.position })]));
  const row = () => live.colour(state.colour);
  const pay = () => send([() => ({ type: "RedeemColour", position: row()?.position, colour: state.colour, pieces: state.count })]);
  const takeBack = () => send([() => ({ type: "ReturnColour", colour: state.colour, counted: (row()?.pieces ?? 0) - (row()?.out ?? 0) })]);
  const set = (/** @type {Partial<typeof state>} */ chosen) => (Object.assign(state, chosen), draw());
  const draw = () => {
    const own = row();
    colours.replaceChildren(...owned().map((each) => swatch(live, each, state, each.position === null ? null : live.player(each.position), () => set({ colour: each.colour, count: 0 }))));
    // Chips on the felt are in play: they are redeemed when they have been paid or taken back.
    const player = own?.position ? live.player(own.position) : null;
    const inPlay = player && own ? (piecesOn(live.layoutOf(player))[own.colour] ?? 0) : 0;
    const most = own?.out === null || own?.out === undefined ? Infinity : own.out - inPlay;
    const add = (/** @type {number} */ n) => () => set({ count: Math.min(most, state.count + n) });
    const piles = pilesOf(state.count);
    left.replaceChildren(
      el("h3", {}, say("live.colour-title")),
      colours,
      el("h3", {}, say("live.count-stacks")),
      el("div", { class: "picks" }, button(say("live.one-stack"), add(STACK)), button("+ 5", add(5)), button("+ 1", add(1)), button(icon("undo"), () => set({ count: 0 }), { "aria-label": say("live.clear") }), own?.out ? button(say("live.all-out", { n: most }), () => set({ count: most })) : ""),
      inPlay > 0 ? el("p", { class: "soft" }, say("live.in-play", { n: inPlay })) : "",
      el("p", { class: "eq" }, say("live.counted", { n: state.count, stacks: piles.filter((each) => each === STACK).length, over: state.count % STACK })),
      own ? stacksOf(own.colour, state.count, 10) : "",
    );
    const cents = state.count * (own?.value ?? 0);
    offer.replaceChildren(
      el("p", { class: "amount" }, live.amount(cents)),
      el("p", { class: "eq" }, say("live.multiplies", { n: state.count, value: live.amount(own?.value), amount: live.amount(cents) })),
      el("h3", {}, say("live.in-value-chips")),
      cashLine(live, cents),
    );
    text(go, say("live.redeem-pay", { amount: live.amount(cents) }));
    enabled(go, state.count > 0);
    shown(back, own !== null && own.out === 0);
    shown(leave, own === null || own.out === null);
  };
  return { node: el("div", { class: "two" }, left, offer), foot: [leave, back, go], draw };
}

/** One more colour for a player, with an officer's approval. @param {LiveTable} live @param {Send} send @returns {Tab} */
function second(live, send) {
  const state = { position: live.current?.position ?? live.players[0]?.position ?? 0, colour: "", words: "" };
  const players = el("div", { class: "picks" });
  const colours = el("div", { class: "picks" });
  const note = el("p", { class: "notice" });
  const why = el("input", { maxlength: 200, autocomplete: "off" });
  why.addEventListener("input", () => ((state.words = why.value), draw()));
  const approve = button(say("live.approve"), () => void send([() => ({ type: "ApproveSecondColour", position: state.position, words: state.words })]));
  const go = button(say("live.allocate"), () => void send([() => ({ type: "AllocateColour", position: state.position, colour: state.colour, value: worth() })]), { class: "main" });
  const player = () => live.player(state.position);
  const worth = () => live.colour(player()?.colours[0] ?? "")?.value ?? null;
  const set = (/** @type {Partial<typeof state>} */ chosen) => (Object.assign(state, chosen), draw());
  const draw = () => {
    players.replaceChildren(...live.players.filter(({ colours: own }) => own.length > 0).map((each) => pick(`${live.playerName(each)} · ${live.labelOf(each)}`, each.position === state.position, () => set({ position: each.position }))));
    colours.replaceChildren(...live.colours.filter(({ position }) => position === null).map((row) => swatch(live, row, state, null, () => set({ colour: row.colour }))));
    const approved = player()?.second_colour ?? false;
    text(note, approved ? say("live.approved") : say("live.needs-officer", { value: live.amount(worth()) }));
    marked(note, "data-look", approved ? "ok" : null);
    enabled(approve, !approved && state.words.trim() !== "" && player() !== null);
    enabled(go, state.colour !== "" && player() !== null);
  };
  const node = el(
    "div",
    { class: "stackcol" },
    el("h3", {}, say("live.player-title")),
    players,
    el("h3", {}, say("live.free-colours")),
    colours,
    note,
    field(say("live.reason"), why),
  );
  return { node, foot: [approve, go], draw };
}
