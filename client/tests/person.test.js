import assert from "node:assert/strict";
import test from "node:test";

import "fake-indexeddb/auto";

import { Device } from "../device.js";
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

test("a survey of which forgetting broke off is forgotten whole the next time", async () => {
  const survey = caseOf("pairs", { id: "broken", series: "off" });
  globalThis.fetch = new Collector(survey).fetch;
  const person = await openDevice({ origin: COLLECTOR });
  await person.join(survey.id, { invitation: null });
  await person.lock(survey.id, "off", { order: survey.order, unranked: [] });
  const { delete: drop } = IDBObjectStore.prototype;
  let n = 0;
  IDBObjectStore.prototype.delete = function (key) {
    n += 1;
    if (n === 3) throw new Error("the browser was closed");
    return drop.call(this, key);
  };
  await assert.rejects(person.forget(survey.id, "off"));
  IDBObjectStore.prototype.delete = drop;
  await person.forget(survey.id, "off");
  assert.deepEqual((await keysKept()).filter((key) => /(broken|of off)$/.test(key)), []);
  await person.limitTo(20);
});

/** Lets the browser do as told when a key is deleted, before it deletes it. */
function atEachDeletion(context, step) {
  const { delete: drop } = IDBObjectStore.prototype;
  context.mock.method(IDBObjectStore.prototype, "delete", function (key) {
    step(key, this);
    return drop.call(this, key);
  });
}

test("what another tab keeps while a survey is forgotten is forgotten with it", async (context) => {
  const { person } = await locked("meanwhile", "series of meanwhile");
  const own = async () => (await keysKept()).filter((key) => /^person .*meanwhile/.test(key));
  const given = await own();
  assert.equal(given.length, 3);
  atEachDeletion(context, (key, store) => {
    if (/^survey /.test(key)) given.forEach((each) => store.put("kept again", each));
  });
  await person.forget("meanwhile");
  assert.deepEqual(await own(), []);
});

test("nothing that was given is there any more once a survey is forgotten", async (context) => {
  const { person } = await locked("gone", "series of gone");
  let isForgotten = false;
  atEachDeletion(context, (key) => {
    if (isForgotten && /^person /.test(key)) throw new Error("the browser was closed");
    isForgotten ||= /^survey /.test(key);
  });
  await assert.rejects(person.forget("gone"));
  assert.ok(isForgotten);
  assert.deepEqual((await keysKept()).filter((key) => /^person .*gone/.test(key)), []);
});

test("the first order that was given is the one that is kept", async () => {
  const survey = caseOf("pairs", { id: "first", series: "first" });
  globalThis.fetch = new Collector(survey).fetch;
  const person = await openDevice({ origin: COLLECTOR });
  await person.join(survey.id, { invitation: null });
  const first = { order: survey.order, unranked: [] };
  await person.lock(survey.id, "first", first);
  const kept = await person.lock(survey.id, "first", { order: [...survey.order].reverse(), unranked: [] });
  assert.deepEqual(kept.ranking, first);
  const { kept: own, earlier } = await person.look(survey.id);
  assert.deepEqual([own.ranking, earlier.order], [first, first.order]);
});

test("an order that was kept before the browser was closed is what is answered, and no later one", async () => {
  const survey = caseOf("pairs", { id: "closed" });
  globalThis.fetch = new Collector(survey).fetch;
  const person = await openDevice({ origin: COLLECTOR });
  await person.join(survey.id, { invitation: null });
  const { answer } = Device.prototype;
  const given = [];
  Device.prototype.answer = async () => {
    throw new Error("the browser was closed");
  };
  await assert.rejects(person.lock(survey.id, "closed", { order: survey.order, unranked: [] }));
  Device.prototype.answer = function (id, order) {
    given.push(order);
    return answer.call(this, id, order);
  };
  await person.lock(survey.id, "closed", { order: [...survey.order].reverse(), unranked: [] });
  Device.prototype.answer = answer;
  assert.deepEqual(given, [survey.order]);
});

