import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import { ledger } from "../participant/blocks.js";
import { budgetShares, chanceShown, lieOdds, liePercent, natsAbove } from "../participant/odds.js";
import { pageOf } from "../participant/page.js";
import { speaker } from "../participant/strings.js";
import { intro, reveal } from "../participant/views.js";

const CLIENT = new URL("../", import.meta.url);
const SCRIPTS = ["participate.js", ...named("participant/", ".js").map((name) => `participant/${name}`)];
const LANGUAGES = named("strings/", ".json");
const WORDS = Object.fromEntries(LANGUAGES.map((name) => [name, JSON.parse(text(`strings/${name}`))]));
const ENGLISH = WORDS["en.json"];

function named(folder, ending) {
  return readdirSync(new URL(folder, CLIENT)).filter((name) => name.endsWith(ending));
}

function text(path) {
  return readFileSync(new URL(path, CLIENT), "utf8");
}

/** Of `{n} items`: n. */
function places(words) {
  return [...words.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
}

const isPlural = (key) => /\.(zero|one|two|few|many|other)$/.test(key);

for (const name of LANGUAGES) {
  test(`${name} has the words of en.json, with the same values in them`, () => {
    const keys = (words) => Object.keys(words).filter((key) => !isPlural(key));
    assert.deepEqual(keys(WORDS[name]).sort(), keys(ENGLISH).sort());
    for (const key of keys(ENGLISH)) assert.deepEqual(places(WORDS[name][key]), places(ENGLISH[key]), key);
  });

  test(`${name} has each plural form that its language needs`, () => {
    const { pluralCategories } = new Intl.PluralRules(name.slice(0, -5)).resolvedOptions();
    const plurals = Object.keys(ENGLISH).filter((key) => key.endsWith(".other"));
    assert.ok(plurals.length > 0);
    for (const key of plurals) {
      const forms = pluralCategories.map((form) => key.replace(/other$/, form));
      for (const form of forms) assert.ok(form in WORDS[name], form);
    }
  });

  test(`${name} says nothing twice the same key, and nothing empty`, () => {
    const lines = text(`strings/${name}`).matchAll(/^ {2}"([\w.-]+)":/gm);
    const keys = [...lines].map(([, key]) => key);
    assert.equal(new Set(keys).size, keys.length);
    for (const words of Object.values(WORDS[name])) assert.ok(words.trim().length > 0);
  });
}

test("no words say more than the page knows", () => {
  const known = {
    "how.1": /mostly|meist/i, // of many answers the true one is seldom kept
    "conflict.title": /counted|gezählt/, // who was asked before may never answer
    "cost.question": /question, which|Frage, die|stays|bleibt/, // or several, or about the whole order
    "cost.questions": /stays|bleibt/,
    "rank.text": /that you see|Sie sehen/, // a page that is loaded again shows what was moved
    "rank.text_again": /This is|Dies ist/,
    "reveal.stays": /order stays|Reihenfolge bleibt/, // where that is what is asked, and it is no lie
    "reveal.bytes_hint": /order is not in|Reihenfolge steht nicht|only says|sagt nur/, // whose it is, too
    "says.bucket": /many|viele/, // of a few items there are more groups than orders
    "refused.text": /order stays|Reihenfolge bleibt/, // where an earlier answer was all of it
    "ledger.numbers": /all collectors|bei allen/, // a browser keeps them apart
    "ledger.first": /not answered|nichts beantwortet/, // what is repeated costs nothing
  };
  for (const name of LANGUAGES) {
    for (const [key, wrong] of Object.entries(known)) assert.doesNotMatch(WORDS[name][key], wrong, key);
  }
});

test("each key that the page names has words, and no words are left over", () => {
  const code = [...SCRIPTS, "words.js", "ranking-list.js"].map(text).join("\n");
  const template = "../src/hushrank/collector/web/templates/participant/participant.html";
  const whole = code + text(template);
  const exact = new Set([...whole.matchAll(/["'`]([a-z-]+\.[a-z0-9_.-]+)["'`]/g)].map(([, key]) => key));
  const unused = Object.keys(ENGLISH).filter((key) => {
    const plain = key.replace(/\.(one|other)$/, "");
    const kind = key.replace(/\.(title|text)$/, "");
    const byKind = whole.includes(`"${kind}"`) && /\.(title|text)$/.test(key);
    const byTable = /^(list|says|language|asked\.named)\./.test(key) || key.startsWith("ledger.limit_");
    return !exact.has(key) && !exact.has(plain) && !byKind && !byTable;
  });
  assert.deepEqual(unused, []);
  const groups = new Set(Object.keys(ENGLISH).map((key) => key.split(".")[0]));
  const missing = [...exact].filter((key) => groups.has(key.split(".")[0]) && !/\.(js|json|css)$/.test(key));
  for (const key of missing) assert.ok(key in ENGLISH || `${key}.other` in ENGLISH, key);
});

test("words are filled with values, and plural forms chosen by n", () => {
  const say = speaker({ "a.one": "{n} thing of {who}", "a.other": "{n} things of {who}", b: "{x}" }, "en");
  assert.equal(say("a", { n: 1, who: "Ann" }), "1 thing of Ann");
  assert.equal(say("a", { n: 1200, who: "Ann" }), "1,200 things of Ann");
  assert.equal(say("b", { x: "{y}" }), "{y}");
  assert.equal(say("b", { x: 1.2345 }), "1.23");
  assert.equal(say("b"), "");
  assert.throws(() => say("c"), /no words for c/);
  const few = speaker({ "a.other": "{n} of them", b: "plain", "b.other": "{n} of them" }, "en");
  assert.equal(few("a", { n: 1 }), "1 of them");
  assert.equal(few("b"), "plain");
});

/** A page in English, on a telephone or a computer, with some other words. */
function pageWith(strings = {}, isPhone = false) {
  globalThis.matchMedia = (query) => ({ matches: isPhone && query === "(pointer: coarse)" });
  globalThis.location = { host: "collector.example" };
  return pageOf({ id: "weekly", language: "en", strings: { ...ENGLISH, ...strings }, show: async () => {} });
}

test("a page knows whose it is, and in which direction it is read", () => {
  const { id, language, direction, collector, pictures } = pageWith();
  const own = { id: "weekly", language: "en", direction: "ltr", collector: "collector.example" };
  assert.deepEqual({ id, language, direction, collector }, own);
  assert.equal(pictures, "/v1/surveys/weekly/pictures/");
  assert.equal(pageWith({ "language.direction": "rtl" }).direction, "rtl");
  assert.equal(pageWith({ "language.direction": undefined }).direction, "ltr");
  assert.match(pageWith().time("2026-01-02T12:00:00Z"), /^January [123], 2026\b.*\d:\d\d/);
});

test("words name the device, as what it is", () => {
  const strings = { own: "on {device}, {n} times", "device.phone": "a phone", "device.computer": "a computer" };
  assert.equal(pageWith(strings).t("own", { n: 2 }), "on a computer, 2 times");
  assert.equal(pageWith(strings, true).t("own", { n: 2 }), "on a phone, 2 times");
  assert.equal(pageWith(strings, true).t("device.phone"), "a phone");
});

test("the list has its own words, and no others", () => {
  const { listStrings } = pageWith({ "list.new": "x", "alist.other": "y" });
  const keys = Object.keys(ENGLISH).filter((key) => key.startsWith("list."));
  assert.deepEqual(Object.keys(listStrings).sort(), [...keys, "list.new"].map((key) => key.slice(5)).sort());
  assert.equal(listStrings.new, "x");
});

const NAMES = ["tea", "milk", "water", "juice"];
const pair = (...items) => ({ says: "order", items });

test("what reports say is one thing, several, or one of several", () => {
  const strings = {
    "says.pair": "{first}>{second}",
    "says.none": "nothing",
    "says.any": "any of {parts}",
    "says.others": "others",
    "says.more": "{n} more",
  };
  const said = (...reports) => pageWith(strings).said({ said: reports, names: NAMES });
  const any = (parts, more) => ({ says: "any", parts, more });
  assert.deepEqual(said(pair(1, 0)), ["milk>tea"]);
  assert.deepEqual(said(pair(1, 0), pair(2, 3)), ["milk>tea and water>juice"]);
  assert.deepEqual(said(any([pair(0, 1), pair(2, 3)], 0)), ["tea>milk", "water>juice"]);
  assert.deepEqual(said(any([pair(0, 1)], 12)), ["tea>milk", "12 more"]);
  assert.deepEqual(said(any([pair(0, 1)], null)), ["tea>milk", "others"]);
  assert.deepEqual(said(any([], 0)), ["nothing"]);
  assert.deepEqual(said(any([pair(0, 1)], 0), pair(2, 3)), ["any of “tea>milk” and water>juice"]);
});

test("what is asked does not tell an order, but who it is about", () => {
  const strings = {
    "asked.order": "order of {items}",
    "asked.top.other": "top {n}",
    "asked.merge": "{left} into {right}",
    "asked.place": "place of {item}",
    "asked.named.before": "before {places}",
    "asked.whole": "everything",
  };
  const asked = (...answers) => pageWith(strings).asked({ asked: answers, names: NAMES });
  const ranks = { says: "ranks", item: 3, ranks: [1] };
  assert.equal(asked(pair(2, 0, 1)), "order of tea, milk, and water");
  assert.equal(asked({ says: "top", items: [3, 1] }), "top 2");
  assert.equal(asked({ says: "merge", left: [1, 0], right: [2], sides: [] }), "tea and milk into water");
  assert.equal(asked(ranks), "place of juice");
  assert.equal(asked({ says: "named", side: "before", places: [0, 2] }), "before 1 and 3");
  assert.equal(asked({ says: "both", parts: [ranks, pair(1, 0)] }), "place of juice order of tea and milk");
  assert.equal(asked({ says: "bucket", bucket: 0, of: 2 }), "everything");
  assert.equal(asked(ranks, pair(1, 0)), "place of juice and order of tea and milk");
});

test("the odds of a lie are never overstated", () => {
  for (const epsilon of [0.1, 0.5, 1, 2, 4, 8]) {
    const chance = 1 / (Math.exp(epsilon) + 1);
    assert.ok(1 / lieOdds(epsilon) <= chance);
    assert.ok(liePercent(epsilon) / 100 <= chance);
  }
  assert.equal(lieOdds(1), 4);
  assert.equal(lieOdds(1.0986122886681096), 4); // below ln 3
  assert.equal(lieOdds(1.0986122886681098), 5); // above it, by less than Math.exp can tell
  assert.equal(lieOdds(5e-324), 3); // no device lies every second time
  assert.equal(liePercent(5e-324), 49);
  assert.equal(liePercent(1), 26);
  assert.equal(liePercent(4), 1.7);
});

test("the chance of a lie that was told is not said to be larger", () => {
  assert.deepEqual(chanceShown(1 / 20.3), { odds: 21 });
  assert.deepEqual(chanceShown(0.2689), { percent: 26 });
  assert.deepEqual(chanceShown(0.1), { percent: 10 });
  assert.deepEqual(chanceShown(1 / 14), { odds: 15 }); // the float is less than a fourteenth
  assert.deepEqual(chanceShown(0.29), { percent: 28 }); // and this one than 29 hundredths
});

test("nats are read with two decimals, and never as fewer than they are", () => {
  assert.deepEqual([0, 0.04, 1.5, 1.50049, 2.001, 1e-300].map(natsAbove), [0, 0.05, 1.5, 1.51, 2.01, 0.01]);
  const say = speaker({ spent: "{nats} nats" }, "en");
  assert.equal(say("spent", { nats: natsAbove(0.03) }), "0.03 nats");
});

test("no loss is shown as less than it is, nor as a hundredth more, of however many nats", () => {
  for (let hundredths = 1; hundredths <= 100_000; hundredths += 7) {
    for (const nats of [hundredths / 100, hundredths / 100 + 2 ** -30, hundredths / 100 + 0.0049]) {
      const shown = natsAbove(nats);
      assert.ok(nats <= shown && shown < nats + 0.01 + 1e-9, `${nats} as ${shown}`);
    }
  }
  for (const nats of [1, 7, 8, 9, 100, 1000]) {
    assert.deepEqual([nats, nats * (1 + 2 ** -52)].map(natsAbove), [nats, nats + 0.01]);
  }
});

test("shares of a limit are rounded against the collector", () => {
  assert.deepEqual(budgetShares(1.5, 1, 8), { spent: 19, more: 13, isEnough: true });
  assert.equal(budgetShares(7, 1, 8).isEnough, true);
  assert.equal(budgetShares(7.5, 1, 8).isEnough, false);
  assert.deepEqual(budgetShares(4 + 1e-10, 4, 8), { spent: 51, more: 50, isEnough: false });
  assert.equal(budgetShares(5e-324, 0, 99 * 5e-324).spent, 2);
  assert.deepEqual(budgetShares(10, 9, 8), { spent: 125, more: 113, isEnough: false });
  assert.deepEqual(budgetShares(0, 0.1, 0.1), { spent: 0, more: 101, isEnough: false }); // by 6e-18
  assert.deepEqual(budgetShares(0, 1, 0), { spent: 100, more: 100, isEnough: false });
});

/** An element of a page, as far as its words go. */
class Written {
  style = {};
  children = [];
  setAttribute() {}
  addEventListener() {}
  append(...children) {
    this.children.push(...children);
  }
  toString() {
    return this.children.join(" ");
  }
}

/** What views say on the page of a collector, and how they say it. */
function writing(context) {
  const document = { createElement: () => new Written(), createElementNS: () => new Written() };
  Object.assign(globalThis, { document, isSecureContext: true });
  context.after(() => ["document", "isSecureContext"].forEach((name) => delete globalThis[name]));
  const say = speaker(ENGLISH, "en");
  const t = (key, values = {}) => say(key, { device: "phone", ...values });
  return { t, collector: "here.example", language: "en", said: () => ["tea"], asked: () => "tea", time: String };
}

const ASKED = {
  ...{ title: "Tea", asked_by: "us", purpose: "", items: [{}, {}], epsilon: 1, comes_back: false },
  ...{ closes: null, contact: "us", privacy_notice: "none", language: "en", smallest_group: 20 },
};

test("the account says what was spent here this year, in all, and of which limit", (context) => {
  const page = writing(context);
  const { t, collector } = page;
  const said = String(ledger(page, { here: 1, all: 5, limit: 8 }, 2));
  assert.ok(said.includes(t("ledger.before", { collector, spent: 13, more: 25 })));
  assert.ok(said.includes(t("ledger.numbers", { here: 1, limit: 8, all: 5, collector })));
});

test("who begins is told what the survey may cost, of how few nothing is shown, and if that is too much", (context) => {
  const page = writing(context);
  const { t, collector } = page;
  const told = (here) => intro(page, ASKED, { here, all: here, limit: 8 }, async () => {}).join(" ");
  assert.ok(told(0).includes(t("ledger.first", { collector, spent: 0, more: 13 })));
  assert.ok(told(0).includes(t("intro.group", { n: 20 })));
  assert.deepEqual([7, 7.5].map((here) => told(here).includes(t("limit.soon"))), [false, true]);
});

test("of an answer to an earlier order no chance is told", (context) => {
  const page = writing(context);
  const { t } = page;
  const kept = { lieChance: 0.25, wire: "", isUnderWay: false };
  const told = (isOutdated) => reveal(page, ASKED, { ...kept, isOutdated }, false, async () => {}).join(" ");
  assert.ok(told(true).includes(t("reveal.outdated")));
  assert.ok(told(false).includes(t("reveal.chance_percent", { percent: 25 })));
  assert.equal(told(true).includes(t("reveal.lie")), false);
});
