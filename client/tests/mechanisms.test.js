import assert from "node:assert/strict";
import { Session } from "node:inspector/promises";
import test from "node:test";

import { WORDS, expBelow, wordsAbove } from "../exact.js";
import { readMechanism } from "../mechanisms.js";
import { lieOdds } from "../participant/odds.js";
import { Randomness } from "../randomness.js";
import { bytes, vectors } from "./vectors.js";

const NAMES = [
  "generalized-randomized-response",
  "harmony",
  "named-member",
  "optimised-local-hashing",
  "optimised-unary-encoding",
  "subset-order",
  "succinct-histogram",
  "symmetric-unary-encoding",
];
const NUMBERS = {
  hit: ["hit_words", "false_hit_words"],
  named: ["hit_words", "false_hit_words", "n_members"],
  far: ["far_words", "radius", "swap_words"],
};

/** What a vector hides: a category, a row of ranks, or several categories. */
const hidden = ({ category, ranks, members }) => category ?? ranks ?? members;

function wireOf(kind, stated) {
  const names = { "subset-order": NUMBERS.far, "named-member": NUMBERS.named }[kind] ?? NUMBERS.hit;
  const numbers = Object.fromEntries(names.map((name) => [name, stated[name]]));
  return { kind, n_categories: stated.n_categories, epsilon: stated.epsilon, ...numbers };
}

const cases = NAMES.flatMap((kind) =>
  vectors(kind).cases.map((stated) => ({ stated, wire: wireOf(kind, stated) })),
);

test("reports are those of the vectors and use the tape up", () => {
  for (const { stated, wire } of cases) {
    const mechanism = readMechanism(wire);
    for (const vector of stated.vectors) {
      const rng = Randomness.replayed(bytes(vector.random_bytes));
      const report = mechanism.randomise(hidden(vector), rng);
      assert.deepEqual(report, vector.report);
      assert.throws(() => rng.words(1), { kind: "no-randomness" });
    }
  }
});

test("a lie runs through the same code as the truth", async () => {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  const counted = await import("../mechanisms.js?counted"); // blocks count in what is loaded from now on
  const taken = async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    return result.find(({ url }) => url.endsWith("?counted"))?.functions;
  };
  for (const { stated, wire } of cases.filter(({ wire }) => wire.kind !== "subset-order")) {
    const [vector] = stated.vectors;
    const mechanism = counted.readMechanism(wire);
    const told = BigInt(wire.n_members ?? 1) * BigInt(wire.hit_words);
    const runs = [];
    for (const last of [told - 1n, told]) {
      const tape = bytes(vector.random_bytes);
      new DataView(tape.buffer).setBigUint64(tape.length - 8, last, true);
      await taken();
      const report = mechanism.randomise(hidden(vector), Randomness.replayed(tape));
      runs.push({ report, blocks: await taken() });
    }
    const [truth, lie] = runs;
    assert.notDeepEqual(lie.report, truth.report);
    assert.deepEqual(lie.blocks, truth.blocks, wire.kind);
  }
  session.disconnect();
});

test("a tape that is too short ends", () => {
  for (const { stated, wire } of cases) {
    const { random_bytes } = stated.vectors[0];
    const rng = Randomness.replayed(bytes(random_bytes).subarray(0, -1));
    const mechanism = readMechanism(wire);
    assert.throws(() => mechanism.randomise(hidden(stated.vectors[0]), rng), { kind: "no-randomness" });
  }
});

test("thresholds that are off by one are refused", () => {
  for (const { wire } of cases) {
    for (const field of ["hit_words", "false_hit_words", "far_words"].filter((each) => each in wire)) {
      for (const off of [-1n, 1n]) {
        const words = String(BigInt(wire[field]) + off);
        if (BigInt(words) < 1n << 64n && BigInt(words) >= 0n) {
          assert.throws(() => readMechanism({ ...wire, [field]: words }), { kind: "wrong-thresholds" });
        }
      }
    }
    const dearer = { ...wire, epsilon: wire.epsilon * 1.001 };
    assert.throws(() => readMechanism(dearer), { kind: "wrong-thresholds" });
  }
});

