import { readFileSync } from "node:fs";

/** @param {string} name the golden vectors that Python replays, too */
export function vectors(name) {
  const file = new URL(`../../vectors/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, "utf8"));
}

/** @param {string} hex */
export const bytes = (hex) => Uint8Array.from(Buffer.from(hex, "hex"));
