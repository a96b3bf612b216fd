/** What a report or an answer says, in words: through a table of strings that translators write. */

/** @import { Mechanism, Question, Report, Says, Strings } from "./types.js" */

import { demand } from "./errors.js";
import { orderOf } from "./questions.js";

const MOST_READ = 2 ** 16;
const MOST_NAMED = 8;

/**
 * What a report says of its owner, perhaps falsely: for many mechanisms, one of several answers.
 *
 * @param {Question} question @param {Mechanism} mechanism @param {Report} report
 * @returns {Says}
 */
export function reportSays(question, mechanism, report) {
  if (Array.isArray(report)) return question.says(report);
  if (mechanism.kind === "generalized-randomized-response") return question.says(Number(report));
  const supports = mechanism.supports(report);
  const parts = [];
  let more = 0;
  for (let category = 0; category < Math.min(mechanism.nCategories, MOST_READ); category += 1) {
    if (!supports(category)) continue;
    if (parts.length < MOST_NAMED) parts.push(question.says(category));
    else more += 1;
  }
  return { says: "any", parts, more: mechanism.nCategories > MOST_READ ? null : more };
}

/**
 * @param {Says} says @param {readonly string[]} names of the items @param {Strings} strings
 * @param {string} [language] of lists and numbers
 * @returns {string}
 */
export function inWords(says, names, strings, language = "en") {
  const name = (/** @type {number} */ item) => isolated(names[item]);
  const joined = (/** @type {string[]} */ parts, /** @type {Intl.ListFormatType} */ type) =>
    new Intl.ListFormat(language, { type }).format(parts);
  const number = (/** @type {number} */ n) => new Intl.NumberFormat(language).format(n);
  const list = (/** @type {number[]} */ items) => joined(items.map(name), "unit");
  const fill = (/** @type {string} */ key, /** @type {Record<string, string>} */ values = {}) =>
    filled(strings, `says.${key}`, values);
  switch (says.says) {
    case "order": {
      const [first, second] = says.items.map(name);
      return says.items.length === 2 ? fill("pair", { first, second }) : fill("order", { items: list(says.items) });
    }
    case "top":
      return fill("top", { items: list(says.items) });
    case "ranks": {
      const ranges = runs(says.ranks).map(([from, to]) =>
        from === to ? number(from + 1) : fill("range", { from: number(from + 1), to: number(to + 1) }),
      );
      const key = says.ranks.length === 1 ? "place" : "places";
      return fill(key, { item: name(says.item), places: joined(ranges, "disjunction") });
    }
    case "both":
      return joined(says.parts.map((part) => inWords(part, names, strings, language)), "conjunction");
    case "merge": {
      const { left, right, sides } = says;
      if (left.length === 1) {
        const place = number(sides.indexOf("left") + 1);
        return fill("among", { item: name(left[0]), place, items: list(right) });
      }
      const letters = sides.map((side) => (side === "left" ? "A" : "B")).join(" ");
      return fill("merge", { left: list(left), right: list(right), sides: letters });
    }
    case "unstated":
      return fill("unstated", { items: joined(says.items.map(name), "conjunction") });
    case "bucket":
      return fill("bucket", { bucket: number(says.bucket + 1), of: number(says.of) });
    case "any": {
      const parts = says.parts.map((part) => `“${inWords(part, names, strings, language)}”`);
      if (says.more) parts.push(fill("more", { n: number(says.more) }));
      if (says.more === null) parts.push(fill("others"));
      if (!parts.length) return fill("none");
      return fill("any", { parts: joined(parts, "disjunction") });
    }
  }
}

/** @param {number[]} ranks ascending @returns {[number, number][]} the first and last of each run */
function runs(ranks) {
  /** @type {[number, number][]} */
  const found = [];
  for (const rank of ranks) {
    const last = found[found.length - 1];
    if (last && last[1] === rank - 1) last[1] = rank;
    else found.push([rank, rank]);
  }
  return found;
}

/** @param {Strings} strings @param {string} key @param {Record<string, string>} values */
function filled(strings, key, values) {
  const template = strings[key];
  demand(typeof template === "string", "no-words", `expected words for ${key}`);
  return template.replace(/\{(\w+)\}/g, (_, field) => values[field]);
}

/** @param {string} name read from right to left inside a sentence from left to right, or not */
function isolated(name) {
  return /[\u0590-\u08ff\ufb1d-\ufefc]/.test(name) ? `\u2068${name}\u2069` : name;
}
