// What a tab notes for comfort: the order on the way. Nothing hangs on it: where a browser keeps none
// of it, or is full, the page goes on without.

/** @param {string} key @param {string} text */
export function note(key, text) {
  try {
    sessionStorage.setItem(key, text);
  } catch {
    // nothing is noted
  }
}

/** @param {string} key @returns {string | null} null where nothing is noted */
export function noted(key) {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

/** @param {string} key */
export function erase(key) {
  try {
    sessionStorage.removeItem(key);
  } catch {
    // where notes are denied nothing was noted
  }
}
