import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

import { readMechanism } from "../mechanisms.js";
import { readQuestion } from "../questions.js";
import { inWords, reportSays } from "../words.js";
import { vectors } from "./vectors.js";

const NAMES = ["tea", "coffee", "milk", "water", "juice", "cola"];
const STRINGS = {
  "says.pair": "{first} before {second}",
  "says.order": "this order: {items}",
  "says.top": "the first places in this order: {items}",
  "says.place": "{item} on place {places}",
  "says.places": "{item} on one of the places {places}",
  "says.range": "{from} to {to}",
  "says.among": "{item} on place {place} among {items}",
  "says.merge": "A = {left} and B = {right}, merged as {sides}",
  "says.unstated": "no answer about {items}",
  "says.bucket": "group {bucket} of {of}",
  "says.any": "one of these: {parts}",
  "says.more": "{n} more",
  "says.others": "others",
  "says.none": "none of the answers",
};

const said = (wire, category, n = 6) =>
  inWords(readQuestion(wire, n).says(category), NAMES, STRINGS);

test("answers are said in words", () => {
  const pair = { kind: "relative-order", items: [0, 1] };
  const levels = [0, 0, 1, 1, 0, 2];
  const expected = [
    [pair, 0, "tea before coffee"],
    [pair, 1, "coffee before tea"],
    [{ kind: "relative-order", items: [2, 0, 1] }, 5, "this order: coffee, tea, milk"],
    [{ kind: "top-order", n_items: 6, n_places: 2 }, 29, "the first places in this order: cola, juice"],
    [{ kind: "rank-and-precedence", item: 2, first: 0, second: 1, n_items: 6 }, 5, "milk on place 3 and coffee before tea"],
    [{ kind: "rank-level", item: 3, levels }, 0, "water on one of the places 1 to 2 or 5"],
    [{ kind: "rank-level", item: 3, levels }, 2, "water on place 6"],
    [{ kind: "level-and-precedence", item: 3, other: 0, levels }, 1, "water on one of the places 1 to 2 or 5 and tea before water"],
    [{ kind: "stated", question: pair, unranked: "last" }, 2, "no answer about tea and coffee"],
    [{ kind: "stated", question: pair, unranked: "last" }, 0, "tea before coffee"],
    [{ kind: "interleaving", left: [3], right: [0, 1] }, 2, "water on place 3 among tea, coffee"],
    [{ kind: "interleaving", left: [3, 4], right: [0, 1] }, 0, "A = water, juice and B = tea, coffee, merged as A A B B"],
    [{ kind: "interleaving", left: [3, 4], right: [0, 1] }, 5, "A = water, juice and B = tea, coffee, merged as B B A A"],
    [{ kind: "whole-order", items: [0, 1, 2] }, [2, 0, 1], "this order: coffee, milk, tea"],
    [
      {
        kind: "hashed",
        question: { kind: "top-order", n_items: 6, n_places: 2 },
        multiplier: "5",
        offset: "7",
        n_buckets: 4,
      },
      3,
      "group 4 of 4",
    ],
  ];
  for (const [wire, category, words] of expected) assert.equal(said(wire, category), words);
});

function mechanismOf(kind, nCategories) {
  const stated = vectors(kind).cases.find(({ n_categories: n }) => n === nCategories);
  const { n_categories, epsilon, hit_words, false_hit_words } = stated;
  return readMechanism({ kind, n_categories, epsilon, hit_words, false_hit_words });
}

test("reports say which answers they support, one or several", () => {
  const level = readQuestion({ kind: "rank-level", item: 0, levels: [0, 1, 2, 2, 2, 2] }, 6);
  const reported = (kind, report) => inWords(reportSays(level, mechanismOf(kind, 3), report), NAMES, STRINGS);
  assert.equal(reported("generalized-randomized-response", 1), "tea on place 2");
  assert.equal(
    reported("optimised-unary-encoding", "05"),
    "one of these: “tea on place 1” or “tea on one of the places 3 to 6”",
  );
  assert.equal(reported("symmetric-unary-encoding", "00"), "none of the answers");
  assert.equal(reported("harmony", 2 * 1), "one of these: “tea on place 1” or “tea on one of the places 3 to 6”");
  const hashed = { multiplier: "0", offset: "0", bucket: 0 };
  assert.match(reported("succinct-histogram", hashed), /place 1.*place 2.*places 3 to 6/);
});

