/** How an answer is hidden: reports, drawn from 64-bit words with the thresholds of Python. */

/** @import { HashedReport, Mechanism, Random, Report } from "./types.js" */

import { demand } from "./errors.js";
import { WORDS, expBelow, wordsAbove } from "./exact.js";
import { list, positive, record, text, whole, word } from "./forms.js";
import { orderOf } from "./questions.js";

const MOST_EPSILON = 1000;
const MOST_BUCKETS = 65536n;
const HALF = 0xffffffffn;

/**
 * @typedef {object} Response one word: below `hits` the truth, each other choice has `lies` words
 * @property {bigint} hits
 * @property {bigint} lies
 */

/**
 * @typedef {object} Made
 * @property {(answer: any, rng: Random) => Report} randomise of a category, or of a row of them
 * @property {(report: Report) => (category: number) => boolean} supports
 *
 * @typedef {(nCategories: number, epsilon: number, response: Response, m: number) => Made} Make
 */

/** @type {Record<string, { most: number, rates: (k: number, e: number, m: number) => Response, make: Make }>} */
const KINDS = {
  "generalized-randomized-response": { most: 2 ** 32, rates: responseRates, make: randomised },
  "symmetric-unary-encoding": { most: 2 ** 22, rates: symmetricRates, make: unary },
  "optimised-unary-encoding": { most: 2 ** 22, rates: optimisedRates, make: unary },
  "optimised-local-hashing": {
    most: 2 ** 32,
    rates: (_, epsilon) => responseRates(bestBuckets(epsilon), epsilon),
    make: (_, epsilon, response) => hashing(bestBuckets(epsilon), response),
  },
  "succinct-histogram": {
    most: 2 ** 32,
    rates: (_, epsilon) => responseRates(2, epsilon),
    make: (_, __, response) => hashing(2, response),
  },
  "named-member": {
    most: 2 ** 32,
    rates: responseRates,
    make: (k, _, response, m) => named(k, response, m),
  },
  harmony: { most: 2 ** 31, rates: (_, epsilon) => responseRates(2, epsilon), make: harmony },
};

/**
 * Read a mechanism; refuse thresholds other than those of its epsilon, which are computed here.
 *
 * @param {unknown} wire
 * @returns {Mechanism}
 */
export function readMechanism(wire) {
  const kind = text(/** @type {{ kind?: unknown } | null} */ (wire)?.kind);
  if (kind === "subset-order") return readSubsetOrder(wire);
  const known = Object.hasOwn(KINDS, kind) && KINDS[kind];
  demand(known, "malformed", "unknown mechanism");
  const ofRows = kind === "named-member" ? ["n_members"] : [];
  const keys = ["kind", "n_categories", "epsilon", "hit_words", "false_hit_words"];
  const fields = record(wire, [...keys, ...ofRows]);
  const nCategories = whole(fields.n_categories, 2, known.most);
  const epsilon = epsilonOf(fields.epsilon);
  const m = ofRows.length ? whole(fields.n_members, 1, nCategories / 2) : 1;
  const response = known.rates(nCategories, epsilon, m);
  demand(response.hits > response.lies, "wrong-thresholds", "epsilon is too small");
  demandSame(fields.hit_words, response.hits);
  demandSame(fields.false_hit_words, response.lies);
  const { randomise, supports } = known.make(nCategories, epsilon, response, m);
  return {
    kind,
    nCategories,
    epsilon,
    form: ofRows.length ? `${m} members` : "category",
    lieRate: Number((WORDS - BigInt(m) * response.hits) >> 11n) / 2 ** 53, // never above
    randomise: ofRows.length
      ? randomise
      : (answer, rng) => randomise(whole(answer, 0, nCategories - 1), rng),
    supports,
  };
}

/** @param {unknown} stated @param {bigint} computed */
function demandSame(stated, computed) {
  const same = word(stated) === computed;
  demand(same, "wrong-thresholds", "the thresholds are not those of the epsilon");
}

