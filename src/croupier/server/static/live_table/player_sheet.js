// A player with chips: conduct, partners, marker buttons, an arrangement, and what a correction has left to pay.

import { openForm, refusalText } from "../console/forms.js";
import { chipOf, valueOf } from "../felt/pieces.js";
import { openDialog } from "../shared/dialog.js";
import { button, h } from "../shared/render.js";
import { say, spotName } from "../shared/text.js";
import { worthOf } from "./entry.js";
import { clauseSign } from "./table.js";

/**
 * @typedef {import("./table.js").LiveTable} LiveTable
 * @typedef {import("./table.js").PlayerRow} PlayerRow
 * @typedef {(command: object) => Promise<void>} Send
 */

/** @param {LiveTable} live @param {number} position */
export function openPlayer(live, position) {
  const first = live.player(position);
  if (!first) return;
  /** @type {import("../console/client.js").CommandResponse["refusal"]} */
  let refusal = null;
  /** @type {Send} */
  const send = async (command) => {
    ({ refusal } = await live.client.sendCommand({ table: live.table, position, ...command }));
    dialog.redraw();
  };
  const dialog = openDialog({
    name: "player",
    title: `${live.playerName(first)} · ${live.labelOf(first)}`,
    look: "middle",
    body: () => {
      const player = live.player(position) ?? first;
      const sections = [conduct(live, player, send), partners(live, player, send), markers(live, player, send)];
      sections.push(waiting(live, player, send), arrangement(live, player), account(live, player, send));
      sections.push(corrections(live, player));
      return [h("div", { class: "stackcol" }, sections), refusalText(refusal)];
    },
    foot: () => button(say("live.leave"), () => dialog.close(), { class: "main" }),
    update: () => live.player(position) ?? dialog.close(),
  });
}

/**
 * A part of the sheet: its title, what applies now with its clause, and what can be done.
 * @param {LiveTable} live @param {{title: string, words: string, clause?: string | null, look?: string}} about @param {import("../shared/render.js").Child} keys
 */
const section = (live, { title, words, clause = null, look = "small" }, keys) => [
  h("h3", null, title),
  h("p", { class: look }, words, " ", clauseSign(live.rulebook, clause)),
  h("div", { class: "picks" }, keys),
];

/** Infringements, and bets that are refused. @param {LiveTable} live @param {PlayerRow} player @param {Send} send */
function conduct(live, player, send) {
  const rules = live.live.conduct;
  if (!rules || (rules.infringements.length === 0 && rules.barring === null)) return null;
  const { position } = player;
  const kinds = rules.infringements.map(({ kind, clause }) =>
    button(
      [say(`infringement.${kind}`), " ", h("small", null, clause)],
      () => void send({ type: "NoteInfringement", kind }),
      { key: kind },
    )
  );
  const words = player.barred
    ? say("live.barred-words", { clause: player.barred })
    : say("live.infringements", { n: player.infringements, most: rules.infringements_most });
  const act = player.barred
    ? button(say("live.admit"), () => void send({ type: "AdmitPlayer" }))
    : button(say("live.bar"), () => barForm(live, position), { class: "grave" });
  const look = player.barred ? "notice" : "small";
  return section(live, { title: say("live.conduct"), words, clause: rules.barring, look }, [...kinds, act]);
}

/** @param {LiveTable} live @param {number} position */
const barForm = (live, position) =>
  openForm({
    name: "bar-player",
    title: say("live.bar"),
    fields: [{ name: "words", label: say("live.reason"), kind: "words" }],
    does: say("live.bar"),
    grave: true,
    send: ({ words }) => live.client.sendCommand({ type: "BarPlayer", table: live.table, position, words }),
  });

/** Players who bet together have one maximum. @param {LiveTable} live @param {PlayerRow} player @param {Send} send */
function partners(live, player, send) {
  const clause = live.live.conduct?.partnership;
  if (!clause) return null;
  const { position, group } = player;
  const others = live.players.filter((each) => each.position !== position);
  const linked = others.filter((each) => group !== null && each.group === group);
  const name = (/** @type {PlayerRow} */ each) => `${live.playerName(each)} · ${live.labelOf(each)}`;
  const free = others.filter((each) => group === null || each.group !== group);
  const keys = free.map((each) =>
    button(
      say("live.link-with", { name: name(each) }),
      () => void send({ type: "LinkPlayers", position: undefined, positions: [position, each.position] }),
    )
  );
  if (group !== null) {
    keys.push(button(say("live.unlink"), () => void send({ type: "UnlinkPlayers", position: undefined, group })));
  }
  const words = group === null
    ? say("live.partners-none")
    : say("live.partners-with", { names: linked.map(name).join(", ") });
  return section(live, { title: say("live.partners"), words, clause }, keys);
}

