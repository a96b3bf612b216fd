import assert from "node:assert/strict";
import test from "node:test";

import { choose, countOrders, orderAt, orderIndex, placesAt, placesIndex } from "../coding.js";
import { readQuestion } from "../questions.js";
import { vectors } from "./vectors.js";

const NAMES = [
  "hashed",
  "interleaving",
  "level-and-precedence",
  "named-set",
  "rank-and-precedence",
  "rank-level",
  "relative-order",
  "stated",
  "top-order",
];
const cases = NAMES.flatMap((name) => vectors(name).cases);
const N_ITEMS = 6;

test("answers are those of the vectors", () => {
  for (const { question: wire, n_categories, vectors } of cases) {
    const question = readQuestion(wire, N_ITEMS);
    assert.equal(question.nCategories, n_categories);
    for (const { ranks, category } of vectors) {
      const own = ranks.map((rank) => (rank === 255 ? null : rank));
      assert.deepEqual(question.answer(own), category);
    }
  }
});

test("a whole order is the row of ranks of its items among themselves", () => {
  const question = readQuestion({ kind: "whole-order", items: [4, 1, 5] }, N_ITEMS);
  assert.deepEqual(question.answer([0, 5, 1, 2, 3, 4]), [0, 2, 1]);
  assert.deepEqual(question.says([0, 2, 1]), { says: "order", items: [4, 5, 1] });
});

/** Whether a complete ranking agrees with what is said; written without the questions' code. */
function agrees(says, ranks) {
  const isAscending = (items) => items.every((item, at) => at === 0 || ranks[items[at - 1]] < ranks[item]);
  switch (says.says) {
    case "order":
      return isAscending(says.items);
    case "top":
      return says.items.every((item, rank) => ranks[item] === rank);
    case "ranks":
      return says.ranks.includes(ranks[says.item]);
    case "both":
      return says.parts.every((part) => agrees(part, ranks));
    case "merge": {
      const order = [...says.left, ...says.right].sort((a, b) => ranks[a] - ranks[b]);
      return order.every((item, at) => says[says.sides[at]].includes(item));
    }
  }
}

function* permutations(n, start = []) {
  if (start.length === n) yield start;
  for (let rank = 0; rank < n; rank += 1) {
    if (!start.includes(rank)) yield* permutations(n, [...start, rank]);
  }
}

test("what a category says holds for the rankings that have it, and for no others", () => {
  for (const { question: wire } of cases.filter(({ question }) => question.kind !== "hashed")) {
    const question = readQuestion(wire, N_ITEMS);
    const nDecided = question.nCategories - Number(wire.kind === "stated");
    const said = Array.from({ length: nDecided }, (_, category) => question.says(category));
    for (const ranks of permutations(N_ITEMS)) {
      const own = question.answer(ranks);
      const few = nDecided > 100 ? [own, (own + 1) % nDecided] : said.keys();
      for (const category of few) {
        assert.equal(agrees(said[category], ranks), [own].flat().includes(category));
      }
    }
  }
});

test("what is not stated is said so", () => {
  for (const { question: wire, n_categories } of vectors("stated").cases) {
    const question = readQuestion(wire, N_ITEMS);
    assert.ok(question.takesIncomplete);
    const { question: inner } = wire;
    const items = inner.items ?? [inner.item, inner.other].filter((item) => item !== undefined);
    assert.deepEqual(question.says(n_categories - 1), { says: "unstated", items });
  }
});

test("whether two unranked items stand as they would is decided when all places but one are taken", () => {
  const asked = { kind: "level-and-precedence", item: 0, other: 1, levels: [0, 0, 0, 1, 1, 1] };
  const question = readQuestion({ kind: "stated", question: asked, unranked: "last" }, N_ITEMS);
  const inner = readQuestion(asked, N_ITEMS);
  const undecided = inner.nCategories;
  assert.equal(question.answer([null, 0, 1, 2, 3, 4]), inner.answer([5, 0, 1, 2, 3, 4]));
  assert.equal(question.answer([null, 0, 1, 2, 3, null]), undecided);
  assert.equal(question.answer([null, null, 0, 1, 2, 3]), undecided);
  assert.equal(question.answer([0, null, null, null, null, null]), inner.answer([0, 1, 2, 3, 4, 5]));
});

