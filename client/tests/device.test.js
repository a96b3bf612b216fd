import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import test from "node:test";

import "fake-indexeddb/auto";

import { Device } from "../device.js";
import { Refusal } from "../errors.js";
import { Randomness } from "../randomness.js";
import { memoryStorage, openStorage } from "../storage.js";
import { readHandout } from "../survey.js";
import { COLLECTOR, Collector, caseOf, handoutOf, handoutOfMany, headOf, tapeOf } from "./collector.js";
import { vectors } from "./vectors.js";

const WEEK = 7 * 24 * 3600 * 1000;
const MOST_ROUNDS = 256;

/** A device; `replayed` draws from that tape. */
function deviceOf(collector, { storage = memoryStorage(), tape, now = () => 0 } = {}) {
  const drawn = tape ? { randomness: Randomness.replayed(tape), isSimulation: true } : {};
  return new Device({ collector: COLLECTOR, storage, fetch: collector.fetch, now, ...drawn });
}

const reversed = (order) => [...order].reverse();
const parsed = (upload) => JSON.parse(upload).reports.map(({ report }) => report);
const kinds = (promise, kind) => assert.rejects(promise, { kind });

/** Two storages of the same browser: two tabs. */
async function tabs() {
  const name = `test ${Math.random()}`;
  return [await openStorage(name), await openStorage(name)];
}

/** The same storage, which keeps all a moment later. */
function late(storage) {
  const pause = () => new Promise((end) => setTimeout(end, 2));
  return { transact: (keys, step) => pause().then(() => storage.transact(keys, step)) };
}

test("what a device sends is what Python sends, for every protocol", async () => {
  for (const { announcement } of vectors("handouts").cases) {
    const { protocol, unranked } = JSON.parse(announcement);
    const nth = ["refused", "last", "unknown"].indexOf(unranked);
    const survey = caseOf(protocol, {}, protocol === "max-entropy" ? nth : 0);
    const collector = new Collector(survey);
    const device = deviceOf(collector, { tape: tapeOf(survey) });
    await device.join(survey.id);
    await device.answer(survey.id, survey.order);
    assert.equal(await device.send(survey.id), "abc123");
    const [token, key] = [`token-${survey.id}-0-${"0".repeat(32)}`, "6b".repeat(16)];
    assert.deepEqual(collector.uploads, [`{"assignment":"${token}","idempotency_key":"${key}","reports":[${survey.reports}]}`]);
  }
});

test("nothing is asked or sent but what the interface says", async () => {
  const survey = caseOf("pairs");
  const collector = new Collector(survey);
  const device = deviceOf(collector, { tape: tapeOf(survey, 0xab) });
  await device.join(survey.id, { invitation: "letter" });
  await device.answer(survey.id, survey.order);
  await device.send(survey.id);
  const [shown, state, joined, sent] = collector.requests;
  assert.equal(collector.requests.length, 4);
  assert.equal(shown.url, `${COLLECTOR}/v1/surveys/${survey.id}`);
  assert.equal(state.url, `${COLLECTOR}/v1/surveys/${survey.id}/state`);
  assert.equal(joined.url, `${COLLECTOR}/v1/surveys/${survey.id}/assignments`);
  const own = { person: "ab".repeat(16), invitation: "letter", lot: survey.lot, earlier: null };
  assert.deepEqual(JSON.parse(joined.body), own);
  assert.equal(sent.url, `${COLLECTOR}/v1/reports`);
});

test("an answer is drawn once, and the same bytes are sent on every retry and after a restart", async () => {
  const survey = caseOf("rappor");
  const [storage, again] = await tabs();
  const collector = new Collector(survey);
  const device = deviceOf(collector, { storage });
  await device.join(survey.id);
  const answered = await device.answer(survey.id, survey.order);
  collector.isDown = true;
  await kinds(device.send(survey.id), "offline");
  const restarted = deviceOf(collector, { storage: again });
  await kinds(restarted.send(survey.id), "offline");
  collector.isDown = false;
  assert.deepEqual(await restarted.answer(survey.id, reversed(survey.order)), answered);
  await restarted.send(survey.id);
  assert.equal(collector.uploads.length, 3);
  assert.equal(new Set(collector.uploads).size, 1);
  assert.deepEqual(parsed(collector.uploads[0]), answered.reports);
  const standing = await restarted.join(survey.id);
  assert.deepEqual(standing.answered, answered);
  assert.equal(standing.receipt, "abc123");
  assert.equal(await restarted.send(survey.id), "abc123"); // which it has already
  assert.equal(collector.uploads.length, 3);
});

test("nothing is sent before it is stored", async () => {
  const survey = caseOf("pairs");
  const collector = new Collector(survey);
  const storage = memoryStorage();
  const device = deviceOf(collector, { storage });
  await device.join(survey.id);
  const broken = { transact: (keys, step) => storage.transact(keys, (kept) => {
    const [changed] = step(kept);
    if (Object.keys(changed).length) throw new Error("the disk is full");
    return [{}, null];
  }) };
  await assert.rejects(deviceOf(collector, { storage: broken }).answer(survey.id, survey.order));
  await kinds(device.send(survey.id), "not-answered");
  assert.equal(collector.uploads.length, 0);
});

test("an account says what each answer was to, when, and at what cost", async () => {
  const survey = caseOf("safari");
  const collector = new Collector(survey);
  const device = deviceOf(collector, { now: () => 12345 });
  const { title } = JSON.parse(survey.announcement);
  const each = { collector: COLLECTOR, survey: survey.id, title, at: 12345 };
  const told = [];
  for (const round of [0, 1]) {
    collector.round = round;
    await device.join(survey.id);
    const { nats } = await device.answer(survey.id, survey.order);
    told.push({ ...each, round, nats });
  }
  assert.ok(told[0].nats > 0);
  assert.deepEqual((await device.account()).entries, told);
});

test("two tabs at once draw one answer and are one person", async () => {
  const survey = caseOf("rappor");
  for (let nth = 0; nth < 5; nth += 1) {
    const collector = new Collector(survey);
    const [one, other] = (await tabs()).map((storage) => deviceOf(collector, { storage }));
    await Promise.all([one.join(survey.id), other.join(survey.id)]);
    const [first, second] = await Promise.all([
      one.answer(survey.id, survey.order),
      other.answer(survey.id, reversed(survey.order)),
    ]);
    assert.deepEqual(first, second);
    await Promise.all([one.send(survey.id), other.send(survey.id)]);
    assert.equal(new Set(collector.uploads).size, 1);
    const { entries } = await one.account();
    assert.equal(entries.length, 1);
  }
});

test("a tab that joins late keeps what another one has answered meanwhile", async () => {
  const survey = caseOf("rappor");
  const [storage, other] = await tabs();
  const collector = new Collector(survey);
  const first = deviceOf(collector, { storage });
  let answered;
  const fetch = async (url, init) => {
    if (url.endsWith("/assignments")) {
      await first.join(survey.id);
      answered = await first.answer(survey.id, survey.order);
    }
    return collector.fetch(url, init);
  };
  const late = deviceOf({ fetch }, { storage: other });
  assert.deepEqual((await late.join(survey.id)).answered, answered);
  assert.deepEqual(await late.answer(survey.id, reversed(survey.order)), answered);
});

