// Draws that can be proven: adding a share of the player, and the records of draws with their verification.

import { openDialog } from "../../shared/dialog.js";
import { say } from "../../shared/text.js";
import { pocketTile } from "../../shared/pocket.js";
import { button, h } from "../../shared/render.js";

/**
 * @typedef {import("../controller.js").Controller} Controller
 * @typedef {import("../../shared/types/wire.js").DrawState} DrawState
 * @typedef {{counts: [number, number][], multiples: [number, number][]}} Multipliers values with their weights
 * @typedef {{draw: DrawState, mine: boolean, seen: boolean, proven: boolean | null}} Kept a finished draw, whether it has a
 *   share of this player, whether this page saw its commitment while betting was open, and whether its number follows; null
 *   until that is computed
 */

const LENGTH = 32;
const KEPT_MOST = 20;
/** Share and commitment of a running draw: a page that is reloaded must still reveal its share. */
const STORED = "croupier:share:";
/** The phases in which a share is revealed. */
const REVEALS = new Set(["closed", "running"]);

/** Browsers compute digests only on a secure address. */
const isPossible = () => globalThis.crypto?.subtle !== undefined;

/** Whether players take part, the finished draws, the newest first, and what to call when they change. */
const state = { joins: false, kept: /** @type {Kept[]} */ ([]), changed: () => {} };
/** The commitment of each table's spin, as it was while betting was open: a record that comes later cannot replace it. @type {Map<string, string>} */
const seen = new Map();

/** Follow the draws of all tables: commit to a share and reveal it, if the player takes part. @param {Controller} ui */
export function watchDraws(ui) {
  /** The spins whose share is being made or was revealed. @type {Set<string>} */
  const busy = new Set();
  return () => {
    for (const name of isPossible() ? ui.tables() : []) {
      const table = ui.table(name);
      const draw = table?.draw;
      if (!table || !draw) continue;
      const of = `${name}/${draw.round}/${draw.spin}`;
      const stored = sessionStorage.getItem(STORED + of);
      if (ui.isOpen(name)) seen.set(name, `${of} ${draw.commitment}`);
      if (draw.secret) keep(ui, draw, stored);
      else if (state.joins && stored === null && ui.isOpen(name) && !busy.has(of)) {
        busy.add(of);
        void commit(ui, draw, of);
      } else if (stored !== null && REVEALS.has(table.phase) && !busy.has(`reveal ${of}`)) {
        busy.add(`reveal ${of}`);
        ui.sendCommand("RevealShare", { share: JSON.parse(stored).share }, null, { table: name });
      }
    }
  };
}

/** @param {Controller} ui @param {DrawState} draw @param {string} of */
async function commit(ui, draw, of) {
  const { table } = draw;
  const share = hex(crypto.getRandomValues(new Uint8Array(LENGTH)));
  const commitment = await commitmentTo(draw, "player", share);
  if (!ui.isOpen(table)) return;
  sessionStorage.setItem(STORED + of, JSON.stringify({ share, commitment }));
  ui.sendCommand("CommitShare", { commitment }, null, { table });
}

/** @param {Controller} ui @param {DrawState} draw @param {string | null} stored */
function keep(ui, draw, stored) {
  const known = state.kept.some(({ draw: one }) =>
    one.table === draw.table && one.round === draw.round && one.spin === draw.spin
  );
  if (known) return;
  const commitment = stored === null ? null : JSON.parse(stored).commitment;
  /** @type {Kept} */
  const kept = {
    draw,
    seen: seen.get(draw.table) === `${draw.table}/${draw.round}/${draw.spin} ${draw.commitment}`,
    mine: commitment !== null && Object.values(draw.committed).includes(commitment),
    proven: null,
  };
  state.kept = [kept, ...state.kept].slice(0, KEPT_MOST);
  sessionStorage.removeItem(`${STORED}${draw.table}/${draw.round}/${draw.spin}`);
  const data = ui.data(draw.table);
  const order = data?.wheel.map(({ pocket }) => pocket) ?? [];
  void isProven(draw, order, data?.multipliers ?? null).then((proven) => {
    kept.proven = proven;
    state.changed();
  });
  state.changed();
}

/** The dialog: take part, and the records. @param {Controller} ui */
export function openProof(ui) {
  const join = () => {
    state.joins = !state.joins;
    dialog.redraw();
  };
  const dialog = openDialog({
    name: "proof",
    title: say("proof.title"),
    body: () => [
      h("p", null, say("proof.about")),
      isPossible()
        ? button(say(state.joins ? "proof.leave" : "proof.join"), join, { "aria-pressed": String(state.joins) })
        : h("p", { class: "quiet" }, say("proof.secure")),
      state.kept.length === 0 && h("p", { class: "quiet" }, say("proof.none")),
      h("ul", { class: "proofs" }, state.kept.map((kept) => row(kept, ui.data(kept.draw.table)?.colours))),
    ],
    closed: () => (state.changed = () => {}),
  });
  state.changed = dialog.redraw;
}

