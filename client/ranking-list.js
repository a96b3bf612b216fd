// <hushrank-ranking-list>: items that a person puts into their order, by mouse, touch, pen, keyboard
// or screen reader. It stands alone and may be used in any page; it sends nothing anywhere.
//
//   <hushrank-ranking-list label="Hot drinks" name="drinks" incomplete></hushrank-ranking-list>
//   list.items = [{ name: "tea", description: "green", picture: "/tea.png" }, ...];
//   list.addEventListener("change", () => list.value);   // {order: [2, 0], unranked: [1]}
//
// `items` may also be an attribute, as JSON. Until a `value` is set, the items stand in a random
// order of their own on each device, so that no order is suggested. `incomplete` lets people leave
// items unranked. `strings` replaces the English words; the colours are those of styles/tokens.css
// where the page has them.

import { DIVIDER } from "./order.js";
import * as order from "./order.js";

/** @typedef {{name: string, description?: string | undefined, picture?: string | undefined}} Item */
/** @typedef {Record<string, string>} Strings */

/** @type {Strings} */
export const ENGLISH = {
  how: "Drag the items, or use the arrows beside them.",
  how_incomplete: "Tap the items one after the other, or drag them. What you leave below stays unranked.",
  keys: "On a keyboard, an arrow key moves an item, and a number puts it on that place.",
  place: "Place {place} of {places}",
  no_place: "Not ranked",
  up: "Move {item} up",
  down: "Move {item} down",
  moved: "{item}: place {place} of {places}",
  dropped: "{item}: not ranked",
  empty: "Nothing ranked yet: begin with what you like best.",
  unranked: "Not ranked",
  unranked_hint: "What stays here has no place.",
};

