// What epsilon means, in numbers that need no mathematics.

/**
 * How often a device lies about a question with two answers, if it may spend epsilon on it:
 * with probability 1 / (e^epsilon + 1). It lies no less often about questions with more answers,
 * so "at least one in N" is true of all of them; N is rounded up to stay true.
 * @param {number} epsilon
 */
export function lieOdds(epsilon) {
  return Math.ceil(Math.exp(epsilon) + 1 - 1e-9);
}

/**
 * How often one in N lies is, in per cent, rounded down.
 * @param {number} epsilon
 */
export function liePercent(epsilon) {
  const percent = 100 / (Math.exp(epsilon) + 1);
  return percent >= 10 ? Math.floor(percent) : Math.floor(percent * 10) / 10;
}

/**
 * Which share of a limit was spent, and which would be, in whole per cent; rounded up.
 * @param {number} spent
 * @param {number} more
 * @param {number} limit
 */
export function budgetShares(spent, more, limit) {
  const percent = (/** @type {number} */ part) => Math.ceil((100 * part) / limit - 1e-9);
  return { spent: percent(spent), more: percent(more), isEnough: spent + more <= limit + 1e-9 };
}
