// A collector that answers from the golden vectors, and a device's way to it.

import { WORDS, expBelow, wordsAbove } from "../exact.js";
import { fingerprintOf } from "../survey.js";
import { bytes, vectors } from "./vectors.js";

export const COLLECTOR = "https://collector.example";
const { cases } = vectors("handouts");

/** The case of a protocol, with fields of its announcement changed. */
export function caseOf(protocol, changes = {}, nth = 0) {
  const found = cases.filter(({ announcement }) => JSON.parse(announcement).protocol === protocol)[nth];
  const announcement = JSON.stringify({ ...JSON.parse(found.announcement), ...changes });
  return { ...found, id: JSON.parse(announcement).id, announcement };
}

/** A handout of a survey of one question, hidden by randomised response of k categories. */
export function handoutOf(names, question, k, epsilon) {
  const [numerator, denominator] = expBelow(epsilon);
  const lies = wordsAbove(denominator, numerator + BigInt(k - 1) * denominator);
  const words = { hit_words: String(WORDS - BigInt(k - 1) * lies), false_hit_words: String(lies) };
  const asked = JSON.stringify({ question, mechanism: 0 });
  const head = JSON.stringify({
    version: 2,
    name: "one question",
    items: names,
    epsilon,
    answers_per_person: 1,
    lots: [0, 1],
    takes_incomplete: false,
    n_questions: 1,
    questions_root: fingerprintOf(Uint8Array.of(0), asked),
    mechanisms: [{ kind: "generalized-randomized-response", n_categories: k, epsilon, ...words }],
  });
  return JSON.stringify({ head, questions: [{ number: 0, asked, path: [] }] });
}

/** The head of a handout of a pair. */
export const headOf = (named, epsilon = 0.01) =>
  JSON.parse(JSON.parse(handoutOf(named, { kind: "relative-order", items: [0, 1] }, 2, epsilon)).head);

/** A handout of several orders of items, each hidden by the mechanism of some number. */
export function handoutOfMany(named, asked, changes) {
  const leaves = asked.map(([items, mechanism = 0]) =>
    JSON.stringify({ question: { kind: "relative-order", items }, mechanism }),
  );
  const levels = [leaves.map((leaf) => fingerprintOf(Uint8Array.of(0), leaf))];
  for (let below = levels[0]; below.length > 1; below = levels.at(-1)) {
    const pairs = below.flatMap((left, nth) => (nth % 2 ? [] : [[left, ...below.slice(nth + 1, nth + 2)]]));
    levels.push(pairs.map((pair) => (pair.length < 2 ? pair[0] : fingerprintOf(Uint8Array.of(1), bytes(pair.join(""))))));
  }
  const pathOf = (leaf) => levels.flatMap((level, height) => level[(leaf >> height) ^ 1] ?? []);
  const questions = leaves.map((leaf, number) => ({ number, asked: leaf, path: pathOf(number) }));
  const tree = { n_questions: leaves.length, questions_root: levels.at(-1)[0], answers_per_person: leaves.length };
  return JSON.stringify({ head: JSON.stringify({ ...headOf(named), ...tree, ...changes }), questions });
}

/** The random bytes of a device: who it is, its lot, the key of its upload, and what it draws. */
export function tapeOf({ lot, random_bytes }, person = 0) {
  const word = new Uint8Array(new BigUint64Array([BigInt(lot)]).buffer);
  const name = (byte) => new Uint8Array(16).fill(byte);
  return Uint8Array.from([...name(person), ...word, ...name(0x6b), ...bytes(random_bytes)]);
}

/** What `fetch` is to a device; `requests` holds all that left it. */
export class Collector {
  requests = [];
  round = 0;
  state = "open";
  isDown = false;
  assigned = {};
  refusal = null;

  constructor(...surveys) {
    this.surveys = Object.fromEntries(surveys.map((survey) => [survey.id, survey]));
  }

  fetch = async (url, { method = "GET", body } = {}) => {
    this.requests.push({ url, method, body });
    if (this.isDown) throw new TypeError("network");
    if (this.refusal) {
      const problem = JSON.stringify({ type: `/problems/${this.refusal.kind}` });
      return new Response(problem, { status: this.refusal.status });
    }
    const path = new URL(url).pathname.split("/").slice(2); // after /v1
    return method === "GET" ? this.#get(path) : this.#post(path, JSON.parse(body));
  };

  #get([, id, what]) {
    const told = { state: this.state, round: this.round, closes: null };
    return new Response(what ? JSON.stringify(told) : this.surveys[id].announcement);
  }

  #post([first, id], sent) {
    if (first === "reports") return new Response('{"receipt":"abc123"}', { status: 201 });
    const survey = this.surveys[id];
    const announcement = fingerprintOf(survey.announcement);
    const given = {
      asked: true,
      assignment: `token-${id}-${this.round}-${sent.person}`,
      round: this.round,
      part: 0,
      announcement,
      handout: JSON.parse(survey.handout),
    };
    const notAsked = { asked: false, round: this.round, announcement };
    const changes = this.assigned;
    return new Response(JSON.stringify({ ...(changes.asked === false ? notAsked : given), ...changes }), {
      status: 201,
    });
  }

  /** The reports that were uploaded, as objects. */
  get uploads() {
    return this.requests.filter(({ url }) => url.endsWith("/reports")).map(({ body }) => body);
  }
}
