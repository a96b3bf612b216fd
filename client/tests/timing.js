// Does the time to draw a report tell the answer? `node tests/timing.js [RUNS]`: dudect's t-test.
//
// Two answers in random order; once of all runs, once of those alone that ended in the report which
// is the truth of the first answer: a lie must take as long as the truth does. Welch's t, largest
// over crops of slow runs. Nothing asserts anything: docs/privacy-audit.md says what was measured.

import { readMechanism } from "../mechanisms.js";
import { Randomness } from "../randomness.js";
import { vectors } from "./vectors.js";

const RUNS = Number(process.argv[2] ?? 200_000);
const WARM_UP = 20_000;
const CROPS = [...Array.from({ length: 20 }, (_, nth) => 1 - 0.5 ** ((nth + 1) / 2)), 1];
const rng = Randomness.secure();

/** @param {any} mechanism @param {any[]} answers */
function timed(mechanism, answers) {
  const runs = [];
  for (let nth = 0; nth < RUNS + WARM_UP; nth += 1) {
    const which = Math.random() < 0.5 ? 0 : 1;
    const answer = answers[which];
    const start = process.hrtime.bigint();
    const report = mechanism.randomise(answer, rng);
    const ns = Number(process.hrtime.bigint() - start);
    if (nth >= WARM_UP) runs.push({ which, ns, report: JSON.stringify(report) });
  }
  return runs;
}

/** @param {number[]} some */
function moments(some) {
  const mean = some.reduce((sum, each) => sum + each, 0) / some.length;
  const squares = some.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  return { mean, error: squares / (some.length - 1) / some.length };
}

/** The largest t of all crops, and by how many nanoseconds the second answer takes longer there. */
function largest(runs) {
  const sorted = runs.map((each) => each.ns).sort((a, b) => a - b);
  const found = CROPS.map((crop) => {
    const limit = sorted[Math.min(sorted.length - 1, Math.floor(crop * sorted.length))];
    const [one, other] = [0, 1].map((which) =>
      moments(runs.filter((each) => each.which === which && each.ns <= limit).map((each) => each.ns)),
    );
    const later = other.mean - one.mean;
    const t = later / Math.sqrt(one.error + other.error);
    return { t: Number.isFinite(t) ? t : 0, later };
  });
  return found.reduce((best, each) => (Math.abs(each.t) > Math.abs(best.t) ? each : best));
}

function said({ t, later }) {
  return `t ${t.toFixed(1).padStart(7)}, ${later.toFixed(0).padStart(5)} ns`;
}

/** What Python wrote down of each kind: its parameters at an epsilon near 1, and two answers. */
function* cases() {
  const seen = new Set();
  for (const one of vectors("handouts").cases) {
    for (const wire of JSON.parse(JSON.parse(one.handout).head).mechanisms) {
      if (seen.has(wire.kind)) continue;
      seen.add(wire.kind);
      yield { kind: wire.kind, mechanism: readMechanism(wire), wire };
    }
  }
  const { n_members, vectors: _, ...rates } = vectors("named-member").cases[2];
  const wire = { kind: "named-member", ...rates, n_members };
  yield { kind: wire.kind, mechanism: readMechanism(wire), wire };
}

function answersOf({ kind, wire }) {
  const last = wire.n_categories - 1;
  if (kind === "subset-order") {
    const ranks = Array.from({ length: wire.n_categories }, (_, at) => at);
    return [ranks, [...ranks].reverse()];
  }
  if (kind !== "named-member") return [0, last];
  const held = Array.from({ length: wire.n_members }, (_, at) => at);
  return [held, held.map((at) => last - wire.n_members + 1 + at)];
}

for (const one of cases()) {
  const answers = answersOf(one);
  const runs = timed(one.mechanism, answers);
  const truth = JSON.stringify(Array.isArray(answers[0]) && one.kind === "named-member" ? answers[0][0] : answers[0]);
  const same = runs.filter((each) => each.report === truth);
  const enough = same.length > 1000 ? said(largest(same)) : "too few";
  const median = runs.map((each) => each.ns).sort((a, b) => a - b)[runs.length >> 1];
  console.log(`${one.kind.padEnd(34)} ${median} ns; any report: ${said(largest(runs))}; the same report: ${enough}`);
}
