// Draws a tree of plain values into an element: what is there is reused by key, else by place.

import { ICONS } from "./dom.js";

/**
 * @typedef {string | number | boolean | null | undefined | ((event: any) => void)} Attribute
 * @typedef {{tag: string, key: unknown, attributes: Record<string, any>, children: Child[]}} VNode
 * @typedef {{tag: string, key: unknown, inputs: unknown[], make: () => VNode}} LazyVNode
 * @typedef {VNode | LazyVNode | Node | string | number | null | undefined | boolean | any[]} Child a Node is put in as it is
 */

/**
 * What may be given by a name: an object is nothing but `style`, so that one which was to be spread is found.
 * @template {string} N
 * @typedef {N extends "style" ? Record<string, string> | null | undefined : N extends "key" ? unknown : Attribute} Given
 */

const SVG = "http://www.w3.org/2000/svg";

/** What was drawn into each node, from which inputs, and its name among its siblings. @type {WeakMap<Node, {id: string, attributes: Record<string, any>, isFilled: boolean, inputs: unknown[] | null}>} */
const drawn = new WeakMap();

/** State that a person changes too: compared with the element, and set after its children, as a select needs them. */
const STATE = new Set(["value", "checked", "selected"]);

/** Properties without an attribute of their name: what a field holds until a person changes it. */
const INITIAL = new Set(["defaultValue", "defaultChecked", "defaultSelected"]);

const NONE = Object.freeze({});

/**
 * An element to be drawn. A function is a listener, except `ref`, which is called once with the new element; `style`
 * holds properties by name; null, undefined and false leave an attribute out. Within `svg` all elements are SVG.
 * @template {string} N
 * @param {string} tag @param {{[name in N]?: Given<name>} | null} [attributes] @param {...Child} children @returns {VNode}
 */
export function h(tag, attributes, ...children) {
  const given = /** @type {Record<string, any>} */ (attributes ?? NONE);
  return { tag, key: given.key, attributes: given, children };
}

/**
 * An element that follows from its inputs alone: while they are the same it is neither made nor compared. For the rows of
 * long lists.
 * @param {{tag: string, key: unknown, inputs: unknown[]}} of @param {() => VNode} make gives the element with that tag and key
 * @returns {LazyVNode}
 */
export const lazy = ({ tag, key, inputs }, make) => ({ tag, key, inputs, make });

/** Draw children into a host: elements keep their focus, their listeners and what was typed. @param {Element} host @param {...Child} children */
export function render(host, ...children) {
  const focused = document.activeElement;
  draw(host, children);
  // An element that is moved loses the focus.
  if (focused instanceof HTMLElement && focused !== document.activeElement && host.contains(focused)) {
    focused.focus({ preventScroll: true });
  }
}

/** @param {Element} host @param {Child[]} children */
function draw(host, children) {
  const wanted = [...placed(children, "")];
  const before = new Map([...host.childNodes].map((node) => [drawn.get(node)?.id, node]));
  const take = (/** @type {string} */ id) => {
    const node = before.get(id);
    before.delete(id);
    return node;
  };
  const nodes = wanted.map(([id, child]) => (child instanceof Node ? child : (take(id) ?? create(host, id, child))));
  const kept = new Set(nodes);
  // Those that go are removed first: then no node moves because of them.
  for (const node of [...host.childNodes]) if (!kept.has(node)) node.remove();
  let at = host.firstChild;
  for (const node of nodes) {
    if (node === at) at = at.nextSibling;
    else host.insertBefore(node, at);
  }
  wanted.forEach(([, child], index) => update(nodes[index], child));
}

/**
 * Each child with its name among its siblings. What is left out keeps its place, so those after it keep theirs.
 * @param {Child[]} children @param {string} prefix @returns {Iterable<[string, VNode | LazyVNode | Node | string]>}
 */
function* placed(children, prefix) {
  for (const [index, child] of children.entries()) {
    if (Array.isArray(child)) yield* placed(child, `${prefix}${index}.`);
    else if (child === null || child === undefined || typeof child === "boolean" || child === "") continue;
    else if (child instanceof Node) yield ["", child];
    else if (typeof child !== "object") yield [`text ${prefix}${index}`, String(child)];
    else yield [child.key === undefined ? `${child.tag} ${prefix}${index}` : `${child.tag} key ${child.key}`, child];
  }
}

