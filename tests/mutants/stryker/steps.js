// Mutants of steps and of what is handed on to them: left out, or in another order.

import { parse } from "@babel/parser";

/** Mutants of a module's text: each with its kind and the whole text. */
export function* ofSteps(text) {
  for (const node of everyNode(parse(text, { sourceType: "module" }).program)) {
    for (const [kind, editsOf] of Object.entries(KINDS)) {
      for (const [start, end, other] of editsOf(node, text)) {
        yield { kind, text: text.slice(0, start) + other + text.slice(end) };
      }
    }
  }
}

const KINDS = {
  DropAwait: withoutAwait,
  DropCall: withoutCall,
  DropArgument: withoutLastArgument,
  DropProperty: withoutProperty,
  SwapArguments: withOthersArgument,
  SwapSteps: inAnotherOrder,
};

/** What is waited for goes on by itself. */
function* withoutAwait({ type, start, end, argument }, text) {
  if (type === "AwaitExpression") yield [start, end, textOf(argument, text)];
}

/** A statement that is a call and nothing else. */
function* withoutCall(node) {
  if (isStep(node)) yield [node.start, node.end, ";"];
}

/** The last of several arguments: its default is taken, if it has one. */
function* withoutLastArgument(node) {
  if (!isCall(node) || node.arguments.length < 2) return;
  const [before, last] = node.arguments.slice(-2);
  if (!last.type.endsWith("Literal")) yield [before.end, last.end, ""];
}

/** What is handed on or kept by its name. */
function* withoutProperty({ type, start, end, properties }, text) {
  if (type !== "ObjectExpression" || properties.length < 2) return;
  for (const property of properties) {
    const others = properties.filter((each) => each !== property);
    yield [start, end, `{ ${others.map((each) => textOf(each, text)).join(", ")} }`];
  }
}

/** Two arguments, one after the other, in each other's place. */
function* withOthersArgument(node, text) {
  for (const [left, right] of isCall(node) ? pairsOf(node.arguments) : []) {
    if (!isName(left) || !isName(right)) continue;
    yield [left.start, right.end, `${textOf(right, text)}, ${textOf(left, text)}`];
  }
}

/** Two steps that act, or a check and such a step, but for what one names and the other needs. */
function* inAnotherOrder({ body }, text) {
  for (const [first, second] of Array.isArray(body) ? pairsOf(body) : []) {
    if (!canBeTurned(first, second)) continue;
    const between = text.slice(first.end, second.start);
    yield [first.start, second.end, textOf(second, text) + between + textOf(first, text)];
  }
}

function canBeTurned(first, second) {
  const both = [first, second];
  if (both.some(({ type }) => STAYS.test(type)) || !both.some(isStep)) return false;
  const named = new Set(namesIn((first.declarations ?? []).map(({ id }) => id)));
  return both.every(acts) && !namesIn([second]).some((name) => named.has(name));
}

const STAYS = /^(Import|Export|Return|Throw|Break|Continue|Function|Class)/;

function* everyNode(node) {
  yield node;
  for (const child of Object.values(node).flat()) {
    if (typeof child?.type === "string" && "start" in child) yield* everyNode(child);
  }
}

function isStep({ type, expression }) {
  return type === "ExpressionStatement" && isCall(expression.argument ?? expression);
}

function namesIn(nodes) {
  const inside = nodes.flatMap((node) => [...everyNode(node)]);
  return inside.filter(({ type }) => type === "Identifier").map(({ name }) => name);
}

const isCall = ({ type }) => type === "CallExpression" || type === "NewExpression";
const isName = ({ type }) => type === "Identifier" || type === "MemberExpression";
const acts = (node) => [...everyNode(node)].some(isCall);
const pairsOf = (list) => list.slice(1).map((each, number) => [list[number], each]);
const textOf = ({ start, end }, text) => text.slice(start, end);
