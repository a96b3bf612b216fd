import assert from "node:assert/strict";
import test from "node:test";

import "fake-indexeddb/auto";

import { memoryStorage, openStorage } from "../storage.js";

const NO_STORAGE = { name: "Refusal", kind: "no-storage" };
let nOpened = 0;
const kinds = { browser: () => openStorage(`own ${(nOpened += 1)}`), memory: async () => memoryStorage() };

const read = (storage, ...keys) => storage.transact(keys, (kept) => [{}, keys.map((key) => kept[key])]);
const write = (storage, changes) => storage.transact(Object.keys(changes), () => [changes, "told"]);

for (const [kind, open] of Object.entries(kinds)) {
  test(`the ${kind} keeps values under keys, and tells what a step says`, async () => {
    const storage = await open();
    assert.equal(await write(storage, { a: { one: [1] }, b: 0 }), "told");
    assert.deepEqual(await read(storage, "a", "b", "c"), [{ one: [1] }, 0, undefined]);
    await write(storage, { a: undefined, b: null });
    assert.deepEqual(await read(storage, "b", "a"), [null, undefined]);
    assert.deepEqual(await storage.transact(["a", "b"], (kept) => [{}, Object.keys(kept)]), ["a", "b"]);
  });

  test(`a step that fails changes nothing in the ${kind}, and says why`, async () => {
    const storage = await open();
    await write(storage, { a: 1, b: 1 });
    const wrong = new Error("wrong");
    const failing = storage.transact(["a"], () => {
      throw wrong;
    });
    await assert.rejects(failing, wrong);
    await assert.rejects(write(storage, { a: 2, b: () => {} }), { name: "DataCloneError" });
    assert.deepEqual(await read(storage, "a", "b"), [1, 1]);
  });

  test(`what is kept in the ${kind} changes only by a step`, async () => {
    const storage = await open();
    const own = { list: [1] };
    await write(storage, { a: own });
    own.list.push(2);
    const [told] = await read(storage, "a");
    told.list.push(3);
    assert.deepEqual(await read(storage, "a"), [{ list: [1] }]);
  });
}

test("nothing is told before the browser has kept it", async (context) => {
  const storage = await openStorage("told");
  const { transaction } = IDBDatabase.prototype;
  context.after(() => (IDBDatabase.prototype.transaction = transaction));
  let isKept = false;
  IDBDatabase.prototype.transaction = function (...how) {
    const made = transaction.apply(this, how);
    made.addEventListener("complete", () => (isKept = true));
    return made;
  };
  await write(storage, { a: 1 });
  assert.ok(isKept);
});

test("databases of other names are apart, and this one's is that of the page", async () => {
  await write(await openStorage(), { a: "page" });
  assert.deepEqual(await read(await openStorage("else"), "a"), [undefined]);
  assert.deepEqual(await read(await openStorage("hushrank"), "a"), ["page"]);
});

test("two tabs do not write over each other", async () => {
  const tabs = [await openStorage("tabs"), await openStorage("tabs")];
  const add = (storage) => storage.transact(["n"], ({ n = 0 }) => [{ n: n + 1 }, undefined]);
  await Promise.all([0, 1, 0, 1, 0].map((tab) => add(tabs[tab])));
  assert.deepEqual(await read(tabs[1], "n"), [5]);
});

test("a browser that keeps nothing is refused", async (context) => {
  const open = context.mock.method(IDBFactory.prototype, "open", () => {
    throw new DOMException("no", "SecurityError");
  });
  await assert.rejects(openStorage(), NO_STORAGE);
  open.mock.restore();
  const newer = indexedDB.open("newer", 2);
  await new Promise((resolve) => (newer.onsuccess = resolve));
  await assert.rejects(openStorage("newer"), NO_STORAGE);
});

test("a browser that never says whether it keeps anything is refused", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const open = context.mock.method(IDBFactory.prototype, "open", () => ({}));
  const opened = openStorage();
  context.mock.timers.tick(10_000);
  await assert.rejects(opened, NO_STORAGE);
  open.mock.restore();
});

test("a database that opens when nobody waits any more is closed", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const request = { result: { close: context.mock.fn() } };
  context.mock.method(IDBFactory.prototype, "open", () => request);
  const opened = openStorage();
  context.mock.timers.tick(10_000);
  await assert.rejects(opened, NO_STORAGE);
  request.onsuccess();
  assert.equal(request.result.close.mock.callCount(), 1);
});

test("what a browser that never answers would keep later is undone and told as not kept", async (context) => {
  const storage = await openStorage("never");
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const get = context.mock.method(IDBObjectStore.prototype, "get", () => ({}));
  const unread = read(storage, "a");
  context.mock.timers.tick(10_000);
  await assert.rejects(unread, NO_STORAGE);
  get.mock.restore();
  context.mock.timers.reset();
  assert.deepEqual(await read(storage, "a"), [undefined]);
});

test("what is being kept already when nobody waits any more is told in the end", async (context) => {
  const storage = await openStorage("slow");
  context.mock.timers.enable({ apis: ["setTimeout"] });
  context.mock.method(IDBTransaction.prototype, "abort", () => {
    throw new DOMException("committing", "InvalidStateError");
  });
  const kept = write(storage, { a: 1 });
  context.mock.timers.tick(10_000);
  assert.equal(await kept, "told");
});

test("what a full browser refuses at once is not told as kept", async (context) => {
  const storage = await openStorage("full at once");
  for (const name of ["QuotaExceededError", "UnknownError", "InvalidStateError"]) {
    for (const [how, value] of [["put", 1], ["delete", undefined]]) {
      context.mock.method(IDBObjectStore.prototype, how, () => {
        throw new DOMException("full", name);
      });
      await assert.rejects(write(storage, { a: value }), NO_STORAGE);
      context.mock.restoreAll();
    }
  }
  assert.deepEqual(await read(storage, "a"), [undefined]);
});

test("what the browser does not keep in the end is not told as kept", async (context) => {
  const storage = await openStorage("full");
  context.mock.method(IDBObjectStore.prototype, "put", function () {
    this.transaction.abort(); // as where the disk is full
  });
  await assert.rejects(write(storage, { a: 1 }), NO_STORAGE);
});

test("all that is kept can be deleted while a tab is open, which then keeps nothing more", async (context) => {
  const begin = context.mock.method(IDBDatabase.prototype, "transaction");
  const storage = await openStorage("deleted");
  await write(storage, { a: 1 });
  const asked = indexedDB.deleteDatabase("deleted");
  await new Promise((resolve, reject) => {
    asked.onsuccess = resolve;
    asked.onblocked = () => {
      begin.mock.calls[0].this.close(); // else it would wait for ever
      reject(new Error("blocked"));
    };
  });
  await assert.rejects(read(storage, "a"), NO_STORAGE);
  assert.deepEqual(await read(await openStorage("deleted"), "a"), [undefined]);
});
