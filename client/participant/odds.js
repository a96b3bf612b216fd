// What epsilon means, in numbers that need no mathematics, and are never too kind.

import { expBelow, unitsOf, unitsWithin } from "../exact.js";

/**
 * How often a device lies about a question with two answers, if it may spend epsilon on it:
 * with probability 1 / (e^epsilon + 1). It lies no less often about questions with more answers,
 * so "at least one in N" is true of all of them; N is rounded up to stay true.
 * @param {number} epsilon
 */
export function lieOdds(epsilon) {
  const [odds, one] = oddsAbove(epsilon);
  return Number(quotientAbove(odds + one, one));
}

/**
 * How often one in N lies is, in per cent, rounded down.
 * @param {number} epsilon
 */
export function liePercent(epsilon) {
  const [odds, one] = oddsAbove(epsilon);
  const tenths = Number((1000n * one) / (odds + one));
  return tenths >= 100 ? Math.floor(tenths / 10) : tenths / 10;
}

/**
 * The chance of a lie as one in so many, or in per cent: never more than it is.
 * @param {number} chance
 * @returns {{ odds: number } | { percent: number }}
 */
export function chanceShown(chance) {
  const [part, whole] = [chance, 1].map(unitsOf);
  if (chance < 0.1) return { odds: Number(quotientAbove(whole, part)) };
  return { percent: Number((100n * part) / whole) };
}

/**
 * Which share of a limit was spent, and which would be, in whole per cent; rounded up.
 * @param {number} spent
 * @param {number} more
 * @param {number} limit
 */
export function budgetShares(spent, more, limit) {
  const [used, wanted] = [spent, more].map(unitsOf);
  const whole = unitsWithin(limit);
  const percent = (/** @type {bigint} */ part) => (whole ? Number(quotientAbove(100n * part, whole)) : 100);
  return { spent: percent(used), more: percent(wanted), isEnough: used + wanted <= whole };
}

/**
 * Nats as people read them: with two decimals, rounded up.
 * @param {number} nats
 */
export function natsAbove(nats) {
  return Number(quotientAbove(100n * unitsOf(nats), unitsOf(1))) / 100;
}

/**
 * A fraction above e^epsilon, and nearer to it than 49 digits.
 * @param {number} epsilon
 * @returns {[bigint, bigint]} numerator and denominator
 */
function oddsAbove(epsilon) {
  const [numerator, denominator] = expBelow(epsilon);
  return [numerator * (10n ** 48n + 1n), denominator * 10n ** 48n];
}

/** @param {bigint} dividend @param {bigint} divisor */
function quotientAbove(dividend, divisor) {
  return (dividend + divisor - 1n) / divisor;
}