test("an epsilon that leaves no difference between truth and lie is refused", () => {
  const half = 2n ** 63n;
  const third = (2n ** 64n + 2n) / 3n;
  for (const [k, epsilon, hits, lies] of /** @type {const} */ ([
    [2, 1e-20, half, half],
    [2, 1e-60, half - 1n, half + 1n],
    [3, 1e-20, 2n ** 64n - 2n * third, third],
  ])) {
    const words = { hit_words: String(hits), false_hit_words: String(lies) };
    const wire = { kind: "generalized-randomized-response", n_categories: k, epsilon, ...words };
    assert.throws(() => readMechanism(wire), { kind: "wrong-thresholds", message: "epsilon is too small" });
  }
});

test("local hashing has round(e^epsilon) + 1 buckets, of 2 to 2^16", () => {
  for (const [epsilon, hit_words, false_hit_words, nBuckets] of /** @type {const} */ ([
    [0.4, "11043838046182412346", "7402906027527139270", 2],
    [0.5, "8335396724795759592", "5055673674456896012", 3],
    [11, "9223382952197334820", "154046182341454", 59875],
    [12, "13151249407232201521", "80804069069617", 65536],
  ])) {
    const wire = { kind: "optimised-local-hashing", n_categories: 10, epsilon, hit_words, false_hit_words };
    const last = new BigUint64Array([0n, 2n ** 64n - 1n, 0n]); // an offset that falls into the last one
    const rng = Randomness.replayed(new Uint8Array(last.buffer));
    assert.equal(readMechanism(wire).randomise(3, rng).bucket, nBuckets - 1);
  }
});

test("each mechanism hides as many categories as in Python, and no more", () => {
  const most = { "symmetric-unary-encoding": 2 ** 22, "optimised-unary-encoding": 2 ** 22, harmony: 2 ** 31 };
  for (const kind of NAMES.filter((each) => each !== "subset-order")) {
    const { wire } = cases.find(({ wire }) => wire.kind === kind);
    const refusalOf = (n_categories) => {
      try {
        readMechanism({ ...wire, n_categories });
      } catch (error) {
        return error.kind;
      }
    };
    const n = most[kind] ?? 2 ** 32;
    assert.ok([undefined, "wrong-thresholds"].includes(refusalOf(n)), kind);
    assert.equal(refusalOf(n + 1), "malformed", kind);
  }
});

test("of however many categories, each 64 are hidden by words of their own", () => {
  const kind = "symmetric-unary-encoding";
  const { wire } = cases.find(({ wire }) => wire.kind === kind && wire.epsilon <= 2);
  const { randomise } = readMechanism({ ...wire, n_categories: 130 * 64 });
  const blocks = randomise(0, Randomness.secure()).match(/.{16}/g);
  assert.equal(new Set(blocks).size, 130);
});

/** What hides one of k categories in so many bits, by the thresholds of an epsilon of the vectors. */
const unaryOf = (kind, n_categories) =>
  readMechanism({ ...cases.find(({ wire }) => wire.kind === kind && wire.epsilon <= 2).wire, n_categories });

/** The report where all noise is of this byte, and so is the coin, of the true bit. */
function toldBy({ nCategories, randomise }, category, noise, coin) {
  const tape = new Uint8Array(512 * Math.ceil(nCategories / 64) + 8).fill(noise);
  return Buffer.from(randomise(category, Randomness.replayed(tape.fill(coin, -8))), "hex");
}

test("of however many categories, the true one is told by the coin alone", () => {
  const orders = [0, 1, 31, 32, 63, 64, 2519, 3199, 3200, 3231, 4095, 4096, 5007, 5008, 5038, 5039];
  for (const [kind, n, places] of /** @type {const} */ ([
    ["symmetric-unary-encoding", 5040, orders],
    ["optimised-unary-encoding", 5040, orders],
    ["symmetric-unary-encoding", 2 ** 22, [2 ** 22 - 1]], // the most of a report
  ])) {
    for (const place of places) {
      const mechanism = unaryOf(kind, n);
      const one = Buffer.alloc(n / 8);
      one[place >> 3] = 1 << (place & 7);
      assert.ok(toldBy(mechanism, place, 255, 0).equals(one), `${place} of ${n}`);
      const others = Buffer.alloc(n / 8, 255);
      others[place >> 3] ^= 1 << (place & 7);
      assert.ok(toldBy(mechanism, place, 0, 255).equals(others), `${place} of ${n}`);
    }
  }
});

test("a sign of Hadamard's matrix is the parity of all bits that a row and a column share", () => {
  const { wire } = cases.find(({ wire }) => wire.kind === "harmony");
  const { supports } = readMechanism({ ...wire, n_categories: 2 ** 31 });
  const bits = Array.from({ length: 31 }, (_, place) => 2 ** place);
  for (const one of bits) {
    for (const other of bits) {
      const row = one | other;
      const isOdd = one === other;
      assert.deepEqual([0, 1].map((sign) => supports(2 * row + sign)(row)), [!isOdd, isOdd]);
      assert.equal(supports(2 * one + 1)(row), true);
    }
  }
});

