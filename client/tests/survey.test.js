import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import test from "node:test";

import { WORDS, expBelow, wordsAbove } from "../exact.js";
import { Randomness } from "../randomness.js";
import { encodeReport, fingerprintOf, namesOf, ranksOf, readAnnouncement, readHandout, rootByPath } from "../survey.js";
import { handoutOf, handoutOfMany, headOf } from "./collector.js";
import { bytes, vectors } from "./vectors.js";

const { cases, names, bad_handouts: badHandouts } = vectors("handouts");
const EPSILON = 2;

test("handouts are answered byte for byte as in Python, and use the tape up", () => {
  for (const { handout: json, order, random_bytes, reports, fingerprint } of cases) {
    const handout = readHandout(json, EPSILON);
    assert.equal(handout.fingerprint, fingerprint);
    assert.deepEqual(handout.items, names);
    const ranks = ranksOf(order, handout);
    const rng = Randomness.replayed(bytes(random_bytes));
    const sent = handout.asked.map(({ number, question, mechanism }) =>
      encodeReport(handout.fingerprint, number, mechanism.randomise(question.answer(ranks), rng)),
    );
    assert.deepEqual(sent, reports);
    assert.throws(() => rng.bytes(1), { kind: "no-randomness" });
  }
});

test("announcements are read, with their fingerprint", () => {
  for (const { announcement: json, announcement_fingerprint: fingerprint } of cases) {
    const announcement = readAnnouncement(json);
    assert.equal(fingerprintOf(json), fingerprint);
    assert.deepEqual(announcement.items.map(({ name }) => name), names);
  }
});

test("bad handouts are refused", () => {
  for (const { why, handout } of badHandouts) {
    assert.throws(() => readHandout(handout, EPSILON), { name: "Refusal" }, why);
  }
});

test("a report is repeated to the same question about the same items, equally hidden, alone", () => {
  const keyOf = (named, items, epsilon) => {
    const handout = handoutOf(named, { kind: "relative-order", items }, 2, epsilon);
    return readHandout(handout, EPSILON).asked[0].key;
  };
  const [own, ...others] = [
    keyOf(names, [0, 1], 1),
    keyOf(names, [0, 1], 2),
    keyOf(names, [0, 2], 1),
    keyOf(["else", ...names.slice(1)], [0, 1], 1),
  ];
  assert.equal(keyOf(names, [0, 1], 1), own);
  assert.ok(!others.includes(own));
});

test("no question is asked twice in place of another", () => {
  const json = cases.map(({ handout }) => handout).find((each) => JSON.parse(each).questions.length > 1);
  const { head, questions } = JSON.parse(json);
  const twice = JSON.stringify({ head, questions: [questions[0], ...questions.slice(0, -1)] });
  assert.throws(() => readHandout(twice, EPSILON), { kind: "malformed" });
});

test("a part of the questions' root proves no question", () => {
  const { head, questions } = JSON.parse(cases[0].handout);
  const { questions_root: root } = JSON.parse(head);
  for (const part of ["", root.slice(0, 1), root.slice(0, -1), root.slice(1)]) {
    const changed = head.replace(root, part);
    assert.throws(() => readHandout(JSON.stringify({ head: changed, questions }), EPSILON), { kind: "malformed" });
  }
});

test("whether rankings may be incomplete is said", () => {
  const { head, questions } = JSON.parse(cases[0].handout);
  for (const told of ["0", "null", '"false"']) {
    const changed = head.replace(/"takes_incomplete":(true|false)/, `"takes_incomplete":${told}`);
    assert.notEqual(changed, head);
    assert.throws(() => readHandout(JSON.stringify({ head: changed, questions }), EPSILON), { kind: "malformed" });
  }
});

