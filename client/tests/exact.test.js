import assert from "node:assert/strict";
import test from "node:test";

import { expBelow, floatAbove, unitsOf } from "../exact.js";

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

test("sums are said exactly where a float holds them, and else rounded up", () => {
  for (const nats of [0, 5e-324, 0.1, 1, 8, 1e6]) assert.equal(floatAbove(unitsOf(nats)), nats);
  const sum = unitsOf(0.1) + unitsOf(0.7);
  assert.ok(unitsOf(0.1 + 0.7) < sum); // floats round it down
  assert.ok(unitsOf(floatAbove(sum)) > sum);
  assert.equal(floatAbove(unitsOf(1) + 1n), 1 + 2 ** -52);
});
