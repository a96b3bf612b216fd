// What a page notes for comfort: the order on the way, that somebody pressed "send". Nothing hangs on
// it: where a browser keeps none of it, or is full, the page goes on, and asks again.

/** @typedef {"session" | "local"} Where  for this tab, or for all of them */

/** @param {Where} where */
const storageOf = (where) => (where === "session" ? sessionStorage : localStorage);

/** @param {Where} where @param {string} key @param {string} text */
export function note(where, key, text) {
  try {
    storageOf(where).setItem(key, text);
  } catch {
    return; // nothing is noted
  }
}

/** @param {Where} where @param {string} key @returns {string | null} null where nothing is noted */
export function noted(where, key) {
  try {
    return storageOf(where).getItem(key);
  } catch {
    return null;
  }
}
