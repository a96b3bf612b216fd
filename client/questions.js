/** What a person may be asked: each question maps a ranking to a category, or to a row of ranks. */

/** @import { Question, Ranks, Says } from "./types.js" */

import { choose, countOrders, orderAt, orderIndex, placesAt, placesIndex } from "./coding.js";
import { demand } from "./errors.js";
import { list, record, text, whole, word } from "./forms.js";

const MOST_OF_AN_INDEX = 20;
const MOST_HASHED = 2 ** 45;
const MOST_NAMED = 64;
const MOST_BUCKETS = 2 ** 10;

/** @typedef {(wire: unknown, nItems: number) => Omit<Question, "kind" | "form"> & { form?: string }} Read */

/** @type {Record<string, Read>} */
const KINDS = {
  "relative-order": relativeOrder,
  interleaving,
  "rank-and-precedence": rankAndPrecedence,
  "rank-level": rankLevel,
  "level-and-precedence": levelAndPrecedence,
  stated,
  "top-order": topOrder,
  hashed,
  "whole-order": wholeOrder,
  "named-set": namedSet,
};

/**
 * Read a question that every ranking of nItems items can answer; refuse any other.
 *
 * @param {unknown} wire @param {number} nItems
 * @returns {Question}
 */
export function readQuestion(wire, nItems) {
  const kind = kindOf(wire);
  const read = Object.hasOwn(KINDS, kind) && KINDS[kind];
  demand(read, "malformed", "unknown question");
  return { kind, form: "category", ...read(wire, nItems) };
}

/** @param {unknown} wire */
function kindOf(wire) {
  return text(/** @type {{ kind?: unknown } | null} */ (wire)?.kind);
}

/** @type {Read} */
function relativeOrder(wire, nItems) {
  const items = distinct(list(record(wire, ["kind", "items"]).items, itemOf(nItems)), 2);
  demand(items.length <= MOST_OF_AN_INDEX, "malformed", "expected at most 20 items");
  const n = items.length;
  return {
    nCategories: countOrders(n, n),
    takesIncomplete: false,
    answer: (ranks) => orderIndex(orderOf(items.map((item) => rankOf(ranks, item))), n),
    says: (category) => ({ says: "order", items: pick(items, orderAt(Number(category), n, n)) }),
  };
}

/** @type {Read} */
function wholeOrder(wire, nItems) {
  const items = distinct(list(record(wire, ["kind", "items"]).items, itemOf(nItems)), 2);
  return {
    nCategories: items.length,
    form: "ranks",
    takesIncomplete: false,
    answer: (ranks) => orderOf(orderOf(items.map((item) => rankOf(ranks, item)))),
    says: (row) => ({ says: "order", items: pick(items, orderOf(/** @type {number[]} */ (row))) }),
  };
}

/** @type {Read} */
function interleaving(wire, nItems) {
  const parts = record(wire, ["kind", "left", "right"]);
  const left = list(parts.left, itemOf(nItems));
  const right = list(parts.right, itemOf(nItems));
  const all = distinct([...left, ...right], 2);
  demand(left.length && right.length, "malformed", "expected items on both sides");
  return {
    nCategories: choose(all.length, left.length),
    takesIncomplete: false,
    answer: (ranks) => placesIndex(placesOfLeft(all.map((item) => rankOf(ranks, item)))),
    says(category) {
      const taken = new Set(placesAt(Number(category), all.length, left.length));
      const sides = all.map((_, place) => (taken.has(place) ? "left" : "right"));
      return { says: "merge", left, right, sides: /** @type {("left" | "right")[]} */ (sides) };
    },
  };
  /** @param {number[]} own */
  function placesOfLeft(own) {
    return orderOf(orderOf(own)).slice(0, left.length);
  }
}

/** @type {Read} */
function rankAndPrecedence(wire, nItems) {
  const fields = record(wire, ["kind", "item", "first", "second", "n_items"]);
  const three = [fields.item, fields.first, fields.second].map(itemOf(nItems));
  const [item, first, second] = distinct(three, 3);
  whole(fields.n_items, nItems, nItems);
  return {
    nCategories: 2 * nItems,
    takesIncomplete: false,
    answer: (ranks) =>
      2 * rankOf(ranks, item) + Number(rankOf(ranks, second) < rankOf(ranks, first)),
    says(category) {
      const rank = Math.floor(Number(category) / 2);
      const order = Number(category) % 2 ? [second, first] : [first, second];
      return both({ says: "ranks", item, ranks: [rank] }, { says: "order", items: order });
    },
  };
}