/** @param {unknown} value */
function epsilonOf(value) {
  const epsilon = positive(value);
  demand(epsilon <= MOST_EPSILON, "malformed", "expected an epsilon of at most 1000");
  return epsilon;
}

/**
 * q = 1 / (m e^epsilon + n - m), rounded up, and p is what remains for each of m, rounded down.
 *
 * @param {number} n @param {number} epsilon
 * @returns {Response}
 */
function responseRates(n, epsilon, m = 1) {
  const [numerator, denominator] = expBelow(epsilon);
  const others = BigInt(n - m);
  const lies = wordsAbove(denominator, BigInt(m) * numerator + others * denominator);
  return { hits: (WORDS - others * lies) / BigInt(m), lies };
}

/** @param {number} _ @param {number} epsilon */
function symmetricRates(_, epsilon) {
  const [numerator, denominator] = expBelow(epsilon, 2n);
  const lies = wordsAbove(denominator, numerator + denominator);
  return { hits: WORDS - lies, lies };
}

/** @param {number} _ @param {number} epsilon */
function optimisedRates(_, epsilon) {
  const [numerator, denominator] = expBelow(epsilon);
  return { hits: WORDS / 2n, lies: wordsAbove(denominator, numerator + denominator) };
}

/** @param {number} epsilon round(e^epsilon) + 1, of 2 to 2^16 */
function bestBuckets(epsilon) {
  const [numerator, denominator] = expBelow(epsilon);
  const [floor, rest] = [numerator / denominator, (numerator % denominator) * 2n];
  const up = rest > denominator || (rest === denominator && floor % 2n === 1n);
  const rounded = floor + (up ? 2n : 1n);
  return rounded > MOST_BUCKETS ? Number(MOST_BUCKETS) : Math.max(2, Number(rounded));
}

/**
 * The truth or another choice, by one word. Both are computed, whichever is told: else time would
 * say of a report whether it is true.
 *
 * @param {number} hidden @param {Response} response @param {bigint} drawn
 */
function respond(hidden, { hits, lies }, drawn) {
  const other = Number(BigInt.asUintN(64, drawn - hits) / lies);
  return [other + Number(other >= hidden), hidden][Number(drawn < hits)]; // skip the truth
}

/** @type {Make} */
function randomised(_, __, response) {
  return {
    randomise: (category, rng) => respond(category, response, rng.word()),
    supports: (report) => (category) => report === category,
  };
}

/**
 * One noisy bit a category, 64 to a block: of each block 64 words, which give every lane its most
 * significant bit first; then one word for the true bit. Always as many words, whatever they are.
 *
 * @type {Make}
 */
function unary(nCategories, _, { hits, lies }) {
  const nBlocks = Math.ceil(nCategories / 64);
  const threshold = Array.from({ length: 64 }, (_, level) => (lies >> BigInt(63 - level)) & 1n);
  return {
    randomise(category, rng) {
      const tape = rng.bytes(nBlocks * 512);
      const words = new DataView(tape.buffer, tape.byteOffset, tape.byteLength);
      const halves = Array.from({ length: 2 * nBlocks }, (_, half) =>
        lanesBelow(words, (half >> 1) * 512 + (half & 1) * 4, threshold),
      );
      const lane = category % 32;
      const half = Math.floor(category / 32);
      const hit = Number(rng.word() < hits); // without a branch, as `respond`
      halves[half] = (halves[half] & ~(1 << lane)) | (hit << lane);
      return hexOf(halves, nCategories);
    },
    supports: (report) => (category) =>
      ((parseInt(String(report).slice(2 * (category >> 3)).slice(0, 2), 16) >> (category & 7)) & 1) === 1,
  };
}

/**
 * 32 lanes that are each 1 where their 64 bits are below the threshold, the first bit the highest.
 *
 * @param {DataView} words @param {number} at @param {bigint[]} threshold
 */
function lanesBelow(words, at, threshold) {
  let [below, open] = [0, ~0];
  threshold.forEach((isSet, level) => {
    const bits = words.getUint32(at + 8 * level, true);
    if (isSet) below |= open & ~bits;
    open &= isSet ? bits : ~bits;
  });
  return below;
}

