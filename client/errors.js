/** What goes wrong on a device. `kind` picks the words to show; no message holds an answer. */

/** This device refuses: nothing was drawn, and nothing was sent. */
export class Refusal extends Error {
  name = "Refusal";

  /** @param {string} kind @param {string} message */
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

/** The collector refuses, with an RFC 9457 problem. */
export class Problem extends Error {
  name = "Problem";

  /** @param {string} kind @param {number} status */
  constructor(kind, status) {
    super(`the collector refuses: ${kind}`);
    this.kind = kind;
    this.status = status;
  }
}

/** The collector cannot be reached now. What was drawn is kept, and can be sent later. */
export class Offline extends Error {
  name = "Offline";
  kind = "offline";

  constructor() {
    super("the collector cannot be reached");
  }
}

/**
 * Refuse unless the condition holds.
 *
 * @param {unknown} condition @param {string} kind @param {string} message
 * @returns {asserts condition}
 */
export function demand(condition, kind, message) {
  if (!condition) throw new Refusal(kind, message);
}