/** Chips that wait for another spin: a player who leaves gives them up. @param {LiveTable} live @param {PlayerRow} player @param {Send} send */
function waiting(live, player, send) {
  const spots = Object.entries(player.carried);
  if (spots.length === 0) return null;
  const words = spots.map(([spot, pieces]) => {
    const amount = live.amount(worthOf(pieces, (chip) => live.chipValue(chip)));
    return say("live.waits-amount", { amount, spot: live.spotName(spot) });
  }).join("; ");
  const act = button(say("live.give-up"), () => void send({ type: "ReleaseChips" }), { class: "grave" });
  return section(live, { title: say("live.waits"), words, clause: live.live.conduct?.release }, [act]);
}

/** Marker buttons at a table where only some players may use them. @param {LiveTable} live @param {PlayerRow} player @param {Send} send */
function markers(live, player, send) {
  if (!live.live.conduct?.designated_only) return null;
  const on = !player.markers;
  const words = say(player.markers ? "live.markers-allowed" : "live.markers-not-allowed");
  const key = button(
    say(on ? "live.markers-allow" : "live.markers-withdraw"),
    () => void send({ type: "DesignateMarkers", on }),
  );
  return section(live, { title: say("live.markers"), words, clause: live.live.conduct.markers }, [key]);
}

/** A written arrangement, and its end. @param {LiveTable} live @param {PlayerRow} player */
function arrangement(live, player) {
  const clause = live.live.conduct?.arrangement;
  if (!clause) return null;
  const number = player.arrangement;
  const keys = number === null
    ? [button(say("live.notify"), () => notifyForm(live)), button(say("live.arrange"), () => arrangeForm(live, player))]
    : [button(say("live.end-arrangement"), () => endForm(live, number))];
  const words = number === null
    ? say("live.arrangement-none")
    : say(player.straight_only ? "live.arrangement-straight" : "live.arrangement-limits", { n: number });
  return section(live, { title: say("live.arrangement"), words, clause }, keys);
}

/** @param {LiveTable} live */
const notifyForm = (live) =>
  openForm({
    name: "notify-officer",
    title: say("live.notify"),
    fields: [{ name: "words", label: say("live.notify-words"), kind: "words" }],
    does: say("live.notify"),
    send: ({ words }) => live.client.sendCommand({ type: "NotifyOfficer", subject: live.table, words }),
  });

/** @param {LiveTable} live @param {PlayerRow} player */
const arrangeForm = (live, { position }) =>
  openForm({
    name: "arrange",
    title: say("live.arrange"),
    look: "middle",
    about: [say("live.arrange-about")],
    fields: [
      { name: "straight_only", label: say("live.straight-only"), kind: "tick", value: true },
      { name: "markers", label: say("live.with-markers"), kind: "tick" },
      { name: "least", label: say("live.least"), kind: "amount", optional: true },
      { name: "most", label: say("live.most"), kind: "amount", optional: true },
      { name: "words", label: say("live.arrange-words"), kind: "words" },
    ],
    does: say("live.arrange"),
    send: ({ straight_only, markers: with_markers, least, most, words }) => {
      const limits = least === null && most === null ? null : { spot: { least, most } };
      return live.client.sendCommand({
        type: "ArrangeVip",
        table: live.table,
        positions: [position],
        straight_only,
        markers: with_markers,
        limits,
        words,
      });
    },
  });

/** @param {LiveTable} live @param {number} number */
const endForm = (live, number) =>
  openForm({
    name: "end-arrangement",
    title: say("live.end-arrangement"),
    fields: [{ name: "words", label: say("live.reason"), kind: "words" }],
    does: say("live.end-arrangement"),
    send: ({ words }) =>
      live.client.sendCommand({ type: "EndArrangement", table: live.table, arrangement: number, words }),
  });

