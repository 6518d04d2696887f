// Builders for HTML, SVG and icons, and the reduced-motion setting.

/**
 * @typedef {string | number | boolean | null | undefined | ((event: any) => void)} Attribute
 * @typedef {Node | string | null | undefined} Child
 */

/**
 * Build an element. Functions become listeners, booleans toggle attributes, the rest are attributes.
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

/**
 * A button with a click handler.
 * @param {Child} words @param {(event: any) => void} press
 * @param {Record<string, Attribute>} [attributes]
 */
export const button = (words, press, attributes = {}) =>
  el("button", { type: "button", click: press, ...attributes }, words);

/** @param {Element | null} node @param {unknown} words */
export function text(node, words) {
  const wanted = String(words ?? "");
  if (node && node.textContent !== wanted) node.textContent = wanted;
}

/** @param {HTMLElement} node @param {boolean} visible */
export function shown(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

/** @param {Element} node @param {string} name @param {unknown} value */
export function marked(node, name, value) {
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
}

// Icons: small line drawings beside text, never in place of it.

/** Icons by name: one stroked path in a 24 by 24 box. @type {Record<string, string>} */
export const ICONS = {
  menu: "M4 6.5h16M4 12h16M4 17.5h16",
  close: "M6 6l12 12M18 6L6 18",
  back: "M14.5 5.5L8 12l6.5 6.5",
  forward: "M9.5 5.5L16 12l-6.5 6.5",
  play: "M8 5.5v13l10.5-6.5z",
  pause: "M8.5 5.5v13M15.5 5.5v13",
  undo: "M8.5 5L4.5 9l4 4M4.5 9h9.5a5 5 0 0 1 0 10h-4",
  clear: "M4.5 7h15M9.5 7V4.5h5V7M6.5 7l1 12.5h9l1-12.5M10 10.5v6M14 10.5v6",
  repeat: "M19 8.5A8 8 0 0 0 5 9.5M5 4.5v5h5M5 15.5a8 8 0 0 0 14-1M19 19.5v-5h-5",
  double: "M4.5 8.5h6M7.5 5.5v6M14.5 6l5 5M19.5 6l-5 5M4.5 17.5h15",
  neighbours:
    "M12 15.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6M5 9.5v6M19 9.5v6M8 5.5c2.5-1.5 5.5-1.5 8 0M8 19.5c2.5 1.5 5.5 1.5 8 0",
  special: "M12 3.8l2.5 5.2 5.7.8-4.1 4 1 5.7-5.1-2.7-5.1 2.7 1-5.7-4.1-4 5.7-.8z",
  save: "M5 4.5h11l3 3v12H5zM8 4.5v5h7v-5M8 19.5v-6h8v6",
  wheel: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6M12 4v5M12 15v5M4 12h5M15 12h5",
  table: "M4 6h16v12H4zM4 10h16M4 14h16M9.3 6v12M14.7 6v12",
  limits: "M4 7h16M4 12h16M4 17h16M9 5v4M15 10v4M8 15v4",
  collect: "M4 7.5h16v9H4zM12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M7 4.5h10M7 19.5h10",
  statistics: "M4.5 19.5h15M7 16.5v-5M12 16.5v-10M17 16.5v-7",
  rules: "M6 4h9l3.5 3.5V20H6zM9 11h6M9 15h6M15 4v4h3.5",
  messages: "M4 5.5h16v10.5h-8.5L7 19.5V16H4zM8 9.2h8M8 12.4h5",
  recall: "M5 12a7.3 7.3 0 1 0 2.3-5.3M5 4.8v4.4h4.4M12 8v4.3l3 1.8",
  money: "M4 6.5h16v11H4zM4 10.5h16M7 14.5h4",
  settings:
    "M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6M12 3.5v3M12 17.5v3M3.5 12h3M17.5 12h3M6 6l2.1 2.1M15.9 15.9L18 18M18 6l-2.1 2.1M8.1 15.9L6 18",
  session: "M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16M12 7.5V12l3.2 2",
  sound: "M4.5 9.5v5h3.3l4.7 4v-13l-4.7 4zM15.5 9a4.2 4.2 0 0 1 0 6M17.8 6.7a7.5 7.5 0 0 1 0 10.6",
  print: "M7 9V4h10v5M7 16H4.5V9h15v7H17M7 13.5h10V20H7z",
  search: "M10.5 16.5a6 6 0 1 0 0-12 6 6 0 0 0 0 12M15 15l4.8 4.8",
  eraser: "M4.5 14.5l9-9 6 6-8 8H8zM9 10l6 6M11.5 19.5h8",
  copy: "M9 9h10.5v10.5H9zM15 9V4.5H4.5V15H9",
  help: "M8.5 9a3.5 3.5 0 1 1 5 3.2c-1 .5-1.5 1.2-1.5 2.3M12 18v.1",
  globe:
    "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17M3.5 12h17M12 3.5c2.6 2.4 3.8 5.2 3.8 8.5s-1.2 6.1-3.8 8.5c-2.6-2.4-3.8-5.2-3.8-8.5s1.2-6.1 3.8-8.5",
  bell: "M6 16.5V11a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 20.5h4",
  slip: "M6 3.5h12v17l-2-1.5-2 1.5-2-1.5-2 1.5-2-1.5-2 1.5zM9 8h6M9 12h6",
  alert: "M12 4l9 15.5H3zM12 10v4.5M12 17.2v.1",
  check: "M4.5 12.5l5 5 10-11",
  form: "M6 4h12v16H6zM9 8h6M9 12h6M9 16h3",
};

/** Draw an icon. It is hidden from screen readers: the text beside it is the label. @param {string} name */
export const icon = (name) =>
  svg("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));

// SVG elements, in their namespace.

const SPACE = "http://www.w3.org/2000/svg";

/**
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, string | number | null>} [attributes] null values are left out
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** Whether the system is set to reduce motion. */
export const isMotionReduced = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
