// Putting a table under another rulebook: asked for by one person, signed by another, and in force from the next round.

import { el } from "../kit/dom.js";
import { askSheet } from "../staff/askform.js";

/** @param {import("../staff/desk.js").Desk} desk @param {string} table */
export function openRulebook(desk, table) {
  const { terms, rulebooks = [] } = desk.view.floor ?? {};
  const coming = terms?.[table]?.next ?? terms?.[table]?.now;
  if (!coming) return;
  const others = rulebooks.filter(({ digest }) => digest !== coming.digest);
  /** @type {[string, string][]} */
  const choices = others.map(({ digest, rulebook, version, currency }) => [
    digest,
    `${rulebook}, ${version}, ${currency}`,
  ]);
  askSheet({
    name: "rulebook",
    title: `Rulebook of table ${table}`,
    about: [
      el("p", {}, `It plays by ${coming.rulebook}. Another counts from the next round.`),
      ...(others.length === 0 ? [el("p", {}, "The house has adopted no other rulebook.")] : []),
    ],
    fields: [
      { name: "rulebook", label: "From the next round", kind: "choice", choices },
      { name: "words", label: "Why it is changed", kind: "words" },
    ],
    does: "Sign it",
    dual: true,
    send: ({ rulebook, words }) => desk.ask({ type: "ChangeRulebook", table, rulebook, words }),
  });
}
