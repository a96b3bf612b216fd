/** The documents of a survey, checked: nothing in them is believed that can be computed. */

/** @import { Announcement, Asked, Handout, Report } from "./types.js" */

import { demand } from "./errors.js";
import { unitsOf } from "./exact.js";
import { compact, list, parsed, positive, record, text, whole } from "./forms.js";
import { readMechanism } from "./mechanisms.js";
import { readQuestion } from "./questions.js";
import { createHash } from "./vendor/sha256-uint8array/sha256-uint8array.js";

const MOST_CHARACTERS = 2 ** 18; // of a handout
const MOST_ANNOUNCED = 2 ** 20;
const MOST_EPSILON = 8; // above it, a report is a confession
const DIGEST = /^[0-9a-f]{64}$/;
const MOST_ITEMS = 65534;
const MOST_PATH = 40;
const MOST_MECHANISMS = 8; // of one person's questions
const MOST_BITS = 2 ** 22; // of one person's reports: a phone draws so many in a second
// What Python's `str.isprintable` takes: no control, format, private-use or unassigned character, no
// half of one, no space but the blank. Of another version of Unicode than Python's, a browser may
// take a newer character that Python refuses, or the other way round.
const PRINTABLE = /^(?:[^\p{C}\p{Z}]|\x20)+$/u;
const LANGUAGE = /^[a-z]{2,3}(-[A-Za-z]{2,8})?$/;
const TIME = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.(?!0{6})\d{6})?(Z|[-+](?!00:00)([01]\d|2[0-3]):[0-5]\d)?$/;
const HEAD = [
  "version",
  "name",
  "items",
  "epsilon",
  "answers_per_person",
  "lots",
  "takes_incomplete",
  "n_questions",
  "questions_root",
  "mechanisms",
];

const HANDED = ["number", "asked", "path"];

const ANNOUNCED = [
  ...["version", "id", "series", "title", "items", "protocol", "epsilon", "comes_back", "unranked"],
  ...["joining", "smallest_group", "closes", "asked_by", "purpose", "contact", "privacy_notice"],
  ...["language", "first_round"],
];

/**
 * SHA-256 of some texts, in UTF-8, and bytes, in hexadecimal.
 *
 * @param {...(string | Uint8Array)} parts
 */
export function fingerprintOf(...parts) {
  const hash = createHash();
  const encoder = new TextEncoder();
  for (const part of parts) hash.update(typeof part === "string" ? encoder.encode(part) : part);
  return hash.digest("hex");
}

/**
 * Read what people are shown before anything; refuse what this version cannot show as it is.
 *
 * @param {string} json
 * @returns {Announcement}
 */
export function readAnnouncement(json) {
  const told = record(compact(json, MOST_ANNOUNCED), ANNOUNCED);
  whole(told.version, 1, 1);
  for (const name of ["id", "series"]) text(told[name]);
  for (const name of ["title", "asked_by", "contact"]) short(told[name], 200, PRINTABLE);
  for (const name of ["purpose", "privacy_notice"]) short(told[name], 5000);
  short(told.protocol, 200, /./s);
  text(told.language, LANGUAGE);
  demand(positive(told.epsilon) <= MOST_EPSILON, "malformed", "expected at most 8 nats");
  whole(told.smallest_group, 2, 1e6);
  text(told.unranked, /^(refused|last|unknown)$/);
  text(told.joining, /^(open|invitations|api)$/);
  if (told.closes !== null) demandTime(told.closes);
  demand(typeof told.comes_back === "boolean", "malformed", "expected true or false");
  list(told.first_round, (digest) => text(digest, DIGEST));
  whole(namesOf(list(told.items, itemNameOf)).length, 2, 1000);
  return /** @type {Announcement} */ (/** @type {unknown} */ (told));
}

/** @param {unknown} value */
function itemNameOf(value) {
  const given = Object.keys(/** @type {object} */ (value ?? {}));
  const item = record(value, ["name", "description", "picture"].filter((key) => given.includes(key)));
  if ("description" in item) short(item.description, 500);
  if ("picture" in item) text(item.picture, DIGEST);
  return short(item.name, 200);
}