/** What a correction has left to pay or to take. @param {LiveTable} live @param {PlayerRow} player @param {Send} send */
function account(live, player, send) {
  const { payable, owed, undecided, choices } = player;
  if (!payable && !owed) return null;
  const round = live.state?.round;
  const pay = (/** @type {number} */ amount, handed = {}) =>
    button(
      say("live.pay-correction", { amount: live.amount(amount) }),
      () => void send({ type: "PaySegment", round, segment: "correction", ...handed }),
      { class: "main" },
    );
  // Of an amount that chips do not make, a supervisor pays the next lower or the next higher.
  const pays = undecided !== null
    ? choices.map((handed) => pay(live.worth([...handed]), { handed }))
    : payable
    ? [pay(payable)]
    : [];
  const takes = live.chipsOf(player).flatMap((chip) => {
    const pieces = Math.floor(owed / live.chipValue(chip));
    if (pieces === 0) return [];
    const label = say("live.take-pieces", { n: pieces, amount: live.amount(pieces * live.chipValue(chip)) });
    const face = [chipOf(chip, valueOf(chip) === null ? "" : live.chipValue(chip) / 100), h("span", null, label)];
    return [button(face, () => void send({ type: "SettleOwed", chip, pieces }), { key: chip })];
  });
  const words = undecided !== null
    ? say("live.undecided", { due: live.amount(payable) })
    : owed
    ? say("live.owed", { amount: live.amount(owed) })
    : "";
  return section(live, { title: say("live.account-title"), words, clause: undecided }, [...pays, ...takes]);
}

/** The phases in which a sealed layout is amended. */
const SEALED = new Set(["closed", "running", "at_rest"]);

/** What two people correct: the sealed layout while the round runs, and chips after a dispute. @param {LiveTable} live @param {PlayerRow} player */
function corrections(live, player) {
  const amend = button(say("live.amend"), () => amendForm(live, player), {
    disabled: !SEALED.has(live.state?.phase ?? ""),
  });
  const adjust = button(say("live.adjust"), () => adjustForm(live, player));
  return section(live, { title: say("live.corrections"), words: say("live.corrections-about") }, [amend, adjust]);
}

/** @param {LiveTable} live @param {PlayerRow} player */
function amendForm(live, player) {
  const { position } = player;
  /** @type {[string, string][]} */
  const chips = live.chipsOf(player).map((chip) => [chip, live.chipName(chip)]);
  /** @type {[string, string][]} */
  const spots = (live.client.felt(live.table)?.spots ?? []).map((spot) => [spot.key, spotName(spot)]);
  openForm({
    name: "amend-seal",
    title: say("live.amend-title", { name: live.labelOf(player) }),
    look: "middle",
    about: [say("live.amend-about")],
    fields: [
      { name: "spot", label: say("live.amend-spot"), kind: "choice", choices: spots },
      { name: "chip", label: say("live.amend-chip"), kind: "choice", choices: chips },
      { name: "count", label: say("live.amend-count"), kind: "number" },
      { name: "words", label: say("live.reason"), kind: "words" },
      {
        name: "sighting",
        label: say("live.amend-sighting"),
        about: say("live.amend-sighting-about"),
        kind: "words",
        optional: live.state?.phase !== "at_rest",
      },
    ],
    does: say("live.amend-sign"),
    dual: true,
    send: ({ spot, chip, count, words, sighting }) =>
      live.client.sendCommand({
        type: "AmendSeal",
        table: live.table,
        position,
        pieces: [[spot, chip, count]],
        words,
        sighting,
      }),
  });
}

/** @param {LiveTable} live @param {PlayerRow} player */
function adjustForm(live, player) {
  const { position } = player;
  openForm({
    name: "adjust-chips",
    title: say("live.adjust-title", { name: live.labelOf(player) }),
    look: "middle",
    about: [say("live.adjust-about")],
    fields: [
      {
        name: "way",
        label: say("live.adjust-way"),
        kind: "choice",
        choices: [
          ["1", say("live.adjust-pay")],
          ["-1", say("live.adjust-take")],
        ],
      },
      { name: "amount", label: say("live.amount"), kind: "amount" },
      { name: "words", label: say("live.reason"), kind: "words" },
    ],
    does: say("live.amend-sign"),
    dual: true,
    grave: true,
    send: ({ way, amount, words }) =>
      live.client.sendCommand({
        type: "AdjustChips",
        table: live.table,
        position,
        amount: Number(way) * amount,
        words,
      }),
  });
}
