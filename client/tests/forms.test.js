import assert from "node:assert/strict";
import test from "node:test";

import { compact, list, parsed, positive, record, text, whole, word } from "../forms.js";

const MALFORMED = { name: "Refusal", kind: "malformed" };

test("a record has these keys, in this order, and is no text or list", () => {
  assert.deepEqual(record({ a: 1, b: null }, ["a", "b"]), { a: 1, b: null });
  for (const bad of [undefined, null, 3, "ab", ["a", "b"], {}, { a: 1 }, { b: 1, a: 1 }, { a: 1, b: 1, c: 1 }]) {
    assert.throws(() => record(bad, ["a", "b"]), MALFORMED, JSON.stringify(bad));
  }
  for (const bad of [undefined, "x", [1]]) assert.throws(() => record(bad, ["0"]), MALFORMED);
});

test("numbers are of their range, its ends included", () => {
  for (const good of [2, 3, 5]) assert.equal(whole(good, 2, 5), good);
  for (const bad of [1, 6, 2.5, "3", null, NaN, 2 ** 53]) assert.throws(() => whole(bad, 2, 5), MALFORMED);
  assert.throws(() => whole(2 ** 53, 0, Infinity), MALFORMED);
  for (const good of [5e-324, 1, Number.MAX_VALUE]) assert.equal(positive(good), good);
  for (const bad of [0, -1, NaN, Infinity, "1", null]) assert.throws(() => positive(bad), MALFORMED);
});

test("words are written in one way, and below 2^64", () => {
  for (const good of [0n, 7n, 2n ** 64n - 1n]) assert.equal(word(String(good)), good);
  for (const bad of ["", "00", "01", "-1", "1e3", " 1", "1 ", "0x1", 1, String(2n ** 64n), "9".repeat(20), "1".repeat(21)]) {
    assert.throws(() => word(bad), MALFORMED, String(bad));
  }
});

test("texts are texts, and lists are lists", () => {
  assert.equal(text("a"), "a");
  assert.equal(text("ab", /^a/), "ab");
  for (const bad of [1, null, ["a"]]) assert.throws(() => text(bad, /./), MALFORMED);
  assert.throws(() => text("ba", /^a/), MALFORMED);
  assert.equal(text("\ud83e\udd5b"), "🥛");
  for (const half of ["\ud83e", "a\udd5b", "\udd5b\ud83e"]) {
    for (const pattern of [undefined, /./s]) assert.throws(() => text(half, pattern), MALFORMED);
  }
  assert.deepEqual(list(["1", "2"], Number), [1, 2]);
  for (const bad of ["12", { length: 2 }, null]) assert.throws(() => list(bad, Number), MALFORMED);
});

test("JSON is as long as it may be, and no longer", () => {
  assert.deepEqual(parsed("[12]", 4), [12]);
  assert.throws(() => parsed("[12]", 3), { kind: "too-large" });
  for (const bad of ["", "[", "{a:1}", "undefined"]) assert.throws(() => parsed(bad, 20), MALFORMED);
});

test("what is hashed is written as Python writes it, each key once", () => {
  for (const good of [
    '{"a":1,"b":[true,null,"x"]}',
    "[1.0,-2.0,0.5,1e-6,1e-7,2.5e-10,120,-3]",
    '["1.0","a\\"1.0","\\\\1.0",": 1e-6","é"]',
    '{"1.0":1.0}',
  ]) {
    assert.deepEqual(compact(good, 100), JSON.parse(good));
  }
  for (const bad of [
    "[1, 2]",
    " 1",
    "[1.00]",
    "[1e0]",
    "[10e-7]",
    "[1e999]",
    "[1.50]",
    "[-0]",
    '["\\u0061"]',
    '{"a":1,"a":1}',
    "[".repeat(50_000) + "]".repeat(50_000),
  ]) {
    assert.throws(() => compact(bad, 200_000), MALFORMED, bad.slice(0, 20));
  }
});
