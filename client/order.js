// What a ranking list holds, without the page: items in the order in which they stand, best first.
// `entries` are item numbers; where items may stay unranked, DIVIDER stands before these.

export const DIVIDER = -1;

/** @typedef {{order: number[], unranked: number[]}} Ranking */

/**
 * Uniformly random order of the items 0..n-1.
 * @param {number} n
 * @param {(n: number) => number} below  draws a whole number in 0..n-1
 */
export function shuffledItems(n, below = secureBelow) {
  const items = Array.from({ length: n }, (_, item) => item);
  for (let last = n - 1; last > 0; last--) {
    const other = below(last + 1);
    [items[last], items[other]] = [items[other], items[last]];
  }
  return items;
}

/**
 * A whole number in 0..n-1 from the browser's secure source, without modulo bias.
 * @param {number} n
 */
export function secureBelow(n) {
  const words = new Uint32Array(1);
  const limit = 2 ** 32 - (2 ** 32 % n);
  do crypto.getRandomValues(words);
  while (words[0] >= limit);
  return words[0] % n;
}

/**
 * @param {Ranking} ranking
 * @param {boolean} incomplete
 */
export function entriesOf({ order, unranked }, incomplete) {
  return incomplete ? [...order, DIVIDER, ...unranked] : [...order, ...unranked];
}

/** @param {readonly number[]} entries @returns {Ranking} */
export function rankingOf(entries) {
  const n = rankedCount(entries);
  return { order: entries.slice(0, n), unranked: entries.slice(n + 1) };
}

/** @param {readonly number[]} entries */
export function rankedCount(entries) {
  const divider = entries.indexOf(DIVIDER);
  return divider < 0 ? entries.length : divider;
}

/**
 * The place of an item, from 1, or null where it is not ranked.
 * @param {readonly number[]} entries
 * @param {number} item
 */
export function placeOf(entries, item) {
  const index = entries.indexOf(item);
  return index < rankedCount(entries) ? index + 1 : null;
}

/**
 * The entries with one of them moved to an index.
 * @param {readonly number[]} entries
 * @param {number} entry
 * @param {number} index
 */
export function moved(entries, entry, index) {
  const others = entries.filter((other) => other !== entry);
  others.splice(Math.max(0, Math.min(index, others.length)), 0, entry);
  return others;
}

/**
 * The entries with an item on a place, from 1; a place behind the last ranked item is the last one.
 * @param {readonly number[]} entries
 * @param {number} item
 * @param {number} place
 */
export function placed(entries, item, place) {
  const others = rankedCount(entries) - (placeOf(entries, item) === null ? 0 : 1);
  return moved(entries, item, Math.min(place - 1, others));
}

/**
 * One place up: an unranked item becomes the last of the ranked ones.
 * @param {readonly number[]} entries
 * @param {number} item
 */
export function raised(entries, item) {
  const place = placeOf(entries, item);
  return place === null ? placed(entries, item, Infinity) : placed(entries, item, Math.max(1, place - 1));
}

/**
 * One place down: the last ranked item becomes unranked, where that is allowed.
 * @param {readonly number[]} entries
 * @param {number} item
 */
export function lowered(entries, item) {
  const place = placeOf(entries, item);
  return place === null ? [...entries] : moved(entries, item, place);
}

/**
 * The item without a place, where that is allowed.
 * @param {readonly number[]} entries
 * @param {number} item
 */
export function unranked(entries, item) {
  const isAllowed = entries.includes(DIVIDER) && placeOf(entries, item) !== null;
  return isAllowed ? moved(entries, item, rankedCount(entries)) : [...entries];
}

/**
 * Digits typed one after the other: what place they say, and whether more digits could follow.
 * @param {string} digits
 * @param {number} places
 */
export function typedPlace(digits, places) {
  const place = Number(digits);
  return { place: place >= 1 && place <= places ? place : null, isDone: place * 10 > places };
}
