// What is wrong with a page as it is laid out: things outside, over each other, clipped or too small to be touched.
// Given {least}, it gives a list of sentences; an empty one where all is well.
({ least }) => {
  const SLACK = 1.5;
  const CONTROLS = "button, a[href], input, select, textarea, summary, [role=button], [role=radio], [role=tab], [role=switch]";
  // Surfaces on which a value depends on the place count as one target each: the cloth, the racetrack and the wheel.
  const SURFACES = "[role=listbox] [role=option], [data-surface] *";
  const wide = document.documentElement.clientWidth;
  const high = document.documentElement.clientHeight;
  const within = document.querySelector("dialog[open]:modal") ?? document.body;
  const found = [];
  const name = (el) => {
    const words = (el.getAttribute("aria-label") ?? el.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40);
    const kind = typeof el.className === "string" && el.className ? `.${el.className.split(" ").join(".")}` : "";
    return `<${el.tagName.toLowerCase()}${kind}> "${words}"`;
  };
  const round = (rect) => `[${[rect.left, rect.top, rect.right, rect.bottom].map((at) => Math.round(at)).join(" ")}]`;
  const isSeen = (el) => {
    if (!el.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    for (let at = el; at && at !== document.documentElement; at = at.parentElement) {
      const style = getComputedStyle(at);
      // What is there for ears alone, or slid out of sight and out of reach.
      if (/inset\(50%\)|rect\(0/.test(style.clipPath + style.clip) || at.inert) return false;
    }
    const { width, height } = el.getBoundingClientRect();
    return width > 1 && height > 1;
  };
  /** What of a box can be seen: less than all of it within something that scrolls. */
  const scroller = (el) => {
    for (let at = el.parentElement; at && at !== document.body; at = at.parentElement) {
      if (/(auto|scroll)/.test(getComputedStyle(at).overflow)) return at;
    }
    return null;
  };
  const isOutside = ({ left, top, right, bottom }) =>
    left < -SLACK || top < -SLACK || right > wide + SLACK || bottom > high + SLACK;
  const target = (el) => (el.matches("input[type=radio], input[type=checkbox]") ? (el.closest("label") ?? el) : el);

  const root = document.documentElement;
  if (root.scrollWidth > wide + SLACK) found.push(`the page is ${root.scrollWidth} wide in ${wide}`);
  if (within === document.body && root.scrollHeight > high + SLACK)
    found.push(`the page is ${root.scrollHeight} high in ${high}`);

  const seen = [...within.querySelectorAll("*")].filter(isSeen);
  for (const el of seen) {
    const rect = el.getBoundingClientRect();
    const svg = el.closest("svg");
    if ((!svg || svg === el || el.tagName === "text") && !scroller(el) && isOutside(rect))
      found.push(`outside: ${name(el)} ${round(rect)}`);
  }

  for (const el of seen) {
    if (el.closest("svg") || el.tagName === "SELECT" || !hasWords(el)) continue;
    const style = getComputedStyle(el);
    const scrolls = /(auto|scroll)/.test(style.overflow);
    if (style.display === "inline" || scrolls) continue;
    if (el.scrollWidth > el.clientWidth + SLACK && el.clientWidth > 0)
      found.push(`clipped: ${name(el)} is ${el.scrollWidth} wide in ${el.clientWidth}`);
    if (el.scrollHeight > el.clientHeight + 3 && el.clientHeight > 0 && style.overflowY !== "visible")
      found.push(`clipped: ${name(el)} is ${el.scrollHeight} high in ${el.clientHeight}`);
    if (isBroken(el, style)) found.push(`broken words: ${name(el)} is ${el.clientWidth} wide`);
  }
  /** Whether words of letters are broken, since there is no room for three letters in a line. */
  function isBroken(el, { fontSize, writingMode }) {
    const size = parseFloat(fontSize);
    if (writingMode !== "horizontal-tb" || el.clientWidth === 0 || el.clientWidth > size * 3) return false;
    return /\p{L}{5}/u.test(el.textContent ?? "") && el.clientHeight > size * 4;
  }
  function hasWords(el) {
    return [...el.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
  }

  const controls = [...new Set([...within.querySelectorAll(CONTROLS)].filter((el) => !el.matches(SURFACES)).map(target))]
    .filter(isSeen)
    .map((el) => ({ el, rect: el.getBoundingClientRect() }));
  for (const { el, rect } of controls) {
    const inText = el.tagName === "A" && el.closest("p, li, td, dd");
    if (!inText && (rect.width < least - 0.5 || rect.height < least - 0.5))
      found.push(`small: ${name(el)} is ${rect.width.toFixed(0)} x ${rect.height.toFixed(0)}`);
  }
  const shownOf = ({ el, rect }) => {
    const pane = scroller(el)?.getBoundingClientRect();
    if (!pane) return rect;
    return {
      left: Math.max(rect.left, pane.left),
      top: Math.max(rect.top, pane.top),
      right: Math.min(rect.right, pane.right),
      bottom: Math.min(rect.bottom, pane.bottom),
    };
  };
  controls.forEach((one, place) => {
    const a = shownOf(one);
    for (const other of controls.slice(place + 1)) {
      if (one.el.contains(other.el) || other.el.contains(one.el)) continue;
      const b = shownOf(other);
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > SLACK && down > SLACK) found.push(`overlap: ${name(one.el)} ${round(a)} and ${name(other.el)} ${round(b)}`);
    }
  });

  for (const chip of within.querySelectorAll(".cloth .stack[data-spot]")) {
    const felt = chip.closest(".cloth")?.getBoundingClientRect();
    const rect = chip.getBoundingClientRect();
    if (felt && isSeen(chip) && (rect.left < felt.left - 1 || rect.right > felt.right + 1 || rect.top < felt.top - 1 || rect.bottom > felt.bottom + 1))
      found.push(`chip ${chip.dataset.spot} ${round(rect)} is off the felt ${round(felt)}`);
  }
  return found;
}