test("a whole order is not hidden as if it were a category", () => {
  const items = names.map((_, item) => item);
  const pair = handoutOf(names, { kind: "relative-order", items: [0, 1] }, 2, EPSILON);
  assert.equal(readHandout(pair, EPSILON).asked.length, 1);
  const order = handoutOf(names, { kind: "whole-order", items }, items.length, EPSILON);
  assert.throws(() => readHandout(order, EPSILON), { kind: "malformed" });
});

test("more than was shown is refused", () => {
  assert.throws(() => readHandout(cases[0].handout, 1.999), { kind: "too-dear" });
});

test("the prices of answers are added up exactly", () => {
  const handout = (epsilon) => handoutOfMany(names, [[[0, 1]], [[0, 2]], [[1, 2]]], { epsilon });
  assert.equal(readHandout(handout(0.04), EPSILON).asked.length, 3);
  assert.equal(0.01 + 0.01 + 0.01, 0.03); // though three such floats are more
  assert.throws(() => readHandout(handout(0.03), EPSILON), { kind: "too-dear" });
});

test("of however many answers each is paid for", () => {
  const pairs = Array.from({ length: 256 }, (_, nth) => [[nth >> 4, 16 + (nth & 15)]]);
  const named = Array.from({ length: 32 }, (_, item) => `item ${item}`);
  const { mechanisms } = JSON.parse(JSON.parse(handoutOf(named, { kind: "relative-order", items: [0, 1] }, 2, 2 ** -7)).head);
  for (const n of [1, 8, 9, 20, 21, 64, 255, 256]) {
    const handout = (epsilon) => handoutOfMany(named, pairs.slice(0, n), { mechanisms, epsilon });
    assert.equal(readHandout(handout(n / 128), EPSILON).asked.length, n);
    assert.throws(() => readHandout(handout(n / 128 - 2 ** -44), EPSILON), { kind: "too-dear" });
  }
});

test("answers that take long to draw are refused", () => {
  const [above, below] = expBelow(0.5);
  const words = { hit_words: String(WORDS / 2n), false_hit_words: String(wordsAbove(below, above + below)) };
  const bits = { kind: "optimised-unary-encoding", n_categories: 3628800, epsilon: 0.5, ...words };
  const ten = Array.from({ length: 10 }, (_, item) => item);
  const named = ten.map(String);
  const changes = { epsilon: 2, mechanisms: [bits, ...headOf(named).mechanisms] };
  const handout = (...asked) => handoutOfMany(named, asked, changes);
  assert.equal(readHandout(handout([ten], [[0, 1], 1]), EPSILON).asked.length, 2);
  assert.throws(() => readHandout(handout([ten], [[...ten].reverse()]), EPSILON), { kind: "too-large" });
});

test("names and mechanisms are read once, and a question that comes again before either", () => {
  const many = Array.from({ length: 10000 }, (_, item) => `${item} ${"\u4e00".repeat(5)}`);
  const { head, questions } = JSON.parse(handoutOf(many, { kind: "relative-order", items: [0, 1] }, 2, 0.01));
  let nRead = 0;
  const { test: matches } = RegExp.prototype;
  RegExp.prototype.test = function (value) {
    nRead += Number(this.source.includes("\\p{Z}"));
    return matches.call(this, value);
  };
  try {
    const again = JSON.stringify({ head, questions: Array.from({ length: 100 }, () => questions[0]) });
    assert.throws(() => readHandout(again, EPSILON), { kind: "malformed" });
    assert.equal(nRead, 0);
    readHandout(JSON.stringify({ head, questions }), EPSILON);
    assert.equal(nRead, many.length);
  } finally {
    RegExp.prototype.test = matches;
  }
});

test("more than eight mechanisms of one person are refused", () => {
  const [pair] = headOf(names).mechanisms;
  const asked = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3], [1, 0], [2, 0], [3, 0]].map((items, nth) => [items, nth]);
  const handout = (n) => handoutOfMany(names, asked.slice(0, n), { mechanisms: Array(9).fill(pair), epsilon: 1 });
  assert.equal(readHandout(handout(8), EPSILON).asked.length, 8);
  assert.throws(() => readHandout(handout(9), EPSILON), { kind: "malformed" });
});

