/** What JSON from a collector must look like: nothing unknown, nothing missing, in this order. */

import { Refusal, demand } from "./errors.js";

/**
 * Read an object of exactly these keys, in this order, as the collector writes them.
 *
 * @param {unknown} value @param {readonly string[]} keys
 * @returns {Record<string, unknown>}
 */
export function record(value, keys) {
  const is = typeof value === "object" && value !== null && !Array.isArray(value);
  demand(is && Object.keys(value).join() === keys.join(), "malformed", `expected ${keys.join()}`);
  return /** @type {Record<string, unknown>} */ (value);
}

/**
 * @param {unknown} value @param {number} low @param {number} high the largest one allowed
 * @returns {number}
 */
export function whole(value, low, high) {
  const fits = Number.isSafeInteger(value) && Number(value) >= low && Number(value) <= high;
  demand(fits, "malformed", `expected a whole number of ${low} to ${high}`);
  return Number(value);
}

/**
 * A finite number above 0: nats.
 *
 * @param {unknown} value
 * @returns {number}
 */
export function positive(value) {
  const fits = typeof value === "number" && value > 0 && value < Infinity;
  demand(fits, "malformed", "expected a positive finite number");
  return value;
}

/**
 * A text without halves of characters, which UTF-8 has not.
 *
 * @param {unknown} value @param {RegExp} [pattern]
 * @returns {string}
 */
export function text(value, pattern) {
  const fits = typeof value === "string" && !/\p{Cs}/u.test(value) && (!pattern || pattern.test(value));
  demand(fits, "malformed", `expected text${pattern ? ` like ${pattern}` : ""}`);
  return value;
}

/**
 * @template T
 * @param {unknown} value @param {(each: unknown) => T} read
 * @returns {T[]}
 */
export function list(value, read) {
  demand(Array.isArray(value), "malformed", "expected a list");
  return value.map((each) => read(each));
}

/**
 * A 64-bit word in decimal: JSON numbers are exact up to 2^53 only.
 *
 * @param {unknown} value
 * @returns {bigint}
 */
export function word(value) {
  const number = BigInt(text(value, /^(0|[1-9][0-9]{0,19})$/));
  demand(number < 1n << 64n, "malformed", "expected a word below 2^64");
  return number;
}

/**
 * Parse JSON of at most so many characters.
 *
 * @param {string} json @param {number} most
 * @returns {unknown}
 */
export function parsed(json, most) {
  demand(json.length <= most, "too-large", `expected at most ${most} characters`);
  try {
    return JSON.parse(json);
  } catch {
    throw new Refusal("malformed", "expected JSON");
  }
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?[0-9][-+.0-9eE]*/g; // texts and numbers

/**
 * Parse JSON that is hashed: only as compact as the collector writes it, each key once, because
 * other JSON may read differently elsewhere, or hide something.
 *
 * @param {string} json @param {number} most
 * @returns {unknown}
 */
export function compact(json, most) {
  const value = parsed(json, most);
  const own = json.replace(TOKENS, (token) => {
    const number = Number(token);
    const isPythons = token === `${number}.0` || token === number.toExponential();
    return isPythons ? String(number) : token; // 1.0 and 1e-6 are 1 and 0.000001 here
  });
  demand(written(value) === own, "malformed", "expected compact JSON, each key once");
  return value;
}

/** @param {unknown} value */
function written(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return null; // it nests too deep
  }
}