test("a changed announcement is refused", async () => {
  const survey = caseOf("pairs");
  const collector = new Collector(survey);
  const device = deviceOf(collector);
  await device.join(survey.id);
  collector.surveys[survey.id] = caseOf("pairs", { privacy_notice: "We keep all." });
  await kinds(device.open(survey.id), "changed");
  await kinds(device.join(survey.id), "changed");
  const seen = deviceOf(collector);
  await seen.open(survey.id);
  collector.surveys[survey.id] = survey;
  await kinds(seen.join(survey.id), "changed");
  for (const announcement of ["0".repeat(64), "", null]) {
    const other = new Collector(survey);
    other.assigned = { announcement };
    await kinds(deviceOf(other).join(survey.id), "changed");
  }
});

test("of two announcements that two tabs were shown one is joined", async () => {
  const survey = caseOf("pairs");
  const [shown, other] = [new Collector(survey), new Collector(caseOf("pairs", { purpose: "Another one" }))];
  const storage = memoryStorage();
  const meanwhile = new Device({ collector: COLLECTOR, storage, fetch: other.fetch });
  const fetch = async (url, init) => {
    if (url.endsWith("/state")) await meanwhile.join(survey.id);
    return shown.fetch(url, init);
  };
  const device = new Device({ collector: COLLECTOR, storage, fetch });
  await assert.rejects(device.join(survey.id), { kind: "changed" });
  assert.deepEqual(shown.requests.filter(({ method }) => method === "POST"), []);
});

test("another announcement is refused by whom the round does not ask, too", async () => {
  const survey = caseOf("pairs");
  for (const asked of [true, false]) {
    const collector = new Collector(survey);
    collector.assigned = { asked, announcement: "0".repeat(64) };
    await kinds(deviceOf(collector).join(survey.id), "changed");
  }
});

test("a round that is not what was announced is refused, and nothing of it is kept", async () => {
  const survey = caseOf("pairs");
  const changes = [
    [{ items: [{ name: "tea" }, { name: "beer" }] }, "changed"],
    [{ first_round: ["0".repeat(64)] }, "changed"],
    [{ first_round: [] }, "changed"],
    [{ unranked: "last" }, "changed"],
    [{ epsilon: 1.9 }, "too-dear"],
    [{ id: "another" }, "malformed"],
  ];
  for (const [change, kind] of changes) {
    const changed = { ...caseOf("pairs", change), id: survey.id };
    const device = deviceOf(new Collector(changed));
    await kinds(device.join(survey.id), kind);
    await assert.rejects(device.answer(survey.id, survey.order), { name: "Refusal" });
  }
});

test("a survey that does not ask the lot is refused", async () => {
  const survey = caseOf("safari", {}, 1);
  const [low, high] = readHandout(survey.handout, 2).lots;
  assert.deepEqual([low, high], [0, 0.5]);
  const outside = { ...survey, lot: 2 ** 31 };
  await kinds(deviceOf(new Collector(survey), { tape: tapeOf(outside) }).join(survey.id), "malformed");
  const collector = new Collector(survey);
  const upper = JSON.parse(survey.handout);
  upper.head = upper.head.replace('"lots":[0.0,0.5]', '"lots":[0.5,1.0]');
  Object.assign(collector, { round: 1, assigned: { handout: upper } });
  await kinds(deviceOf(collector, { tape: tapeOf({ ...survey, lot: 0 }) }).join(survey.id), "malformed");
  await deviceOf(collector, { tape: tapeOf(outside) }).join(survey.id);
});

test("a collector that goes back to an earlier round is refused", async () => {
  const survey = caseOf("pairs");
  const collector = new Collector(survey);
  const device = deviceOf(collector);
  collector.round = 3;
  await device.join(survey.id);
  collector.round = 1;
  await kinds(device.join(survey.id), "changed");
  collector.round = 4;
  for (const asked of [true, false]) {
    collector.assigned = { asked, round: 1 };
    await kinds(device.join(survey.id), "changed");
  }
  assert.equal((await device.kept(survey.id)).round, 3);
  collector.round = 3;
  assert.equal((await device.join(survey.id)).round, 3);
});

test("a collector that goes back by a single round is refused, however late", async () => {
  const survey = caseOf("pairs");
  for (const latest of [1, 2, 3, 4, 128, MOST_ROUNDS - 1]) {
    const collector = new Collector(survey);
    const device = deviceOf(collector);
    collector.round = latest;
    await device.join(survey.id);
    collector.round = latest - 1;
    await kinds(device.join(survey.id), "changed");
    collector.round = MOST_ROUNDS - 1;
    collector.assigned = { round: latest - 1 };
    if (latest < MOST_ROUNDS - 1) await kinds(device.join(survey.id), "changed");
    assert.equal((await device.kept(survey.id)).round, latest);
  }
});

test("of two rounds the one is sent whose answer was shown, or none", async () => {
  const survey = { ...caseOf("pairs"), id: "twoOfThem" };
  const { announcement, handout } = survey;
  const head = JSON.parse(JSON.parse(handout).head);
  const dear = JSON.parse(announcement);
  survey.announcement = JSON.stringify({ ...dear, id: survey.id, epsilon: 2 * head.epsilon });
  const collector = new Collector(survey);
  const device = deviceOf(collector);
  for (const round of [0, 1]) {
    collector.round = round;
    await device.join(survey.id);
    await device.answer(survey.id, survey.order);
  }
  await kinds(device.send(survey.id, 0), "not-answered");
  assert.deepEqual(collector.uploads, []);
  assert.equal(await device.send(survey.id, 1), "abc123");
  await kinds(device.send(survey.id, 0), "not-answered");
});

test("the round is told that was joined, where the next one was opened just then", async () => {
  const survey = caseOf("safari");
  const collector = new Collector(survey);
  const device = deviceOf(collector);
  collector.assigned = { round: 1 };
  assert.equal((await device.join(survey.id)).round, 1);
  assert.equal((await device.kept(survey.id)).round, 1);
});

test("another question in the same round is refused", async () => {
  const survey = caseOf("pairs");
  const another = JSON.parse(caseOf("ldp-kwiksort-rr").handout);
  for (const assigned of [{ assignment: "another" }, { handout: another }]) {
    const collector = new Collector(survey);
    collector.round = 1;
    const [storage, other] = await tabs();
    const slow = deviceOf(collector, { storage });
    const held = collector.fetch;
    let resume;
    const waits = new Promise((resolve) => (resume = resolve));
    const delayed = new Device({
      collector: COLLECTOR,
      storage: other,
      fetch: async (url, init) => {
        if (url.endsWith("assignments")) await waits;
        return held(url, init);
      },
    });
    const late = delayed.join(survey.id);
    await slow.join(survey.id);
    collector.assigned = assigned;
    resume();
    await kinds(late, "asked-twice");
  }
});

test("rounds cost together what was shown, and no more", async () => {
  const survey = caseOf("safari"); // each of its rounds costs 1 of 2 nats
  const collector = new Collector(survey);
  const device = deviceOf(collector);
  for (const round of [0, 1]) {
    collector.round = round;
    assert.equal((await device.join(survey.id)).round, round);
  }
  collector.round = 2;
  await kinds(device.join(survey.id), "too-dear");
  collector.round = 1;
  const standing = await device.join(survey.id);
  assert.equal(standing.round, 1);
});

