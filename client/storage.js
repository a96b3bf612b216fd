/** What a device keeps: values under keys, changed all or none. */

/** @import { Kept, Storage } from "./types.js" */

import { Refusal } from "./errors.js";

const STORE = "kept";
const PATIENCE = 10_000; // ms until a browser that does not say whether it keeps anything keeps nothing

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
    const database = await opened(request);
    database.onversionchange = () => database.close();
    return { transact: (keys, step) => transact(database, keys, step) };
  } catch {
    throw new Refusal("no-storage", "this browser keeps nothing");
  }
}

/** @param {IDBOpenDBRequest} request @returns {Promise<IDBDatabase>} */
function opened(request) {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      request.onsuccess = () => request.result.close(); // nobody waits for it any more
      reject();
    }, PATIENCE);
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
      const late = setTimeout(() => isUndone(transaction) && reject(failure), PATIENCE);
      const store = transaction.objectStore(STORE);
      /** @type {Kept} */
      const kept = {};
      /** @type {T} */
      let result;
      let nLeft = keys.length;
      const change = () => {
        let isOwn = true; // what goes wrong, until the browser is asked to keep it
        try {
          const [changed, told] = step(kept);
          isOwn = false;
          for (const [key, value] of Object.entries(changed)) {
            if (value === undefined) store.delete(key);
            else store.put(value, key);
          }
          result = told;
        } catch (error) {
          if (isOwn || /** @type {Error} */ (error).name === "DataCloneError") failure = error;
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
      transaction.oncomplete = () => (clearTimeout(late), resolve(result));
      transaction.onabort = () => (clearTimeout(late), reject(failure));
    } catch {
      reject(failure);
    }
  });
}

/** Whether nothing of it will be kept: what is being kept already cannot be undone. @param {IDBTransaction} transaction */
function isUndone(transaction) {
  try {
    transaction.abort();
    return true;
  } catch {
    return false;
  }
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
