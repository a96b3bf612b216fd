/** One source of random words, for people and for golden vectors. */

import { demand } from "./errors.js";

const MOST_AT_ONCE = 65536; // bytes of one crypto.getRandomValues
const WORDS = 1n << 64n;

/** Uniform 64-bit words, read as little-endian bytes from one source. Only `secure` protects. */
export class Randomness {
  #read;

  /** @param {(size: number) => Uint8Array} read @param {boolean} isPrivate */
  constructor(read, isPrivate) {
    this.#read = read;
    this.isPrivate = isPrivate;
  }

  /** Read the browser's CSPRNG; refuse where there is none. */
  static secure() {
    const source = globalThis.crypto;
    const is = typeof source?.getRandomValues === "function";
    demand(is, "no-randomness", "this browser has no crypto.getRandomValues");
    return new Randomness((size) => {
      const drawn = new Uint8Array(size);
      for (let at = 0; at < size; at += MOST_AT_ONCE) {
        source.getRandomValues(drawn.subarray(at, at + MOST_AT_ONCE));
      }
      return drawn;
    }, true);
  }

  /**
   * Replay `tape` for tests; refuse where it ends. Protects nobody.
   *
   * @param {Uint8Array} tape
   */
  static replayed(tape) {
    let at = 0;
    return new Randomness((size) => tape.subarray(at, (at += size)), false);
  }

  /** @param {number} size */
  bytes(size) {
    const drawn = this.#read(size);
    demand(drawn.length === size, "no-randomness", `expected ${size} random bytes`);
    return drawn;
  }

  /** @param {number} size @returns {bigint[]} */
  words(size) {
    const drawn = this.bytes(8 * size);
    const view = new DataView(drawn.buffer, drawn.byteOffset, drawn.byteLength);
    return Array.from({ length: size }, (_, nth) => view.getBigUint64(8 * nth, true));
  }

  /** Draw one word. */
  word() {
    return this.words(1)[0];
  }

  /**
   * Draw `size` uniform integers of 0..bound-1, by rejection: without modulo bias.
   *
   * @param {bigint} bound @param {number} size
   */
  below(bound, size) {
    demand(bound >= 1n && bound <= WORDS, "malformed", "expected a bound of 1 to 2^64");
    const limit = WORDS - (WORDS % bound);
    const drawn = this.words(size);
    for (;;) {
      const rejected = drawn.flatMap((word, nth) => (word >= limit ? [nth] : []));
      if (!rejected.length) return drawn.map((word) => word % bound);
      const again = this.words(rejected.length);
      rejected.forEach((nth, at) => (drawn[nth] = again[at]));
    }
  }
}