/** @param {Kept} kept @param {import("../../shared/pocket.js").Colours} colours */
function row({ draw, mine, seen: before, proven }, colours) {
  const verdict = proven === null ? "" : say(!proven ? "proof.fails" : before ? "proof.holds" : "proof.unseen");
  const shares = say("proof.shares", { n: Object.keys(draw.revealed).length });
  return h(
    "li",
    {
      key: `${draw.table} ${draw.round} ${draw.spin}`,
      "data-state": proven === null ? null : proven ? "payable" : "closed",
    },
    pocketTile(draw.pocket ?? "", colours),
    h(
      "p",
      null,
      h("b", null, say("replay.round", { round: draw.round })),
      h("span", null, shares, mine && ` · ${say("proof.yours")}`),
      h("span", { class: "state" }, verdict),
    ),
    button(say("proof.save"), () => save(draw)),
  );
}

/** Save a record: `croupier prove FILE` verifies it. @param {DrawState} draw */
function save(draw) {
  const file = new Blob([JSON.stringify(draw, null, 2)], { type: "application/json" });
  const href = URL.createObjectURL(file);
  const download = `draw-${draw.table}-${draw.round}.json`;
  const link = Object.assign(document.createElement("a"), { href, download });
  link.click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}

// Verification, as rules/proofs.py has it.

/** @param {Uint8Array} bytes */
const hex = (bytes) => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {...(Uint8Array | string)} parts */
async function digest(...parts) {
  const pieces = parts.map((part) => (typeof part === "string" ? new TextEncoder().encode(part) : part));
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return new Uint8Array(await crypto.subtle.digest("SHA-256", whole));
}

/** Lines of text, each with a line feed at its end. @param {(string | number)[]} parts */
const lines = (parts) => parts.map((part) => `${part}\n`).join("");

/** @param {DrawState} draw @param {"house" | "player"} party @param {string} hidden */
const commitmentTo = async ({ table, round, spin }, party, hidden) =>
  hex(await digest(lines(["croupier commitment 2", table, round, spin, party, hidden])));

/**
 * Whether secret and shares are those that were committed to, and number and multiples follow from them.
 * @param {DrawState} draw @param {string[]} order @param {Multipliers | null} multipliers
 */
async function isProven(draw, order, multipliers) {
  const { table, round, spin, secret, commitment, committed, revealed, pocket } = draw;
  if (!secret || (await commitmentTo(draw, "house", secret)) !== commitment) return false;
  const positions = [...new Set([...Object.keys(committed), ...Object.keys(revealed)])].sort((one, other) =>
    Number(one) - Number(other)
  );
  for (const position of positions) {
    if (!revealed[position] || (await commitmentTo(draw, "player", revealed[position])) !== committed[position]) {
      return false;
    }
  }
  const shares = positions.map((position) => `${position} ${revealed[position]}`);
  const parts = [table, round, spin, secret, ...shares];
  const drawn = order[await below(order.length, bytesOf(["croupier draw 2", ...parts]))];
  return drawn === pocket &&
    await isDrawn(draw.multiples ?? {}, order, multipliers, ["croupier multiples 1", ...parts]);
}

/**
 * Whether multiples are those that follow from a seed.
 * @param {Record<string, number>} multiples @param {string[]} order @param {Multipliers | null} multipliers
 * @param {(string | number)[]} seed
 */
async function isDrawn(multiples, order, multipliers, seed) {
  if (!multipliers) return Object.keys(multiples).length === 0;
  const [bytes, left] = [bytesOf(seed), [...order]];
  const count = await pick(multipliers.counts, bytes);
  if (Object.keys(multiples).length !== count) return false;
  for (let place = 0; place < count; place += 1) {
    const [pocket] = left.splice(await below(left.length, bytes), 1);
    if (multiples[pocket] !== (await pick(multipliers.multiples, bytes))) return false;
  }
  return true;
}

/** The bytes that follow from lines of text. @param {(string | number)[]} seed */
async function* bytesOf(seed) {
  const hash = await digest(lines(seed));
  for (let block = 0;; block += 1) {
    const counter = new Uint8Array(8);
    new DataView(counter.buffer).setUint32(4, block);
    yield* await digest(hash, counter);
  }
}

/** A number below a count: bytes that would favour some are rejected. @param {number} count @param {AsyncGenerator<number>} bytes */
async function below(count, bytes) {
  let values = 256;
  while (values < count) values *= 256;
  const fair = values - (values % count);
  for (;;) {
    let word = 0;
    for (let size = 1; size < values; size *= 256) word = word * 256 + (await bytes.next()).value;
    if (word < fair) return word % count;
  }
}

/** An entry of a table of weights. @param {[number, number][]} entries values and weights @param {AsyncGenerator<number>} bytes */
async function pick(entries, bytes) {
  let left = await below(entries.reduce((sum, [, weight]) => sum + weight, 0), bytes);
  for (const [value, weight] of entries) {
    left -= weight;
    if (left < 0) return value;
  }
  return 0;
}
