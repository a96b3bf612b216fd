import assert from "node:assert/strict";
import test from "node:test";

import { accountOf, entered, hasBegun, isWithinLimit, statement } from "../ledger.js";

const HERE = "https://here.example";
const THERE = "https://there.example";
const entry = (collector, survey, nats) => ({ collector, survey, title: "drinks", round: 0, nats, at: 0 });
const ACCOUNT = [entry(HERE, "a", 1), entry(THERE, "b", 2)].reduce(entered, accountOf(undefined));

test("a survey has begun at the collector that asked it, and nowhere else", () => {
  const asked = [HERE, THERE].map((collector) => ["a", "b"].map((survey) => hasBegun(ACCOUNT, collector, survey)));
  assert.deepEqual(asked, [
    [true, false],
    [false, true],
  ]);
});

test("what is spent is said of this collector and of all", () => {
  const { limit, spent, total, everywhere, entries } = statement(ACCOUNT, THERE, 1);
  assert.deepEqual([limit, spent, total, everywhere], [8, 2, 2, 3]);
  assert.equal(entries.length, 2);
});

test("a limit may be used up and no more", () => {
  assert.ok(isWithinLimit(ACCOUNT, THERE, 6, 1));
  assert.ok(!isWithinLimit(ACCOUNT, THERE, 6.0000001, 1));
  assert.ok(isWithinLimit(ACCOUNT, HERE, 7, 1));
  const full = entered(ACCOUNT, entry(HERE, "a", 7));
  assert.ok(!isWithinLimit(full, HERE, 1e-16, 1)); // less than a sum of floats can tell
});

test("a limit of a tenth is not the float, which is above", () => {
  const account = { ...accountOf(undefined), limit: 0.1 };
  assert.ok(!isWithinLimit(account, HERE, 0.1, 1));
  assert.ok(isWithinLimit(account, HERE, 0.1 - 2 ** -56, 1)); // the float below
  assert.equal(statement(account, HERE, 1).limit, 0.1);
});

test("what was spent is never said to be less, where a sum of floats is", () => {
  const [one, other] = [2.2556854424053707, 0.2535775452398911];
  const account = [entry(HERE, "a", one), entry(HERE, "b", other)].reduce(entered, accountOf(undefined));
  const { spent, total, everywhere } = statement(account, HERE, 1);
  const above = one + other + 2 ** -51; // the next float: the sum lies between both
  assert.deepEqual([spent, total, everywhere], [above, above, above]);
  const limit = one + other + 1;
  assert.ok(!isWithinLimit({ ...account, limit }, HERE, 1, 1));
});

test("what a clock that was behind put into the past counts after what came before it", () => {
  const year = 365 * 24 * 3600 * 1000;
  const at = (collector, nats, years) => ({ ...entry(collector, "a", nats), at: years * year });
  const account = [at(HERE, 5, 50), at(THERE, 1, 52), at(HERE, 8, 0)].reduce(entered, accountOf(undefined));
  assert.ok(!isWithinLimit(account, HERE, 0.1, 52.5 * year));
  assert.equal(statement(account, HERE, 52.5 * year).spent, 8);
  assert.ok(isWithinLimit(account, HERE, 8, 53.5 * year));
});

test("of however many surveys within a year each one counts", () => {
  const many = Array.from({ length: 5000 }, (_, nth) => ({ ...entry(HERE, `${nth}`, 1 / 1024), at: nth }));
  const account = { ...accountOf(undefined), entries: many };
  const { spent, total, everywhere } = statement(account, HERE, 5000);
  assert.deepEqual([spent, total, everywhere], [5000 / 1024, 5000 / 1024, 5000 / 1024]);
  assert.ok(isWithinLimit(account, HERE, 8 - 5000 / 1024, 5000));
  assert.ok(!isWithinLimit(account, HERE, 8 - 4999 / 1024, 5000));
});
