// Elements of a page, made by hand: text is always text, never markup.

/** @typedef {Node | string | null | false | undefined} Child */

/**
 * Makes an element. Properties beginning with "on" are listeners, all others attributes; null,
 * false and undefined leave them out.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, unknown>} [properties]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), /** @type {EventListener} */ (value));
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...shown(children.flat()));
  return element;
}

/** @param {Child[]} children */
function shown(children) {
  return /** @type {(Node | string)[]} */ (children.filter((child) => child || child === ""));
}

/**
 * A picture of lines, for the eye only.
 * @param {string} path
 * @param {string} [name]
 */
export function icon(path, name = "icon") {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", name);
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export const ICONS = {
  done: "M5 12.5l4.5 4.5L19 7.5",
  warning: "M12 8.5v5M12 16.9v.1M12 3.5 21.5 20h-19z",
  waiting: "M12 7v5l3.5 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z",
  closed: "M7 11V8a5 5 0 0 1 10 0v3M5.5 11h13v9h-13z",
  lock: "M7 11V8a5 5 0 0 1 10 0v3M5.5 11h13v9h-13zM12 14.5v2",
};
