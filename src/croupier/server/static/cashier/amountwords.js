// Amounts in words, as the house spells them out on paper.

/** @typedef {import("../kit/consoles.js").AnyBlock} AnyBlock */

/** The amount of a receipt in words, or nothing where the house has no such paper.
 * @param {import("../staff/desk.js").Desk} desk @param {import("../kit/consoles.js").Document} receipt */
export async function amountWords(desk, receipt) {
  const frame = await desk.enquire("paper", { form: "screen", document: receipt });
  return frame.t === "paper" ? spelledOut(frame.blocks) : "";
}

/** It stands below the amount in figures, which is the last large line. @param {AnyBlock[]} blocks */
function spelledOut(blocks) {
  const large = blocks.map((block) => block.type === "text" && block.look === "large").lastIndexOf(true);
  const below = blocks[large + 1];
  return large >= 0 && below?.type === "text" ? below.words : "";
}