test("buckets are those of 64 bits, for every category and function", () => {
  const words = [0n, 1n, 2n ** 16n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 63n + 5n, 0x9e3779b97f4a7c15n, 2n ** 64n - 1n];
  const categories = [0, 1, 65535, 65536, 2 ** 21 - 1, 2 ** 31, 2 ** 32 - 65536, 2 ** 32 - 1];
  const hashes = cases.filter(({ wire }) => ["optimised-local-hashing", "succinct-histogram"].includes(wire.kind));
  for (const { wire } of hashes) {
    const { supports, randomise, epsilon } = readMechanism({ ...wire, n_categories: 2 ** 32 });
    const best = Math.min(Math.round(Math.exp(epsilon)) + 1, 2 ** 16);
    const nBuckets = BigInt(wire.kind === "succinct-histogram" ? 2 : best);
    for (const [a, b] of words.flatMap((a) => words.map((b) => [a, b]))) {
      for (const category of categories) {
        const truth = Randomness.replayed(new Uint8Array(BigUint64Array.of(a, b, 0n).buffer));
        const report = randomise(category, truth); // the word 0 tells it
        const bucket = Number(((((a * BigInt(category) + b) % 2n ** 64n) >> 32n) * nBuckets) >> 32n);
        assert.deepEqual(report, { multiplier: `${a}`, offset: `${b}`, bucket });
        assert.ok(supports(report)(category));
        assert.ok(!supports({ ...report, bucket: bucket + 1 })(category));
      }
    }
  }
});

test("the chance of a lie is not above what the thresholds make it", () => {
  const words = { hit_words: "13835058055282164025", false_hit_words: "4611686018427387591" };
  const wire = { kind: "generalized-randomized-response", n_categories: 2, epsilon: 1.0986122886681098, ...words };
  const { lieRate } = readMechanism(wire); // the nearest float is a quarter, and that is more
  assert.ok(lieRate < 0.25 && lieRate > 0.2499999);
});

test("a report of one of several lies where it names none that holds", () => {
  for (const { wire } of cases.filter(({ wire }) => wire.kind === "named-member")) {
    const shown = BigInt(readMechanism(wire).lieRate * 2 ** 53) << 11n;
    const lies = 2n ** 64n - BigInt(wire.n_members) * BigInt(wire.hit_words);
    assert.ok(shown <= lies && lies < shown + 2n ** 11n);
  }
});

test("an epsilon is of at most 1000", () => {
  const words = { hit_words: String(2n ** 64n - 1n), false_hit_words: "1" };
  const wire = { kind: "generalized-randomized-response", n_categories: 2, epsilon: 1000, ...words };
  const { kind, form, lieRate } = readMechanism(wire);
  assert.deepEqual({ kind, form, lieRate }, { kind: wire.kind, form: "category", lieRate: 0 });
  assert.throws(() => readMechanism({ ...wire, epsilon: 1000.0000001 }), { kind: "malformed" });
});

test("a report of one of several says how many hold", () => {
  const { wire } = cases.find(({ wire }) => wire.n_members === 3);
  assert.equal(readMechanism(wire).form, "3 members");
});

test("of all categories some hold for a person, and half at most: else a device lies too seldom", () => {
  const { wire } = cases.find(({ wire }) => wire.kind === "named-member");
  const k = wire.n_categories;
  for (const n_members of [0, Math.floor(k / 2) + 1, k, k + 1]) {
    assert.throws(() => readMechanism({ ...wire, n_members }), { kind: "malformed" });
  }
});

test("no mechanism lies more seldom than is said before a question is known", () => {
  for (const { wire } of cases.filter(({ wire }) => wire.kind !== "subset-order")) {
    const { lieRate, epsilon } = readMechanism(wire);
    assert.ok(1 / lieRate <= lieOdds(epsilon) + 1e-9);
  }
});

test("numbers of a subset order that no mechanism has are refused", () => {
  const { wire } = cases.find(({ wire }) => wire.kind === "subset-order" && wire.n_categories === 10);
  const bad = [
    { radius: -1 },
    { radius: 166 },
    { radius: 1.5 },
    { swap_words: wire.swap_words.slice(1) },
    { swap_words: [...wire.swap_words.slice(1), String(2n ** 63n + 2n ** 28n)] },
    { swap_words: [...wire.swap_words.slice(1), "1"] },
  ];
  for (const change of bad) {
    assert.throws(() => readMechanism({ ...wire, ...change }), { kind: "malformed" });
  }
});

