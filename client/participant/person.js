// The person's device as the page sees it: what the device kept, and the order that was given.
// The order is stored beside it and nowhere else; the device itself knows only the answers.

import { Device } from "../device.js";
import { demand } from "../errors.js";
import { openStorage } from "../storage.js";
import { reportSays } from "../words.js";

/** @typedef {import("../order.js").Ranking} Ranking */
/** @typedef {import("./page.js").Kept} Kept */
/** @typedef {import("./page.js").Look} Look */
/** @typedef {import("../types.js").Asked} Asked */

/** Opens what this browser keeps. @param {{origin: string}} where */
export async function openDevice({ origin }) {
  const storage = await openStorage();
  return new Person(origin, storage, new Device({ collector: origin, storage }));
}

class Person {
  #origin;
  #storage;
  #device;

  /** @param {string} origin @param {import("../types.js").Storage} storage @param {Device} device */
  constructor(origin, storage, device) {
    this.#origin = origin;
    this.#storage = storage;
    this.#device = device;
  }

  /** @param {string} id @returns {Promise<Look>} */
  async look(id) {
    const [{ announcement, fingerprint }, state] = await Promise.all([
      this.#device.open(id),
      this.#device.state(id),
    ]);
    const given = await this.#find(`order of ${announcement.series}`);
    // a survey that is asked again may ask about other items
    const isSame = given?.names?.join("\n") === announcement.items.map(({ name }) => name).join("\n");
    return { announcement, fingerprint, state, kept: await this.kept(id), earlier: isSame ? given : null };
  }

  /** @param {string} id @returns {Promise<Kept | null>} */
  async kept(id) {
    const kept = await this.#device.kept(id);
    if (!kept) return null;
    const { round, handout, answered, upload, isUnderWay, receipt, isPayable } = kept;
    const stage = receipt ? "sent" : answered ? "locked" : handout ? "joined" : "not-asked";
    return {
      round,
      stage,
      receipt,
      isPayable,
      ranking: await this.#find(`order ${id}`),
      wire: upload,
      isUnderWay,
      names: handout?.items ?? [],
      asked: handout?.asked.map(anyAnswer) ?? [],
      said: (answered && handout?.asked.map((asked, nth) => said(asked, answered.reports[nth]))) ?? [],
      lieChance: handout && lieChance(handout.asked),
      isOutdated: answered?.isOutdated ?? false, // of before there was such a word, too
    };
  }

  /** Takes part in the round that is open. @param {string} id @param {{invitation: string | null}} how */
  async join(id, { invitation }) {
    const known = invitation ?? (await this.#find(`invitation ${id}`));
    await this.#device.join(id, { invitation: known });
    await this.#keep(`invitation ${id}`, known); // for the next round
    return this.#known(id);
  }

  /**
   * Answers by an order, once: a later order changes nothing.
   * @param {string} id @param {string} series @param {Ranking} ranking
   */
  async lock(id, series, ranking) {
    const first = await this.#keepFirst(`order ${id}`, ranking);
    try {
      await this.#device.answer(id, first.order);
      const { names } = await this.#known(id);
      // for the next survey: what was answered is kept without it
      await this.#keep(`order of ${series}`, { ...first, names }).catch(() => undefined);
    } finally {
      const isForgotten = !(await this.#device.kept(id)); // in another tab, meanwhile
      if (isForgotten) await this.#forgetGiven(id, series);
    }
    return this.#known(id);
  }

  /**
   * Sends the answer to the round that was shown.
   * @param {string} id @param {number} round @returns {Promise<Kept>}
   */
  async send(id, round) {
    const known = await this.#known(id); // before: later this browser may keep nothing any more
    const receipt = await this.#device.send(id, round);
    return { ...known, stage: "sent", receipt };
  }

  /** Forgets a survey that takes no more reports. @param {string} id */
  async forget(id) {
    const kept = await this.#device.kept(id);
    if (!kept) return; // another tab forgot it
    const { series } = kept;
    await this.#forgetGiven(id, series);
    await this.#device.forget(id); // as long as it knows the survey, the page offers this again
    await this.#forgetGiven(id, series); // what another tab kept meanwhile
  }

  /** Forgets what the person gave. @param {string} id @param {string} series */
  async #forgetGiven(id, series) {
    for (const what of [`order ${id}`, `order of ${series}`, `invitation ${id}`]) {
      await this.#keep(what, undefined);
    }
  }

  async spent() {
    const { spent, total, limit } = await this.#device.account();
    return { here: spent, all: total, limit };
  }

  /**
   * Whether the browser promises not to delete by itself what is kept here.
   * @param {boolean} asks  whether to ask it for that, which may ask the person
   */
  async lasts(asks) {
    const { storage } = navigator; // none without a protected connection
    const promise = asks ? storage?.persist?.() : storage?.persisted?.();
    return (await Promise.resolve(promise).catch(() => false)) ?? false;
  }

  /** @param {number} nats */
  async limitTo(nats) {
    await this.#device.setLimit(nats);
  }

  /** @param {string} id @returns {Promise<Kept>} */
  async #known(id) {
    const kept = await this.kept(id);
    demand(kept, "not-joined", "forgotten");
    return kept;
  }

  /** @param {string} what @returns {Promise<any>} null where nothing is kept */
  #find(what) {
    const key = this.#key(what);
    return this.#storage.transact([key], (kept) => [{}, kept[key] ?? null]);
  }

  /** Keeps the first order that was given, and returns it. @param {string} what @param {Ranking} ranking */
  #keepFirst(what, ranking) {
    const key = this.#key(what);
    return this.#storage.transact([key], (kept) => {
      const first = /** @type {Ranking} */ (kept[key] ?? ranking);
      return [{ [key]: first }, first];
    });
  }

  /** @param {string} what @param {unknown} value */
  #keep(what, value) {
    const key = this.#key(what);
    return this.#storage.transact([key], () => [{ [key]: value }, undefined]);
  }

  /** @param {string} what */
  #key(what) {
    return `person ${this.#origin} ${what}`;
  }
}

/** An answer to the question, which says what it is about. @param {Asked} asked */
function anyAnswer({ question, mechanism: { form, nCategories } }) {
  return question.asks ?? question.says(form === "ranks" ? Array.from({ length: nCategories }, (_, rank) => rank) : 0);
}

/** @param {Asked} asked @param {import("../types.js").Report} report */
function said({ question, mechanism }, report) {
  return reportSays(question, mechanism, report);
}

/**
 * How likely a report does not tell the truth, where that is one number for all of them.
 * @param {Asked[]} asked
 */
function lieChance(asked) {
  const chances = new Set(asked.map(({ mechanism }) => mechanism.lieRate));
  return chances.size === 1 ? [...chances][0] : null;
}