/** A survey whose rounds cost a 32nd of a nat each, and as many of them as are paid for. */
function oftenAsked(nPaid) {
  const pair = { kind: "relative-order", items: [0, 1] };
  const handout = handoutOf(vectors("handouts").names, pair, 2, 1 / 32);
  const first_round = [readHandout(handout, 1).fingerprint];
  return { ...caseOf("pairs", { epsilon: nPaid / 32, first_round }), handout };
}

test("however many rounds cost together what was shown, and no more", async () => {
  for (const nRounds of [1, 2, 3, 4, 5, MOST_ROUNDS - 1]) {
    const survey = oftenAsked(nRounds);
    const collector = new Collector(survey);
    const device = deviceOf(collector);
    for (collector.round = 0; collector.round < nRounds; collector.round += 1) {
      assert.equal((await device.join(survey.id)).round, collector.round);
    }
    await kinds(device.join(survey.id), "too-dear");
    assert.equal((await device.kept(survey.id)).round, nRounds - 1);
  }
});

test("rounds that ask nobody leave what others cost", async () => {
  const survey = oftenAsked(2);
  const collector = new Collector(survey);
  const device = deviceOf(collector);
  for (collector.round = 0; collector.round < 4; collector.round += 1) {
    collector.assigned = { asked: collector.round % 2 === 0 };
    const { handout } = await device.join(survey.id);
    assert.equal(handout === null, !collector.assigned.asked);
  }
  collector.assigned = {};
  await kinds(device.join(survey.id), "too-dear");
});

test("in each of as many rounds as there can be an answer is drawn once", async () => {
  const survey = oftenAsked(MOST_ROUNDS);
  const collector = new Collector(survey);
  const device = deviceOf(collector);
  for (collector.round = 0; collector.round < MOST_ROUNDS; collector.round += 1) {
    await device.join(survey.id);
    const answered = await device.answer(survey.id, survey.order);
    const { upload } = await device.kept(survey.id);
    assert.deepEqual(await device.answer(survey.id, reversed(survey.order)), answered);
    assert.equal((await device.kept(survey.id)).upload, upload);
  }
  assert.equal((await device.account()).total, 1 / 32);
});

test("rounds cost together what all of their answers do", async () => {
  const { names } = vectors("handouts");
  const { mechanisms } = headOf(names, 0.5);
  const handout = handoutOfMany(names, [[[0, 1]], [[2, 3]]], { mechanisms, epsilon: 1 });
  const first_round = [readHandout(handout, 1).fingerprint];
  const survey = { ...caseOf("pairs", { epsilon: 1.5, first_round }), handout };
  const collector = new Collector(survey);
  const device = deviceOf(collector);
  await device.join(survey.id);
  collector.round = 1;
  await kinds(device.join(survey.id), "too-dear");
});

/** A survey of a pair of these items, of which others were announced. */
function pairOf(announced, named, changes = {}) {
  const handout = handoutOf(named, { kind: "relative-order", items: [0, 1] }, 2, 1);
  const items = announced.map((name) => ({ name }));
  return { ...caseOf("pairs", { items, epsilon: 1, ...changes }), handout };
}

test("a later round asks about what was announced, in its order, and takes such rankings", async () => {
  const pairs = [
    pairOf(["tea", "mate"], ["mate", "tea"]),
    pairOf(["tea,black", "mate"], ["tea", "black,mate"]),
    pairOf(["tea", "mate"], ["tea", "mate"], { unranked: "last" }),
  ];
  for (const survey of pairs) {
    const collector = new Collector(survey);
    collector.round = 1;
    await kinds(deviceOf(collector).join(survey.id), "changed");
  }
});

test("no rounding hides what rounds cost together", async () => {
  const { names } = vectors("handouts");
  const rounds = [0.1, 0.7].map((nats) => handoutOf(names, { kind: "relative-order", items: [0, 1] }, 2, nats));
  for (const [epsilon, kind] of [[0.1 + 0.7, "too-dear"], [0.8, null]]) { // floats round 0.1 + 0.7 down
    const first_round = [readHandout(rounds[0], 1).fingerprint];
    const survey = { ...caseOf("pairs", { epsilon, first_round }), handout: rounds[0] };
    const collector = new Collector(survey);
    const device = deviceOf(collector);
    await device.join(survey.id);
    [survey.handout, collector.round] = [rounds[1], 1];
    if (kind) await kinds(device.join(survey.id), kind);
    else assert.equal((await device.join(survey.id)).round, 1);
  }
});

test("a round that does not ask the lot costs nothing, and a later one may ask", async () => {
  const survey = caseOf("pairs");
  const collector = new Collector(survey);
  const device = deviceOf(collector);
  collector.assigned = { asked: false };
  assert.equal((await device.join(survey.id)).handout, null);
  await kinds(device.answer(survey.id, survey.order), "not-asked");
  assert.equal((await device.account()).spent, 0);
  collector.assigned = {};
  collector.round = 1;
  assert.ok((await device.join(survey.id)).handout);
  await device.answer(survey.id, survey.order);
  assert.equal((await device.account()).spent, 2);
});

/** A survey of a series that asks the same again: one for each week. */
const weekly = (nth, protocol = "pairs") => caseOf(protocol, { id: `week-${nth}`, series: "weekly" });

async function week(device, survey, order) {
  await device.join(survey.id);
  const answered = await device.answer(survey.id, order);
  await device.send(survey.id);
  return answered;
}

test("a hundred weeks with the same ranking cost what one costs, and send the same report", async () => {
  const surveys = Array.from({ length: 100 }, (_, nth) => weekly(nth, "olh"));
  const collector = new Collector(...surveys);
  let now = 0;
  const device = deviceOf(collector, { now: () => now });
  for (const [nth, survey] of surveys.entries()) {
    const { nats, isRepeated, isOutdated } = await week(device, survey, survey.order);
    assert.deepEqual([nats, isRepeated, isOutdated], [nth ? 0 : 2, nth > 0, false]);
    now += WEEK;
  }
  assert.equal(new Set(collector.uploads.map((upload) => JSON.stringify(parsed(upload)))).size, 1);
  const { spent, total, entries } = await device.account();
  assert.deepEqual([spent, total, entries.length], [0, 2, 100]); // the first was two years ago
});

test("in a repeated survey the device tells its earlier assignment and the same lot", async () => {
  const surveys = [0, 1].map((nth) => weekly(nth));
  const collector = new Collector(...surveys);
  const device = deviceOf(collector);
  for (const survey of surveys) await week(device, survey, survey.order);
  const joined = collector.requests.filter(({ url }) => url.endsWith("assignments"));
  const [first, second] = joined.map(({ body }) => JSON.parse(body));
  assert.equal(first.earlier, null);
  assert.equal(second.earlier, `token-week-0-0-${first.person}`);
  assert.equal(first.lot, second.lot);
  assert.notEqual(first.person, second.person);
});

test("in a repeated survey each round is asked by the earlier assignment of its own", async () => {
  const surveys = [0, 1].map((nth) => weekly(nth, "safari"));
  const collector = new Collector(...surveys);
  const device = deviceOf(collector);
  for (const survey of surveys) {
    for (const round of [0, 1]) {
      collector.round = round;
      await week(device, survey, survey.order);
    }
  }
  const joined = collector.requests.filter(({ url }) => url.endsWith("assignments"));
  const [first, , ...again] = joined.map(({ body }) => JSON.parse(body));
  const tokens = [0, 1].map((round) => `token-week-0-${round}-${first.person}`);
  assert.deepEqual(again.map(({ earlier }) => earlier), tokens);
});

