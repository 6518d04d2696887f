// The signed bundle of a round: its part of the journal with the proof that nothing in it was changed, as a file.

import { bytesOf, save } from "./download.js";
import { citing } from "./words.js";

/** Save the bundle of a round; tell what stood in the way, or nothing.
 * @param {import("./desk.js").Desk} desk @param {{table: string, round: number}} which @returns {Promise<string>} */
export async function saveBundle(desk, { table, round }) {
  const told = await desk.enquire("bundle", { table, round });
  if (told.t === "refused") return citing(told.refusal);
  save({ name: told.name, type: told.type, content: bytesOf(told.content) });
  return "";
}
