import assert from "node:assert/strict";
import test from "node:test";

import { note, noted } from "../participant/notes.js";

const KINDS = ["session", "local"];

test("a note is kept where it is asked for, and read there alone", (context) => {
  const kept = { session: new Map(), local: new Map() };
  for (const where of KINDS) {
    const storage = {
      getItem: (key) => kept[where].get(key) ?? null,
      setItem: (key, text) => kept[where].set(key, text),
    };
    Object.defineProperty(globalThis, `${where}Storage`, { value: storage, configurable: true });
    context.after(() => delete globalThis[`${where}Storage`]);
  }
  note("session", "a", "1");
  note("local", "b", "2");
  assert.deepEqual(KINDS.map((where) => noted(where, "a")), ["1", null]);
  assert.deepEqual(KINDS.map((where) => noted(where, "b")), [null, "2"]);
});

test("a browser that keeps no notes, or has none, keeps nobody from going on", (context) => {
  const full = {
    getItem: () => null,
    setItem() {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  const ways = [
    { get: () => full },
    { get: () => assert.fail("denied") },
  ];
  for (const how of ways) {
    for (const where of KINDS) {
      Object.defineProperty(globalThis, `${where}Storage`, { ...how, configurable: true });
      note(where, "a", "1");
      assert.equal(noted(where, "a"), null);
    }
  }
  context.after(() => KINDS.forEach((where) => delete globalThis[`${where}Storage`]));
});