test("questions within questions without end are refused as what they are", () => {
  const inner = { kind: "relative-order", items: [0, 1] };
  let question = JSON.stringify(inner);
  for (let depth = 0; depth < 4000; depth += 1) question = `{"kind":"stated","question":${question},"unranked":"last"}`;
  assert.throws(() => readHandout(handoutOf(names, JSON.parse(question), 2, 1), EPSILON), { kind: "malformed" });
});

test("what is too long is refused before it is parsed", () => {
  assert.throws(() => readHandout("[".repeat(2 ** 18 + 1), EPSILON), { kind: "too-large" });
  assert.throws(() => readAnnouncement("[".repeat(2 ** 20 + 1)), { kind: "too-large" });
  assert.throws(() => readAnnouncement("[".repeat(1e5) + "]".repeat(1e5)), { kind: "malformed" });
});

test("bad announcements are refused", () => {
  const { announcement: json } = cases[0];
  const changes = [
    ['"version":1', '"version":2'],
    ['"epsilon":2.0', '"epsilon":0.0'],
    ['"epsilon":2.0', '"epsilon":-1.0'],
    ['"epsilon":2.0', '"epsilon":8.000001'],
    ['"epsilon":2.0', '"epsilon":"2"'],
    ['"comes_back":false', '"comes_back":0'],
    ...["first", "not refused", "refused all"].map((word) => ['"unranked":"refused"', `"unranked":"${word}"`]),
    ...["all", "not open", "open all"].map((word) => ['"joining":"open"', `"joining":"${word}"`]),
    ['"name":"tea"', '"name":"tea","description":1'],
    ['"name":"tea"', '"name":"tea","picture":"tea.png"'],
    ['"name":"tea"', '"name":"coffee"'],
    ['"name":"tea"', '"name":"te\u200ba"'],
    ['"name":"tea"', '"name":"tea","price":1'],
    ['"title":', '"subtitle":'],
    ['"version":1', '"version":1,"more":1'],
    ['"version":1', '"version":1,"version":1'],
    ['"language":"en"', '"language": "en"'],
    ['"closes":null', '"closes":5'],
    ['"first_round":["', '"first_round":["z'],
    ['"first_round":["', '"first_round":["0'],
  ];
  const closing = json.replace('"closes":null', '"closes":"2027-01-31T18:00:00Z"');
  for (const [each, [old, changed]] of [json, closing].flatMap((each) => changes.map((change) => [each, change]))) {
    if (each === closing && old === '"closes":null') continue;
    assert.ok(each.includes(old), old);
    const refused = { name: "Refusal" };
    assert.throws(() => readAnnouncement(each.replace(old, changed)), refused, changed);
  }
  for (const other of ["", "null", "[]", "3", '"text"']) {
    assert.throws(() => readAnnouncement(other), { kind: "malformed" });
  }
  const lines = ["id", "series", "title", "protocol", "asked_by", "purpose", "contact", "privacy_notice", "language"];
  for (const [each, name] of [json, closing].flatMap((each) => lines.map((name) => [each, name]))) {
    const other = JSON.stringify({ ...JSON.parse(each), [name]: 1 });
    assert.throws(() => readAnnouncement(other), { kind: "malformed" }, name);
  }
});

const announcedWith = (changes) => readAnnouncement(JSON.stringify({ ...JSON.parse(cases[0].announcement), ...changes }));