test("a set that is named says how many it has, what it asks, and is of at most 64 items", () => {
  const wire = (n, side) => ({ kind: "named-set", places: [0, 2], n_items: n, side });
  const asked = (n, side) => {
    const { form, nCategories, asks } = readQuestion(wire(n, side), n);
    return [form, nCategories, asks.side, asks.says, asks.places];
  };
  assert.deepEqual(asked(6, null), ["2 members", 6, "none", "named", [0, 2]]);
  assert.deepEqual(asked(6, "before"), ["2 members", 30, "before", "named", [0, 2]]);
  assert.deepEqual(asked(6, "after"), ["8 members", 30, "after", "named", [0, 2]]);
  assert.equal(asked(64, null)[1], 64);
  assert.throws(() => asked(65, null), { kind: "malformed" });
});

test("only what is asked of partial rankings takes them", () => {
  const whole = { question: { kind: "whole-order", items: [0, 1] } };
  for (const { question: wire } of [...cases, whole]) {
    assert.equal(readQuestion(wire, N_ITEMS).takesIncomplete, wire.kind === "stated", wire.kind);
  }
});

test("levels may come in any order: answers are numbered by level, then by who is first", () => {
  const levels = [1, 1, 0, 0, 2, 2];
  const question = readQuestion({ kind: "level-and-precedence", item: 0, other: 1, levels }, N_ITEMS);
  assert.equal(question.nCategories, 6);
  for (const ranks of permutations(N_ITEMS)) {
    const expected = 2 * levels[ranks[0]] + Number(ranks[1] < ranks[0]);
    assert.equal(question.answer(ranks), expected);
  }
});

test("the smallest sides that can be merged are of one item", () => {
  const question = readQuestion({ kind: "interleaving", left: [1], right: [0] }, 2);
  assert.equal(question.nCategories, 2);
  assert.deepEqual([question.answer([1, 0]), question.answer([0, 1])], [0, 1]);
});

test("an order that is numbered is of at most 20 items", () => {
  const items = (n) => Array.from({ length: n }, (_, item) => item);
  const orders = (n) => readQuestion({ kind: "relative-order", items: items(n) }, n).nCategories;
  assert.equal(orders(20), 2_432_902_008_176_640_000);
  assert.throws(() => orders(21), { kind: "malformed" });
  const tops = (n) => readQuestion({ kind: "top-order", n_items: n, n_places: 1 }, n).nCategories;
  assert.equal(tops(20), 20);
  assert.throws(() => tops(21), { kind: "malformed" });
});

test("numbers of orders and of places are found again", () => {
  for (const places of [1, 3, 5]) {
    for (let index = 0; index < countOrders(5, places); index += 1) {
      assert.equal(orderIndex(orderAt(index, 5, places), 5), index);
    }
  }
  for (let index = 0; index < 126; index += 1) {
    assert.equal(placesIndex(placesAt(index, 9, 4)), index);
  }
});

test("ways to choose all of a thousand but a few are counted by those few", () => {
  let steps = 0;
  const n = { valueOf: () => ((steps += 1), 1000) };
  assert.deepEqual([1000, 999, 998, 1, 2, 0].map((most) => choose(n, most)), [1, 1000, 499500, 1000, 499500, 1]);
  assert(steps < 30);
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6].map((most) => choose(5, most)), [1, 5, 10, 10, 5, 1, 0]);
  const question = readQuestion({ kind: "interleaving", left: [...Array(999).keys()], right: [999] }, 1000);
  for (const rank of [0, 1, 500, 998, 999]) {
    const ranks = Array.from({ length: 999 }, (_, item) => item + Number(item >= rank));
    assert.equal(question.answer([...ranks, rank]), 999 - rank);
    assert.equal(question.says(999 - rank).sides.indexOf("right"), rank);
  }
});

