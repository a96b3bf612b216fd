import assert from "node:assert/strict";
import test from "node:test";

import { chanceShown } from "../participant/odds.js";
import { previewDevice } from "../participant/preview.js";
import { caseOf } from "./collector.js";
import { vectors } from "./vectors.js";

const { names } = vectors("handouts");
const ADDRESS = "https://collector.example/v1/previews/1";
const EPSILON = 1;
const CHANCE = (1 - 2 ** -48) / (1 + Math.E);
const WORDS = 2 ** 32;

/** A preview of a survey; `requests` are all addresses that it asked for. */
async function preview(changes = {}) {
  const { announcement } = caseOf("pairs", { epsilon: EPSILON, ...changes });
  const requests = [];
  globalThis.fetch = async (...asked) => {
    requests.push(asked);
    return new Response(announcement);
  };
  const device = previewDevice(ADDRESS);
  return { device, requests, look: await device.look() };
}

test("a preview shows the survey, of which nothing is kept", async () => {
  const { device, requests, look } = await preview();
  assert.deepEqual(look.announcement.items.map(({ name }) => name), names);
  const { announcement: _, ...others } = look;
  const state = { state: "open", round: 0, closes: look.announcement.closes };
  assert.deepEqual(others, { fingerprint: "", state, kept: null, earlier: null });
  assert.deepEqual(requests, [[ADDRESS]]);
  assert.deepEqual(await device.spent(), { here: 0, all: 0, limit: 8 });
  assert.equal(await device.limitTo(1), undefined);
  assert.equal(await device.lasts(true), true);
});

test("a survey by invitation is shown as it is to whoever has one", async () => {
  for (const [joining, shown] of [["invitations", "open"], ["api", "api"], ["open", "open"]]) {
    assert.equal((await preview({ joining })).look.announcement.joining, shown);
  }
});

test("a survey that is not there has no preview", async () => {
  globalThis.fetch = async () => new Response("{}", { status: 404 });
  await assert.rejects(previewDevice(ADDRESS).look(), { kind: "not-found" });
});

test("who takes part in a preview is asked about some pair, once, and sends nothing", async () => {
  const { device, requests } = await preview();
  const joined = await device.join();
  const { asked: [{ says, items: [first, second] }], ...others } = joined;
  assert.equal(says, "order");
  assert.ok(0 <= first && first < second && second < names.length);
  const nothing = { ranking: null, said: [], wire: null, isUnderWay: false, receipt: null };
  assert.deepEqual(others, { round: 0, stage: "joined", isPayable: true, names, lieChance: CHANCE, isOutdated: false, ...nothing });
  assert.equal(await device.join(), joined);
  assert.equal((await device.look()).kept, joined);
  const sent = await device.send();
  assert.deepEqual(sent, { ...joined, stage: "sent", receipt: "0".repeat(32) });
  assert.equal((await device.look()).kept, sent);
  await device.forget();
  assert.equal((await device.look()).kept, null);
  assert.ok(requests.every((asked) => asked.length === 1 && asked[0] === ADDRESS));
});

test("no chance of a lie is shown that is more than the survey's", async () => {
  const shown = [];
  for (const epsilon of [0.40546510810816444, 2.4849066497880004]) { // hardly above ln 1.5 and ln 12
    const { device } = await preview({ epsilon });
    await device.look();
    shown.push(chanceShown((await device.join()).lieChance));
  }
  assert.deepEqual(shown, [{ percent: 39 }, { odds: 14 }]);
});

test("a preview begins anywhere", async () => {
  const ranking = { order: names.map((_, item) => item), unranked: [] };
  assert.equal((await (await preview()).device.lock("", "", ranking)).stage, "locked");
  assert.equal((await (await preview()).device.send()).stage, "sent");
});

test("any two items may be asked about", async () => {
  const pairs = [];
  for (let nth = 0; nth < 300; nth += 1) {
    const { asked: [{ items }] } = await (await preview()).device.join();
    pairs.push(String(items));
  }
  assert.equal(new Set(pairs).size, 10); // one is missing once in 10^12
});

for (const [isLie, word] of [[true, Math.floor(CHANCE * WORDS)], [false, Math.ceil(CHANCE * WORDS)]]) {
  test(`a report of a preview is a ${isLie ? "lie" : "truth"} as often as the survey's`, async (context) => {
    const { device, requests } = await preview();
    const { asked: [{ items: [first, second] }] } = await device.join();
    const own = Object.getOwnPropertyDescriptor(globalThis, "crypto");
    context.after(() => Object.defineProperty(globalThis, "crypto", own));
    const getRandomValues = (words) => words.fill(word);
    Object.defineProperty(globalThis, "crypto", { value: { getRandomValues }, configurable: true });
    const ranking = { order: [second], unranked: [first] };
    const { said, wire, ...locked } = await device.lock("", "", ranking);
    assert.deepEqual(said, [{ says: "order", items: isLie ? [first, second] : [second, first] }]);
    const report = { question: 0, report: isLie ? 0 : 1 };
    assert.deepEqual(JSON.parse(wire), { assignment: "", idempotency_key: "", reports: [report] });
    assert.deepEqual([locked.ranking, locked.stage], [ranking, "locked"]);
    assert.equal(requests.length, 1);
  });
}
