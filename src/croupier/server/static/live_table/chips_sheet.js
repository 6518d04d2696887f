// The chips of a live table's players: buy in, redeem, a second colour, and colours that go back.

import { refusalText } from "../console/forms.js";
import { chipOf, figuresOf, STACK, stacksOf, valueChip } from "../felt/pieces.js";
import { openDialog } from "../shared/dialog.js";
import { centsOf } from "../shared/money.js";
import { button, field, h, icon } from "../shared/render.js";
import { tabList } from "../shared/tabs.js";
import { say } from "../shared/text.js";
import { inValueChips, piecesOn } from "./entry.js";
import { openFloat } from "./float_sheet.js";
import { clauseSign } from "./table.js";

/**
 * @typedef {import("./table.js").LiveTable} LiveTable
 * @typedef {import("./table.js").PlayerRow} PlayerRow
 * @typedef {import("./table.js").ColourRow} ColourRow
 * @typedef {import("../shared/render.js").Child} Child
 * @typedef {(...commands: (() => object | null)[]) => Promise<void>} Send sends commands one after another until one is refused
 * @typedef {{body: () => Child, foot: () => Child}} Tab
 * @typedef {(live: LiveTable, send: Send, redraw: () => void) => Tab} OpenTab
 */

const SEATS = 8;
/** The value of chips that are not of a colour. */
const VALUE = "value";

/** @type {Record<string, OpenTab>} */
const TABS = { "buy-in": buyIn, redeem, second };

/** Open the sheet of chips. @param {LiveTable} live */
export function openChips(live) {
  /** @type {import("../console/client.js").CommandResponse["refusal"]} */
  let refusal = null;
  const redraw = () => dialog.redraw();
  /** @type {Send} */
  const send = async (...commands) => {
    refusal = null;
    for (const command of commands) {
      const wanted = command();
      if (wanted === null) continue;
      const response = await live.client.sendCommand({ ...wanted, table: live.table });
      if (!response.refusal) continue;
      refusal = response.refusal;
      return redraw();
    }
    dialog.close();
  };
  let name = "buy-in";
  let tab = TABS[name](live, send, redraw);
  const show = (/** @type {string} */ wanted) => {
    if (wanted === "float") {
      dialog.close();
      return openFloat(live);
    }
    name = wanted;
    refusal = null;
    tab = TABS[name](live, send, redraw);
    redraw();
  };
  const tabs = [...Object.keys(TABS), "float"].map((id) => ({ id, label: say(`live-tab.${id}`) }));
  const dialog = openDialog({
    name: "chips",
    title: say("live.chips-of", { table: live.table }),
    look: "wide",
    light: false,
    body: () => {
      const { list, panel } = tabList({ name: "chips", tabs, chosen: name, choose: show, look: "levels" });
      return [list, h("div", { ...panel, class: "tab", key: name }, tab.body()), refusalText(refusal)];
    },
    foot: () => h("div", { class: "foot-keys" }, button(say("live.leave"), () => dialog.close()), tab.foot()),
  });
  dialog.node.classList.add("chips-sheet");
}

