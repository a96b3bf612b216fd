import assert from "node:assert/strict";
import test from "node:test";

import { erase, note, noted } from "../participant/notes.js";

/** The storage of a tab, as a browser gives it. */
function give(context, how) {
  Object.defineProperty(globalThis, "sessionStorage", { ...how, configurable: true });
  context.after(() => delete globalThis.sessionStorage);
}

test("a note is kept until it is erased", (context) => {
  const kept = new Map();
  const value = {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, text) => kept.set(key, text),
    removeItem: (key) => kept.delete(key),
  };
  give(context, { value });
  note("a", "1");
  note("b", "2");
  erase("b");
  assert.deepEqual([noted("a"), noted("b")], ["1", null]);
});

test("a browser that keeps no notes, or has none, keeps nobody from going on", (context) => {
  const full = {
    getItem: () => null,
    removeItem: () => assert.fail("broken"),
    setItem() {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  for (const get of [() => full, () => assert.fail("denied")]) {
    give(context, { get });
    note("a", "1");
    assert.equal(noted("a"), null);
    erase("a");
  }
});