test("the page is told how far a person has come, and what became of the report", async () => {
  const survey = caseOf("pairs", { id: "steps", series: "steps" });
  const collector = new Collector(survey);
  globalThis.fetch = collector.fetch;
  const person = await openDevice({ origin: COLLECTOR });
  const begun = await person.look(survey.id);
  assert.deepEqual([begun.kept, begun.earlier, begun.announcement.id], [null, null, survey.id]);
  assert.equal(begun.fingerprint, fingerprintOf(survey.announcement));
  assert.deepEqual([begun.state.state, begun.state.round], ["open", 0]);
  const { lieChance, asked, ...joined } = await person.join(survey.id, { invitation: null });
  const nothing = { ranking: null, wire: null, isUnderWay: false, receipt: null, said: [], isOutdated: false };
  assert.deepEqual(joined, { round: 0, stage: "joined", isPayable: true, names, ...nothing });
  assert.ok(lieChance > 0 && lieChance < 0.5);
  assert.deepEqual(asked.map(({ says }) => says), ["order"]);
  const ranking = { order: survey.order, unranked: [] };
  const locked = await person.lock(survey.id, "steps", ranking);
  assert.deepEqual([locked.stage, locked.ranking, locked.receipt], ["locked", ranking, null]);
  const [said] = locked.said;
  assert.deepEqual([said.says, [...said.items].sort()], ["order", [...asked[0].items].sort()]);
  const report = JSON.parse(locked.wire).reports[0].report;
  const [first, second] = asked[0].items;
  assert.deepEqual(said.items, String(report) === "0" ? [first, second] : [second, first]);
  await assert.rejects(person.send(survey.id, 1), { kind: "not-answered" }); // a round that was not shown
  const sent = await person.send(survey.id, 0);
  assert.deepEqual([sent.stage, sent.receipt, sent.wire], ["sent", "abc123", locked.wire]);
  assert.deepEqual(collector.uploads, [sent.wire]);
  assert.deepEqual((await person.look(survey.id)).earlier, { ...ranking, names });
});

/** A person with an answer that is drawn. */
async function locked(id, series = id) {
  const survey = caseOf("pairs", { id, series });
  globalThis.fetch = new Collector(survey).fetch;
  const person = await openDevice({ origin: COLLECTOR });
  await person.limitTo(100);
  await person.join(id, { invitation: null });
  return { person, kept: await person.lock(id, series, { order: survey.order, unranked: [] }) };
}

test("a receipt that could not be kept is shown all the same", async (context) => {
  const { person, kept } = await locked("unkept");
  context.mock.method(IDBObjectStore.prototype, "put", () => {
    throw new DOMException("full", "QuotaExceededError");
  });
  const sent = await person.send("unkept", 0);
  context.mock.restoreAll();
  assert.deepEqual(sent, { ...kept, stage: "sent", receipt: "abc123" });
});

test("a receipt is shown where the browser reads nothing any more since the answer left", async (context) => {
  const { person, kept } = await locked("unread");
  const { fetch } = globalThis;
  globalThis.fetch = (...sent) => {
    context.mock.method(IDBObjectStore.prototype, "get", () => {
      throw new DOMException("gone", "UnknownError");
    });
    return fetch(...sent);
  };
  const sent = await person.send("unread", 0);
  context.mock.restoreAll();
  assert.deepEqual(sent, { ...kept, stage: "sent", receipt: "abc123" });
});

test("an answer that was drawn is shown where its order cannot be kept for the next survey", async (context) => {
  const { put } = IDBObjectStore.prototype;
  context.mock.method(IDBObjectStore.prototype, "put", function (value, key) {
    if (key.includes("order of")) throw new DOMException("full", "QuotaExceededError");
    return put.call(this, value, key);
  });
  const { person, kept } = await locked("no-copy");
  context.mock.restoreAll();
  assert.equal(kept.stage, "locked");
  assert.equal((await person.look("no-copy")).earlier, null);
});

test("an answer that may have left is known to have by every tab", async () => {
  const { person, kept } = await locked("leaving");
  const { fetch } = globalThis;
  globalThis.fetch = async () => Promise.reject(new TypeError("network"));
  await assert.rejects(person.send("leaving", 0), { kind: "offline" });
  assert.equal(kept.isUnderWay, false);
  globalThis.fetch = fetch;
  const other = await openDevice({ origin: COLLECTOR });
  assert.deepEqual(await other.kept("leaving"), { ...kept, isUnderWay: true });
});

test("an order is offered where a survey asks about the same items again, and about no others", async () => {
  const survey = caseOf("pairs", { id: "same", series: "offered" });
  const items = names.map((name, nth) => ({ name: nth ? name : "milk" }));
  const others = caseOf("pairs", { id: "others", series: "offered", items });
  globalThis.fetch = new Collector(survey, others).fetch;
  const person = await openDevice({ origin: COLLECTOR });
  await person.join(survey.id, { invitation: null });
  await person.lock(survey.id, "offered", { order: survey.order, unranked: [] });
  assert.deepEqual((await person.look(survey.id)).earlier.order, survey.order);
  assert.equal((await person.look(others.id)).earlier, null);
});