/** @type {OpenTab} */
function buyIn(live, send, redraw) {
  const { current } = live;
  const labels = Array.from({ length: SEATS }, (_, seat) => say("live.seat", { n: seat + 1 }));
  const taken = new Set(live.players.map((player) => live.labelOf(player)));
  const least = live.live.least ?? 0;
  const state = {
    label: current ? live.labelOf(current) : (labels.find((label) => !taken.has(label)) ?? ""),
    colour: current?.colours[0] ?? freeColour(live),
    value: live.live.least ?? live.denominations.at(-1) ?? 100,
    cents: 0,
    typed: "0",
    tender: "cash",
  };
  const set = (/** @type {Partial<typeof state>} */ chosen) => {
    Object.assign(state, chosen);
    redraw();
  };
  const setCents = (/** @type {number} */ cents) => set({ cents, typed: figuresOf(cents) });
  const owner = () => live.players.find((player) => live.labelOf(player) === state.label) ?? null;
  const row = () => live.colour(state.colour);
  const isNewColour = () => state.colour !== VALUE && row()?.position === null;
  const worth = () => (row() === null || isNewColour() ? state.value : (row()?.value ?? 0));
  const pieces = () => (state.colour === VALUE ? 0 : Math.floor(state.cents / worth()));
  const buy = () => {
    const known = owner();
    /** The player, once seated. */
    const position = () => (known ?? live.players.filter(({ label }) => label === state.label).at(-1))?.position;
    const colour = state.colour === VALUE ? null : state.colour;
    const isNew = isNewColour();
    return send(
      () => (known ? null : { type: "SeatPlayer", label: state.label }),
      () => (isNew ? { type: "AllocateColour", position: position(), colour, value: state.value } : null),
      () => ({ type: "BuyChips", position: position(), tender: state.tender, amount: state.cents, colour }),
    );
  };
  const offered = [
    ...new Set([...(least ? [least] : []), ...[...live.denominations].reverse().filter((value) => value >= least)]),
  ];
  const choices = () => {
    const player = owner();
    const clause = live.client.view.notice?.rules.find(({ rule }) => rule === "chip-value")?.clause;
    const seat = (/** @type {string} */ label) =>
      pick(label, state.label === label, () => set({ label, colour: colourFor(live, label, state.colour) }));
    return h(
      "div",
      { class: "stackcol" },
      h("h3", null, say("live.seat-title")),
      h("div", { class: "picks" }, labels.map(seat)),
      h("h3", null, say("live.colour-title")),
      h(
        "div",
        { class: "picks" },
        live.colours.map((one) => swatch(live, one, state.colour, player, () => set({ colour: one.colour }))),
        pick(say("live.value-chips"), state.colour === VALUE, () => set({ colour: VALUE, tender: "cash" })),
      ),
      isNewColour() && [
        h("h3", null, say("live.chip-worth")),
        h(
          "div",
          { class: "picks" },
          offered.map((value) => pick(live.amount(value), state.value === value, () => set({ value }))),
        ),
        h("p", { class: "small" }, say("live.one-value"), " ", clauseSign(live.rulebook, clause)),
      ],
      h("h3", null, say("live.paid-with")),
      h(
        "div",
        { class: "picks" },
        pick(say("live.notes"), state.tender === "cash", () => set({ tender: "cash" })),
        state.colour !== VALUE &&
          pick(say("live.value-tender"), state.tender === "value_chips", () => set({ tender: "value_chips" })),
      ),
    );
  };
  const offer = () => {
    const count = pieces();
    const rest = state.colour === VALUE ? 0 : state.cents - count * worth();
    const amount = live.amount(state.cents);
    const value = live.amount(worth());
    const type = (/** @type {any} */ { target }) => set({ cents: centsOf(target.value) ?? 0, typed: target.value });
    return h(
      "div",
      { class: "offer" },
      field(
        say("live.amount"),
        h("input", {
          inputmode: "decimal",
          "aria-label": say("live.amount"),
          autocomplete: "off",
          value: state.typed,
          input: type,
        }),
      ),
      h(
        "div",
        { class: "picks" },
        offered.slice(-4).map((cents) => button(`+ ${live.amount(cents)}`, () => setCents(state.cents + cents))),
        button(say("live.clear"), () => setCents(0)),
      ),
      state.colour === VALUE ? cashLine(live, state.cents) : [
        h("p", { class: "eq" }, say("live.divides", { amount, value, n: count })),
        h(
          "p",
          null,
          count > 0 && say("live.stacks", { full: Math.floor(count / STACK), over: count % STACK }),
          rest > 0 && ` · ${say("live.change", { amount: live.amount(rest) })}`,
        ),
        stacksOf(state.colour, count, 8),
        worth() > least && isNewColour() &&
        h("p", { class: "notice" }, say("live.put-marker", { value, colour: live.chipName(state.colour) })),
      ],
    );
  };
  return {
    body: () => h("div", { class: "two" }, choices(), offer()),
    foot: () => {
      const [n, amount] = [pieces(), live.amount(state.cents)];
      const label = n ? say("live.hand-out", { n, amount }) : say("live.hand-out-value", { amount });
      return button(label, () => void buy(), { class: "main", disabled: state.label === "" || state.cents <= 0 });
    },
  };
}

