/**
 * One person's device: it joins, answers once, keeps the answer, and sends the same bytes again.
 *
 * The collector sees the lot, the requests and the reports. How many requests there are, and when,
 * does not depend on the ranking: `answer` makes none, and whether it refuses depends on what was
 * asked and spent before only.
 */

/**
 * @import { Announcement, Answered, Handout, Kept, KeptRound, KeptSeries, KeptStanding, KeptSurvey,
 *   Memos, Ranks, Standing, Statement, Storage } from "./types.js"
 */

import { Offline, Problem, demand } from "./errors.js";
import { floatAbove, unitsOf } from "./exact.js";
import { parsed, text, whole } from "./forms.js";
import { accountOf, entered, hasBegun, isWithinLimit, limited, statement } from "./ledger.js";
import { Randomness } from "./randomness.js";
import { encodeReport, fingerprintOf, ranksOf, readAnnouncement, readHandout } from "./survey.js";

const ACCOUNT = "account";
const MOST_CHARACTERS = 2 ** 20; // of a response
const MOST_TIME = 30_000; // ms until it is there
const LOTS = 2 ** 32;
const MOST_ROUNDS = 255;
const PART_IS_GONE = "a part of what was kept is gone";

export class Device {
  #collector;
  #storage;
  #fetch;
  #randomness;
  #now;
  /** @type {Map<string, string>} the fingerprints of what the person saw */
  #shown = new Map();

  /**
   * @param {object} options
   * @param {string} options.collector its origin, as browsers write it: https://example.org
   * @param {Storage} options.storage
   * @param {(url: string, init?: RequestInit) => Promise<Response>} [options.fetch]
   * @param {Randomness} [options.randomness]
   * @param {boolean} [options.isSimulation] whether randomness may protect nobody
   * @param {() => number} [options.now] milliseconds since 1970
   */
  constructor({
    collector,
    storage,
    fetch = (url, init) => globalThis.fetch(url, init),
    randomness = Randomness.secure(),
    isSimulation = false,
    now = Date.now,
  }) {
    demand(randomness.isPrivate || isSimulation, "no-randomness", "expected secure randomness");
    // by another spelling it would be another collector, with an account of its own
    const isOrigin = new URL(collector).origin === collector && !/\.(:|$)/.test(collector);
    demand(isOrigin, "malformed", "expected an origin");
    this.#collector = collector;
    this.#storage = storage;
    this.#fetch = fetch;
    this.#randomness = randomness;
    this.#now = now;
  }

  /**
   * Get what people are shown before anything; refuse one that was changed after joining.
   *
   * @param {string} survey
   * @returns {Promise<{ announcement: Announcement, fingerprint: string }>}
   */
  async open(survey) {
    const { announcement, fingerprint } = await this.#announced(survey);
    this.#shown.set(survey, fingerprint);
    return { announcement, fingerprint };
  }

  /**
   * Where the survey stands now.
   *
   * @param {string} survey
   * @returns {Promise<{ state: string, round: number | null, closes: string | null }>} closes: when
   *   that round ends, if ever; and whatever else it tells
   */
  async state(survey) {
    const told = fields(await this.#get(`${encodeURIComponent(survey)}/state`));
    const round = told.state === "open" ? whole(told.round, 0, MOST_ROUNDS) : null;
    const closes = typeof told.closes === "string" ? told.closes : null;
    return { ...told, state: text(told.state), round, closes };
  }

  /** What the person has spent, and their limit. */
  async account() {
    return this.#change([ACCOUNT], (kept) => [{}, this.#statement(kept)]);
  }

  /** @param {number} nats the most that a collector may cost the person in a year */
  async setLimit(nats) {
    return this.#change([ACCOUNT], (kept) => {
      const changed = { [ACCOUNT]: limited(accountOf(kept[ACCOUNT]), nats) };
      return [changed, this.#statement(changed)];
    });
  }