test("nothing is shown on a line that cannot be seen there, or turns it", () => {
  const unseen = ["\0", "\t", "\n", "\x7f", "\x85", "\xa0", "\xad", "\u0378", "\u200b", "\u2028", "\u2029", "\u202e"];
  unseen.push("\u2066", "\u3000", "\ud800", "\ue000", "\ufeff", "\uffff", "\u{e0041}", "\u{10ffff}");
  for (const name of ["title", "asked_by", "contact"]) {
    for (const seen of ["tea", "b c", "água 水 🥛", "e\u0301", "עברית"]) assert.equal(announcedWith({ [name]: seen })[name], seen);
    for (const each of unseen) {
      for (const line of [each, `a${each}`, `${each}a`, `a${each}b`]) {
        assert.throws(() => announcedWith({ [name]: line }), { kind: "malformed" }, `${name} ${JSON.stringify(line)}`);
      }
    }
  }
  for (const each of unseen) assert.throws(() => namesOf(["tea", `a${each}b`]), { kind: "malformed" }, JSON.stringify(each));
  assert.deepEqual(namesOf(["a b", "🥛"]), ["a b", "🥛"]);
});

test("texts are as long as a draft's, in characters and not in halves of them", () => {
  const item = (changes) => ({ items: [{ name: "tea", ...changes }, { name: "x" }] });
  for (const [most, changed] of [
    ...["title", "asked_by", "contact", "protocol"].map((name) => [200, (given) => ({ [name]: given })]),
    ...["purpose", "privacy_notice"].map((name) => [5000, (given) => ({ [name]: given })]),
    [200, (name) => item({ name })],
    [500, (description) => item({ description })],
  ]) {
    for (const letter of ["T", "🥛"]) {
      announcedWith(changed(letter.repeat(most)));
      assert.throws(() => announcedWith(changed(letter.repeat(most + 1))), { kind: "malformed" }, `${changed}`);
    }
    if (most === 200) assert.throws(() => announcedWith(changed("")), { kind: "malformed" }, `${changed}`);
    else announcedWith(changed(""));
  }
  for (const name of ["purpose", "privacy_notice", "protocol"]) announcedWith({ [name]: "a\nb" });
});

test("a language is the name of one, and the end a time that comes", () => {
  for (const language of ["en", "gsw", "pt-BR", "sr-Latn"]) assert.equal(announcedWith({ language }).language, language);
  for (const language of ["", "x", "EN", "engl", "en-", "en-X", "en\n", "en GB", "english please", "\u202een"]) {
    assert.throws(() => announcedWith({ language }), { kind: "malformed" }, JSON.stringify(language));
  }
  for (const closes of [
    ...["2027-01-31T18:00:00Z", "2028-02-29T23:59:59Z", "1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z"],
    ...["2027-01-31T18:00:00.000001Z", "2027-01-31T18:00:00+05:45", "2027-01-31T18:00:00-23:59", "2027-01-31T18:00:00"],
    ...["0001-01-01T00:00:00-00:01", "9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59+14:00"],
  ]) {
    assert.equal(announcedWith({ closes }).closes, closes);
  }
  for (const closes of [
    ...["", "soon", "2027-01-31", "2027-02-29T18:00:00Z", "2027-13-01T18:00:00Z", "2027-01-00T18:00:00Z"],
    ...["2027-01-31T24:00:00Z", "2027-01-31T18:60:00Z", "2027-01-31T18:00:60Z", "0000-01-01T00:00:00Z"],
    ...["2027-01-31T18:00:00.5Z", "2027-01-31T18:00:00.000000Z", "2027-01-31T18:00:00+00:00", "2027-01-31T18:00:00+24:00"],
    ...["2027-01-31T18:00:00+05:60", "2027-01-31 18:00:00Z", "2027-01-31T18:00:00Z\n", "x2027-01-31T18:00:00Z"],
    ...["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"], // of no year of four digits in UTC
  ]) {
    assert.throws(() => announcedWith({ closes }), { kind: "malformed" }, JSON.stringify(closes));
  }
});