/** @param {number[]} halves of 32 bits, the first category in the lowest @param {number} nBits */
function hexOf(halves, nBits) {
  const bytes = Array.from({ length: Math.ceil(nBits / 8) }, (_, at) => {
    const used = Math.min(8, nBits - 8 * at);
    return (halves[at >> 2] >>> (8 * (at & 3))) & (0xff >> (8 - used));
  });
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The bucket of the category under a function that is drawn first, by randomised response.
 *
 * @param {number} nBuckets @param {Response} response
 * @returns {Made}
 */
function hashing(nBuckets, response) {
  /**
   * Bits 32 to 63 of a * category + b, scaled to the buckets: in Numbers, exactly, as a page that
   * says what reports support asks for millions.
   *
   * @param {bigint} a @param {bigint} b
   */
  const buckets = (a, b) => {
    const [high, low, top, rest] = [a >> 32n, a & HALF, b >> 32n, b & HALF].map(Number);
    return (/** @type {number} */ category) => {
      const middle = Math.floor((low * (category & 65535) + rest) / 65536);
      const carried = Math.floor((low * (category >>> 16) + middle) / 65536);
      const hashed = (Math.imul(high, category) + top + carried) >>> 0;
      return Math.floor((hashed * nBuckets) / 2 ** 32);
    };
  };
  return {
    randomise(category, rng) {
      const [multiplier, offset, drawn] = rng.words(3);
      const bucket = respond(buckets(multiplier, offset)(category), response, drawn);
      return { multiplier: String(multiplier), offset: String(offset), bucket };
    },
    supports(report) {
      const { multiplier, offset, bucket } = /** @type {HashedReport} */ (report);
      const bucketOf = buckets(BigInt(multiplier), BigInt(offset));
      return (category) => bucketOf(category) === bucket;
    },
  };
}

/**
 * A random row of a Hadamard matrix and, noisily, the sign in the category's column.
 *
 * @type {Make}
 */
function harmony(nCategories, _, response) {
  const mask = (1n << BigInt(32 - Math.clz32(nCategories - 1))) - 1n;
  return {
    randomise(category, rng) {
      const [rows, drawn] = rng.words(2);
      const row = Number(rows & mask);
      return 2 * row + respond(parity(row & category), response, drawn);
    },
    supports: (report) => (category) =>
      parity(Math.floor(Number(report) / 2) & category) === Number(report) % 2,
  };
}

/** @param {number} bits */
function parity(bits) {
  for (const shift of [16, 8, 4, 2, 1]) bits ^= bits >>> shift;
  return bits & 1;
}

/**
 * One of the m categories that hold, or another: the same m for everybody. The words that are left
 * name the first categories, whatever holds.
 *
 * @param {number} k @param {Response} response @param {number} m
 * @returns {Made}
 */
function named(k, { hits, lies }, m) {
  const [truths, others] = [BigInt(m) * hits, BigInt(k - m) * lies];
  return {
    randomise(answer, rng) {
      const held = list(answer, (each) => whole(each, 0, k - 1));
      const isRow = held.length === m && held.every((each, at) => !at || each > held[at - 1]);
      demand(isRow, "unfit-ranking", "expected ascending categories");
      const drawn = rng.word();
      const truth = held[Math.min(Number(drawn / hits), m - 1)];
      const past = BigInt.asUintN(64, drawn - truths);
      const spare = Number(BigInt.asUintN(64, past - others));
      const lie = held.reduce((other, each) => other + Number(other >= each), Number(past / lies));
      return [lie, spare, truth][Number(past >= others) + Number(drawn < truths)]; // as `respond`
    },
    supports: (report) => (category) => report === category,
  };
}

const MOST_ITEMS = 254;
const MOST_TRIES = 2_000_000; // Python refuses what takes more than 100,000 on average
const MOST_OF_A_WORD = 1n << 56n;
const SWAP_STEP = 1n << 28n;

/**
 * An order that probably lies near one's own: a shuffle, accepted within the radius or by a coin.
 *
 * What it costs only `far_words` decides, and that is computed here. Radius and swaps decide how
 * much is learnt, never how much is given away: the normaliser is the same for all rankings, and
 * swaps mix such channels alike. Python takes them from floats; here they are checked for range.
 *
 * @param {unknown} wire
 * @returns {Mechanism}
 */
function readSubsetOrder(wire) {
  const fields = record(wire, ["kind", "n_categories", "epsilon", "far_words", "radius", "swap_words"]);
  const m = whole(fields.n_categories, 2, MOST_ITEMS);
  const epsilon = epsilonOf(fields.epsilon);
  const radius = whole(fields.radius, 0, (m * (m * m - 1)) / 6);
  const swaps = list(fields.swap_words, word);
  const areSwaps = swaps.every((words) => words <= WORDS / 2n && words % SWAP_STEP === 0n);
  demand(swaps.length === m >> 1 && areSwaps, "malformed", "expected a swap for each mirrored pair");
  const [numerator, denominator] = expBelow(epsilon);
  const far = wordsAbove(denominator, numerator);
  demand(far < WORDS, "wrong-thresholds", "epsilon is too small");
  demandSame(fields.far_words, far);
  const groups = wordsOfAShuffle(m);
  return {
    kind: "subset-order",
    nCategories: m,
    epsilon,
    form: "ranks",
    lieRate: null,
    randomise(answer, rng) {
      const ranks = /** @type {number[]} */ (answer);
      const isRow = Array.isArray(answer) && ranks.length === m;
      const sorted = isRow && orderOf(ranks).every((at, rank) => ranks[at] === rank);
      demand(sorted, "unfit-ranking", "expected each rank exactly once");
      const shuffle = acceptedShuffle(groups, m, radius, far, rng);
      swaps.forEach((words, place) => {
        if (rng.word() >= words) return;
        const mirror = m - 1 - place;
        [shuffle[place], shuffle[mirror]] = [shuffle[mirror], shuffle[place]];
      });
      return ranks.map((rank) => shuffle[rank]);
    },
    supports: () => () => false,
  };
}

/**
 * @param {Group[]} groups @param {number} m @param {number} radius @param {bigint} far
 * @param {Random} rng
 */
function acceptedShuffle(groups, m, radius, far, rng) {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const words = rng.words(groups.length + 1);
    const isSpoilt = groups.some(({ last }, nth) => words[nth] > last);
    const shuffle = shuffled(groups, words, m);
    const squares = shuffle.reduce((sum, rank, place) => sum + (rank - place) ** 2, 0);
    if (!isSpoilt && (squares / 2 <= radius || words[groups.length] < far)) return shuffle;
  }
  demand(false, "no-randomness", "no try was accepted");
}

/** @param {Group[]} groups @param {bigint[]} words @param {number} m */
function shuffled(groups, words, m) {
  const shuffle = Array.from({ length: m }, (_, place) => place);
  groups.forEach(({ bounds }, nth) => {
    let rest = words[nth];
    for (const bound of bounds) {
      const drawn = Number(rest % BigInt(bound));
      rest /= BigInt(bound);
      [shuffle[bound - 1], shuffle[drawn]] = [shuffle[drawn], shuffle[bound - 1]];
    }
  });
  return shuffle;
}

/** @typedef {{ bounds: number[], last: bigint }} Group draws that share a word */

/**
 * A shuffle draws below m, m - 1, ..., 2: digits of words, of which those beyond `last` spoil it.
 *
 * @param {number} m
 */
function wordsOfAShuffle(m) {
  /** @type {Group[]} */
  const groups = [];
  let bound = m;
  while (bound >= 2) {
    let product = 1n;
    const bounds = [];
    while (bound >= 2 && product * BigInt(bound) <= MOST_OF_A_WORD) {
      bounds.push(bound);
      product *= BigInt(bound);
      bound -= 1;
    }
    groups.push({ bounds, last: WORDS - (WORDS % product) - 1n });
  }
  return groups;
}