test("of many answers a few are named", () => {
  const top = readQuestion({ kind: "top-order", n_items: 5, n_places: 2 }, 5);
  const report = "ffffff".slice(0, 4) + "0f";
  const mechanism = mechanismOf("optimised-unary-encoding", 20);
  const says = reportSays(top, mechanism, report);
  assert.equal(says.parts.length, 8);
  assert.equal(says.more, 12);
  assert.match(inWords(says, NAMES, STRINGS), /, or 12 more$/);
});

test("one answer that is not named is told of, too", () => {
  const top = readQuestion({ kind: "top-order", n_items: 5, n_places: 2 }, 5);
  const says = reportSays(top, mechanismOf("optimised-unary-encoding", 20), "ff0100");
  assert.match(inWords(says, NAMES, STRINGS), /, or 1 more$/);
});

test("of answers beyond those that are read, nobody says how many there are", () => {
  for (const [size, nCategories, more] of [[5, 120, 120 - 8], [9, 362_880, null]]) {
    const items = Array.from({ length: size }, (_, nth) => nth);
    const order = readQuestion({ kind: "relative-order", items }, size);
    assert.equal(order.nCategories, nCategories);
    const all = { kind: "succinct-histogram", nCategories, supports: () => () => true };
    assert.equal(reportSays(order, all, "").more, more);
  }
  const question = { says: (category) => ({ says: "bucket", bucket: category, of: 2 ** 16 }) };
  const just = { kind: "succinct-histogram", nCategories: 2 ** 16, supports: () => () => true };
  assert.equal(reportSays(question, just, "").more, 2 ** 16 - 8);
  assert.equal(reportSays(question, { ...just, nCategories: 2 ** 16 + 1 }, "").more, null);
  const others = { says: "any", parts: [{ says: "order", items: [0, 1] }], more: null };
  assert.equal(inWords(others, NAMES, STRINGS), "one of these: “tea before coffee” or others");
});

test("what a report says is read out of it once, and not for each of many answers", () => {
  for (const kind of ["optimised-local-hashing", "succinct-histogram"]) {
    const stated = vectors(kind).cases[0];
    const { epsilon, hit_words, false_hit_words } = stated;
    const mechanism = readMechanism({ kind, n_categories: 5040, epsilon, hit_words, false_hit_words });
    const order = readQuestion({ kind: "relative-order", items: [0, 1, 2, 3, 4, 5, 6] }, 7);
    let nRead = 0;
    const report = {
      get multiplier() {
        nRead += 1;
        return "12345678901234567891";
      },
      offset: "9876543210",
      bucket: 1,
    };
    const { parts, more } = reportSays(order, mechanism, report);
    assert.equal(nRead, 1);
    assert.equal(parts.length, 8);
    assert.ok(more > 0);
  }
});

test("of however many answers no more are looked at than are said", () => {
  let n = 0;
  const supports = () => (category) => (n += 1, category === 3);
  const question = { says: (category) => category };
  for (const [nCategories, looked, more] of [[100, 100, 0], [2 ** 16, 2 ** 16, 0], [2 ** 32, 2 ** 16, null]]) {
    n = 0;
    const said = reportSays(question, { kind: "optimised-local-hashing", nCategories, supports }, "1");
    assert.deepEqual([said.parts, said.more, n], [[3], more, looked]);
  }
});

test("a report of a whole order says that order", () => {
  const whole = readQuestion({ kind: "whole-order", items: [0, 1, 2] }, 6);
  const mechanism = { kind: "subset-order", nCategories: 3, supports: () => () => false };
  assert.equal(inWords(reportSays(whole, mechanism, [2, 0, 1]), NAMES, STRINGS), "this order: coffee, milk, tea");
});

test("every language has all these words, with the same places to fill in", () => {
  const folder = new URL("../strings/", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
  assert.ok(files.includes("en.json") && files.includes("de.json"));
  const fields = (words) => [...words.matchAll(/\{\w+\}/g)].map(String).sort();
  for (const file of files) {
    const strings = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
    for (const [key, english] of Object.entries(STRINGS)) {
      assert.deepEqual(fields(strings[key] ?? ""), fields(english), `${file}: ${key}`);
    }
  }
});

test("no word is missing in silence, and names from right to left stand apart", () => {
  const says = { says: "order", items: [0, 1] };
  assert.throws(() => inWords(says, NAMES, {}), { kind: "no-words" });
  assert.equal(inWords(says, ["תה", "tea"], STRINGS), "\u2068תה\u2069 before tea");
  assert.equal(inWords(says, ["$& {second}", "tea"], STRINGS), "$& {second} before tea");
});