/** @type {Read} */
function rankLevel(wire, nItems) {
  const fields = record(wire, ["kind", "item", "levels"]);
  const item = itemOf(nItems)(fields.item);
  const levels = levelsOf(fields.levels, nItems);
  return {
    nCategories: Math.max(...levels) + 1,
    takesIncomplete: false,
    answer: (ranks) => levels[rankOf(ranks, item)],
    says: (category) => ranksOfLevel(item, levels, Number(category)),
  };
}

/** @type {Read} */
function levelAndPrecedence(wire, nItems) {
  const fields = record(wire, ["kind", "item", "other", "levels"]);
  const [item, other] = distinct([fields.item, fields.other].map(itemOf(nItems)), 2);
  const levels = levelsOf(fields.levels, nItems);
  // cells 2 level + [other first], less those that no ranking has: nothing is before the best
  const cells = new Set(levels.flatMap((level, rank) => [
    ...(rank < nItems - 1 ? [2 * level] : []),
    ...(rank > 0 ? [2 * level + 1] : []),
  ]));
  const known = [...cells].sort((a, b) => a - b);
  return {
    nCategories: known.length,
    takesIncomplete: false,
    answer(ranks) {
      const own = rankOf(ranks, item);
      return known.indexOf(2 * levels[own] + Number(rankOf(ranks, other) < own));
    },
    says(category) {
      const cell = known[Number(category)];
      const order = cell % 2 ? [other, item] : [item, other];
      const level = ranksOfLevel(item, levels, Math.floor(cell / 2));
      return both(level, { says: "order", items: order });
    },
  };
}

/**
 * A question about partial rankings: one category more, where the ranking does not decide it.
 *
 * @type {Read}
 */
function stated(wire, nItems) {
  const fields = record(wire, ["kind", "question", "unranked"]);
  demand(kindOf(fields.question) !== "stated", "malformed", "nested"); // without end, perhaps
  const inner = readQuestion(fields.question, nItems);
  const asked = /** @type {Record<string, any>} */ (fields.question);
  const isLast = fields.unranked === "last";
  const isPair = inner.kind === "relative-order" && asked.items.length === 2;
  const isLevel = inner.kind === "rank-level" || inner.kind === "level-and-precedence";
  const fits = (isLast || fields.unranked === "unknown") && (isPair || (isLast && isLevel));
  demand(fits, "malformed", "expected a question that partial rankings can answer");
  const items = isPair ? asked.items : [asked.item, ...("other" in asked ? [asked.other] : [])];
  return {
    nCategories: inner.nCategories + 1,
    takesIncomplete: true,
    answer: (ranks) => (isDecided(ranks) ? inner.answer(completed(ranks)) : inner.nCategories),
    says: (category) =>
      category === inner.nCategories ? { says: "unstated", items } : inner.says(category),
  };
  /** @param {Ranks} ranks */
  function isDecided(ranks) {
    if (isPair) {
      const ranked = items.map((/** @type {number} */ item) => ranks[item] !== null);
      return isLast ? ranked[0] || ranked[1] : ranked[0] && ranked[1];
    }
    const nRanked = ranks.filter((rank) => rank !== null).length;
    return ranks[asked.item] !== null || nRanked >= decidingPlaces(asked.levels, "other" in asked);
  }
}

/**
 * How many best places, once taken, decide the answer about an item that has none.
 *
 * @param {number[]} levels @param {boolean} hasOther a precedence needs all places but one
 */
function decidingPlaces(levels, hasOther) {
  if (hasOther) return levels.length - 1;
  const changes = levels.flatMap((level, rank) => (level !== levels[rank - 1] ? [rank] : []));
  return Math.max(...changes);
}

/** @param {Ranks} ranks unranked items become the last, in the order of their numbers */
function completed(ranks) {
  let next = ranks.filter((rank) => rank !== null).length;
  return ranks.map((rank) => rank ?? next++);
}

/** @type {Read} */
function topOrder(wire, nItems) {
  const fields = record(wire, ["kind", "n_items", "n_places"]);
  demand(nItems <= MOST_OF_AN_INDEX, "malformed", "expected at most 20 items");
  const n = whole(fields.n_items, nItems, nItems);
  const places = whole(fields.n_places, 1, n);
  return {
    nCategories: countOrders(n, places),
    takesIncomplete: false,
    answer: (ranks) =>
      orderIndex(orderOf(ranks.map((_, item) => rankOf(ranks, item))).slice(0, places), n),
    says: (category) => ({ says: "top", items: orderAt(Number(category), n, places) }),
  };
}

/**
 * Category = ((multiplier v + offset) mod 2^64 >> 44) g >> 20, of an answer v below 2^45.
 *
 * @type {Read}
 */
