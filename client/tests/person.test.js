import assert from "node:assert/strict";
import test from "node:test";

import "fake-indexeddb/auto";

import { openDevice } from "../participant/person.js";
import { fingerprintOf, readHandout } from "../survey.js";
import { COLLECTOR, Collector, caseOf, handoutOf } from "./collector.js";
import { vectors } from "./vectors.js";

const { names } = vectors("handouts");
const [LEAF, NODE] = [Uint8Array.of(0), Uint8Array.of(1)];

/** A handout of two questions, each of them a pair and hidden at an epsilon of its own. */
function handoutOfTwo(epsilons) {
  const each = epsilons.map((epsilon, nth) => {
    const { head } = JSON.parse(handoutOf(names, { kind: "relative-order", items: [nth, nth + 1] }, 2, epsilon));
    return JSON.parse(head);
  });
  const asked = each.map((_, nth) =>
    JSON.stringify({ question: { kind: "relative-order", items: [nth, nth + 1] }, mechanism: nth }),
  );
  const leaves = asked.map((leaf) => fingerprintOf(LEAF, leaf));
  const head = JSON.stringify({
    ...each[0],
    epsilon: epsilons[0] + epsilons[1],
    answers_per_person: 2,
    n_questions: 2,
    questions_root: fingerprintOf(NODE, Uint8Array.from(Buffer.from(leaves.join(""), "hex"))),
    mechanisms: each.map(({ mechanisms }) => mechanisms[0]),
  });
  const questions = asked.map((leaf, number) => ({ number, asked: leaf, path: [leaves[1 - number]] }));
  return JSON.stringify({ head, questions });
}

/** What the page is told of the chance of a lie. */
async function chanceOf(id, epsilons) {
  const handout = handoutOfTwo(epsilons);
  const first_round = [readHandout(handout, 4).fingerprint];
  const survey = { ...caseOf("pairs", { id, epsilon: 4, first_round }), handout };
  globalThis.fetch = new Collector(survey).fetch;
  const person = await openDevice({ origin: COLLECTOR });
  return (await person.join(id, { invitation: null })).lieChance;
}

test("the chance of a lie is told where it is one number for all reports, and else no number", async () => {
  const chance = await chanceOf("alike", [1, 1]);
  assert.ok(Math.abs(chance - 1 / (1 + Math.E)) < 1e-9);
  assert.equal(await chanceOf("unlike", [1, 2]), null);
});