/** How many shuffles each word of m items stands for: draws below m, m - 1, ..., 2, up to 2^56. */
function productsOf(m) {
  const products = [1n];
  for (let bound = BigInt(m); bound >= 2n; bound -= 1n) {
    const product = products.at(-1) * bound;
    if (product <= 2n ** 56n) products[products.length - 1] = product;
    else products.push(bound);
  }
  return products;
}

test("of however many words of a shuffle, one beyond whole turns spoils it, and none before", () => {
  const { wire } = cases.find(({ wire }) => wire.kind === "subset-order");
  for (const m of [2, 10, 40, 60, 100, 254]) {
    const accepts = { n_categories: m, radius: (m * (m * m - 1)) / 6 }; // each that is not spoilt
    const swap_words = new Array(m >> 1).fill("0");
    const mechanism = readMechanism({ ...wire, ...accepts, swap_words });
    const own = Array.from({ length: m }, (_, place) => place);
    productsOf(m).forEach((product, nth, { length: nWords }) => {
      const whole = 2n ** 64n - (2n ** 64n % product);
      for (const word of [0n, whole - 1n, whole, 2n ** 64n - 1n].filter((each) => each < 2n ** 64n)) {
        const nTries = word < whole ? 1 : 2;
        const tape = new BigUint64Array(nTries * (nWords + 1) + swap_words.length);
        tape[nth] = word;
        const rng = Randomness.replayed(new Uint8Array(tape.buffer));
        assert.equal(new Set(mechanism.randomise(own, rng)).size, m);
        assert.throws(() => rng.words(1), { kind: "no-randomness" }, `word ${nth} of ${m} items`);
      }
    });
  }
});

test("of however many items, a shuffle that is far is accepted by its coin alone", () => {
  const { wire } = cases.find(({ wire }) => wire.kind === "subset-order");
  const far = BigInt(wire.far_words);
  for (const m of [2, 10, 40, 63, 64, 100, 254]) {
    const swap_words = new Array(m >> 1).fill("0");
    const mechanism = readMechanism({ ...wire, n_categories: m, radius: 0, swap_words });
    const own = Array.from({ length: m }, (_, place) => place);
    const nWords = productsOf(m).length + 1; // zeros turn all items by one place
    for (const [coin, nTries] of /** @type {const} */ ([[0n, 1], [far - 1n, 1], [far, 2], [2n ** 64n - 1n, 2]])) {
      const tape = new BigUint64Array(nTries * nWords + swap_words.length);
      tape[nWords - 1] = coin;
      const rng = Randomness.replayed(new Uint8Array(tape.buffer));
      assert.notDeepEqual(mechanism.randomise(own, rng), own);
      assert.throws(() => rng.words(1), { kind: "no-randomness" }, `${coin} of ${m} items`);
    }
  }
});

/** What names one of m of k categories, and from which word on it lies, and names what is left. */
function namedOf(k, m) {
  const [above, below] = expBelow(1);
  const lies = wordsAbove(below, BigInt(m) * above + BigInt(k - m) * below);
  const hits = (WORDS - BigInt(k - m) * lies) / BigInt(m);
  const words = { hit_words: String(hits), false_hit_words: String(lies), n_members: m };
  const mechanism = readMechanism({ kind: "named-member", n_categories: k, epsilon: 1, ...words });
  return { ...mechanism, hits, lies };
}

test("of however many categories that hold or do not each is named by words of its own", () => {
  for (const [k, m] of [[2, 1], [3, 1], [26, 12], [26, 13], [60, 14], [200, 100], [1000, 13], [1000, 500]]) {
    const { randomise, hits, lies } = namedOf(k, m);
    const all = Array.from({ length: k }, (_, each) => each);
    const told = (held, word) => randomise(held, Randomness.replayed(new Uint8Array(BigUint64Array.of(word).buffer)));
    for (const held of [all.slice(0, m), all.slice(-m), all.filter((each) => each % 2).slice(-m)]) {
      if (held.length < m) continue;
      const others = all.filter((each) => !held.includes(each));
      const lied = BigInt(m) * hits;
      assert.deepEqual(held.map((_, nth) => told(held, BigInt(nth) * hits)), held);
      assert.deepEqual(held.map((_, nth) => told(held, BigInt(nth + 1) * hits - 1n)), held);
      assert.deepEqual(others.map((_, nth) => told(held, lied + BigInt(nth) * lies)), others);
      assert.deepEqual(others.map((_, nth) => told(held, lied + BigInt(nth + 1) * lies - 1n)), others);
      const left = lied + BigInt(k - m) * lies;
      if (left < WORDS) assert.equal(told(held, left), 0);
    }
  }
});

