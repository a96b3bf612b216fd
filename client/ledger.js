/** What a person has spent, in nats: added up exactly, shown rounded up. */

/** @import { Account, Entry, Statement } from "./types.js" */

import { demand } from "./errors.js";
import { floatAbove, unitsOf, unitsWithin } from "./exact.js";
import { positive } from "./forms.js";

export const DEFAULT_LIMIT = 8;
const YEAR = 365 * 24 * 3600 * 1000;

/** @param {Account | undefined} kept @returns {Account} */
export function accountOf(kept) {
  return kept ?? { limit: DEFAULT_LIMIT, entries: [] };
}

/**
 * Whether the collector may still cost the person that much, within the limit that they wrote.
 *
 * @param {Account} account @param {string} collector @param {number} nats @param {number} now
 */
export function isWithinLimit(account, collector, nats, now) {
  const spent = sum(ofYear(account, collector, now));
  return spent + unitsOf(nats) <= unitsWithin(account.limit);
}

/**
 * Whether the person has answered a round of the survey.
 *
 * @param {Account} account @param {string} collector @param {string} survey
 */
export function hasBegun({ entries }, collector, survey) {
  return entries.some((entry) => entry.collector === collector && entry.survey === survey);
}

/** @param {Account} account @param {Entry} entry @returns {Account} */
export function entered(account, entry) {
  return { ...account, entries: [...account.entries, entry] };
}

/** @param {Account} account @param {number} limit @returns {Account} */
export function limited(account, limit) {
  demand(limit === 0 || positive(limit), "malformed", "expected a limit of at least 0");
  return { ...account, limit };
}

/** @param {Account} account @param {string} collector @param {number} now @returns {Statement} */
export function statement(account, collector, now) {
  const here = account.entries.filter((entry) => entry.collector === collector);
  return {
    limit: account.limit,
    spent: floatAbove(sum(ofYear(account, collector, now))),
    total: floatAbove(sum(here)),
    everywhere: floatAbove(sum(account.entries)),
    entries: account.entries,
  };
}

/**
 * This year's entries: what follows one of them is of this year, too. A clock that was behind for a
 * while would else hide what was spent meanwhile.
 *
 * @param {Account} account @param {string} collector @param {number} now
 */
function ofYear({ entries }, collector, now) {
  const first = entries.findIndex(({ at }) => at > now - YEAR);
  const since = first < 0 ? [] : entries.slice(first);
  return since.filter((entry) => entry.collector === collector);
}

/** @param {Entry[]} entries @returns {bigint} */
function sum(entries) {
  return entries.reduce((units, { nats }) => units + unitsOf(nats), 0n);
}
