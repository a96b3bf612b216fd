// How long a device takes: `node tests/benchmark.js`. A handout is read, checked and answered.

import { Randomness } from "../randomness.js";
import { encodeReport, ranksOf, readHandout } from "../survey.js";
import { vectors } from "./vectors.js";

const ROUNDS = 300;
const rng = Randomness.secure();

function answer({ handout: json, order }) {
  const handout = readHandout(json, 8);
  const ranks = ranksOf(order, handout);
  return handout.asked.map(({ number, question, mechanism }) =>
    encodeReport(handout.fingerprint, number, mechanism.randomise(question.answer(ranks), rng)),
  );
}

/** Milliseconds. */
function timed(work) {
  const start = performance.now();
  work();
  return performance.now() - start;
}

for (const one of vectors("handouts").cases) {
  const { protocol, unranked } = JSON.parse(one.announcement);
  const first = timed(() => answer(one));
  const all = Array.from({ length: ROUNDS }, () => timed(() => answer(one))).sort((a, b) => a - b);
  const [median, slow] = [all[ROUNDS / 2], all[Math.floor(ROUNDS * 0.99)]].map((ms) => ms.toFixed(2));
  const name = `${protocol} ${unranked}`.padEnd(24);
  console.log(`${name} first ${first.toFixed(1)} ms, median ${median} ms, 99 of 100 within ${slow} ms`);
}
