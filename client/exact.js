/** Exact arithmetic: thresholds from e^x with certified digits, and sums of nats. */

export const WORDS = 1n << 64n;
const DIGITS = 60;

/**
 * A fraction in (e^y (1 - 1e-49), e^y], y = x / divisor: the one that Python computes.
 *
 * Python's decimal, 60 digits: y is rounded down, e^y half-even, its product with 1 - 1e-50 down.
 *
 * @param {number} x @param {bigint} [divisor]
 * @returns {[bigint, bigint]} numerator and denominator
 */
export function expBelow(x, divisor = 1n) {
  const known = cache.get(`${x}/${divisor}`);
  if (known) return known;
  const [digits, exponent] = roundedDown(unitsOf(x), UNIT * divisor);
  const [power, place] = exponential(digits, exponent);
  const [below, shift] = roundedDown(power * (10n ** 50n - 1n), 1n);
  const shifted = shift + place - 50;
  const bound = /** @type {[bigint, bigint]} */ (
    shifted < 0 ? [below, ten(-shifted)] : [below * ten(shifted), 1n]
  );
  cache.set(`${x}/${divisor}`, bound);
  return bound;
}

/** @type {Map<string, [bigint, bigint]>} */
const cache = new Map();

/**
 * The smallest whole number of words whose probability is at least numerator / denominator.
 *
 * @param {bigint} numerator @param {bigint} denominator
 */
export function wordsAbove(numerator, denominator) {
  return (numerator * WORDS + denominator - 1n) / denominator;
}

/**
 * e^(digits 10^exponent), rounded half-even to 60 digits: [digits, exponent].
 *
 * @param {bigint} digits @param {number} exponent
 * @returns {[bigint, number]}
 */
function exponential(digits, exponent) {
  for (let places = 100; ; places *= 2) {
    const [low, high] = bounds(digits, exponent, places);
    const [rounded, shift] = roundedHalfEven(low);
    const [same, also] = roundedHalfEven(high);
    if (rounded === same && shift === also) return [rounded, shift - places];
  }
}

const HALVINGS = 20n; // x <= 1000 becomes less than 2^-10

/**
 * Bounds of 10^places e^x: the series of x / 2^20, squared 20 times, rounded down and up.
 *
 * @param {bigint} digits @param {number} exponent @param {number} places
 * @returns {[bigint, bigint]}
 */
function bounds(digits, exponent, places) {
  const one = ten(places);
  const shift = places + exponent;
  let x = (shift < 0 ? digits / ten(-shift) : digits * ten(shift)) >> HALVINGS;
  let [low, high] = [one, one];
  let [below, above] = [one, one];
  for (let nth = 1n; below > 0n; nth += 1n) {
    below = (below * x) / (one * nth);
    above = (above * (x + 1n)) / (one * nth) + 1n;
    [low, high] = [low + below, high + above];
  }
  high += above; // all later terms together, as x < 1/2
  for (let nth = 0n; nth < HALVINGS; nth += 1n) {
    [low, high] = [(low * low) / one, (high * high) / one + 1n];
  }
  return [low, high];
}

/**
 * @param {bigint} numerator @param {bigint} denominator
 * @returns {[bigint, number]} 60 digits, and the power of ten to multiply them by
 */
function roundedDown(numerator, denominator) {
  let exponent = String(numerator).length - String(denominator).length - DIGITS;
  for (;;) {
    const digits =
      exponent < 0
        ? (numerator * ten(-exponent)) / denominator
        : numerator / (denominator * ten(exponent));
    if (String(digits).length <= DIGITS) return [digits, exponent];
    exponent += 1;
  }
}

/**
 * @param {bigint} number with more than 60 digits
 * @returns {[bigint, number]}
 */
function roundedHalfEven(number) {
  const exponent = String(number).length - DIGITS;
  const unit = ten(exponent);
  const [digits, rest] = [number / unit, (number % unit) * 2n];
  const up = rest > unit || (rest === unit && digits % 2n === 1n);
  return [digits + (up ? 1n : 0n), exponent]; // 10^60 is one digit more, and the same in both
}

/** @param {number} exponent */
const ten = (exponent) => 10n ** BigInt(exponent);

const UNIT = 1n << 1074n;

/**
 * A float of at least 0 as a whole number of 2^-1074: such sums are exact.
 *
 * @param {number} x
 * @returns {bigint}
 */
export function unitsOf(x) {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, x);
  const all = bits.getBigUint64(0);
  const [exponent, fraction] = [all >> 52n, all & ((1n << 52n) - 1n)];
  return exponent === 0n ? fraction : (fraction | (1n << 52n)) << (exponent - 1n);
}

/**
 * What somebody wrote, in whole units that are not above: of 0.1 a tenth, above which its float is.
 *
 * @param {number} written at least 0
 * @returns {bigint}
 */
export function unitsWithin(written) {
  const [numeral, exponent] = written.toExponential().split("e");
  const digits = numeral.replace(".", "");
  return (BigInt(digits) * UNIT * ten(+exponent + 400)) / ten(digits.length + 399);
}

/**
 * The smallest float of at least that many units.
 *
 * @param {bigint} units
 * @returns {number}
 */
export function floatAbove(units) {
  const surplus = Math.max(0, units.toString(2).length - 53);
  return Number(-(-units >> BigInt(surplus))) * 2 ** (surplus - 537) * 2 ** -537; // rounded up
}