/**
 * @param {unknown} value @param {number} most characters, as Python counts them
 * @param {RegExp} [pattern]
 */
function short(value, most, pattern) {
  const fits = [...text(value)].length <= most;
  demand(fits, "malformed", `expected at most ${most} characters`);
  return text(value, pattern);
}

/** Refuse what is no time as Python writes it, such as 30 February. @param {unknown} value */
function demandTime(value) {
  const time = text(value, TIME);
  const second = time.slice(0, 19);
  const isDay = new Date(`${second}Z`).toJSON()?.startsWith(second);
  const fits = isDay && new Date(time).toJSON() > "0001"; // of UTC, too
  demand(fits, "malformed", "expected a time");
}

/**
 * Read a handout: questions that belong to one survey, hidden as its epsilon says.
 *
 * Refused: what does not follow the schema; a question that is not one of those that the
 * fingerprint stands for; more than `mostEpsilon` nats; thresholds that are not those of their
 * epsilon; answers that cost more than the survey's epsilon; questions that some rankings of the
 * items could not answer.
 *
 * @param {string} json @param {number} mostEpsilon
 * @returns {Handout}
 */
export function readHandout(json, mostEpsilon) {
  const handed = record(parsed(json, MOST_CHARACTERS), ["head", "questions"]);
  const headJson = text(handed.head);
  const head = record(compact(headJson, MOST_CHARACTERS), HEAD);
  whole(head.version, 2, 2);
  const epsilon = positive(head.epsilon);
  demand(epsilon <= mostEpsilon, "too-dear", "the survey asks for more than was shown");
  demand(typeof head.takes_incomplete === "boolean", "malformed", "expected true or false");
  demandDistinct(handed.questions, whole(head.answers_per_person, 1, Number.MAX_SAFE_INTEGER));
  const items = namesOf(head.items);
  const mechanismOf = mechanismsOf(head.mechanisms);
  const handout = {
    fingerprint: fingerprintOf(headJson),
    name: text(head.name),
    items,
    epsilon,
    lots: lotsOf(head.lots),
    takesIncomplete: head.takes_incomplete,
    asked: list(handed.questions, (each) => askedOf(each, head, items, mechanismOf)),
  };
  demandPrice(handout);
  return handout;
}

/** As many as each person answers, before any is read. @param {unknown} value @param {number} nAnswers */
function demandDistinct(value, nAnswers) {
  const numbers = list(value, (each) => record(each, HANDED).number);
  const fits = numbers.length === nAnswers && new Set(numbers).size === nAnswers;
  demand(fits, "malformed", "expected distinct questions");
}

/** @param {Handout} handout */
function demandPrice({ asked, epsilon }) {
  const price = asked.reduce((sum, { mechanism }) => sum + unitsOf(mechanism.epsilon), 0n);
  demand(price <= unitsOf(epsilon), "too-dear", "the answers cost more than the survey says");
  const nBits = asked.reduce((sum, { mechanism }) => sum + bitsOf(mechanism), 0);
  demand(nBits <= MOST_BITS, "too-large", "expected few bits");
}

/** @param {Asked["mechanism"]} mechanism */
const bitsOf = ({ kind, nCategories }) => (kind.endsWith("unary-encoding") ? nCategories : 0);

/**
 * Those of a survey that one person is asked through, each read once: few, of many.
 *
 * @param {unknown} value
 */
function mechanismsOf(value) {
  const stated = list(value, (each) => each);
  /** @type {Map<number, Asked["mechanism"]>} */
  const known = new Map();
  return (/** @type {unknown} */ nth) => {
    const number = whole(nth, 0, stated.length - 1);
    const mechanism = known.get(number) ?? readMechanism(stated[number]);
    known.set(number, mechanism);
    demand(known.size <= MOST_MECHANISMS, "malformed", "expected few");
    return { mechanism, described: stated[number] };
  };
}

/**
 * @param {unknown} value @param {Record<string, unknown>} head @param {string[]} items
 * @param {ReturnType<typeof mechanismsOf>} mechanismOf
 * @returns {Asked}
 */
