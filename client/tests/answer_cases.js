// Answers cases from standard input, as Python has answered them: see tests/collector/client.
// A line {question, mechanism, n_items} is followed by lines [ranks, tape in hexadecimal].

import { readFileSync } from "node:fs";

import { readMechanism } from "../mechanisms.js";
import { readQuestion } from "../questions.js";
import { Randomness } from "../randomness.js";
import { bytes } from "./vectors.js";

const answered = [];
let question, mechanism;
for (const line of readFileSync(0, "utf8").trimEnd().split("\n")) {
  const read = JSON.parse(line);
  if (!Array.isArray(read)) {
    question = readQuestion(read.question, read.n_items);
    mechanism = readMechanism(read.mechanism);
    continue;
  }
  const [ranks, tape] = read;
  const rng = Randomness.replayed(bytes(tape));
  const report = JSON.stringify(mechanism.randomise(question.answer(ranks), rng));
  let isUsedUp = false;
  try {
    rng.bytes(1);
  } catch {
    isUsedUp = true;
  }
  answered.push(isUsedUp ? report : "words are left over");
}
process.stdout.write(answered.join("\n"));
