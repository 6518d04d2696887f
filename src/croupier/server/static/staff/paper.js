// Paper on a screen: a document of the house as it would be printed, to be read, and printed from here.

import { button, el, shown, text } from "../kit/dom.js";
import { icon } from "../kit/icon.js";
import { openSheet } from "../kit/sheet.js";
import { bytesOf, openBeside, save } from "./download.js";
import { blockOf } from "./paperblocks.js";
import { citing } from "./words.js";

/** @typedef {import("./desk.js").Desk} Desk */
/** @typedef {import("../kit/consoles.js").ToldFile} File */
/** @typedef {import("../kit/consoles.js").Document} Wanted a document, as it is asked for */

/** Show a document, with a way to print it. @param {Desk} desk @param {Wanted} document */
export function openPaper(desk, document) {
  const reply = el("p", { class: "reply", role: "alert", hidden: true });
  const page = el("div", { class: "paper", "aria-busy": "true" });
  const say = (/** @type {string} */ words) => {
    text(reply, words);
    shown(reply, words !== "");
  };
  const file = async (/** @type {"pdf" | "escpos"} */ form, /** @type {(told: File) => void} */ keep) => {
    const told = await desk.enquire("paper", { form, document });
    say(told.t === "refused" ? citing(told.refusal) : "");
    if (told.t !== "refused") keep(told);
  };
  const prints = [
    button(el("span", {}, icon("save"), "Save for a thermal printer"), () => file("escpos", saved), { disabled: true }),
    button(el("span", {}, icon("print"), "Print as PDF"), () => file("pdf", printed), {
      class: "main",
      disabled: true,
    }),
  ];
  const sheet = openSheet({
    name: "paper",
    title: "Paper",
    body: [reply, page],
    foot: [button("Close", () => sheet.close()), ...prints],
  });
  desk.enquire("paper", { form: "screen", document }).then((told) => {
    page.removeAttribute("aria-busy");
    shown(page, told.t !== "refused");
    if (told.t === "refused") return say(citing(told.refusal));
    text(sheet.node.querySelector("h2"), told.title);
    page.classList.toggle("roll", told.roll);
    page.replaceChildren(...told.blocks.map(blockOf));
    prints.forEach((one) => (one.disabled = false));
  });
}

/** @param {File} told */
const contentOf = ({ name, type, content }) => ({ name, type, content: bytesOf(content) });

/** @param {File} told */
const saved = (told) => save(contentOf(told));

/** A document opens beside this page, where the browser prints it; where it may not, it is saved. @param {File} told */
const printed = (told) => openBeside(contentOf(told)) || save(contentOf(told));