const STYLE = `
:host {
  --accent: var(--hush-accent, #0b6157);
  --on-accent: var(--hush-on-accent, #ffffff);
  --surface: var(--hush-surface, #ffffff);
  --sunken: var(--hush-sunken, #efede7);
  --edge: var(--hush-border, #dedad0);
  --strong: var(--hush-border-strong, #8a857a);
  --ink: var(--hush-ink, #1d2327);
  --soft: var(--hush-ink-soft, #565e63);
  --focus: var(--hush-focus, #1a56d6);
  --target: var(--hush-target, 3rem);
  display: block;
  color: var(--ink);
  overflow-anchor: none;
}
:host([hidden]) { display: none; }
@supports (color: light-dark(red, red)) { /* as the page around it is, dark or light */
  :host {
    --accent: var(--hush-accent, light-dark(#0b6157, #6fd0bd));
    --surface: var(--hush-surface, light-dark(#ffffff, #1b2123));
    --sunken: var(--hush-sunken, light-dark(#efede7, #232b2d));
    --edge: var(--hush-border, light-dark(#dedad0, #323c3f));
    --strong: var(--hush-border-strong, light-dark(#8a857a, #7d8a8e));
    --ink: var(--hush-ink, light-dark(#1d2327, #eceeea));
    --soft: var(--hush-ink-soft, light-dark(#565e63, #a9b3b4));
    --focus: var(--hush-focus, light-dark(#1a56d6, #8fb4ff));
  }
}
* { box-sizing: border-box; }
.how { margin: 0 0 0.75rem; color: var(--soft); font-size: 0.875rem; line-height: 1.5; }
ul { position: relative; list-style: none; margin: 0; padding: 0; }
li { margin: 0 0 0.5rem; }
.row {
  position: relative;
  display: flex;
  align-items: stretch;
  background: var(--surface);
  border: 1px solid var(--edge);
  border-radius: var(--hush-radius, 0.875rem);
  box-shadow: var(--hush-shadow, 0 1px 2px rgb(0 0 0 / 10%));
  touch-action: pan-y pinch-zoom;
  user-select: none;
  -webkit-user-select: none;
  -webkit-touch-callout: none;
  cursor: grab;
}
.handle {
  display: flex;
  flex: none;
  align-items: center;
  gap: 0.125rem;
  padding-inline: 0.5rem 0.25rem;
  touch-action: none;
}
.grip { flex: none; color: var(--strong); }
.place {
  display: grid;
  place-items: center;
  min-width: 2.125rem;
  height: 2.125rem;
  padding-inline: 0.25rem;
  border-radius: 1.0625rem;
  background: var(--accent);
  color: var(--on-accent);
  font-weight: 650;
  font-variant-numeric: tabular-nums;
  border: 1px solid transparent;
}
.unranked .place { background: transparent; color: var(--soft); border: 1px dashed var(--strong); }
.unranked.row { background: transparent; box-shadow: none; }
.item {
  display: flex;
  flex: 1;
  align-items: center;
  gap: 0.75rem;
  min-width: 0;
  min-height: calc(var(--target) + 0.75rem);
  margin: 0;
  padding: 0.5rem;
  border: 0;
  border-radius: calc(var(--hush-radius, 0.875rem) - 1px);
  background: none;
  color: inherit;
  font: inherit;
  text-align: start;
  cursor: inherit;
  -webkit-tap-highlight-color: transparent;
}
.item img {
  flex: none;
  width: 3rem;
  height: 3rem;
  border-radius: var(--hush-radius-small, 0.5rem);
  background: var(--sunken);
  object-fit: cover;
  pointer-events: none;
}
.text { min-width: 0; overflow-wrap: anywhere; }
.name { display: block; font-weight: 560; line-height: 1.3; }
.description { display: block; margin-top: 0.125rem; color: var(--soft); font-size: 0.875rem; line-height: 1.4; }
.steps { display: flex; flex: none; }
.step {
  display: grid;
  place-items: center;
  width: var(--target);
  min-width: 44px;
  min-height: 44px;
  margin: 0;
  padding: 0;
  border: 0;
  border-radius: var(--hush-radius-small, 0.5rem);
  background: none;
  color: var(--soft);
  cursor: pointer;
  -webkit-tap-highlight-color: transparent;
}
.step + .step { margin-inline-start: -0.25rem; }
.step[aria-disabled="true"] { opacity: 0.3; cursor: default; }
button:focus-visible { outline: 3px solid var(--focus); outline-offset: -1px; }
@media (hover: hover) {
  .row:hover { border-color: var(--strong); }
  .step:hover:not([aria-disabled="true"]) { background: var(--sunken); color: var(--ink); }
}
.row.dragged {
  z-index: 2;
  border-color: var(--accent);
  background: var(--surface);
  box-shadow: var(--hush-shadow-lifted, 0 12px 32px rgb(0 0 0 / 25%));
  cursor: grabbing;
}
.divider { margin-top: 1rem; }
.divider strong { display: block; padding: 0.75rem 0.25rem 0; border-top: 2px dashed var(--strong); }
.divider span { padding-inline: 0.25rem; color: var(--soft); font-size: 0.875rem; }
.empty {
  display: none;
  margin: 0 0 1rem;
  padding: 1.25rem 1rem;
  border: 2px dashed var(--edge);
  border-radius: var(--hush-radius, 0.875rem);
  color: var(--soft);
  text-align: center;
}
.divider:first-child { margin-top: 0; }
.divider:first-child .empty { display: block; }
.hidden {
  position: absolute;
  width: 1px;
  height: 1px;
  margin: -1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}
@media (pointer: coarse) {
  .keys { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
}
:host([disabled]) .row { cursor: default; opacity: 0.75; }
:host([disabled]) .step, :host([disabled]) .grip { visibility: hidden; }
@media (max-width: 26rem) {
  .handle { padding-inline: 0.25rem 0; }
  .item { gap: 0.5rem; }
  .item img { width: 2.25rem; height: 2.25rem; }
  .step { width: 44px; }
  .pictured .steps { flex-direction: column; justify-content: center; }
  .pictured .step { margin: 0; }
  .pictured .grip { display: none; }
}
@media (forced-colors: active) {
  .row, .place { border-color: CanvasText; }
  .row.dragged { outline: 3px solid Highlight; }
  .grip, .step { color: ButtonText; }
  .step[aria-disabled="true"] { color: GrayText; opacity: 1; }
}
`;

