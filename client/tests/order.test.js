import assert from "node:assert/strict";
import { test } from "node:test";

import * as order from "../order.js";

const { DIVIDER } = order;

test("a shuffled list holds every item once, and each order is as likely", () => {
  const tapes = [0, 1, 2].flatMap((a) => [0, 1].map((b) => [a, b]));
  const seen = tapes.map((tape) => order.shuffledItems(3, (n) => tape.find((_, i) => i === 3 - n) ?? 0).join());
  assert.equal(new Set(seen).size, 6);
});

test("the secure source draws every number below its bound and no other", () => {
  const seen = new Set(Array.from({ length: 400 }, () => order.secureBelow(3)));
  assert.deepEqual([...seen].sort(), [0, 1, 2]);
});

test("words that would favour some numbers are skipped, and no others", (context) => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  context.after(() => Object.defineProperty(globalThis, "crypto", own));
  const drawn = (n, ...words) => {
    const getRandomValues = (into) => into.fill(words.shift());
    Object.defineProperty(globalThis, "crypto", { value: { getRandomValues }, configurable: true });
    return [order.secureBelow(n), words.length];
  };
  const last = 2 ** 32 - 1;
  assert.deepEqual(drawn(3, last, 7), [1, 0]); // 2^32 - 1 is a multiple of 3
  assert.deepEqual(drawn(3, last - 1, 7), [2, 1]);
  assert.deepEqual(drawn(2, last, 0), [1, 1]);
});

test("entries and rankings say the same", () => {
  const ranking = { order: [2, 0], unranked: [3, 1] };
  assert.deepEqual(order.entriesOf(ranking, true), [2, 0, DIVIDER, 3, 1]);
  assert.deepEqual(order.rankingOf(order.entriesOf(ranking, true)), ranking);
  assert.deepEqual(order.rankingOf([1, 0]), { order: [1, 0], unranked: [] });
  assert.deepEqual(order.rankingOf([DIVIDER, 1, 0]), { order: [], unranked: [1, 0] });
  assert.deepEqual(order.entriesOf(ranking, false), [2, 0, 3, 1]);
});

test("places count from one and unranked items have none", () => {
  assert.equal(order.placeOf([2, 0, DIVIDER, 1], 0), 2);
  assert.equal(order.placeOf([2, 0, DIVIDER, 1], 1), null);
});

test("a raised item passes one other, and the first one stays", () => {
  assert.deepEqual(order.raised([0, 1, 2], 2), [0, 2, 1]);
  assert.deepEqual(order.raised([0, 1, 2], 0), [0, 1, 2]);
});

test("a raised unranked item becomes the last ranked one", () => {
  assert.deepEqual(order.raised([0, DIVIDER, 1, 2], 2), [0, 2, DIVIDER, 1]);
});

test("a lowered item passes one other, and the last one stays", () => {
  assert.deepEqual(order.lowered([0, 1, 2], 0), [1, 0, 2]);
  assert.deepEqual(order.lowered([0, 1, 2], 2), [0, 1, 2]);
});

test("the last ranked item is lowered out of the ranking, and no further", () => {
  assert.deepEqual(order.lowered([0, 1, DIVIDER, 2], 1), [0, DIVIDER, 1, 2]);
  assert.deepEqual(order.lowered([0, DIVIDER, 1, 2], 1), [0, DIVIDER, 1, 2]);
});

test("a placed item stands on its place, from above, from below and from outside", () => {
  assert.deepEqual(order.placed([0, 1, 2, 3], 3, 2), [0, 3, 1, 2]);
  assert.deepEqual(order.placed([0, 1, 2, 3], 0, 3), [1, 2, 0, 3]);
  assert.deepEqual(order.placed([0, 1, DIVIDER, 2, 3], 3, 1), [3, 0, 1, DIVIDER, 2]);
});

test("a place behind all ranked items is the last one", () => {
  assert.deepEqual(order.placed([0, 1, DIVIDER, 2], 0, 9), [1, 0, DIVIDER, 2]);
  assert.deepEqual(order.placed([0, 1, DIVIDER, 2], 2, 9), [0, 1, 2, DIVIDER]);
});

test("an item is unranked only where that is allowed", () => {
  assert.deepEqual(order.unranked([0, 1, DIVIDER], 0), [1, DIVIDER, 0]);
  assert.deepEqual(order.unranked([0, 1], 0), [0, 1]);
  assert.deepEqual(order.unranked([0, DIVIDER, 1, 2], 2), [0, DIVIDER, 1, 2]);
});

test("typed digits are a place when they can be, and wait when more could follow", () => {
  assert.deepEqual(order.typedPlace("3", 5), { place: 3, isDone: true });
  assert.deepEqual(order.typedPlace("1", 12), { place: 1, isDone: false });
  assert.deepEqual(order.typedPlace("1", 10), { place: 1, isDone: false });
  assert.deepEqual(order.typedPlace("12", 12), { place: 12, isDone: true });
  assert.deepEqual(order.typedPlace("13", 12), { place: null, isDone: true });
  assert.deepEqual(order.typedPlace("0", 5), { place: null, isDone: false });
});