/** A choice. @param {string} label @param {boolean} isChosen @param {() => void} press */
const pick = (label, isChosen, press) => button(label, press, { key: label, "aria-pressed": String(isChosen) });

/** The first colour without a player; value chips where there is none. @param {LiveTable} live */
const freeColour = (live) => live.colours.find(({ position }) => position === null)?.colour ?? VALUE;

/** The colour that a seat buys: its own, or a free one. @param {LiveTable} live @param {string} label @param {string} before */
function colourFor(live, label, before) {
  const player = live.players.find((each) => live.labelOf(each) === label);
  if (player) return player.colours[0] ?? before;
  return live.colour(before)?.position === null ? before : freeColour(live);
}

/**
 * @param {LiveTable} live @param {ColourRow} row @param {string} chosen @param {PlayerRow | null} player who may choose it
 * @param {() => void} press
 */
function swatch(live, row, chosen, player, press) {
  const holder = row.position === null ? null : live.player(row.position);
  const face = [
    chipOf(row.colour, ""),
    h("span", null, live.chipName(row.colour)),
    h("small", null, holder ? live.labelOf(holder) : say("live.free")),
  ];
  const disabled = holder !== null && holder !== player;
  return button(face, press, {
    key: row.colour,
    class: "swatch",
    "aria-pressed": String(chosen === row.colour),
    disabled,
  });
}

/** An amount in value chips. @param {LiveTable} live @param {number} cents */
export function cashLine(live, cents) {
  const { chips, left } = inValueChips(cents, live.denominations);
  return h(
    "div",
    { class: "cash-row" },
    chips.map(([value, count]) =>
      h("span", { class: "cash-one" }, chipOf(valueChip(value), figuresOf(value)), h("b", null, `× ${count}`))
    ),
    left > 0 && h("b", null, `+ ${live.amount(left)}`),
  );
}