const GRIP =
  '<svg class="grip" width="16" height="24" viewBox="0 0 16 24" fill="currentColor" aria-hidden="true">' +
  [6, 12, 18].map((y) => `<circle cx="5" cy="${y}" r="1.6"/><circle cx="11" cy="${y}" r="1.6"/>`).join("") +
  "</svg>";

/** @param {string} path */
const arrow = (path) =>
  '<svg width="22" height="22" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.25" ' +
  `stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>`;

const ROW =
  `<li class="row"><span class="handle">${GRIP}<span class="place" aria-hidden="true"></span></span>` +
  '<button type="button" class="item"><span class="text"><span class="hidden"></span>' +
  '<span class="name"></span></span></button>' +
  `<span class="steps"><button type="button" class="step up" tabindex="-1">${arrow("M6 14.5 12 8.5l6 6")}</button>` +
  `<button type="button" class="step down" tabindex="-1">${arrow("M6 9.5l6 6 6-6")}</button></span></li>`;

const FRAME =
  '<p class="how" id="how"><span></span> <span class="keys"></span></p><ul></ul>' +
  '<div class="hidden" role="status" aria-live="polite"></div>';

const LONG_PRESS = 300; // ms until a finger that rests on a row takes it
const SLACK = 6; // px that a pointer may move before it drags
const EDGE = 88; // px from the edge of the window where a dragged item makes it scroll
const FASTEST = 18; // px a frame
const TYPING = 900; // ms in which digits make one number

/** @typedef {HTMLElement & {item: number}} Row */
/**
 * @typedef {object} Drag
 * @property {Row} row
 * @property {number} pointer
 * @property {number} startY     where the pointer took the row, in the window
 * @property {number} y          where it is
 * @property {number} grabbed    from the row's upper edge to the pointer
 * @property {boolean} isLifted
 * @property {readonly number[]} before
 * @property {number} timer
 */

const Base = globalThis.HTMLElement ?? class {};

export class RankingList extends Base {
  static formAssociated = true;
  static observedAttributes = ["items", "incomplete", "label", "disabled"];

  /** @type {Item[]} */ #items = [];
  /** @type {number[]} */ #entries = [];
  /** @type {Map<number, Row>} */ #rows = new Map();
  /** @type {Strings} */ #strings = ENGLISH;
  /** @type {Drag | null} */ #drag = null;
  #typed = { digits: "", timer: 0 };
  #ignoresClick = false;
  /** @type {ElementInternals} */ #internals;
  /** @type {ShadowRoot} */ #root;