test("2 to 1,000 items are shown, and groups of 2 to a million", () => {
  const items = (n) => ({ items: Array.from({ length: n }, (_, item) => ({ name: `item ${item}` })) });
  for (const n of [2, 1000]) assert.equal(announcedWith(items(n)).items.length, n);
  for (const n of [0, 1, 1001]) assert.throws(() => announcedWith(items(n)), { kind: "malformed" });
  for (const n of [2, 1e6]) assert.equal(announcedWith({ smallest_group: n }).smallest_group, n);
  for (const n of [-20, 0, 1, 1e6 + 1]) assert.throws(() => announcedWith({ smallest_group: n }), { kind: "malformed" });
});

test("rankings that are none of the items are refused, and not shown", () => {
  const handout = readHandout(cases[0].handout, EPSILON);
  for (const order of [[0, 1, 2, 3, 5], [0, 1, 2, 3, 3], [0, 1, 2, 3, 4, 4], [-1, 0, 1, 2, 3], ["0"], null]) {
    assert.throws(() => ranksOf(order, handout), { kind: "unfit-ranking" });
  }
  assert.throws(() => ranksOf([3, 0, 2, 1], handout), { kind: "incomplete" });
  assert.throws(() => ranksOf([3, 0], handout), (error) => {
    return error.kind === "incomplete" && !/[30]/.test(error.message);
  });
});

test("a handout that does not fit itself is refused by its kind", () => {
  const whole = handoutOf(names, { kind: "relative-order", items: [0, 1] }, 2, 1);
  const { head, questions: [question] } = JSON.parse(whole);
  const handout = (changes, handed = {}) => {
    const other = JSON.stringify({ ...JSON.parse(head), ...changes });
    return JSON.stringify({ head: other, questions: [{ ...question, ...handed }] });
  };
  assert.equal(readHandout(handout({}), EPSILON).asked.length, 1);
  assert.throws(() => readHandout(handout({ epsilon: 0.5 }), EPSILON), { kind: "too-dear" });
  for (const [changes, handed] of [
    [{ takes_incomplete: true }],
    [{ takes_incomplete: 0 }],
    [{ questions_root: "0".repeat(64) }],
    [{}, { number: 1 }],
    [{}, { number: -1 }],
    [{ items: [...names.slice(1), names[1]] }],
    ...[[-0.5, 0.5], [0, 0.5, 1], [0.5], [0.5, 0.5], [0, 1.5], [null, 1], ["0", 1], "01", null].map((lots) => [{ lots }]),
  ]) {
    assert.throws(() => readHandout(handout(changes, handed), EPSILON), { kind: "malformed" });
  }
});

test("a mechanism hides as many categories as its question has, no more and no fewer", () => {
  for (const [items, k] of [[[0, 1], 3], [[0, 1, 2], 2], [[0, 1, 2], 5]]) {
    const handout = handoutOf(names, { kind: "relative-order", items }, k, 1);
    assert.throws(() => readHandout(handout, EPSILON), { kind: "malformed" });
  }
});

test("an item has a name, and may have a description and a picture", () => {
  const announced = JSON.parse(cases[0].announcement);
  const read = (item) => {
    const items = [item, ...announced.items.slice(1)];
    return readAnnouncement(JSON.stringify({ ...announced, items })).items[0];
  };
  const picture = "0123456789abcdef".repeat(4);
  for (const more of [{}, { description: "hot" }, { picture }, { description: "hot", picture }]) {
    assert.deepEqual(read({ name: "x", ...more }), { name: "x", ...more });
  }
  for (const bad of [{ description: 1 }, { picture: "x.png" }, { picture: 1 }, { picture, description: "hot" }, { price: 1 }]) {
    assert.throws(() => read({ name: "x", ...bad }), { kind: "malformed" }, JSON.stringify(bad));
  }
  assert.throws(() => read(null), { kind: "malformed" });
  const returns = JSON.stringify({ ...announced, comes_back: 0 });
  assert.throws(() => readAnnouncement(returns), { kind: "malformed" });
});

