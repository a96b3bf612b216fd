import assert from "node:assert/strict";
import test from "node:test";

import { Randomness } from "../randomness.js";

test("more than 65,536 bytes are drawn in several calls", () => {
  const drawn = Randomness.secure().bytes(200_001);
  assert.equal(drawn.length, 200_001);
  for (const start of [0, 65_536, 131_072, 199_900]) {
    assert.ok(drawn.subarray(start, start + 100).some(Boolean)); // all zero: once in 2^800
  }
});

test("every byte is that of the secure source", (context) => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  context.after(() => Object.defineProperty(globalThis, "crypto", own));
  let drawn = 0;
  const getRandomValues = (/** @type {Uint8Array} */ bytes) => bytes.forEach((_, at) => (bytes[at] = drawn++ % 251));
  Object.defineProperty(globalThis, "crypto", { value: { getRandomValues }, configurable: true });
  const bytes = Randomness.secure().bytes(70_000);
  assert.ok(bytes.every((byte, at) => byte === at % 251));
});

test("what was drawn stays as it was when more is drawn", () => {
  const randomness = Randomness.secure();
  const [drawn, more] = [randomness.bytes(32), randomness.bytes(32)];
  assert.notDeepEqual(drawn, more);
  assert.notEqual(drawn.buffer, more.buffer);
});

test("as many bytes as a report can take are all of the secure source", (context) => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  context.after(() => Object.defineProperty(globalThis, "crypto", own));
  let filled = 0;
  const getRandomValues = (/** @type {Uint8Array} */ bytes) => {
    assert.ok(bytes.length <= 65_536 && bytes.byteOffset === filled); // browsers fill no more at once
    filled += bytes.fill(1).length;
  };
  Object.defineProperty(globalThis, "crypto", { value: { getRandomValues }, configurable: true });
  const most = 8 * 2 ** 22; // of so many noisy bits, each of a word
  for (const size of [most, most - 1, 4 * 65_536 + 1]) {
    filled = 0;
    const bytes = Randomness.secure().bytes(size);
    assert.deepEqual([filled, bytes.length, bytes.includes(0)], [size, size, false]);
  }
});

test("where there is no secure source, none is made up", (context) => {
  const own = Object.getOwnPropertyDescriptor(globalThis, "crypto");
  context.after(() => Object.defineProperty(globalThis, "crypto", own));
  for (const value of [undefined, {}]) {
    Object.defineProperty(globalThis, "crypto", { value, configurable: true });
    assert.throws(() => Randomness.secure(), { kind: "no-randomness" });
  }
});

test("each of several words that are drawn again is another one", () => {
  const words = [2n ** 64n - 1n, 2n ** 64n - 1n, 5n, 7n];
  const tape = new Uint8Array(new BigUint64Array(words).buffer);
  assert.deepEqual(Randomness.replayed(tape).below(3n, 2), [2n, 1n]);
});

test("only the secure source is private", () => {
  assert.ok(Randomness.secure().isPrivate);
  assert.ok(!Randomness.replayed(new Uint8Array(8)).isPrivate);
});

test("numbers below a bound skip the words that would favour some", () => {
  const words = [2n ** 64n - 1n, 5n, 2n ** 64n - 1n, 7n];
  const tape = new Uint8Array(new BigUint64Array(words).buffer);
  assert.deepEqual(Randomness.replayed(tape).below(3n, 2), [1n, 2n]);
  assert.deepEqual(Randomness.replayed(tape).below(2n ** 64n, 2), words.slice(0, 2));
  assert.deepEqual(Randomness.replayed(tape).below(1n, 2), [0n, 0n]);
  for (const bound of [0n, 2n ** 64n + 1n]) {
    assert.throws(() => Randomness.replayed(tape).below(bound, 1), { kind: "malformed" });
  }
});