test("a subset order has a radius, swaps up to every second time and a difference between near and far", () => {
  const { wire } = cases.find(({ wire }) => wire.kind === "subset-order" && wire.n_categories === 10);
  const swap_words = [...wire.swap_words.slice(1), String(2n ** 63n)];
  const { kind, nCategories, epsilon, form, lieRate, supports } = readMechanism({ ...wire, swap_words });
  const stated = { kind: "subset-order", nCategories: 10, epsilon: wire.epsilon, form: "ranks", lieRate: null };
  assert.deepEqual({ kind, nCategories, epsilon, form, lieRate }, stated);
  assert.equal(supports([...Array(10).keys()])(0), false);
  assert.ok(readMechanism({ ...wire, radius: 165 }));
  const many = (m) => ({ ...wire, n_categories: m, radius: 0, swap_words: new Array(127).fill("0") });
  assert.equal(readMechanism(many(254)).nCategories, 254);
  assert.throws(() => readMechanism(many(255)), { kind: "malformed" });
  for (const tooSmall of [1e-20, 1e-60]) {
    const change = { epsilon: tooSmall, far_words: String(2n ** 64n) };
    assert.throws(() => readMechanism({ ...wire, ...change }), { kind: "wrong-thresholds" });
  }
});

test("bad parameters are refused", () => {
  for (const kind of NAMES) {
    const { stated } = cases.find(({ wire }) => wire.kind === kind);
    for (const bad of vectors(kind).bad_parameters) {
      const epsilon = typeof bad.epsilon === "string" ? Number(bad.epsilon) : bad.epsilon;
      const wire = wireOf(kind, { ...stated, ...bad, epsilon });
      assert.throws(() => readMechanism(wire), { name: "Refusal" });
    }
  }
});

test("unknown kinds and fields are refused", () => {
  const { wire } = cases[0];
  for (const bad of [{ ...wire, kind: "toString" }, { ...wire, more: 1 }, null, 3, [], {}]) {
    assert.throws(() => readMechanism(bad), { kind: "malformed" });
  }
});

test("bad answers are refused before anything is drawn, and are not shown", () => {
  const nothing = Randomness.replayed(new Uint8Array());
  for (const kind of NAMES) {
    const { bad_categories: categories = [], bad_ranks: ranks = [], bad_rows: rows = [] } = vectors(kind);
    for (const bad of [...categories, ...ranks, ...rows]) {
      const { wire } = cases.find(({ wire }) => wire.kind === kind && wire.n_categories === bad.n_categories);
      for (const answer of [hidden(bad), null, 0.5, "1"]) {
        const refused = /** @param {Error} error */ (error) =>
          /^(malformed|unfit-ranking)$/.test(error.kind) && !error.message.includes("64");
        assert.throws(() => readMechanism(wire).randomise(answer, nothing), refused);
      }
    }
  }
});

test("of several that hold each is after the one before", () => {
  const { wire } = cases.find(({ wire }) => wire.n_members === 3);
  const nothing = Randomness.replayed(new Uint8Array());
  for (const answer of [[1, 0, 2], [0, 2, 1], [0, 1, 1], [0, 0, 1]]) {
    assert.throws(() => readMechanism(wire).randomise(answer, nothing), { kind: "unfit-ranking" });
  }
});

test("a report supports what it hides where the word tells the truth, and only there", () => {
  for (const { stated, wire } of cases.filter(({ wire }) => wire.kind !== "subset-order")) {
    const mechanism = readMechanism(wire);
    for (const { category, members = [category], random_bytes, report } of stated.vectors) {
      const last = new DataView(bytes(random_bytes).buffer).getBigUint64(random_bytes.length / 2 - 8, true);
      const isTrue = last < BigInt(members.length) * BigInt(wire.hit_words);
      const isSpare = wire.n_members > 1 && last > 2n ** 64n - BigInt(members.length);
      const supported = members.some((each) => mechanism.supports(report)(each));
      assert.ok(supported === isTrue || isSpare);
    }
  }
});