  /**
   * Get the person's questions of the round that is open: always the same ones.
   *
   * @param {string} survey @param {{ invitation?: string | null }} [options]
   * @returns {Promise<Standing>}
   */
  async join(survey, { invitation = null } = {}) {
    const { announcement, fingerprint, json } = await this.#announced(survey);
    const shown = this.#shown.get(survey) ?? fingerprint;
    demand(shown === fingerprint, "changed", "the announcement was changed");
    const { round: now } = await this.state(survey);
    demand(now !== null, "not-open", "the survey is not open");
    const [place, series] = this.#keys(survey, announcement.series, now);
    const rounds = this.#rounds(survey, now);
    const { person, lot, known, earlier } = await this.#change([place, series, ...rounds], (kept) => {
      const past = rounds.map((round) => kept[round]);
      /** @type {KeptSurvey} */
      const own = kept[place] ?? this.#newcomer(fingerprint, json);
      // another tab may have joined since
      demand(own.fingerprint === fingerprint, "changed", "the announcement was changed");
      demandForward(own, now);
      demandWhole(kept[place], kept[series], past);
      /** @type {KeptSeries} */
      const shared = kept[series] ?? { lot: this.#lot(), assignments: {}, memos: {} };
      const earlier = shared.assignments[now] ?? null;
      const told = { person: own.person, lot: shared.lot, known: past[now], earlier };
      return [{ [place]: own, [series]: shared }, told];
    });
    if (known) return standing(now, known, announcement);
    const sent = JSON.stringify({ person, invitation, lot, earlier });
    const given = await this.#post(`surveys/${encodeURIComponent(survey)}/assignments`, sent);
    return this.#joined(survey, announcement, fingerprint, given);
  }

  /**
   * Answer the round once: what is drawn is stored, and drawn never again.
   *
   * An answer that the person gave to the same question of the series before is repeated, and
   * costs nothing. So is their latest one where another would exceed their limit: to refuse there
   * would tell that the ranking changed.
   *
   * @param {string} survey @param {readonly number[]} order ranked items, best first
   * @returns {Promise<Answered>}
   */
  async answer(survey, order) {
    const { announcement, round } = await this.#latest(survey);
    const [, series, at] = this.#keys(survey, announcement.series, round);
    return this.#change([series, at, ACCOUNT], (kept) => {
      /** @type {KeptRound} */
      const current = kept[at];
      demand(current.assignment !== null && current.handout !== null, "not-asked", "not asked now");
      if (current.answered) return [{}, current.answered];
      const handout = readHandout(current.handout, announcement.epsilon);
      const ranks = ranksOf(order, handout);
      const pays = this.#pays(handout, kept, series, announcement);
      demand(pays !== "nothing", "over-limit", "beyond the limit");
      /** @type {KeptSeries} */
      const past = kept[series];
      const { answered, memos } = this.#drawn(handout, ranks, past.memos, pays === "anything");
      const reports = handout.asked.map(({ number }, nth) =>
        encodeReport(handout.fingerprint, number, answered.reports[nth]),
      );
      const assigned = JSON.stringify(current.assignment);
      const upload = `{"assignment":${assigned},"idempotency_key":"${current.key}","reports":[${reports}]}`;
      const assignments = { ...past.assignments, [round]: current.assignment };
      const entry = {
        collector: this.#collector,
        survey,
        title: announcement.title,
        round,
        nats: answered.nats,
        at: this.#now(),
      };
      const changed = {
        [series]: { ...past, assignments, memos },
        [at]: { ...current, answered, upload },
        [ACCOUNT]: entered(accountOf(kept[ACCOUNT]), entry),
      };
      return [changed, answered];
    });
  }

  /**
   * Send what was answered, the same bytes each time, until there is a receipt.
   *
   * @param {string} survey
   * @param {number | null} [shown] the round whose answer the person saw, if one was shown
   * @returns {Promise<string>} the receipt
   */
  async send(survey, shown = null) {
    const { current, announcement, round } = await this.#latest(survey);
    demand((shown ?? round) === round, "not-answered", "another round was joined");
    const { upload } = current;
    demand(upload, "not-answered", "there is no answer to send");
    if (current.receipt) return current.receipt;
    const [, , at] = this.#keys(survey, announcement.series, round);
    await this.#add(at, { isUnderWay: true }); // the page may be closed before there is an answer
    const given = await this.#post("reports", upload);
    const receipt = textIn(given, "receipt");
    if (!receipt) throw new Offline(); // nobody knows who answered, or whether they pass it on
    await this.#add(at, { receipt }); // where it is not kept it comes again
    return receipt;
  }

  /**
   * What is kept of the latest round that the person joined, without asking the collector.
   *
   * @param {string} survey
   * @returns {Promise<KeptStanding | null>}
   */
  async kept(survey) {
    const place = this.#place(survey);
    /** @type {KeptSurvey | undefined} */
    const own = await this.#change([place], (kept) => [{}, kept[place]]);
    if (!own || own.latest === null) return null;
    const { current, announcement, round } = await this.#latest(survey);
    const stands = standing(round, current, announcement);
    const [, series] = this.#keys(survey, announcement.series, round);
    return this.#change([series, ACCOUNT], (kept) => {
      const { handout } = stands;
      const isPayable = !handout || this.#pays(handout, kept, series, announcement) !== "nothing";
      const { upload, isUnderWay = false } = current; // of before it was kept, too
      return [{}, { ...stands, series: announcement.series, upload, isUnderWay, isPayable }];
    });
  }

  /**
   * Forget all of a survey and its series but what they cost. Only for surveys that take no more
   * reports: the device would answer anew.
   *
   * @param {string} survey
   */
  async forget(survey) {
    const { announcement, round } = await this.#latest(survey);
    const [place, series] = this.#keys(survey, announcement.series, round);
    const gone = [place, ...this.#rounds(survey, round)];
    const nothing = Object.fromEntries(gone.map((key) => [key, undefined]));
    await this.#change([series], (kept) => {
      const { lot } = kept[series]; // another survey of the series may be open
      return [{ ...nothing, [series]: { lot, assignments: {}, memos: {} } }, null];
    });
  }

  /**
   * What the person's limit lets them answer: anything, what they answered before, or nothing.
   *
   * Who begins a survey must be able to pay all of its rounds: one that stops in the middle would
   * have paid for no result.
   *
   * @param {Handout} handout @param {Kept} kept @param {string} series
   * @param {Announcement} announcement
   */
  #pays({ asked, epsilon }, kept, series, { id, epsilon: whole }) {
    const account = accountOf(kept[ACCOUNT]);
    const price = hasBegun(account, this.#collector, id) ? epsilon : whole;
    if (isWithinLimit(account, this.#collector, price, this.#now())) return "anything";
    return asked.every(({ key }) => key in kept[series].memos) ? "again" : "nothing";
  }

  /**
   * @param {Handout} handout @param {Ranks} ranks @param {Memos} past
   * @param {boolean} isFree whether the person can afford another report
   */
  #drawn({ asked }, ranks, past, isFree) {
    const memos = { ...past };
    let [units, isRepeated, isOutdated] = [0n, false, false];
    const reports = asked.map(({ question, mechanism, key }) => {
      const answer = question.answer(ranks);
      const memo = memos[key] ?? { last: "", reports: {} };
      const own = JSON.stringify(answer);
      const last = own in memo.reports || isFree ? own : memo.last;
      const known = memo.reports[last];
      isRepeated ||= known !== undefined;
      isOutdated ||= last !== own;
      units += known === undefined ? unitsOf(mechanism.epsilon) : 0n;
      const report = known ?? mechanism.randomise(answer, this.#randomness);
      memos[key] = { last, reports: { ...memo.reports, [last]: report } };
      return report;
    });
    return { answered: { reports, nats: floatAbove(units), isRepeated, isOutdated }, memos };
  }

  /** @param {string} fingerprint @param {string} json @returns {KeptSurvey} */
  #newcomer(fingerprint, json) {
    return { fingerprint, announcement: json, person: this.#name(), asked: {}, latest: null };
  }

  /** Draw what nobody can guess: 16 bytes in hexadecimal. */
  #name() {
    const bytes = this.#randomness.bytes(16);
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  #lot() {
    return Number(this.#randomness.below(BigInt(LOTS), 1)[0]);
  }

  /**
   * Check an assignment and keep it.
   *
   * @param {string} survey @param {Announcement} announcement @param {string} fingerprint
   * @param {string} json
   */
  async #joined(survey, announcement, fingerprint, json) {
    const given = fields(json);
    const isAsked = given.asked;
    demand(typeof isAsked === "boolean", "malformed", "expected asked");
    const round = whole(given.round, 0, MOST_ROUNDS);
    demand(given.announcement === fingerprint, "changed", "the announcement was changed");
    const kept = {
      assignment: isAsked ? text(given.assignment) : null,
      handout: isAsked ? JSON.stringify(given.handout ?? null) : null,
      key: this.#name(),
      answered: null,
      upload: null,
      isUnderWay: false,
      receipt: null,
    };
    const handout = kept.handout === null ? null : readHandout(kept.handout, announcement.epsilon);
    return this.#keep(survey, announcement, round, kept, handout);
  }

  /**
   * @param {string} survey @param {Announcement} announcement @param {number} round
   * @param {KeptRound} joined @param {Handout | null} handout
   * @returns {Promise<Standing>}
   */
  #keep(survey, announcement, round, joined, handout) {
    const [place, series, at] = this.#keys(survey, announcement.series, round);
    return this.#change([place, series, at], (kept) => {
      /** @type {KeptSurvey | undefined} */
      const own = kept[place];
      const known = kept[at];
      demand(own && kept[series], "not-joined", "another tab has forgotten the survey since");
      demandForward(own, round);
      const same = !known || (known.assignment === joined.assignment && known.handout === joined.handout);
      demand(same, "asked-twice", "the collector asks another question in the same round");
      const asked = handout ? { ...own.asked, [round]: handout.epsilon } : own.asked;
      if (handout) demandAnnounced(handout, announcement, round, kept[series].lot / LOTS);
      demandPrice(asked, announcement);
      const changed = { [place]: { ...own, asked, latest: round }, [at]: known ?? joined };
      return [changed, standing(round, known ?? joined, announcement)];
    });
  }

  /** @param {string} survey */
  async #announced(survey) {
    const json = await this.#get(encodeURIComponent(survey));
    const fingerprint = fingerprintOf(json);
    const place = this.#place(survey);
    await this.#change([place], (kept) => {
      const same = !kept[place] || kept[place].fingerprint === fingerprint;
      demand(same, "changed", "the announcement was changed");
      return [{}, null];
    });
    const announcement = readAnnouncement(json);
    demand(announcement.id === survey, "malformed", "expected the announcement of this survey");
    return { announcement, fingerprint, json };
  }

  /** @param {string} survey */
  async #latest(survey) {
    const place = this.#place(survey);
    /** @type {KeptSurvey | undefined} */
    const own = await this.#change([place], (kept) => [{}, kept[place]]);
    demand(own && own.latest !== null, "not-joined", "expected to be joined");
    const announcement = readAnnouncement(own.announcement);
    const round = own.latest;
    const [, series, at] = this.#keys(survey, announcement.series, round);
    /** @type {KeptRound} */
    const current = await this.#change([series, at, ACCOUNT], (kept) => {
      const isWhole = kept[at] && kept[series] && (kept[ACCOUNT] || !kept[at].answered);
      demand(isWhole, "no-storage", PART_IS_GONE);
      return [{}, kept[at]];
    });
    return { announcement, round, current };
  }

  /**
   * Keep more of a round, if the browser can; one that was forgotten meanwhile stays forgotten.
   *
   * @param {string} at @param {Partial<KeptRound>} more
   */
  async #add(at, more) {
    await this.#change([at], (kept) => [kept[at] ? { [at]: { ...kept[at], ...more } } : {}, null])
      .catch(() => null);
  }

  /** @param {Kept} kept @returns {Statement} */
  #statement(kept) {
    return statement(accountOf(kept[ACCOUNT]), this.#collector, this.#now());
  }

  /** @param {string} survey @param {string} series @param {number} round */
  #keys(survey, series, round) {
    return [this.#place(survey), `series ${this.#collector} ${series}`, this.#rounds(survey, round)[round]];
  }

  /** Of all rounds up to this one. @param {string} survey @param {number} round */
  #rounds(survey, round) {
    return Array.from({ length: round + 1 }, (_, nth) => `round ${nth} ${this.#place(survey)}`);
  }

  /** @param {string} survey */
  #place(survey) {
    return `survey ${this.#collector} ${survey}`;
  }

  /**
   * @template T
   * @param {string[]} keys @param {(kept: Kept) => [Kept, T]} step
   */
  #change(keys, step) {
    return this.#storage.transact(keys, step);
  }

  /** @param {string} path */
  #get(path) {
    return this.#request(`surveys/${path}`);
  }

  /** @param {string} path @param {string} body */
  #post(path, body) {
    return this.#request(path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  }

  /** @param {string} path @param {RequestInit} [init] */
  async #request(path, init) {
    let response, body;
    try {
      response = await this.#fetch(`${this.#collector}/v1/${path}`, {
        redirect: "error",
        credentials: "omit", // no cookies: who is signed in here is nobody's business
        ...init,
        signal: AbortSignal.timeout?.(MOST_TIME), // none in older browsers
      });
      body = await textOf(response);
    } catch {
      throw new Offline();
    }
    if (!response.ok) throw new Problem(textIn(body, "type").split("/").pop() || "unavailable", response.status);
    return body;
  }
}

