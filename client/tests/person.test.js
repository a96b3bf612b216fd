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

/** The keys of all that this browser keeps. */
async function keysKept() {
  const opened = indexedDB.open("hushrank", 1);
  await new Promise((resolve) => (opened.onsuccess = resolve));
  const asked = opened.result.transaction("kept").objectStore("kept").getAllKeys();
  await new Promise((resolve) => (asked.onsuccess = resolve));
  opened.result.close();
  return asked.result;
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

test("of a survey that is forgotten no order stays, not even for the next one of its series", async () => {
  const survey = caseOf("pairs", { id: "forgotten", series: "weekly" });
  globalThis.fetch = new Collector(survey).fetch;
  const person = await openDevice({ origin: COLLECTOR });
  const own = async () => (await keysKept()).filter((key) => /^person .* (forgotten|of weekly)$/.test(key));
  await person.join(survey.id, { invitation: "letter" });
  await person.lock(survey.id, "weekly", { order: survey.order, unranked: [] });
  assert.equal((await own()).length, 3);
  await person.forget(survey.id, "weekly");
  assert.deepEqual(await own(), []);
});

test("the first order that was given is the one that is kept", async () => {
  const survey = caseOf("pairs", { id: "first" });
  globalThis.fetch = new Collector(survey).fetch;
  const person = await openDevice({ origin: COLLECTOR });
  await person.join(survey.id, { invitation: null });
  const first = { order: survey.order, unranked: [] };
  await person.lock(survey.id, "first", first);
  const kept = await person.lock(survey.id, "first", { order: [...survey.order].reverse(), unranked: [] });
  assert.deepEqual(kept.ranking, first);
  assert.deepEqual((await person.look(survey.id)).kept.ranking, first);
});

test("what is kept is on the disk before anything is sent", async (context) => {
  const begin = context.mock.method(IDBDatabase.prototype, "transaction");
  await chanceOf("durable", [1, 1]);
  const changes = begin.mock.calls.filter(({ arguments: [, mode] }) => mode === "readwrite");
  assert.ok(changes.length > 0);
  assert.ok(changes.every(({ arguments: [, , how] }) => how.durability === "strict"));
});