test("a round that was never asked before is asked by no assignment of another one", async () => {
  const surveys = [0, 1].map((nth) => weekly(nth, "safari"));
  const collector = new Collector(...surveys);
  const device = deviceOf(collector);
  await week(device, surveys[0], surveys[0].order);
  collector.round = 1;
  await device.join(surveys[1].id);
  assert.equal(JSON.parse(collector.requests.at(-1).body).earlier, null);
});

test("a changed answer is drawn anew and charged, and the first one is kept beside it", async () => {
  const surveys = [0, 1, 2, 3].map((nth) => weekly(nth, "olh"));
  const collector = new Collector(...surveys);
  const device = deviceOf(collector);
  const { order } = surveys[0];
  const nats = [];
  for (const [nth, survey] of surveys.entries()) {
    nats.push((await week(device, survey, nth % 2 ? reversed(order) : order)).nats);
  }
  assert.deepEqual(nats, [2, 2, 0, 0]);
  const [first, second, third, fourth] = collector.uploads.map((upload) => parsed(upload));
  assert.deepEqual([third, fourth], [first, second]);
  assert.notDeepEqual(first, second); // 128 random bits
});

/** Each order of these items once. */
const ordersOf = (items) =>
  items.length < 2 ? [items] : items.flatMap((item) =>
    ordersOf(items.filter((each) => each !== item)).map((rest) => [item, ...rest]));

test("each of however many answers that were given keeps its one report", async () => {
  const orders = ordersOf([0, 1, 2, 3, 4]); // one a week, and again, the last one first
  const weeks = [...orders, ...[...orders].reverse()];
  const surveys = weeks.map((_, nth) => weekly(nth, "olh"));
  const device = deviceOf(new Collector(...surveys));
  await device.setLimit(2 * orders.length);
  const told = [];
  for (const [nth, survey] of surveys.entries()) {
    await device.join(survey.id);
    const { reports, nats } = await device.answer(survey.id, weeks[nth]);
    told.push(JSON.stringify(reports));
    assert.equal(nats, nth < orders.length ? 2 : 0);
  }
  assert.equal(new Set(told).size, orders.length); // each has 128 random bits
  assert.deepEqual([...told].reverse(), told);
});

/** A survey of a series of one question each, which is never asked twice. */
function questionOf(items, nth) {
  const handout = handoutOf(vectors("handouts").names, { kind: "relative-order", items }, 6, 1 / 32);
  const first_round = [readHandout(handout, 1).fingerprint];
  const id = `question-${nth}`;
  return { ...caseOf("pairs", { id, series: "questions", epsilon: 1 / 32, first_round }), handout };
}

test("a question that is asked again among others costs nothing more", async () => {
  const { names } = vectors("handouts");
  const surveys = [[[0, 2]], [[1, 2]]].map((other, nth) => {
    const handout = handoutOfMany(names, [[[0, 1]], other], { mechanisms: headOf(names, 0.5).mechanisms, epsilon: 1 });
    const first_round = [readHandout(handout, 1).fingerprint];
    return { ...caseOf("pairs", { id: `among-${nth}`, series: "among", epsilon: 1, first_round }), handout };
  });
  const device = deviceOf(new Collector(...surveys));
  assert.equal((await week(device, surveys[0], surveys[0].order)).nats, 1);
  assert.equal((await week(device, surveys[1], surveys[1].order)).nats, 0.5);
});

test("a question that is hidden otherwise is another one, whichever mechanism is stated first", async () => {
  const { names } = vectors("handouts");
  const [first, ...others] = [0.125, 0.25, 0.5].map((epsilon) => headOf(names, epsilon).mechanisms[0]);
  const surveys = others.map((other, nth) => {
    const changes = { mechanisms: [first, other], epsilon: 1 };
    const handout = handoutOfMany(names, [[[0, 1], 0], [[0, 2], 1]], changes);
    const first_round = [readHandout(handout, 1).fingerprint];
    return { ...caseOf("pairs", { id: `other-${nth}`, series: "others", epsilon: 1, first_round }), handout };
  });
  const device = deviceOf(new Collector(...surveys));
  assert.equal((await week(device, surveys[0], surveys[0].order)).nats, 0.375);
  assert.equal((await week(device, surveys[1], surveys[1].order)).nats, 0.5);
});

test("of however many answers of a round each is paid for, up to all that a survey may cost", async () => {
  const { names } = vectors("handouts");
  const pairs = ordersOf([0, 1, 2, 3, 4]).map((order) => order.slice(0, 2).join());
  const asked = [...new Set(pairs)].map((told) => [told.split(",").map(Number)]);
  for (const n of [1, 2, 4, 8, 16]) {
    const { mechanisms } = headOf(names, 8 / n);
    const handout = handoutOfMany(names, asked.slice(0, n), { mechanisms, epsilon: 8 });
    const first_round = [readHandout(handout, 8).fingerprint];
    const survey = { ...caseOf("pairs", { epsilon: 8, first_round }), handout };
    const device = deviceOf(new Collector(survey));
    await device.setLimit(8);
    await device.join(survey.id);
    assert.equal((await device.answer(survey.id, survey.order)).nats, 8);
    assert.equal((await device.account()).total, 8);
  }
});

test("in a series of however many questions each new one is paid for, and none a second time", async () => {
  const threes = ordersOf([0, 1, 2, 3, 4]).map((order) => order.slice(0, 3).join());
  const questions = [...new Set(threes)].map((told) => told.split(",").map(Number));
  const surveys = [...questions, ...questions].map(questionOf);
  const device = deviceOf(new Collector(...surveys));
  for (const [nth, survey] of surveys.entries()) {
    await device.join(survey.id);
    const { nats } = await device.answer(survey.id, survey.order);
    assert.equal(nats, nth < questions.length ? 1 / 32 : 0);
  }
  assert.equal((await device.account()).total, questions.length / 32);
});

test("beyond the limit nothing is drawn: who was never asked is not, others repeat themselves", async () => {
  const surveys = [0, 1, 2, 3].map((nth) => weekly(nth, "olh"));
  const stranger = caseOf("grr");
  const collector = new Collector(...surveys, stranger);
  const device = deviceOf(collector);
  assert.equal((await device.setLimit(2)).limit, 2);
  const { order } = surveys[0];
  const first = await week(device, surveys[0], order);
  const repeated = await week(device, surveys[1], reversed(order));
  assert.deepEqual(repeated, { reports: first.reports, nats: 0, isRepeated: true, isOutdated: true });
  const [best, next, ...rest] = order; // a third answer: the latest report is still the first one
  assert.deepEqual(await week(device, surveys[3], [next, best, ...rest]), repeated);
  await device.join(stranger.id);
  await kinds(device.answer(stranger.id, order), "over-limit");
  await kinds(device.answer(stranger.id, reversed(order)), "over-limit");
  await device.setLimit(4);
  const { nats, isOutdated } = await week(device, surveys[2], reversed(order));
  assert.deepEqual([nats, isOutdated], [2, false]);
  await kinds(device.answer(stranger.id, order), "over-limit");
  for (const wrong of [-1, NaN, Infinity, "8"]) await kinds(device.setLimit(wrong), "malformed");
});