  constructor() {
    super();
    this.#internals = this.attachInternals();
    this.#root = this.attachShadow({ mode: "open", delegatesFocus: true });
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    this.#root.adoptedStyleSheets = [style];
    this.#root.innerHTML = FRAME;
    const list = this.#list;
    list.addEventListener("keydown", (event) => this.#press(event));
    list.addEventListener("click", (event) => this.#click(event), true);
    list.addEventListener("pointerdown", (event) => this.#take(event));
    list.addEventListener("pointermove", (event) => this.#pull(event));
    list.addEventListener("pointerup", (event) => this.#drop(event));
    list.addEventListener("pointercancel", () => this.#cancel());
    list.addEventListener("touchmove", (event) => this.#hold(event), { passive: false });
    list.addEventListener("contextmenu", (event) => this.#drag && event.preventDefault());
    list.addEventListener("dragstart", (event) => event.preventDefault());
  }

  get items() {
    return this.#items;
  }

  set items(items) {
    this.#items = items;
    const n = order.shuffledItems(items.length);
    this.#entries = this.incomplete ? [DIVIDER, ...n] : n;
    this.#build();
  }

  /** The ranking: numbers of the items, best first, and those that are not ranked. */
  get value() {
    return order.rankingOf(this.#entries);
  }

  set value(ranking) {
    const entries = order.entriesOf(ranking, this.incomplete);
    const items = entries.filter((entry) => entry !== DIVIDER).sort((a, b) => a - b);
    const isWhole = items.length === this.#items.length && items.every((item, i) => item === i);
    if (!isWhole) throw new RangeError("expected each item of the list once");
    this.#arrange(entries, null);
  }

  get incomplete() {
    return this.hasAttribute("incomplete");
  }

  set incomplete(is) {
    this.toggleAttribute("incomplete", is);
  }

  get disabled() {
    return this.hasAttribute("disabled");
  }

  set disabled(is) {
    this.toggleAttribute("disabled", is);
  }

  get strings() {
    return this.#strings;
  }

  set strings(strings) {
    this.#strings = { ...ENGLISH, ...strings };
    this.#build();
  }

  get form() {
    return this.#internals.form;
  }

  get name() {
    return this.getAttribute("name") ?? "";
  }

  /** @param {string} name @param {string | null} _old @param {string | null} value */
  attributeChangedCallback(name, _old, value) {
    if (name === "items") this.items = JSON.parse(value ?? "[]");
    if (name === "incomplete") {
      const { order: ranked, unranked } = this.value;
      this.#entries = this.incomplete ? [DIVIDER, ...ranked, ...unranked] : [...ranked, ...unranked];
      this.#build();
    }
    if (name === "label") this.#list.setAttribute("aria-label", value ?? "");
    if (name === "disabled") this.#paint();
  }

  formResetCallback() {
    this.items = this.#items;
  }

  get #list() {
    return /** @type {HTMLElement} */ (this.#root.querySelector("ul"));
  }

  // --- what is shown ---------------------------------------------------------------------------

  #build() {
    const make = document.createElement("template");
    make.innerHTML = ROW;
    const row = /** @type {Node} */ (make.content.firstElementChild);
    this.#rows = new Map(
      this.#items.map((item, number) => [number, filledRow(row, item, number, this.#strings)]),
    );
    if (this.incomplete) this.#rows.set(DIVIDER, dividerRow(this.#strings));
    const [how, keys] = this.#root.querySelectorAll(".how span");
    how.textContent = this.#say(this.incomplete ? "how_incomplete" : "how", {});
    keys.textContent = this.#say("keys", {});
    this.#list.replaceChildren(...this.#entries.map((entry) => this.#row(entry)));
    this.#paint();
  }

  /** @param {number} entry */
  #row(entry) {
    return /** @type {Row} */ (this.#rows.get(entry));
  }

  /**
   * Shows other entries. The pinned row stays in the document, so that it keeps the focus and the
   * pointer: all others move around it.
   * @param {number[]} entries
   * @param {Row | null} pinned
   */
  #arrange(entries, pinned) {
    const tops = new Map([...this.#rows.values()].map((row) => [row, row.offsetTop]));
    this.#entries = entries;
    const rows = entries.map((entry) => this.#row(entry));
    const start = pinned ? rows.indexOf(pinned) : 0;
    if (!pinned && rows[0] && this.#list.firstElementChild !== rows[0]) this.#list.prepend(rows[0]);
    for (let i = start - 1; i >= 0; i--) placeBeside(rows[i + 1], rows[i], "beforebegin");
    for (let i = start + 1; i < rows.length; i++) placeBeside(rows[i - 1], rows[i], "afterend");
    this.#paint();
    if (!pinned) return; // a program did it, nobody watches
    for (const [row, top] of tops) if (row !== this.#drag?.row) slide(row, top - row.offsetTop);
  }

  #paint() {
    const places = order.rankedCount(this.#entries);
    for (const [item, row] of this.#rows) {
      if (item === DIVIDER) continue;
      const place = order.placeOf(this.#entries, item);
      row.classList.toggle("unranked", place === null);
      part(row, ".place").textContent = place === null ? "" : String(place);
      part(row, ".item .hidden").textContent = `${this.#placeWords(place)}: `;
      const isLast = place === null || (place === places && !this.incomplete);
      part(row, ".up").setAttribute("aria-disabled", String(place === 1 || this.disabled));
      part(row, ".down").setAttribute("aria-disabled", String(isLast || this.disabled));
    }
    this.#internals.setFormValue(JSON.stringify(this.value));
  }

  /** @param {number | null} place */
  #placeWords(place) {
    const places = order.rankedCount(this.#entries);
    return place === null ? this.#say("no_place", {}) : this.#say("place", { place, places });
  }

  /** @param {string} key @param {Record<string, string | number>} values */
  #say(key, values) {
    return filled(this.#strings[key], values);
  }

  // --- what a person does ----------------------------------------------------------------------

  /**
   * Changes the order for good: says so to screen readers and to the page.
   * @param {Row} row
   * @param {number[]} entries
   */
  #change(row, entries) {
    if (this.disabled || entries.join() === this.#entries.join()) return;
    this.#arrange(entries, row);
    row.scrollIntoView({ block: "nearest" });
    this.#announce(row.item);
  }

  /** @param {number} number */
  #announce(number) {
    const place = order.placeOf(this.#entries, number);
    const item = this.#items[number]?.name ?? "";
    const places = order.rankedCount(this.#entries);
    const words = this.#say(place === null ? "dropped" : "moved", { item, place: place ?? 0, places });
    /** @type {HTMLElement} */ (this.#root.querySelector("[aria-live]")).textContent = words;
    this.dispatchEvent(new Event("change", { bubbles: true }));
  }

  /** @param {Event} event */
  #click(event) {
    if (this.#ignoresClick) {
      this.#ignoresClick = false;
      event.stopPropagation();
      return;
    }
    const target = /** @type {HTMLElement} */ (event.target);
    const row = rowOf(target);
    if (!row || row.item === DIVIDER) return;
    const isUnranked = order.placeOf(this.#entries, row.item) === null;
    if (target.closest(".up")) this.#change(row, order.raised(this.#entries, row.item));
    else if (target.closest(".down")) this.#change(row, order.lowered(this.#entries, row.item));
    else if (isUnranked) this.#change(row, order.raised(this.#entries, row.item));
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    if (event.key === "Escape" && this.#drag) return this.#cancel();
    const row = rowOf(/** @type {HTMLElement} */ (event.target));
    if (!row || event.altKey || event.ctrlKey || event.metaKey || this.#drag) return;
    if (/^[0-9]$/.test(event.key)) return this.#type(row, event.key);
    const step = KEYS[event.key];
    if (!step) return;
    event.preventDefault();
    this.#change(row, step(this.#entries, row.item));
  }

  /** @param {Row} row @param {string} digit */
  #type(row, digit) {
    clearTimeout(this.#typed.timer);
    const digits = this.#typed.digits + digit;
    const isRanked = order.placeOf(this.#entries, row.item) !== null;
    const places = order.rankedCount(this.#entries) + (isRanked ? 0 : 1);
    const { place, isDone } = order.typedPlace(digits, places);
    const move = () => {
      this.#typed = { digits: "", timer: 0 };
      if (place !== null) this.#change(row, order.placed(this.#entries, row.item, place));
    };
    if (isDone) move();
    else this.#typed = { digits, timer: window.setTimeout(move, TYPING) };
  }

  /** @param {PointerEvent} event */
  #take(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const row = rowOf(target);
    const isOther = this.#drag || this.disabled || !event.isPrimary || event.button !== 0;
    this.#ignoresClick = false;
    if (isOther || !row || row.item === DIVIDER || target.closest(".step")) return;
    const { clientY: y, pointerId: pointer } = event;
    const grabbed = y - row.getBoundingClientRect().top;
    const before = [...this.#entries];
    this.#drag = { row, pointer, startY: y, y, grabbed, isLifted: false, before, timer: 0 };
    const byFinger = event.pointerType === "touch" && !target.closest(".handle");
    if (byFinger) this.#drag.timer = window.setTimeout(() => this.#lift(), LONG_PRESS);
  }

  /** @param {PointerEvent} event */
  #pull(event) {
    const drag = this.#drag;
    if (!drag || event.pointerId !== drag.pointer) return;
    drag.y = event.clientY;
    if (drag.isLifted || Math.abs(drag.y - drag.startY) < SLACK) return;
    if (drag.timer) this.#cancel(); // the finger scrolls
    else this.#lift();
  }

  #lift() {
    const drag = this.#drag;
    if (!drag) return;
    drag.isLifted = true;
    drag.timer = 0;
    drag.row.setPointerCapture(drag.pointer);
    drag.row.classList.add("dragged");
    const frame = () => {
      if (this.#drag !== drag) return;
      scrollAtEdge(this, drag.y);
      this.#follow(drag);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  /** A finger that holds an item does not scroll. @param {TouchEvent} event */
  #hold(event) {
    if (this.#drag?.isLifted && event.cancelable) event.preventDefault();
  }

  /**
   * Keeps the row under the pointer and lets it change places with rows whose middle it passed.
   * @param {Drag} drag
   */
  #follow(drag) {
    const { row } = drag;
    const listTop = this.#list.getBoundingClientRect().top;
    const top = drag.y - drag.grabbed - listTop;
    const rest = this.#entries.filter((entry) => entry !== row.item);
    const hole = row.offsetTop;
    const passed = rest.filter((entry) => {
      const other = this.#row(entry);
      const middle = other.offsetTop + other.offsetHeight / 2;
      return other.offsetTop < hole ? middle < top : middle < top + row.offsetHeight;
    });
    const entries = order.moved(this.#entries, row.item, passed.length);
    if (entries.join() !== this.#entries.join()) this.#arrange(entries, row);
    const most = this.#list.offsetHeight - row.offsetHeight + 24;
    const shown = Math.max(-24, Math.min(top, most));
    row.style.translate = `0 ${shown - row.offsetTop}px`;
  }

  /** @param {PointerEvent} event */
  #drop(event) {
    const drag = this.#drag;
    if (!drag || event.pointerId !== drag.pointer) return;
    if (drag.isLifted) {
      drag.y = event.clientY;
      this.#follow(drag);
    }
    this.#release(drag);
    if (!drag.isLifted) return;
    this.#ignoresClick = true;
    setTimeout(() => (this.#ignoresClick = false)); // a click, if any, follows at once
    part(drag.row, ".item").focus({ preventScroll: true });
    if (drag.before.join() !== this.#entries.join()) this.#announce(drag.row.item);
  }

  #cancel() {
    const drag = this.#drag;
    if (!drag) return;
    if (drag.isLifted) this.#arrange([...drag.before], drag.row);
    this.#release(drag);
  }

  /** @param {Drag} drag */
  #release(drag) {
    clearTimeout(drag.timer);
    this.#drag = null;
    const from = drag.row.getBoundingClientRect().top;
    drag.row.classList.remove("dragged");
    drag.row.style.removeProperty("translate");
    slide(drag.row, from - drag.row.getBoundingClientRect().top);
  }
}

/** @type {Record<string, (entries: readonly number[], item: number) => number[]>} */
const KEYS = {
  ArrowUp: order.raised,
  ArrowDown: order.lowered,
  Home: (entries, item) => order.placed(entries, item, 1),
  End: (entries, item) => order.placed(entries, item, Infinity),
  Delete: order.unranked,
  Backspace: order.unranked,
};

/** @param {Node} empty @param {Item} item @param {number} number @param {Strings} strings */
function filledRow(empty, item, number, strings) {
  const row = /** @type {Row} */ (empty.cloneNode(true));
  row.item = number;
  row.dataset.item = String(number);
  part(row, ".name").textContent = item.name;
  part(row, ".name").dir = "auto";
  part(row, ".item").setAttribute("aria-describedby", "how");
  part(row, ".up").setAttribute("aria-label", filled(strings.up, { item: item.name }));
  part(row, ".down").setAttribute("aria-label", filled(strings.down, { item: item.name }));
  if (item.description) part(row, ".text").append(description(item.description));
  if (item.picture) {
    row.classList.add("pictured");
    part(row, ".item").prepend(picture(item.picture));
  }
  return row;
}

/** @param {string} words */
function description(words) {
  const line = document.createElement("span");
  line.className = "description";
  line.dir = "auto";
  line.textContent = words;
  return line;
}

/** @param {string} address */
function picture(address) {
  const image = new Image(96, 96);
  image.alt = ""; // the name stands beside it
  image.draggable = false;
  image.src = address;
  return image;
}

/** @param {Strings} strings */
function dividerRow(strings) {
  const row = /** @type {Row} */ (/** @type {HTMLElement} */ (document.createElement("li")));
  const empty = document.createElement("p");
  const heading = document.createElement("strong");
  const hint = document.createElement("span");
  row.item = DIVIDER;
  row.className = "divider";
  empty.className = "empty";
  empty.textContent = strings.empty;
  heading.textContent = strings.unranked;
  hint.textContent = strings.unranked_hint;
  row.append(empty, heading, hint);
  return row;
}

/** @param {string} template @param {Record<string, string | number>} values */
function filled(template, values) {
  return template.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** @param {HTMLElement} row @param {string} selector */
function part(row, selector) {
  return /** @type {HTMLElement} */ (row.querySelector(selector));
}

/** @param {HTMLElement} target */
function rowOf(target) {
  return /** @type {Row | null} */ (target.closest("li"));
}

/** @param {Row | undefined} fixed @param {Row | undefined} row @param {"beforebegin" | "afterend"} side */
function placeBeside(fixed, row, side) {
  if (!fixed || !row) return;
  const beside = side === "afterend" ? fixed.nextElementSibling : fixed.previousElementSibling;
  if (beside !== row) fixed.insertAdjacentElement(side, row);
}

/** Lets a row that stands elsewhere now glide there. @param {HTMLElement} row @param {number} from */
function slide(row, from) {
  if (from === 0 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  row.animate([{ translate: `0 ${from}px` }, { translate: "0 0" }], { duration: 160, easing: "ease-out" });
}

/** @param {Element} element @param {number} y */
function scrollAtEdge(element, y) {
  const box = scrollBox(element);
  const isWindow = box === document.scrollingElement;
  const { top, bottom } = isWindow ? { top: 0, bottom: innerHeight } : box.getBoundingClientRect();
  const above = Math.max(0, top + EDGE - y) / EDGE;
  const below = Math.max(0, y - bottom + EDGE) / EDGE;
  box.scrollTop += Math.round(FASTEST * (Math.min(1, below) - Math.min(1, above)));
}

/** The nearest ancestor that scrolls. @param {Element} element @returns {Element} */
function scrollBox(element) {
  for (let box = outer(element); box; box = outer(box)) {
    const scrolls = /auto|scroll/.test(getComputedStyle(box).overflowY);
    if (scrolls && box.scrollHeight > box.clientHeight) return box;
  }
  return /** @type {Element} */ (document.scrollingElement);
}

/** @param {Element} element */
function outer(element) {
  const root = element.getRootNode();
  return element.parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

if (globalThis.customElements && !customElements.get("hushrank-ranking-list")) {
  customElements.define("hushrank-ranking-list", RankingList);
}
