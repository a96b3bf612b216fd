// Says which documents from standard input this client takes: see tests/collector/client.
// A line is {mechanism: object}, {announcement: text} or {handout: text, most_epsilon: number}.

import { readFileSync } from "node:fs";

import { Refusal } from "../errors.js";
import { readMechanism } from "../mechanisms.js";
import { readAnnouncement, readHandout } from "../survey.js";

const lines = readFileSync(0, "utf8").trimEnd().split("\n");
const taken = lines.map((line) => {
  const { mechanism, announcement, handout, most_epsilon: most } = JSON.parse(line);
  try {
    if (mechanism) readMechanism(mechanism);
    else if (announcement) readAnnouncement(announcement);
    else readHandout(handout, most);
    return "taken";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return "refused";
  }
});
process.stdout.write(taken.join("\n"));
