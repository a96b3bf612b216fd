// Says which scripts from standard input are not the same program: see tests/collector/client.
// A line is {name, script, sent}.

import { readFileSync } from "node:fs";

import ts from "typescript";

const bare = (text) =>
  ts.transpileModule(text, {
    compilerOptions: { removeComments: true, target: "ESNext", module: "ESNext" },
    fileName: "script.js",
  }).outputText;

const lines = readFileSync(0, "utf8").trimEnd().split("\n").map((line) => JSON.parse(line));
const others = lines.filter(({ script, sent }) => bare(script) !== bare(sent));
process.stdout.write(others.map(({ name }) => name).join("\n"));