test("an order is offered of no items whose names only read alike in a row", async () => {
  const handout = handoutOf(["milk,tea", "water"], { kind: "relative-order", items: [0, 1] }, 2, 1);
  const first_round = [readHandout(handout, 4).fingerprint];
  const called = (...few) => ({ series: "commas", items: few.map((name) => ({ name })) });
  const asked = { ...called("milk,tea", "water"), first_round, epsilon: 1 };
  const survey = { ...caseOf("pairs", { id: "commas", ...asked }), handout };
  const others = caseOf("pairs", { id: "other-commas", ...called("milk", "tea,water") });
  globalThis.fetch = new Collector(survey, others).fetch;
  const person = await openDevice({ origin: COLLECTOR });
  await person.join(survey.id, { invitation: null });
  await person.lock(survey.id, "commas", { order: [1, 0], unranked: [] });
  assert.deepEqual((await person.look(survey.id)).earlier.order, [1, 0]);
  assert.equal((await person.look(others.id)).earlier, null);
});

test("an answer to an earlier order is told to be one, where the limit allows no new one", async () => {
  const surveys = [0, 1].map((nth) => caseOf("pairs", { id: `weeks-${nth}`, series: "weeks", epsilon: 8 }));
  globalThis.fetch = new Collector(...surveys).fetch;
  const person = await openDevice({ origin: "https://weeks.example" });
  const { order } = surveys[0];
  const told = [];
  const { limit } = await person.spent();
  for (const [nth, each] of [order, [...order].reverse()].entries()) {
    await person.join(surveys[nth].id, { invitation: null });
    told.push(await person.lock(surveys[nth].id, "weeks", { order: each, unranked: [] }));
    await person.limitTo(0.01);
  }
  await person.limitTo(limit);
  assert.deepEqual(told.map(({ isOutdated }) => isOutdated), [false, true]);
});

test("who is asked for a whole order is told of which items, in no order of anybody", async () => {
  const survey = caseOf("subset-order", { id: "whole" });
  globalThis.fetch = new Collector(survey).fetch;
  const person = await openDevice({ origin: COLLECTOR });
  const { asked, lieChance } = await person.join(survey.id, { invitation: null });
  assert.deepEqual(asked, [{ says: "order", items: names.map((_, item) => item) }]);
  assert.equal(lieChance, null);
});

test("who is asked for a level is told of which item", async () => {
  const handout = handoutOf(names, { kind: "rank-level", item: 1, levels: [0, 0, 1, 1, 1] }, 2, 1);
  const first_round = [readHandout(handout, 1).fingerprint];
  const survey = { ...caseOf("pairs", { id: "level", first_round }), handout };
  globalThis.fetch = new Collector(survey).fetch;
  const person = await openDevice({ origin: COLLECTOR });
  const { asked } = await person.join(survey.id, { invitation: null });
  assert.deepEqual(asked, [{ says: "ranks", item: 1, ranks: [0, 1] }]);
});

test("whom a round does not ask is told so", async () => {
  const survey = caseOf("pairs", { id: "left-out" });
  const collector = new Collector(survey);
  collector.assigned = { asked: false };
  globalThis.fetch = collector.fetch;
  const person = await openDevice({ origin: COLLECTOR });
  const { stage, names: told, asked, said, lieChance } = await person.join(survey.id, { invitation: null });
  assert.deepEqual([stage, told, asked, said, lieChance], ["not-asked", [], [], [], null]);
});

test("an invitation is kept for the next round, and a new one takes its place", async () => {
  const survey = caseOf("pairs", { id: "invited", epsilon: 8 });
  const collector = new Collector(survey);
  globalThis.fetch = collector.fetch;
  const told = () => JSON.parse(collector.requests.findLast(({ method }) => method === "POST").body).invitation;
  const join = async (invitation) => (await openDevice({ origin: COLLECTOR })).join(survey.id, { invitation });
  await join("letter");
  for (const [invitation, expected] of [[null, "letter"], ["another", "another"], [null, "another"]]) {
    collector.round += 1;
    await join(invitation);
    assert.equal(told(), expected);
  }
});

test("what one collector's page keeps no other's finds", async () => {
  const survey = caseOf("pairs", { id: "apart", series: "apart" });
  globalThis.fetch = new Collector(survey).fetch;
  const person = await openDevice({ origin: COLLECTOR });
  await person.join(survey.id, { invitation: null });
  await person.lock(survey.id, "apart", { order: survey.order, unranked: [] });
  const elsewhere = await openDevice({ origin: "https://other.example" });
  const { kept, earlier } = await elsewhere.look(survey.id);
  assert.deepEqual([kept, earlier], [null, null]);
});

test("an account says what was spent here and everywhere, and the limit that the person set", async () => {
  const person = await openDevice({ origin: "https://account.example" });
  const survey = caseOf("pairs", { id: "account" });
  globalThis.fetch = new Collector(survey).fetch;
  const { all } = await person.spent();
  await person.limitTo(4);
  await person.join(survey.id, { invitation: null });
  await person.lock(survey.id, "account", { order: survey.order, unranked: [] });
  const { epsilon } = JSON.parse(JSON.parse(survey.handout).head);
  const account = await person.spent();
  assert.deepEqual([account.here, account.limit], [epsilon, 4]);
  assert.ok(account.all >= all + epsilon && account.all < all + epsilon + 1e-9);
});

