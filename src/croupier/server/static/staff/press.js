// Pressing once: what a button does at once is done once, however often it is pressed until the house has answered.

/** @type {WeakSet<Element>} */
const busy = new WeakSet();

/** Do what a button is there for, unless it is being done. It keeps the focus meanwhile.
 * @param {Element} key that was pressed @param {() => unknown} deed which may take its time */
export async function pressOnce(key, deed) {
  if (busy.has(key)) return;
  busy.add(key);
  key.setAttribute("aria-busy", "true");
  try {
    await deed();
  } finally {
    busy.delete(key);
    key.removeAttribute("aria-busy");
  }
}
