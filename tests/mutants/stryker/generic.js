// Lists mutants of the browser's modules as JSON: run with the packages beside it.
//
// node tests/mutants/stryker/generic.js FILE ...
//
// All that Stryker makes of them, but for other messages of errors, which only developers read; and
// what it has no mutants of: numbers that are one more, shifts the other way, bits of one or both,
// steps that are left out or turned round.

import { readFileSync } from "node:fs";

import { parse } from "@babel/parser";
import { Instrumenter } from "@stryker-mutator/instrumenter";

import { ofSteps } from "./steps.js";

const silent = { debug() {}, info() {}, isDebugEnabled: () => false };
const messages = {
  shouldIgnore({ node, key, parent }) {
    const makes = parent?.type === "NewExpression" && /^(Error|Refusal)$/.test(parent.callee.name);
    const demands = parent?.type === "CallExpression" && parent.callee.name === "demand";
    const refuses = parent?.type === "CallExpression" && parent.callee.type === "Super";
    const isLast = Number.isInteger(key) && key === parent.arguments?.length - 1;
    const isText = /^(StringLiteral|TemplateLiteral)$/.test(node.type);
    if (isLast && isText && (makes || demands || refuses)) return "a message";
  },
};
const options = { excludedMutations: [], ignorers: [messages], plugins: null };

/** The whole text with one mutant in it: alone, not beside all others behind switches. */
function mutated(text, { location: { start, end }, mutatorName, replacement }) {
  const lines = text.split("\n");
  const at = ({ line, column }) => lines.slice(0, line).join("\n").length + (line && 1) + column;
  const other = mutatorName === "LogicalOperator" ? `(${replacement})` : replacement;
  return text.slice(0, at(start)) + other + text.slice(at(end));
}

const OTHER_BITS = { "<<": ">>", ">>": "<<", ">>>": "<<", "&": "|", "|": "&", "^": "&" };

/** Mutants of numbers and of operators on bits. */
function* ofBits(text) {
  for (const { type, start, end, value } of parse(text, { tokens: true, sourceType: "module" }).tokens) {
    const more = { num: () => String(value + 1), bigint: () => `${BigInt(value) + 1n}n` }[type.label]?.();
    const other = more ?? (typeof value === "string" && type.binop !== null ? OTHER_BITS[value] : null);
    if (other) yield { kind: more ? "Number" : "Bits", text: text.slice(0, start) + other + text.slice(end) };
  }
}

const listed = [];
for (const file of process.argv.slice(2)) {
  const text = readFileSync(file, "utf8");
  const given = [{ name: file, content: text, mutate: true }];
  const { mutants } = await new Instrumenter(silent).instrument(given, options);
  for (const mutant of mutants.filter(({ statusReason }) => !statusReason)) {
    listed.push({ file, kind: mutant.mutatorName, text: mutated(text, mutant) });
  }
  for (const mutant of [...ofBits(text), ...ofSteps(text)]) listed.push({ file, ...mutant });
}
process.stdout.write(JSON.stringify(listed));
