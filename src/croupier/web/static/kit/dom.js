// The DOM: elements built, and changed only where they differ.

/** Build an element. A function is listened with, true and false set a property's presence, the rest are attributes. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** A button that does something. */
export const button = (words, press, attributes = {}) =>
  el("button", { type: "button", click: press, ...attributes }, words);

/** A field with its label. */
export function field(words, input) {
  return el("label", { class: "field" }, el("span", {}, words), input);
}

/** A form that does something with its fields, by name, and never leaves the page. */
export function form(attributes, submit, ...children) {
  const made = el("form", attributes, ...children);
  made.addEventListener("submit", (event) => {
    event.preventDefault();
    submit(Object.fromEntries(new FormData(made)), made);
  });
  return made;
}

export function text(node, words) {
  const wanted = String(words ?? "");
  if (node.textContent !== wanted) node.textContent = wanted;
}

export function shown(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

export function enabled(control, on) {
  if (control.disabled === on) control.disabled = !on;
}

export function marked(node, name, value) {
  if (value === null || value === undefined || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, String(value));
}

/** Keep a list in step with its items, by key: what is there stays, what is gone goes, order is kept. */
export function each(host, items, key, make, update = (_child, _item) => {}) {
  const before = new Map([...host.children].map((child) => [child.dataset.key, child]));
  let place = host.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let child = before.get(name);
    if (child) before.delete(name);
    else (child = make(item)).dataset.key = name;
    if (child === place) place = place.nextElementSibling;
    else host.insertBefore(child, place);
    update(child, item);
  }
  for (const gone of before.values()) gone.remove();
}