function askedOf(value, head, items, mechanismOf) {
  const handed = record(value, HANDED);
  const leaf = text(handed.asked);
  const n = whole(head.n_questions, 1, 2 ** MOST_PATH);
  const number = whole(handed.number, 0, n - 1);
  const path = list(handed.path, (digest) => text(digest, DIGEST));
  const isProven = rootByPath(leaf, number, n, path) === text(head.questions_root, DIGEST);
  demand(isProven, "malformed", "the question is none of these");
  const wire = record(compact(leaf, MOST_CHARACTERS), ["question", "mechanism"]);
  const { mechanism, described } = mechanismOf(wire.mechanism);
  const question = readQuestion(wire.question, items.length);
  const fits = mechanism.form === question.form && question.nCategories === mechanism.nCategories;
  demand(fits, "malformed", "expected a mechanism for the question");
  const open = question.takesIncomplete || head.takes_incomplete !== true;
  demand(open, "malformed", "expected a question for incomplete rankings");
  const key = fingerprintOf(JSON.stringify([items, wire.question, described]));
  return { number, question, mechanism, key };
}

/**
 * The root of the tree of n leaves that has this leaf at this number, by its path: RFC 9162,
 * section 2.1.3.2.
 *
 * @param {string} leaf @param {number} number @param {number} n @param {string[]} path
 * @returns {string}
 */
export function rootByPath(leaf, number, n, path) {
  let found = fingerprintOf(Uint8Array.of(0), leaf);
  let used = 0;
  for (; n > 1; number = Math.floor(number / 2), n = Math.ceil(n / 2)) {
    const isRight = number % 2 === 1;
    if (!isRight && number + 1 === n) continue; // without a sibling: it rises as it is
    const sibling = path[used++];
    demand(sibling, "malformed", "the path of the question is too short");
    const pair = isRight ? sibling + found : found + sibling;
    found = fingerprintOf(Uint8Array.of(1), bytesOf(pair));
  }
  demand(used === path.length, "malformed", "the path of the question is too long");
  return found;
}

/** @param {string} hex */
function bytesOf(hex) {
  return Uint8Array.from({ length: hex.length / 2 }, (_, at) => parseInt(hex.slice(2 * at, 2 * at + 2), 16));
}

/**
 * Distinct names that can be shown as they are: nothing unseen, nothing that turns the line.
 *
 * @param {unknown} value
 */
export function namesOf(value) {
  const names = list(value, (name) => text(name, PRINTABLE));
  const fits = names.length <= MOST_ITEMS && new Set(names).size === names.length;
  demand(fits, "malformed", "expected distinct names of items");
  return names;
}

/** @param {unknown} value @returns {[number, number]} */
function lotsOf(value) {
  const [low, high] = list(value, Number);
  const fits = Array.isArray(value) && value.length === 2 && 0 <= low && low < high && high <= 1;
  demand(fits && value.every(Number.isFinite), "malformed", "expected lots in [0, 1]");
  return [low, high];
}

/**
 * The rank of every item, from the ranked items, best first; refused before anything is drawn.
 *
 * @param {readonly number[]} order @param {Handout} handout
 */
export function ranksOf(order, { items, takesIncomplete }) {
  const known = Array.isArray(order) && order.every((item) => Number.isInteger(item) && item in items);
  const isStrict = known && new Set(order).size === order.length;
  demand(isStrict, "unfit-ranking", "expected distinct items of the survey");
  const enough = takesIncomplete || order.length === items.length;
  demand(enough, "incomplete", "this survey asks for all items");
  /** @type {(number | null)[]} */
  const ranks = items.map(() => null);
  order.forEach((item, rank) => (ranks[item] = rank));
  return ranks;
}

/**
 * A report as the collector stores it, byte for byte.
 *
 * @param {string} fingerprint @param {number} question @param {Report} report
 */
export function encodeReport(fingerprint, question, report) {
  return JSON.stringify({ version: 2, survey: fingerprint, question, report });
}