/** Exchange chips of a colour for value chips, and take the colour back. @type {OpenTab} */
function redeem(live, send, redraw) {
  const owned = () => live.colours.filter(({ position }) => position !== null);
  const state = { colour: live.current?.colours[0] ?? owned()[0]?.colour ?? "", count: 0 };
  const set = (/** @type {Partial<typeof state>} */ chosen) => {
    Object.assign(state, chosen);
    redraw();
  };
  const row = () => live.colour(state.colour);
  const amount = () => live.amount(state.count * (row()?.value ?? 0));
  const counting = () => {
    const own = row();
    // Chips on the felt are in play: they are redeemed when they have been paid or taken back.
    const player = own?.position ? live.player(own.position) : null;
    const waits = player && own ? (piecesOn(player.carried)[own.colour] ?? 0) : 0;
    const inPlay = player && own ? (piecesOn(live.layoutOf(player))[own.colour] ?? 0) + waits : 0;
    const most = own?.out === null || own?.out === undefined ? Infinity : own.out - inPlay;
    const add = (/** @type {number} */ n) => () => set({ count: Math.min(most, state.count + n) });
    const counted = { n: state.count, stacks: Math.floor(state.count / STACK), over: state.count % STACK };
    return h(
      "div",
      { class: "stackcol" },
      h("h3", null, say("live.colour-title")),
      h(
        "div",
        { class: "picks" },
        owned().map((one) => {
          const holder = one.position === null ? null : live.player(one.position);
          return swatch(live, one, state.colour, holder, () => set({ colour: one.colour, count: 0 }));
        }),
      ),
      h("h3", null, say("live.count-stacks")),
      h(
        "div",
        { class: "picks" },
        button(say("live.one-stack"), add(STACK)),
        button("+ 5", add(5)),
        button("+ 1", add(1)),
        button(icon("undo"), () => set({ count: 0 }), { "aria-label": say("live.clear") }),
        own?.out && button(say("live.all-out", { n: most }), () => set({ count: most })),
      ),
      inPlay > 0 && h("p", { class: "soft" }, say("live.in-play", { n: inPlay })),
      waits > 0 && h("p", { class: "soft" }, say("live.waits-of", { n: waits })),
      h("p", { class: "eq" }, say("live.counted", counted)),
      own && stacksOf(own.colour, state.count, 10),
    );
  };
  const leave = () => send(() => ({ type: "LeaveTable", position: row()?.position ?? live.current?.position }));
  const takeBack = () =>
    send(() => ({ type: "ReturnColour", colour: state.colour, counted: (row()?.pieces ?? 0) - (row()?.out ?? 0) }));
  const pay = () =>
    send(() => ({ type: "RedeemColour", position: row()?.position, colour: state.colour, pieces: state.count }));
  return {
    body: () =>
      h(
        "div",
        { class: "two" },
        counting(),
        h(
          "div",
          { class: "offer" },
          h("p", { class: "amount" }, amount()),
          h(
            "p",
            { class: "eq" },
            say("live.multiplies", { n: state.count, value: live.amount(row()?.value), amount: amount() }),
          ),
          h("h3", null, say("live.in-value-chips")),
          cashLine(live, state.count * (row()?.value ?? 0)),
        ),
      ),
    foot: () => [
      (row()?.out ?? null) === null && button(say("live.leaves"), () => void leave()),
      row()?.out === 0 && button(say("live.take-back"), () => void takeBack()),
      button(say("live.redeem-pay", { amount: amount() }), () => void pay(), {
        class: "main",
        disabled: state.count === 0,
      }),
    ],
  };
}

/** One more colour for a player, with an officer's approval. @type {OpenTab} */
function second(live, send, redraw) {
  const state = { position: live.current?.position ?? live.players[0]?.position ?? 0, colour: "", reason: "" };
  const set = (/** @type {Partial<typeof state>} */ chosen) => {
    Object.assign(state, chosen);
    redraw();
  };
  const player = () => live.player(state.position);
  const isApproved = () => player()?.second_colour ?? false;
  const worth = () => live.colour(player()?.colours[0] ?? "")?.value ?? null;
  const approve = () => send(() => ({ type: "ApproveSecondColour", position: state.position, words: state.reason }));
  const allocate = () =>
    send(() => ({ type: "AllocateColour", position: state.position, colour: state.colour, value: worth() }));
  const type = (/** @type {any} */ { target }) => set({ reason: target.value });
  return {
    body: () =>
      h(
        "div",
        { class: "stackcol" },
        h("h3", null, say("live.player-title")),
        h(
          "div",
          { class: "picks" },
          live.players
            .filter(({ colours }) => colours.length > 0)
            .map((one) =>
              pick(`${live.playerName(one)} · ${live.labelOf(one)}`, one.position === state.position, () =>
                set({ position: one.position }))
            ),
        ),
        h("h3", null, say("live.free-colours")),
        h(
          "div",
          { class: "picks" },
          live.colours.filter(({ position }) =>
            position === null
          ).map((row) =>
            swatch(live, row, state.colour, null, () => set({ colour: row.colour }))
          ),
        ),
        h(
          "p",
          { class: "notice", "data-look": isApproved() && "ok" },
          isApproved() ? say("live.approved") : say("live.needs-officer", { value: live.amount(worth()) }),
        ),
        field(say("live.reason"), h("input", { maxlength: 200, autocomplete: "off", input: type })),
      ),
    foot: () => [
      button(say("live.approve"), () => void approve(), {
        disabled: isApproved() || state.reason.trim() === "" || player() === null,
      }),
      button(say("live.allocate"), () => void allocate(), {
        class: "main",
        disabled: state.colour === "" || player() === null,
      }),
    ],
  };
}