function hashed(wire, nItems) {
  const fields = record(wire, ["kind", "question", "multiplier", "offset", "n_buckets"]);
  demand(kindOf(fields.question) === "top-order", "malformed", "expected a top-order");
  const inner = topOrder(fields.question, nItems);
  demand(inner.nCategories <= MOST_HASHED, "malformed", "expected at most 2^45 answers");
  const [multiplier, offset] = [word(fields.multiplier), word(fields.offset)];
  const of = whole(fields.n_buckets, 2, MOST_BUCKETS);
  return {
    nCategories: of,
    takesIncomplete: false,
    answer(ranks) {
      const hash = BigInt.asUintN(64, multiplier * BigInt(Number(inner.answer(ranks))) + offset);
      return Number(((hash >> 44n) * BigInt(of)) >> 20n);
    },
    says: (bucket) => ({ says: "bucket", bucket: Number(bucket), of }),
  };
}

/**
 * The row of all items on some places; or of all pairs of such an item and one on a side of it.
 *
 * @type {Read}
 */
function namedSet(wire, nItems) {
  const fields = record(wire, ["kind", "places", "n_items", "side"]);
  const n = whole(fields.n_items, nItems, Math.min(nItems, MOST_NAMED));
  const places = list(fields.places, itemOf(n));
  const side = fields.side ?? "none";
  const [isAlone, isBefore] = [fields.side === null, side === "before"];
  const seats = places.slice(0, n).flatMap((place) => {
    if (isAlone) return [[place, place]];
    const others = Array.from({ length: n }, (_, other) => [place, other]);
    return isBefore ? others.slice(0, place) : others.slice(place + 1);
  });
  const nCategories = isAlone ? n : n * (n - 1);
  const isAscending = places.every((place, at) => !at || place > places[at - 1]);
  const fits = (isAlone || isBefore || side === "after") && isAscending;
  demand(fits && seats.length && seats.length < nCategories, "malformed", "unfit places");
  return {
    nCategories,
    form: `${seats.length} members`,
    takesIncomplete: false,
    asks: { says: "named", places, side },
    answer(ranks) {
      const order = orderOf(ranks.map((_, item) => rankOf(ranks, item)));
      const cells = seats.map((seat) => {
        const [item, other] = pick(order, seat);
        return isAlone ? item : item * (n - 1) + other - Number(other > item);
      });
      return cells.sort((a, b) => a - b);
    },
    says(category) {
      const cell = Number(category);
      const item = isAlone ? cell : Math.floor(cell / (n - 1));
      const left = cell % (n - 1);
      const other = left + Number(left >= item);
      /** @type {Says} */
      const level = { says: "ranks", item, ranks: places };
      const items = isBefore ? [other, item] : [item, other];
      return isAlone ? level : both(level, { says: "order", items });
    },
  };
}

/** @param {number} nItems */
function itemOf(nItems) {
  return (/** @type {unknown} */ item) => whole(item, 0, nItems - 1);
}

/** @param {number[]} items @param {number} atLeast */
function distinct(items, atLeast) {
  const fits = new Set(items).size === items.length && items.length >= atLeast;
  demand(fits, "malformed", `expected ${atLeast}+ distinct items`);
  return items;
}

/** @param {unknown} wire @param {number} nItems the levels 0..K-1, K >= 2, each of some rank */
function levelsOf(wire, nItems) {
  const levels = list(wire, (level) => whole(level, 0, nItems - 1));
  const n = new Set(levels).size;
  const fits = levels.length === nItems && n >= 2 && Math.max(...levels) === n - 1;
  demand(fits, "malformed", "expected levels 0..K-1 with K of at least 2, one for each rank");
  return levels;
}

/** @param {number} item @param {number[]} levels @param {number} level @returns {Says} */
function ranksOfLevel(item, levels, level) {
  const ranks = levels.flatMap((of, rank) => (of === level ? [rank] : []));
  return { says: "ranks", item, ranks };
}

/** @param {Says[]} parts @returns {Says} */
const both = (...parts) => ({ says: "both", parts });

/** @param {Ranks} ranks @param {number} item */
function rankOf(ranks, item) {
  return /** @type {number} */ (ranks[item]); // the device has checked that it is ranked
}

/**
 * The places of numbers in ascending order: of ranks the order; of an order its ranks.
 *
 * @param {readonly number[]} numbers
 */
export function orderOf(numbers) {
  return numbers.map((_, place) => place).sort((a, b) => numbers[a] - numbers[b]);
}

/** @param {number[]} items @param {number[]} places */
const pick = (items, places) => places.map((place) => items[place]);