test("answers are outdated where any of them is, and what is new beside others is remembered", async () => {
  const { names } = vectors("handouts");
  const { mechanisms } = headOf(names, 1);
  const handout = handoutOfMany(names, [[[0, 1]], [[2, 3]]], { mechanisms, epsilon: 2 });
  const first_round = [readHandout(handout, 8).fingerprint];
  const surveys = [0, 1, 2, 3, 4, 5].map((nth) => ({
    ...caseOf("pairs", { id: `week-${nth}`, series: "weekly", epsilon: 2, first_round }),
    handout,
  }));
  const device = deviceOf(new Collector(...surveys));
  await week(device, surveys[0], [0, 1, 2, 3, 4]);
  await device.setLimit(2);
  const told = [];
  for (const [nth, order] of [[1, 0, 2, 3, 4], [0, 1, 3, 2, 4], [0, 1, 2, 3, 4]].entries()) {
    const { nats, isOutdated } = await week(device, surveys[nth + 1], order);
    told.push([nats, isOutdated]);
  }
  assert.deepEqual(told, [[0, true], [0, true], [0, false]]);
  await device.setLimit(8);
  const turned = [0, 1, 3, 2, 4];
  const paid = await week(device, surveys[4], turned);
  assert.deepEqual([paid.nats, paid.isRepeated, paid.isOutdated], [1, true, false]);
  const again = await week(device, surveys[5], turned);
  assert.deepEqual([again.nats, again.reports], [0, paid.reports]);
  assert.equal((await device.account()).spent, 3);
});

test("beyond the limit an earlier answer that is true again is repeated, and not the latest", async () => {
  const surveys = [0, 1, 2, 3].map((nth) => weekly(nth, "olh"));
  const device = deviceOf(new Collector(...surveys));
  const { order } = surveys[0];
  const third = [...order.slice(1), order[0]];
  const { reports } = await week(device, surveys[0], order);
  await week(device, surveys[1], reversed(order));
  await device.setLimit(4); // all of it is spent
  const again = await week(device, surveys[2], order);
  assert.deepEqual(again, { reports, nats: 0, isRepeated: true, isOutdated: false });
  const outdated = await week(device, surveys[3], third); // by now the first answer is the latest
  assert.deepEqual(outdated, { reports, nats: 0, isRepeated: true, isOutdated: true });
});

test("who cannot pay answers what was answered before, and nothing beside it", async () => {
  const surveys = [0, 1].map((nth) => weekly(nth, "ldp-kwiksort-rr"));
  const storage = memoryStorage();
  const device = deviceOf(new Collector(...surveys), { storage });
  assert.ok((await week(device, surveys[0], surveys[0].order)).reports.length > 1);
  const series = `series ${COLLECTOR} weekly`;
  await storage.transact([series], ({ [series]: kept }) => {
    const memos = Object.fromEntries(Object.entries(kept.memos).slice(1));
    return [{ [series]: { ...kept, memos } }, null];
  });
  await device.setLimit(0);
  await device.join(surveys[1].id);
  await kinds(device.answer(surveys[1].id, surveys[1].order), "over-limit");
});

test("who begins a survey can pay all of its rounds, or is refused before anything is drawn", async () => {
  const survey = caseOf("safari"); // each of its rounds costs 1 of 2 nats
  const collector = new Collector(survey);
  const storage = memoryStorage();
  const device = deviceOf(collector, { storage });
  await device.setLimit(1.9);
  await device.join(survey.id);
  assert.equal((await device.kept(survey.id)).isPayable, false);
  await kinds(device.answer(survey.id, survey.order), "over-limit");
  await device.setLimit(2);
  assert.equal((await week(device, survey, survey.order)).nats, 1);
  const elsewhere = new Device({ collector: "https://other.example", storage, fetch: collector.fetch });
  await elsewhere.setLimit(1.9); // a survey of the same name there has not begun
  await elsewhere.join(survey.id);
  await kinds(elsewhere.answer(survey.id, survey.order), "over-limit");
  await elsewhere.setLimit(2);
  collector.round = 1;
  assert.equal((await week(device, survey, reversed(survey.order))).nats, 1); // what is left is enough
});

test("a later round that is beyond the limit draws nothing anew", async () => {
  const survey = caseOf("safari"); // each of its rounds costs 1 of 2 nats
  const collector = new Collector(survey);
  const device = deviceOf(collector);
  const first = await week(device, survey, survey.order);
  await device.setLimit(1.9);
  collector.round = 1;
  const repeated = await week(device, survey, reversed(survey.order));
  assert.deepEqual(repeated, { reports: first.reports, nats: 0, isRepeated: true, isOutdated: true });
});

test("a later round is beyond the limit where all of its answers together are", async () => {
  const { names } = vectors("handouts");
  const { mechanisms } = headOf(names, 0.5);
  const handout = handoutOfMany(names, [[[0, 1]], [[2, 3]]], { mechanisms, epsilon: 1 });
  const first_round = [readHandout(handout, 1).fingerprint];
  const survey = { ...caseOf("pairs", { epsilon: 2, first_round }), handout };
  const collector = new Collector(survey);
  const device = deviceOf(collector);
  assert.equal((await week(device, survey, survey.order)).nats, 1);
  await device.setLimit(1.9);
  collector.round = 1;
  assert.equal((await week(device, survey, reversed(survey.order))).nats, 0);
});

test("who begins the next survey of a series can pay all of its rounds, or repeats themselves", async () => {
  const surveys = [0, 1].map((nth) => weekly(nth, "safari")); // each round costs 1 of 2 nats
  const device = deviceOf(new Collector(...surveys));
  assert.equal((await week(device, surveys[0], surveys[0].order)).nats, 1);
  await device.setLimit(2.9);
  assert.equal((await week(device, surveys[1], reversed(surveys[1].order))).nats, 0);
});

test("what is kept can be seen without the collector, and forgotten but for what it cost", async () => {
  const survey = caseOf("olh");
  const collector = new Collector(survey);
  const [storage, again] = await tabs();
  const device = deviceOf(collector, { storage });
  assert.equal(await device.kept(survey.id), null);
  await device.join(survey.id);
  const joined = await device.kept(survey.id);
  assert.deepEqual([joined.answered, joined.upload, joined.isPayable], [null, null, true]);
  await device.setLimit(1);
  assert.equal((await device.kept(survey.id)).isPayable, false);
  await device.setLimit(3);
  await device.answer(survey.id, survey.order);
  await device.send(survey.id);
  collector.isDown = true;
  const restarted = deviceOf(collector, { storage: again });
  const sent = await restarted.kept(survey.id);
  assert.deepEqual([sent.upload, sent.receipt, sent.isPayable], [collector.uploads[0], "abc123", true]);
  await restarted.forget(survey.id);
  assert.equal(await restarted.kept(survey.id), null);
  await kinds(restarted.send(survey.id), "not-joined");
  assert.equal((await restarted.account()).spent, 2);
});