test("a survey has at most 2^40 questions and 65,534 items", () => {
  const asking = (n, depth) => {
    const { head, questions: [{ asked }] } = JSON.parse(handoutOf(names, { kind: "relative-order", items: [0, 1] }, 2, 1));
    const path = new Array(depth).fill("0".repeat(64));
    const other = { ...JSON.parse(head), n_questions: n, questions_root: rootByPath(asked, 0, n, path) };
    return JSON.stringify({ head: JSON.stringify(other), questions: [{ number: 0, asked, path }] });
  };
  assert.equal(readHandout(asking(2 ** 40, 40), EPSILON).asked.length, 1);
  assert.throws(() => readHandout(asking(2 ** 40 + 1, 41), EPSILON), { kind: "malformed" });
  const named = (n) => Array.from({ length: n }, (_, item) => `item ${item}`);
  assert.equal(namesOf(named(65534)).length, 65534);
  assert.throws(() => namesOf(named(65535)), { kind: "malformed" });
});

test("paths of trees of every size lead to the root", () => {
  const parts = (leaves) => {
    const half = 2 ** Math.floor(Math.log2(leaves.length - 1));
    return [leaves.slice(0, half), leaves.slice(half)];
  };
  const hash = (...pieces) => createHash("sha256").update(Buffer.concat(pieces)).digest();
  // RFC 6962, section 2.1, word for word
  const root = (leaves) =>
    leaves.length === 1
      ? hash(Buffer.of(0), Buffer.from(leaves[0]))
      : hash(Buffer.of(1), ...parts(leaves).map(root));
  const path = (number, leaves) => {
    if (leaves.length === 1) return [];
    const [left, right] = parts(leaves);
    return number < left.length
      ? [...path(number, left), root(right).toString("hex")]
      : [...path(number - left.length, right), root(left).toString("hex")];
  };
  for (let n = 1; n <= 20; n += 1) {
    const leaves = Array.from({ length: n }, (_, nth) => `leaf ${nth}`);
    for (let number = 0; number < n; number += 1) {
      const proof = path(number, leaves);
      assert.equal(rootByPath(leaves[number], number, n, proof), root(leaves).toString("hex"));
      const refused = { kind: "malformed" };
      assert.throws(() => rootByPath(leaves[number], number, n, [...proof, "0".repeat(64)]), refused);
      if (n > 1) assert.throws(() => rootByPath(leaves[number], number, n, proof.slice(1)), refused);
    }
  }
});

test("fingerprints are node's, for contents of every length", () => {
  for (let length = 0; length < 300; length += 1) {
    const content = Buffer.alloc(length, `${length} 水`);
    const expected = createHash("sha256").update(content).digest("hex");
    assert.equal(fingerprintOf(Uint8Array.from(content)), expected);
    const cut = Math.floor(length / 3);
    assert.equal(fingerprintOf(content.subarray(0, cut), content.subarray(cut)), expected);
  }
  assert.equal(fingerprintOf("água 水 🥛"), createHash("sha256").update("água 水 🥛").digest("hex"));
});

test("fingerprints of halves of characters are those of UTF-8, which replaces them", () => {
  for (const text of ["\ud800", "a\udc00b", "\ud83e\udd5b"]) {
    assert.equal(fingerprintOf(text), createHash("sha256").update(Buffer.from(text, "utf8")).digest("hex"));
  }
});

test("the vendored files are those of the package", () => {
  const files = [
    ["sha256-uint8array.js", "dist/sha256-uint8array.mjs"],
    ["sha256-uint8array.d.ts", "types/sha256-uint8array.d.ts"],
    ["LICENSE.txt", "LICENSE"],
  ];
  for (const [here, there] of files) {
    const own = new URL(`../vendor/sha256-uint8array/${here}`, import.meta.url);
    const theirs = new URL(`../node_modules/sha256-uint8array/${there}`, import.meta.url);
    assert.equal(readFileSync(own, "utf8"), readFileSync(theirs, "utf8"));
  }
});