/**
 * Refuse a round that is not what was announced: other items, another first survey, a lot that it
 * does not ask, rankings that it does not take.
 *
 * @param {Handout} handout @param {Announcement} announcement @param {number} round
 * @param {number} lot
 */
function demandAnnounced(handout, announcement, round, lot) {
  const names = announcement.items.map(({ name }) => name);
  const same = JSON.stringify(names) === JSON.stringify(handout.items);
  demand(same, "changed", "the survey asks about other items");
  const known = round > 0 || announcement.first_round.includes(handout.fingerprint);
  demand(known, "changed", "the first round asks another survey");
  const takes = announcement.unranked === "refused" || handout.takesIncomplete;
  demand(takes, "changed", "the survey needs complete rankings");
  const [low, high] = handout.lots;
  demand(low <= lot && lot < high, "malformed", "expected this lot");
}

/**
 * A round before the latest one would be shown, and the latest one answered.
 * @param {KeptSurvey} own @param {number} round
 */
function demandForward({ latest }, round) {
  demand(latest === null || latest <= round, "changed", "the collector went back");
}

/**
 * Of a survey whose record is gone nothing else is left, and of any other all is: else what was
 * answered would be hidden anew.
 *
 * @param {KeptSurvey | undefined} own @param {KeptSeries | undefined} shared
 * @param {(KeptRound | undefined)[]} rounds
 */