const BAD = [
  null,
  3,
  [],
  { kind: "constructor" },
  { kind: "relative-order", items: [1] },
  { kind: "relative-order", items: [1, 1] },
  { kind: "relative-order", items: [1, 6] },
  { kind: "relative-order", items: [1, -1] },
  { kind: "relative-order", items: [1, 0.5] },
  { kind: "relative-order", items: "12" },
  { kind: "relative-order", items: [1, 2], more: 1 },
  { items: [1, 2], kind: "relative-order" },
  { kind: "interleaving", left: [], right: [1, 2] },
  { kind: "interleaving", left: [1], right: [1, 2] },
  { kind: "rank-and-precedence", item: 0, first: 1, second: 2, n_items: 5 },
  { kind: "rank-and-precedence", item: 0, first: 1, second: 1, n_items: 6 },
  { kind: "rank-level", item: 0, levels: [0, 0, 1, 1, 2] },
  { kind: "rank-level", item: 0, levels: [0, 0, 0, 0, 2, 2] },
  { kind: "rank-level", item: 0, levels: [0, 0, 0, 0, 0, 0] },
  { kind: "rank-level", item: 6, levels: [0, 0, 0, 0, 1, 1] },
  { kind: "level-and-precedence", item: 0, other: 0, levels: [0, 0, 0, 0, 1, 1] },
  { kind: "top-order", n_items: 5, n_places: 1 },
  { kind: "top-order", n_items: 6, n_places: 7 },
  { kind: "stated", question: { kind: "relative-order", items: [0, 1] }, unranked: "first" },
  { kind: "stated", question: { kind: "relative-order", items: [0, 1, 2] }, unranked: "last" },
  { kind: "stated", question: { kind: "top-order", n_items: 6, n_places: 1 }, unranked: "last" },
  {
    kind: "stated",
    question: { kind: "rank-level", item: 0, levels: [0, 0, 0, 0, 1, 1] },
    unranked: "unknown",
  },
  ...[
    { n_buckets: 1 },
    { n_buckets: 1025 },
    { offset: "18446744073709551616" },
    { offset: "01" },
    { offset: 1 },
    { question: { kind: "relative-order", items: [0, 1] } },
    { question: { kind: "whole-order", n_items: 6, n_places: 3 } },
  ].map((change) => ({
    kind: "hashed",
    question: { kind: "top-order", n_items: 6, n_places: 3 },
    multiplier: "3",
    offset: "4",
    n_buckets: 4,
    ...change,
  })),
  ...[
    { places: [1, 0] },
    { places: [0, 0] },
    { places: [] },
    { places: [6] },
    { places: [0], side: "before" },
    { places: [0, 1, 2, 3, 4, 5] },
    { n_items: 5 },
    { side: "beside" },
    { side: undefined },
  ].map((change) => ({ kind: "named-set", places: [0, 1], n_items: 6, side: null, ...change })),
  { kind: "whole-order", items: [0] },
  { kind: "whole-order", items: [0, 0] },
];

test("questions that not every ranking can answer are refused", () => {
  for (const bad of BAD) {
    assert.throws(() => readQuestion(bad, N_ITEMS), { kind: "malformed" }, JSON.stringify(bad));
  }
});

test("of a set no more places are looked at than there are items", (context) => {
  const { mock } = context.mock.method(Array, "from");
  const places = Array(100_000).fill(0);
  const wire = { kind: "named-set", places, n_items: 64, side: "after" };
  assert.throws(() => readQuestion(wire, 64), { kind: "malformed" });
  assert.ok(mock.callCount() <= 64);
});

test("hashed answers need at most 2^45 orders", () => {
  const wire = (n, n_places = n, n_buckets = 4) => ({
    kind: "hashed",
    question: { kind: "top-order", n_items: n, n_places },
    multiplier: "3",
    offset: "4",
    n_buckets,
  });
  assert.equal(readQuestion(wire(16), 16).nCategories, 4);
  assert.equal(readQuestion(wire(16, 16, 2), 16).nCategories, 2);
  assert.throws(() => readQuestion(wire(17), 17), { kind: "malformed" });
  assert.throws(() => readQuestion(wire(20, 12), 20), { kind: "malformed" });
});
