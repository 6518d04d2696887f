// The DOM: elements built, and changed only where they differ.

/**
 * @typedef {string | number | boolean | null | undefined | ((event: any) => void)} Attribute
 * @typedef {Node | string | null | undefined} Child
 */

/**
 * Build an element. A function is listened with, true and false set a property's presence, the rest are attributes.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag @param {Record<string, Attribute>} [attributes] @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else if (value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A button that does something. @param {Child} words @param {(event: any) => void} press
 * @param {Record<string, Attribute>} [attributes] */
export const button = (words, press, attributes = {}) =>
  el("button", { type: "button", click: press, ...attributes }, words);

/** A field with its label. @param {Child} words @param {HTMLElement} input */
export function field(words, input) {
  return el("label", { class: "field" }, el("span", {}, words), input);
}

/**
 * A form that does something with its fields, by name, and never leaves the page.
 * @param {Record<string, Attribute>} attributes @param {(given: any, made: HTMLFormElement) => void} submit
 * @param {...Child} children
 */
export function form(attributes, submit, ...children) {
  const made = el("form", attributes, ...children);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(Object.fromEntries(new FormData(made)), made);
  });
  return made;
}

/** @param {Element | null} node @param {unknown} words */
export function text(node, words) {
  const wanted = String(words ?? "");
  if (node && node.textContent !== wanted) node.textContent = wanted;
}

/** @param {HTMLElement} node @param {boolean} visible */
export function shown(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

/** @param {Element & {disabled?: boolean}} control @param {boolean} on */
export function enabled(control, on) {
  if (control.disabled === on) control.disabled = !on;
}

/** @param {Element} node @param {string} name @param {unknown} value */
export function marked(node, name, value) {
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
}

/**
 * Keep a list in step with its items, by key: what is there stays, what is gone goes, order is kept.
 * @template T @template {HTMLElement} [E=HTMLElement]
 * @param {HTMLElement} host @param {T[]} items @param {(item: T) => unknown} key @param {(item: T) => E} make
 * @param {(child: E, item: T) => void} [update]
 */
export function each(host, items, key, make, update = () => {}) {
  const children = /** @type {E[]} */ ([...host.children]);
  const before = new Map(children.map((child) => [child.dataset.key, child]));
  let place = /** @type {E | null} */ (host.firstElementChild);
  for (const item of items) {
    const name = String(key(item));
    let child = before.get(name);
    if (child) before.delete(name);
    else (child = make(item)).dataset.key = name;
    if (child === place) place = /** @type {E | null} */ (place.nextElementSibling);
    else host.insertBefore(child, place);
    update(child, item);
  }
  for (const gone of before.values()) gone.remove();
}