function demandWhole(own, shared, rounds) {
  const isWhole = own ? shared && (own.latest === null || rounds[own.latest]) : !rounds.some(Boolean);
  demand(isWhole, "no-storage", PART_IS_GONE);
}

/** @param {Record<number, number>} asked what each round costs @param {Announcement} announcement */
function demandPrice(asked, { epsilon }) {
  const price = Object.values(asked).reduce((sum, each) => sum + unitsOf(each), 0n);
  demand(price <= unitsOf(epsilon), "too-dear", "the rounds cost more than was shown");
}

/** @param {number} round @param {KeptRound} kept @param {Announcement} announcement @returns {Standing} */
function standing(round, { handout, answered, receipt }, announcement) {
  const read = handout === null ? null : readHandout(handout, announcement.epsilon);
  return { round, handout: read, answered, receipt };
}

/** @param {string} json @returns {Record<string, unknown>} those that a later version adds, too */
function fields(json) {
  return Object(parsed(json, MOST_CHARACTERS));
}

/**
 * What a response says, or more than the most characters of it: then nobody reads on, or takes it.
 *
 * @param {Response} response
 */
async function textOf(response) {
  if (!response.body) return response.text(); // empty, or of an app's own `fetch`
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  for (let told = ""; ; ) {
    const { done, value } = await reader.read();
    told += decoder.decode(value, { stream: !done });
    const isTooLong = told.length > MOST_CHARACTERS;
    if (isTooLong) await reader.cancel();
    if (done || isTooLong) return told;
  }
}

/** A text that a response tells, empty where it tells none. @param {string} json @param {string} name */
function textIn(json, name) {
  try {
    return text(fields(json)[name]);
  } catch {
    return "";
  }
}
