import assert from "node:assert/strict";
import test from "node:test";

import { WORDS, expBelow, floatAbove, unitsOf, unitsWithin, wordsAbove } from "../exact.js";

const E = "2718281828459045235360287471352662497757247093699959574966967627724076";
const ROOT_OF_E = "1648721270700128146848650787814163571653776100710148011575079311640661";

test("powers of e are bounded from below, by less than 1e-49 of them", () => {
  for (const [digits, divisor] of /** @type {const} */ ([[E, 1n], [ROOT_OF_E, 2n]])) {
    const [numerator, denominator] = expBelow(1, divisor);
    const exact = BigInt(digits); // 10^69 e^x, rounded down
    const shown = (numerator * 10n ** 69n) / denominator;
    assert.ok(shown < exact);
    assert.ok(shown > exact - exact / 10n ** 49n);
  }
});

/** Bounds as Python's decimal has them: of what, digits, and the power of ten to multiply them by. */
const BOUNDS = /** @type {const} */ ([
  [5e-324, 99999999999999999999999999999999999999999999999999n, -50],
  [1e-60, 99999999999999999999999999999999999999999999999999n, -50],
  [1e-20, 10000000000000000000099999999999999994515827145420857165118n, -58],
  [0.1, 110517091807564763094663882345877965774166341637420856913229n, -59],
  [37.5, 19321599304402836208442275920919746488104604045415421228636n, -42],
  [136, 115890954241388542834804956760054604199785686206351557608347n, 0],
  [137, 315024274997145191841116429113369789455659977905022983647004n, 0],
  [1000, 197007111401704699388887935224332312531693798532382608924165n, 375],
]);

test("the smallest powers and the largest are those of Python, twice", () => {
  for (const [x, digits, exponent] of [...BOUNDS, ...BOUNDS]) {
    const [numerator, denominator] = expBelow(x);
    const [up, down] = [10n ** BigInt(Math.max(exponent, 0)), 10n ** BigInt(Math.max(-exponent, 0))];
    assert.equal(numerator * down, digits * up * denominator, String(x));
  }
});

test("what was worked out for one exponent is told of no other", () => {
  const quotient = ([numerator, denominator]) => (numerator * 10n ** 40n) / denominator;
  const near = 0.7 + 2 ** -50;
  const each = [[0.7, 2n], [0.7, 1n], [near, 2n], [near, 1n]].map(([x, by]) => quotient(expBelow(x, by)));
  const [half, whole, nearHalf, nearWhole] = each;
  assert.ok(half < nearHalf && nearHalf < whole && whole < nearWhole);
});

test("a probability of whole words takes no more of them, and any other is rounded up", () => {
  assert.equal(wordsAbove(1n, 2n), WORDS / 2n);
  assert.equal(wordsAbove(1n, 1n), WORDS);
  assert.equal(wordsAbove(1n, 3n), WORDS / 3n + 1n);
  assert.equal(wordsAbove(1n, WORDS * 2n), 1n);
});

test("sums are said exactly where a float holds them, and else rounded up", () => {
  for (const nats of [0, 5e-324, 0.1, 1, 8, 1e6]) assert.equal(floatAbove(unitsOf(nats)), nats);
  const sum = unitsOf(0.1) + unitsOf(0.7);
  assert.ok(unitsOf(0.1 + 0.7) < sum); // floats round it down
  assert.ok(unitsOf(floatAbove(sum)) > sum);
  assert.equal(floatAbove(unitsOf(1) + 1n), 1 + 2 ** -52);
});

test("no sum is said to be less than it is, however large or small", () => {
  for (let power = -1020; power <= 480; power += 1) {
    const units = unitsOf(2 ** power);
    assert.equal(floatAbove(units - 1n), 2 ** power);
    assert.equal(floatAbove(units), 2 ** power);
    assert.equal(floatAbove(units + 1n), 2 ** power * (1 + 2 ** -52));
  }
});

test("what was written is never taken for more: of numerals, not of their floats", () => {
  const unit = 1n << 1074n;
  for (const whole of [0, 1, 8, 1e6, 1e21]) assert.equal(unitsWithin(whole), BigInt(whole) * unit);
  assert.equal(unitsWithin(0.1), unit / 10n); // its float is above a tenth
  assert.equal(unitsWithin(0.7), (7n * unit) / 10n); // below seven
  assert.equal(unitsWithin(12.5e-7), (125n * unit) / 10n ** 8n);
  assert.equal(unitsWithin(1.23456789012345), (123456789012345n * unit) / 10n ** 14n);
  assert.equal(unitsWithin(1 / 3), (3333333333333333n * unit) / 10n ** 16n);
  for (const end of [5e-324, Number.MAX_VALUE]) assert.ok(unitsWithin(end) > unitsOf(end / 2));
});