/** @param {Element} host @param {string} id @param {VNode | LazyVNode | string} child @returns {Node} */
function create(host, id, child) {
  /** @type {Node} */
  let node;
  if (typeof child === "string") node = document.createTextNode("");
  else if (child.tag === "svg" || host.namespaceURI === SVG) node = document.createElementNS(SVG, child.tag);
  else node = document.createElement(child.tag);
  drawn.set(node, { id, attributes: NONE, isFilled: false, inputs: null });
  return node;
}

/** @param {Node} node @param {VNode | LazyVNode | Node | string} child */
function update(node, child) {
  if (child instanceof Node) return;
  if (typeof child === "string") {
    if (node.nodeValue !== child) node.nodeValue = child;
    return;
  }
  const element = /** @type {Element} */ (node);
  const last = /** @type {NonNullable<ReturnType<typeof drawn.get>>} */ (drawn.get(node));
  const inputs = "inputs" in child ? child.inputs : null;
  const isSame = inputs?.every((input, place) => input === last.inputs?.[place]) ?? false;
  if (isSame) return;
  last.inputs = inputs;
  const { attributes, children } = "make" in child ? child.make() : child;
  const before = last.attributes;
  for (const name in before) if (!(name in attributes)) set(element, name, before[name], null);
  for (const name in attributes) if (!STATE.has(name)) set(element, name, before[name], attributes[name]);
  // An element that never had children is left to its `ref`, and a textarea to its text.
  if (last.isFilled || children.length > 0) draw(element, children);
  last.attributes = attributes;
  last.isFilled ||= children.length > 0;
  for (const name in attributes) if (STATE.has(name)) setState(element, name, attributes[name]);
  if (before === NONE && attributes !== NONE) attributes.ref?.(element);
}

/** @param {any} element @param {string} name @param {any} was @param {any} value */
function set(element, name, was, value) {
  if (was === value || name === "key" || name === "ref") return;
  if (typeof value === "function" || typeof was === "function") listen(element, name, value);
  else if (name === "style") setStyle(element, was ?? NONE, value ?? NONE);
  else if (INITIAL.has(name)) element[name] = value;
  else if (value === null || value === undefined || value === false) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

/** @param {any} element @param {string} name @param {any} value */
function setState(element, name, value) {
  const wanted = typeof element[name] === "boolean" ? Boolean(value) : String(value ?? "");
  if (element[name] !== wanted) element[name] = wanted;
}

/** @param {HTMLElement | SVGElement} element @param {Record<string, string>} was @param {Record<string, string>} wanted */
function setStyle(element, was, wanted) {
  for (const name in was) if (!(name in wanted)) element.style.removeProperty(name);
  for (const name in wanted) if (was[name] !== wanted[name]) element.style.setProperty(name, wanted[name]);
}

/** The newest function for each event of an element, which its one listener calls. @type {WeakMap<Element, Record<string, any>>} */
const listeners = new WeakMap();

/** @param {Element} element @param {string} name @param {((event: any) => void) | null} call */
function listen(element, name, call) {
  const calls = listeners.get(element) ?? {};
  listeners.set(element, calls);
  if (!(name in calls)) element.addEventListener(name, (event) => calls[name]?.(event));
  calls[name] = call;
}

/** A button. @param {Child} label @param {(event: any) => void} press @param {Record<string, Attribute>} [attributes] */
export const button = (label, press, attributes) => h("button", { type: "button", click: press, ...attributes }, label);

/** A field with its label. @param {Child} label @param {VNode} input */
export const field = (label, input) => h("label", { class: "field" }, h("span", null, label), input);

/**
 * A form that passes its fields by name to `submit` and never leaves the page.
 * @param {Record<string, Attribute>} attributes @param {(given: any, form: HTMLFormElement) => void} submit @param {...Child} children
 */
export function form(attributes, submit, ...children) {
  const send = (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    const node = /** @type {HTMLFormElement} */ (event.target);
    // The house takes texts of one line.
    const given = [...new FormData(node)].map(([name, value]) => [name, String(value).replace(/[\t\r\n]+/g, " ")]);
    submit(Object.fromEntries(given), node);
  };
  return h("form", { ...attributes, submit: send }, ...children);
}

/** An icon. It is hidden from screen readers: the text beside it is the label. @param {string} name */
export const icon = (name) =>
  h("svg", { viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true" }, h("path", { d: ICONS[name] }));
