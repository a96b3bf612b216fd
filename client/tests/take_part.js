// People who take part in real surveys: see tests/collector/client.
// A line of standard input is {origin, survey, orders}: a ranking of each person, who are the same
// in each line. The answer is a line {uploads, nats, receipts}, or {kind} where one was refused.

import { createInterface } from "node:readline";

import { Device } from "../device.js";
import { memoryStorage } from "../storage.js";

const storages = [];

async function takePart(origin, survey, order, person) {
  storages[person] ??= memoryStorage();
  let upload = null;
  const device = new Device({
    collector: origin,
    storage: storages[person],
    fetch: (url, init) => {
      if (url.endsWith("/reports")) upload = init.body;
      return fetch(url, init);
    },
  });
  const { handout } = await device.join(survey);
  if (!handout) return { upload, nats: 0, receipt: null };
  const { nats } = await device.answer(survey, order);
  const receipt = await device.send(survey);
  return { upload, nats, receipt };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { origin, survey, orders } = JSON.parse(line);
  const each = orders.map((order, person) => takePart(origin, survey, order, person));
  const told = await Promise.all(each).catch(({ kind, message }) => ({ kind: kind ?? message }));
  process.stdout.write(`${JSON.stringify(told)}\n`);
}
