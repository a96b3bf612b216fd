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
  OnlyWhere: onlyWhere,
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

/** A step, or what is new in a copy, where a condition of the same function holds, or does not. */
function* onlyWhere(node, text) {
  if (!/Function|Method/.test(node.type) || node.body?.type !== "BlockStatement") return;
  const reached = [...reachedFrom(node.body, new Set(), text)];
  const tests = reached.flatMap(([statement]) => ownNodes(statement)).map(({ test }) => test);
  const conditions = new Set(tests.filter(Boolean).map((test) => textOf(test, text)));
  for (const [statement, known] of reached) {
    for (const condition of [...conditions].filter((each) => !known.has(each))) {
      yield* whereAsked(statement, condition, text);
      yield* whereAsked(statement, `!(${condition})`, text);
    }
  }
}

function* whereAsked(statement, asked, text) {
  const { start, end, type, expression } = statement;
  const isSet = type === "ExpressionStatement" && expression.type === "AssignmentExpression";
  if (isSet || isStep(statement)) yield [start, end, `if (${asked}) ${textOf(statement, text)}`];
  for (const { properties } of ownNodes(statement).filter(({ type }) => type === "ObjectExpression")) {
    const [first, ...others] = properties;
    if (first?.type !== "SpreadElement") continue;
    for (const { start, end, key, value } of others.filter((each) => each.key?.type === "Identifier")) {
      const old = `${textOf(first.argument, text)}.${key.name}`;
      yield [start, end, `${key.name}: (${asked}) ? ${textOf(value, text)} : ${old}`];
    }
  }
}

/** Each statement of a function, but of those inside, and what is known where it is reached. */
function* reachedFrom(node, known, text) {
  const block = [node.body ?? node].flat();
  let here = known;
  for (const statement of block) {
    yield [statement, here];
    const { test, consequent, alternate, block: tried, handler, finalizer, body } = statement;
    const isIf = statement.type === "IfStatement";
    const inside = isIf ? new Set([...here, textOf(test, text)]) : here;
    const blocks = isIf ? [consequent, alternate] : [tried, handler?.body, finalizer, body];
    if (/Declaration/.test(statement.type)) continue;
    for (const inner of blocks.filter(Boolean)) yield* reachedFrom(inner, inside, text);
    if (isIf && [consequent.body ?? consequent].flat().some(({ type }) => ENDS.test(type))) here = inside;
  }
}

/** All within a statement that belongs to no other statement and no function inside. */
function ownNodes(statement) {
  const children = Object.values(statement).flat().filter((each) => typeof each?.type === "string");
  const own = children.filter(({ type }) => !/Statement|Function|Method|Declaration$/.test(type));
  return [statement, ...own.flatMap(ownNodes)];
}

const ENDS = /^(Return|Throw|Break|Continue)/;
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