test("what is forgotten while it is sent stays forgotten", async () => {
  const survey = caseOf("pairs");
  const [collector, storage] = [new Collector(survey), memoryStorage()];
  const fetch = async (url, init) => {
    if (url.endsWith("/reports")) await device.forget(survey.id);
    return collector.fetch(url, init);
  };
  const device = new Device({ collector: COLLECTOR, storage, fetch });
  await device.join(survey.id);
  await device.answer(survey.id, survey.order);
  await device.send(survey.id);
  const round = `round 0 survey ${COLLECTOR} ${survey.id}`;
  assert.equal(await storage.transact([round], (kept) => [{}, kept[round]]), undefined);
});

test("nothing of what was forgotten is left in the browser, and no request has a cookie or is redirected", async () => {
  const survey = caseOf("olh");
  const collector = new Collector(survey);
  const how = [];
  const fetch = (url, init) => (how.push(`${init.credentials} ${init.redirect}`), collector.fetch(url, init));
  const name = `test ${Math.random()}`;
  const device = new Device({ collector: COLLECTOR, storage: await openStorage(name), fetch });
  await week(device, survey, survey.order);
  await device.forget(survey.id);
  const database = await new Promise((resolve, reject) => {
    const request = indexedDB.open(name);
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
  const keys = await new Promise((resolve) => {
    const request = database.transaction("kept").objectStore("kept").getAllKeys();
    request.onsuccess = () => resolve(request.result);
  });
  const { series } = JSON.parse(survey.announcement);
  assert.deepEqual(keys, ["account", `series ${COLLECTOR} ${series}`]);
  const { lot, ...rest } = await new Promise((resolve) => {
    const request = database.transaction("kept").objectStore("kept").get(keys[1]);
    request.onsuccess = () => resolve(request.result);
  });
  assert.ok(Number.isInteger(lot));
  assert.deepEqual(rest, { assignments: {}, memos: {} }); // memos say the true answers
  assert.deepEqual([how.length, ...new Set(how)], [4, "omit error"]);
});

test("of a survey of several rounds all are forgotten", async () => {
  const survey = caseOf("safari");
  const [collector, storage] = [new Collector(survey), memoryStorage()];
  const device = deviceOf(collector, { storage });
  const keys = [0, 1].map((round) => `round ${round} survey ${COLLECTOR} ${survey.id}`);
  const found = () => storage.transact(keys, (kept) => [{}, keys.map((key) => kept[key] !== undefined)]);
  for (const round of [0, 1]) {
    collector.round = round;
    await week(device, survey, survey.order);
  }
  assert.deepEqual(await found(), [true, true]);
  await device.forget(survey.id);
  assert.deepEqual(await found(), [false, false]);
});

test("of a survey of as many rounds as there can be all are forgotten", async () => {
  const survey = oftenAsked(MOST_ROUNDS);
  const [collector, storage] = [new Collector(survey), memoryStorage()];
  const device = deviceOf(collector, { storage });
  const keys = Array.from({ length: MOST_ROUNDS }, (_, round) => `round ${round} survey ${COLLECTOR} ${survey.id}`);
  const nKept = () => storage.transact(keys, (kept) => [{}, keys.filter((key) => kept[key] !== undefined).length]);
  for (collector.round = 0; collector.round < MOST_ROUNDS; collector.round += 1) {
    await device.join(survey.id);
    await device.answer(survey.id, survey.order);
  }
  assert.equal(await nKept(), MOST_ROUNDS);
  await device.forget(survey.id);
  assert.equal(await nKept(), 0);
});

test("each upload has a key of random bytes of its own", async () => {
  const survey = caseOf("safari");
  const collector = new Collector(survey);
  const keys = new Set();
  for (const device of [deviceOf(collector), deviceOf(collector)]) {
    for (const round of [0, 1]) {
      collector.round = round;
      await week(device, survey, survey.order);
      keys.add(JSON.parse(collector.uploads.at(-1)).idempotency_key);
    }
    collector.round = 0;
  }
  const people = collector.requests.map(({ body }) => body && JSON.parse(body).person);
  assert.equal(keys.size, 4);
  for (const key of keys) {
    assert.match(key, /^[0-9a-f]{32}$/);
    assert.ok(!key.includes("0".repeat(12)) && !people.includes(key)); // once in 10^13
  }
});

test("who forgot a survey answers the next one of its series, with the same lot", async () => {
  const [first, second] = ["forgotten", "next"].map((id) => caseOf("olh", { id, series: "weekly" }));
  const collector = new Collector(first, second);
  const device = deviceOf(collector);
  await week(device, first, first.order);
  await device.forget(first.id);
  await week(device, second, second.order);
  const joined = collector.requests.filter(({ url }) => url.endsWith("/assignments"));
  const [before, after] = joined.map(({ body }) => JSON.parse(body));
  assert.equal(after.lot, before.lot);
  assert.ok(Number.isInteger(after.lot));
  assert.notEqual(after.person, before.person);
  assert.equal(after.earlier, null);
});

test("no response is longer than a mebibyte", async () => {
  const told = JSON.stringify({ state: "open", round: 0, closes: null });
  const state = (size) => {
    const fetch = async () => new Response(told.padEnd(size));
    return new Device({ collector: COLLECTOR, storage: memoryStorage(), fetch }).state("any");
  };
  assert.equal((await state(2 ** 20)).round, 0);
  await kinds(state(2 ** 20 + 1), "too-large");
});

test("a device tells when the open round ends, if that is a text", async () => {
  for (const [closes, told] of [["2027-06-30T16:00:00Z", "2027-06-30T16:00:00Z"], [null, null], [5, null]]) {
    const fetch = async () => new Response(JSON.stringify({ state: "open", round: 1, closes }));
    const device = new Device({ collector: COLLECTOR, storage: memoryStorage(), fetch });
    assert.deepEqual(await device.state("any"), { state: "open", round: 1, closes: told });
  }
});

test("what is sent says that it is JSON", async () => {
  const survey = caseOf("olh");
  const collector = new Collector(survey);
  const sent = [];
  const fetch = (url, init) => (sent.push(init?.headers), collector.fetch(url, init));
  await week(new Device({ collector: COLLECTOR, storage: memoryStorage(), fetch }), survey, survey.order);
  const json = { "Content-Type": "application/json" };
  assert.deepEqual(sent.filter(Boolean), [json, json]);
});

test("the limit is of a year, and of each collector", async () => {
  const surveys = [caseOf("grr", { id: "a" }), caseOf("grr", { id: "b", series: "other" })];
  const collector = new Collector(...surveys);
  const storage = memoryStorage();
  let now = 0;
  const device = deviceOf(collector, { storage, now: () => now });
  await device.setLimit(3);
  await week(device, surveys[0], surveys[0].order);
  await device.join("b");
  for (now of [-WEEK, 365 * 24 * 3600 * 1000 - 1]) { // a clock that was set back forgets nothing
    await kinds(device.answer("b", surveys[1].order), "over-limit");
  }
  now += 1;
  assert.equal((await device.answer("b", surveys[1].order)).nats, 2);
  const elsewhere = new Device({ collector: "https://other.example", storage, fetch: collector.fetch, now: () => now });
  const { spent, total, everywhere } = await elsewhere.account();
  assert.deepEqual([spent, total, everywhere], [0, 0, 4]);
});

test("with the same random bytes, two rankings differ in nothing that is sent but in reports", async () => {
  for (const protocol of ["pairs", "rappor", "olh", "subset-order", "ldp-kwiksort-rr"]) {
    const survey = caseOf(protocol);
    const sent = [];
    for (const order of [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]]) {
      const collector = new Collector(survey);
      await week(deviceOf(collector, { tape: tapeOf(survey) }), survey, order);
      const blank = (body) => body?.replace(/"report":(\d+|"\w+"|\[.*?\]|\{.*?\})/g, '"report":');
      sent.push(collector.requests.map((each) => ({ ...each, body: blank(each.body) })));
    }
    assert.equal(sent[0].length, 4);
    assert.deepEqual(sent[1], sent[0]);
    assert.deepEqual(sent[2], sent[0]);
  }
});

test("rankings that do not fit are refused, nothing is drawn, and errors do not show them", async () => {
  const survey = caseOf("pairs");
  const device = deviceOf(new Collector(survey), { tape: tapeOf({ lot: 0, random_bytes: "" }) });
  await device.join(survey.id);
  await kinds(device.answer(survey.id, [3, 1]), "incomplete");
  for (const order of [[0, 0, 1, 2, 3], [0, 1, 2, 3, 9], "01234", null, undefined]) {
    await kinds(device.answer(survey.id, order), "unfit-ranking");
  }
  await kinds(device.answer(survey.id, survey.order), "no-randomness"); // the tape ends: none was used
  assert.equal((await device.account()).total, 0);
});

test("what the collector refuses is told by its kind", async () => {
  const survey = caseOf("pairs");
  const collector = new Collector(survey);
  const device = deviceOf(collector);
  await device.join(survey.id);
  await device.answer(survey.id, survey.order);
  collector.isDown = true;
  await assert.rejects(device.send(survey.id), { name: "Offline", kind: "offline" });
  collector.isDown = false;
  collector.refusal = { kind: "closed", status: 410 };
  await assert.rejects(device.send(survey.id), { name: "Problem", kind: "closed", status: 410 });
  const broken = { collector: COLLECTOR, storage: memoryStorage() };
  const page = async () => new Response("<h1>Bad gateway</h1>", { status: 502 });
  await kinds(new Device({ ...broken, fetch: page }).join(survey.id), "unavailable");
  collector.refusal = null;
  collector.state = "between";
  await kinds(device.join(survey.id), "not-open");
  collector.state = "open";
  const without = [{ handout: null }, { handout: undefined }, { assignment: undefined }];
  for (const bad of [{ asked: "yes" }, { asked: 0 }, { asked: null }, { round: -1 }, { round: 256 }, { assignment: 1 }, ...without]) {
    const other = new Collector(survey);
    other.assigned = bad;
    await kinds(deviceOf(other).join(survey.id), "malformed");
  }
});

test("an answer that was sent is not called refused where what comes back is no receipt", async () => {
  const survey = caseOf("pairs");
  const collector = new Collector(survey);
  let told;
  const fetch = async (...sent) => {
    const given = await collector.fetch(...sent);
    return told !== undefined && sent[0].endsWith("/reports") ? new Response(told) : given;
  };
  const device = deviceOf({ fetch });
  await device.join(survey.id);
  await device.answer(survey.id, survey.order);
  for (told of ["<h1>Welcome to our network</h1>", "", "{}", '{"receipt":""}', '{"receipt":7}', "null"]) {
    await kinds(device.send(survey.id), "offline");
  }
  told = undefined;
  assert.equal(await device.send(survey.id), "abc123");
  assert.equal(new Set(collector.uploads).size, 1);
});

test("an answer that was sent is not called refused where its receipt cannot be kept", async () => {
  const survey = caseOf("pairs");
  const collector = new Collector(survey);
  const storage = memoryStorage();
  const device = deviceOf(collector, { storage });
  await device.join(survey.id);
  await device.answer(survey.id, survey.order);
  const full = { transact: (keys, step) => storage.transact(keys, (kept) => {
    const [changed, result] = step(kept);
    if (Object.keys(changed).length) throw new Refusal("no-storage", "the disk is full");
    return [{}, result];
  }) };
  assert.equal(await deviceOf(collector, { storage: full }).send(survey.id), "abc123");
  assert.equal(await device.send(survey.id), "abc123");
  assert.equal(new Set(collector.uploads).size, 1);
});

test("a memory of which a part is gone neither answers nor sends", async () => {
  const survey = caseOf("pairs");
  const storage = memoryStorage();
  const device = deviceOf(new Collector(survey), { storage });
  await device.join(survey.id);
  const round = `round 0 survey ${COLLECTOR} ${survey.id}`;
  await lose(storage, round);
  await refused(device, survey);
});

test("a memory that answered, but not its account or its series, sends nothing and says so", async () => {
  const survey = caseOf("pairs");
  for (const key of ["account", `series ${COLLECTOR} ${JSON.parse(survey.announcement).series}`]) {
    const storage = memoryStorage();
    const device = deviceOf(new Collector(survey), { storage });
    await device.join(survey.id);
    await device.answer(survey.id, survey.order);
    await lose(storage, key);
    await refused(device, survey);
  }
});

/** Take a part of what is kept away. */
const lose = (storage, key) =>
  storage.transact([key], (kept) => [{ [key]: undefined }, assert.ok(kept[key])]);

async function refused(device, survey) {
  await kinds(device.kept(survey.id), "no-storage");
  await kinds(device.answer(survey.id, survey.order), "no-storage");
  await kinds(device.send(survey.id), "no-storage");
}

test("a memory of which a part is gone joins no round", async () => {
  const survey = caseOf("safari");
  const [place, round] = [`survey ${COLLECTOR} ${survey.id}`, `round 0 survey ${COLLECTOR} ${survey.id}`];
  for (const key of [place, round, `series ${COLLECTOR} ${JSON.parse(survey.announcement).series}`]) {
    for (const later of [0, 1]) {
      const [collector, storage] = [new Collector(survey), memoryStorage()];
      const device = deviceOf(collector, { storage });
      await device.join(survey.id);
      await lose(storage, key);
      collector.round = later;
      for (const each of [device, deviceOf(collector, { storage })]) await kinds(each.join(survey.id), "no-storage");
      assert.equal(collector.requests.filter(({ method }) => method === "POST").length, 1);
      assert.equal(await storage.transact([key], (kept) => [{}, kept[key]]), undefined);
    }
  }
});

test("a memory of which the latest of several rounds is gone joins no round", async () => {
  const survey = oftenAsked(3);
  for (const now of [1, 2]) {
    const [collector, storage] = [new Collector(survey), memoryStorage()];
    for (collector.round of [0, 1]) await deviceOf(collector, { storage }).join(survey.id);
    await lose(storage, `round 1 survey ${COLLECTOR} ${survey.id}`);
    collector.round = now;
    await kinds(deviceOf(collector, { storage }).join(survey.id), "no-storage");
  }
});

test("a survey that another tab forgets while it is joined is not joined", async () => {
  const survey = caseOf("pairs");
  for (const key of ["survey", "series"]) {
    const [collector, storage] = [new Collector(survey), memoryStorage()];
    const gone = { survey: `survey ${COLLECTOR} ${survey.id}`, series: `series ${COLLECTOR} ${JSON.parse(survey.announcement).series}` };
    const forgetting = async (url, init = {}) => {
      if (init.method === "POST") await lose(storage, gone[key]);
      return collector.fetch(url, init);
    };
    const device = deviceOf({ fetch: forgetting }, { storage });
    await kinds(device.join(survey.id), "not-joined");
    assert.equal((await device.account()).total, 0);
  }
});

test("a memory that was never answered, and whose series is gone, joins no round", async () => {
  const survey = caseOf("pairs");
  const [collector, storage] = [new Collector(survey), memoryStorage()];
  collector.assigned = { round: "none" };
  await kinds(deviceOf(collector, { storage }).join(survey.id), "malformed");
  await lose(storage, `series ${COLLECTOR} ${JSON.parse(survey.announcement).series}`);
  collector.assigned = {};
  await kinds(deviceOf(collector, { storage }).join(survey.id), "no-storage");
});

test("whichever round is left of a memory it joins no later one", async () => {
  const survey = oftenAsked(MOST_ROUNDS);
  const rounds = [0, 1, 5, 6, 50, MOST_ROUNDS - 1];
  for (const [left, now] of rounds.flatMap((left) => rounds.map((now) => [left, Math.max(left, now)]))) {
    const [collector, storage] = [new Collector(survey), memoryStorage()];
    collector.round = left;
    await deviceOf(collector, { storage }).join(survey.id);
    await lose(storage, `survey ${COLLECTOR} ${survey.id}`);
    collector.round = now;
    await kinds(deviceOf(collector, { storage }).join(survey.id), "no-storage");
  }
});

test("that an answer may have left is kept before it does, and of its own round alone", async () => {
  const survey = caseOf("safari");
  const [collector, storage] = [new Collector(survey), memoryStorage()];
  const [known, other] = [[], deviceOf(collector, { storage })];
  const fetch = async (url, init) => {
    if (url.endsWith("/reports")) known.push((await other.kept(survey.id)).isUnderWay);
    return collector.fetch(url, init);
  };
  const device = new Device({ collector: COLLECTOR, storage: late(storage), fetch });
  for (const round of [0, 1]) {
    collector.round = round;
    await device.join(survey.id);
    await device.answer(survey.id, survey.order);
    assert.equal((await device.kept(survey.id)).isUnderWay, false);
    await device.send(survey.id);
  }
  assert.deepEqual(known, [true, true]);
});

test("what is said to be over is kept by then: a receipt, and that all is forgotten", async () => {
  const survey = caseOf("safari");
  const [collector, storage] = [new Collector(survey), memoryStorage()];
  const [device, other] = [late(storage), storage].map((storage) => deviceOf(collector, { storage }));
  await device.join(survey.id);
  await device.answer(survey.id, survey.order);
  const receipt = await device.send(survey.id);
  assert.equal((await other.kept(survey.id)).receipt, receipt);
  await device.forget(survey.id);
  assert.equal(await other.kept(survey.id), null);
});

test("letters that come in two pieces are letters", async () => {
  const survey = caseOf("pairs", { title: "Œuvres de café: 書" });
  const collector = new Collector(survey);
  const fetch = async (url, init) => {
    const bytes = new Uint8Array(await (await collector.fetch(url, init)).arrayBuffer());
    const start = (each) => (bytes.forEach((byte) => each.enqueue(Uint8Array.of(byte))), each.close());
    return new Response(new ReadableStream({ start }));
  };
  const device = new Device({ collector: COLLECTOR, storage: memoryStorage(), fetch });
  const { announcement } = await device.open(survey.id);
  assert.equal(announcement.title, "Œuvres de café: 書");
});

test("a response without an end is not read to it", async () => {
  let [nPieces, isCancelled] = [0, false];
  const pull = (stream) => stream.enqueue(new Uint8Array(2 ** 16).fill(++nPieces && 0x78));
  const cancel = () => (isCancelled = true);
  const fetch = async () => new Response(new ReadableStream({ pull, cancel }));
  const device = new Device({ collector: COLLECTOR, storage: memoryStorage(), fetch });
  await kinds(device.open("AAAABBBBCCCC"), "too-large");
  assert.ok(isCancelled && nPieces < 20, `${nPieces}`);
});

test("a response that is not there in time is waited for no longer", async (t) => {
  const survey = caseOf("pairs");
  const collector = new Collector(survey);
  const fetch = async (url, init) => {
    init.signal.throwIfAborted();
    return collector.fetch(url, init);
  };
  const device = new Device({ collector: COLLECTOR, storage: memoryStorage(), fetch });
  const late = t.mock.method(AbortSignal, "timeout", () => AbortSignal.abort());
  await kinds(device.open(survey.id), "offline");
  assert.deepEqual(late.mock.calls[0].arguments, [30_000]);
  late.mock.restore();
  assert.equal((await device.open(survey.id)).announcement.id, survey.id);
});

test("every kind of refusal is explained to developers", () => {
  const read = (name) => readFileSync(new URL(`../${name}`, import.meta.url), "utf8");
  const modules = readdirSync(new URL("..", import.meta.url)).filter((name) => name.endsWith(".js"));
  const known = new Set([...read("README.md").matchAll(/`([a-z]+(?:-[a-z]+)*)`/g)].map(([, kind]) => kind));
  const kinds = modules.flatMap((name) =>
    [...read(name).matchAll(/[,(]\s*"([a-z-]+)",\s*(?:`|"\w+ )/g)].map(([, kind]) => kind),
  );
  assert.ok(new Set(kinds).size > 10);
  for (const kind of kinds) assert.ok(known.has(kind), kind);
});

test("only secure randomness answers for people", () => {
  const randomness = Randomness.replayed(new Uint8Array(100));
  const options = { collector: COLLECTOR, storage: memoryStorage(), randomness };
  assert.throws(() => new Device(options), { kind: "no-randomness" });
});

test("a collector has one name, and so one account", () => {
  const others = ["https://Collector.example", "https://collector.example:443", `${COLLECTOR}/`];
  for (const collector of [...others, "https://collector.example.", "https://collector.example.:8443"]) {
    assert.throws(() => new Device({ collector, storage: memoryStorage() }), { kind: "malformed" });
  }
});

test("before joining there is nothing to answer or to send", async () => {
  const device = deviceOf(new Collector(caseOf("pairs")));
  await kinds(device.answer("AAAABBBBCCCC", [0]), "not-joined");
  await kinds(device.send("AAAABBBBCCCC"), "not-joined");
  assert.equal(await device.kept("AAAABBBBCCCC"), null);
});

test("a round that was joined is not asked for again, and one that failed is not joined", async () => {
  const survey = caseOf("pairs");
  const collector = new Collector(survey);
  const device = deviceOf(collector);
  collector.assigned = { round: "none" };
  await kinds(device.join(survey.id), "malformed");
  assert.equal(await device.kept(survey.id), null);
  collector.assigned = {};
  const first = await device.join(survey.id);
  const asked = () => collector.requests.filter(({ url }) => url.endsWith("/assignments")).length;
  const before = asked();
  const again = await device.join(survey.id);
  assert.equal(JSON.stringify(again), JSON.stringify(first));
  assert.equal(asked(), before);
});

test("whom a round does not ask has nothing to answer or to send", async () => {
  const survey = caseOf("pairs");
  const collector = new Collector(survey);
  collector.assigned = { asked: false };
  const device = deviceOf(collector);
  await device.join(survey.id);
  await kinds(device.answer(survey.id, survey.order), "not-asked");
  await kinds(device.send(survey.id), "not-answered");
});