test("what was spent over a year ago is spent in all, and not of this year's limit", async (context) => {
  const { person } = await locked("last-year");
  assert.ok((await person.spent()).here > 0);
  const later = Date.now() + 366 * 24 * 3600 * 1000;
  context.mock.method(Date, "now", () => later);
  const { here, all } = await (await openDevice({ origin: COLLECTOR })).spent();
  assert.equal(here, 0);
  assert.ok(all > 0);
});

test("the browser is asked for a promise only where the page asks, and none is made up", async (context) => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "navigator");
  context.after(() => own && Object.defineProperty(globalThis, "navigator", own));
  const person = await openDevice({ origin: COLLECTOR });
  const calls = [];
  const lasts = async (asks, storage) => {
    Object.defineProperty(globalThis, "navigator", { value: { storage }, configurable: true });
    return person.lasts(asks);
  };
  const promising = (persisted, persist) => ({
    persisted: async () => calls.push("persisted") && persisted,
    persist: async () => calls.push("persist") && persist,
  });
  assert.equal(await lasts(false, promising(true, false)), true);
  assert.equal(await lasts(true, promising(false, true)), true);
  assert.equal(await lasts(true, promising(true, false)), false);
  assert.deepEqual(calls, ["persisted", "persist", "persist"]);
  for (const asks of [false, true]) {
    const failing = async () => Promise.reject(new Error("no"));
    for (const storage of [undefined, {}, { persist: failing, persisted: failing }]) {
      assert.equal(await lasts(asks, storage), false);
    }
  }
});

test("what is kept is on the disk before anything is sent", async (context) => {
  const begin = context.mock.method(IDBDatabase.prototype, "transaction");
  await chanceOf("durable", [1, 1]);
  const changes = begin.mock.calls.filter(({ arguments: [, mode] }) => mode === "readwrite");
  assert.ok(changes.length > 0);
  assert.ok(changes.every(({ arguments: [, , how] }) => how.durability === "strict"));
});

test("of a survey that another tab has forgotten no order is kept, whoever gives one", async () => {
  const survey = caseOf("pairs", { id: "elsewhere", series: "other" });
  globalThis.fetch = new Collector(survey).fetch;
  const [here, other] = [await openDevice({ origin: COLLECTOR }), await openDevice({ origin: COLLECTOR })];
  const own = async () => (await keysKept()).filter((key) => /^person .* (elsewhere|of other)$/.test(key));
  await here.limitTo(100);
  await here.join(survey.id, { invitation: null });
  await other.lock(survey.id, "other", { order: survey.order, unranked: [] });
  assert.equal((await own()).length, 3);
  await other.forget(survey.id, "other");
  await assert.rejects(here.lock(survey.id, "other", { order: survey.order, unranked: [] }), {
    kind: "not-joined",
  });
  assert.deepEqual(await own(), []);
});

test("nothing of what was given stays where another tab forgets the survey meanwhile", async (context) => {
  const survey = caseOf("pairs", { id: "raced", series: "races" });
  globalThis.fetch = new Collector(survey).fetch;
  const person = await openDevice({ origin: COLLECTOR });
  await person.limitTo(100);
  await person.join(survey.id, { invitation: "a token" });
  const { put } = IDBObjectStore.prototype;
  const kept = (await keysKept()).filter((key) => /^survey .*raced/.test(key));
  assert.equal(kept.length, 1);
  context.mock.method(IDBObjectStore.prototype, "put", function (value, key) {
    if (/^person .*order of races/.test(key)) kept.forEach((each) => this.delete(each));
    return put.call(this, value, key);
  });
  await assert.rejects(person.lock(survey.id, "races", { order: survey.order, unranked: [] }));
  assert.deepEqual((await keysKept()).filter((key) => /^person .*race/.test(key)), []);
});

test("of a survey no order stays that another tab gives while it is forgotten", async (context) => {
  const survey = caseOf("pairs", { id: "meanwhile", series: "same" });
  globalThis.fetch = new Collector(survey).fetch;
  const [here, other] = [await openDevice({ origin: COLLECTOR }), await openDevice({ origin: COLLECTOR })];
  await here.limitTo(100);
  await here.join(survey.id, { invitation: null });
  const { forget } = Device.prototype;
  context.mock.method(Device.prototype, "forget", async function (id) {
    await other.lock(id, "same", { order: survey.order, unranked: [] });
    return forget.call(this, id);
  });
  await here.forget(survey.id);
  const own = (await keysKept()).filter((key) => /^person .* (meanwhile|of same)$/.test(key));
  assert.deepEqual(own, []);
  await other.forget(survey.id); // pressed there, too: nothing is left to forget
});
