/** What a device keeps: values under keys, changed all or none. */

/** @import { Kept, Storage } from "./types.js" */

import { Refusal } from "./errors.js";

const STORE = "kept";
const PATIENCE = 10_000; // ms until a browser that does not say whether it keeps anything keeps nothing
const FULL = ["QuotaExceededError", "UnknownError"]; // told at once by some, by others at the end

/**
 * The browser's database, of this origin; refuse where it keeps nothing, as then a person would
 * be asked anew by every visit.
 *
 * @param {string} [name]
 * @returns {Promise<Storage>}
 */
export async function openStorage(name = "hushrank") {
  try {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    const database = await settled(request, PATIENCE);
    database.onversionchange = () => database.close();
    return { transact: (keys, step) => transact(database, keys, step) };
  } catch {
    throw new Refusal("no-storage", "this browser keeps nothing");
  }
}

/**
 * @template T
 * @param {IDBRequest<T>} request @param {number} patience  in ms
 * @returns {Promise<T>}
 */
function settled(request, patience) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(reject, patience);
    const end = (/** @type {() => void} */ told) => () => (clearTimeout(late), told());
    request.onsuccess = end(() => resolve(request.result));
    request.onerror = end(() => reject(request.error));
  });
}

/**
 * @template T
 * @param {IDBDatabase} database @param {string[]} keys @param {(kept: Kept) => [Kept, T]} step
 * @returns {Promise<T>}
 */
function transact(database, keys, step) {
  return new Promise((resolve, reject) => {
    /** @type {unknown} */
    let failure = new Refusal("no-storage", "this browser did not keep what it should");
    try {
      const transaction = database.transaction(STORE, "readwrite", { durability: "strict" });
      const store = transaction.objectStore(STORE);
      /** @type {Kept} */
      const kept = {};
      /** @type {T} */
      let result;
      let nLeft = keys.length;
      const change = () => {
        try {
          const [changed, told] = step(kept);
          for (const [key, value] of Object.entries(changed)) {
            if (value === undefined) store.delete(key);
            else store.put(value, key);
          }
          result = told;
        } catch (error) {
          if (!FULL.includes(/** @type {{name?: string}} */ (error)?.name ?? "")) failure = error;
          transaction.abort();
        }
      };
      for (const key of keys) {
        const request = store.get(key);
        request.onsuccess = () => {
          kept[key] = request.result;
          nLeft -= 1;
          if (nLeft === 0) change(); // without a pause, in which the transaction would end
        };
      }
      transaction.oncomplete = () => resolve(result);
      transaction.onabort = () => reject(failure);
    } catch {
      reject(failure);
    }
  });
}

/**
 * For tests and for apps that store elsewhere: forgets all when the page is left.
 *
 * @returns {Storage}
 */
export function memoryStorage() {
  const all = new Map();
  return {
    async transact(keys, step) {
      const kept = Object.fromEntries(keys.map((key) => [key, structuredClone(all.get(key))]));
      const [changed, result] = step(kept);
      const copies = structuredClone(changed);
      for (const [key, value] of Object.entries(copies)) {
        if (value === undefined) all.delete(key);
        else all.set(key, value);
      }
      return result;
    },
  };
}
