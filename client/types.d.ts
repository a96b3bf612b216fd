/** What the modules tell each other: for readers and for the type checker, never sent to browsers. */

/** Of every item, 0 = best; null where not ranked. */
export type Ranks = readonly (number | null)[];

/** A category of 0..k-1, a row of k ranks, or a row of several categories that hold. */
export type Answer = number | number[];

/** What an answer says of a ranking, or a report perhaps falsely. */
export type Says =
  /** These items, best first. */
  | { says: "order"; items: number[] }
  /** The best of all items, best first. */
  | { says: "top"; items: number[] }
  /** The place of each side's next item, from the best. */
  | { says: "merge"; left: number[]; right: number[]; sides: ("left" | "right")[] }
  /** The item has one of these ranks. */
  | { says: "ranks"; item: number; ranks: number[] }
  | { says: "both"; parts: Says[] }
  /** The ranking does not say it. */
  | { says: "unstated"; items: number[] }
  /** A number that many orders share. */
  | { says: "bucket"; bucket: number; of: number }
  /** Any of these, or of so many more; null where nobody has counted them. */
  | { says: "any"; parts: Says[]; more: number | null };

/** What is asked: as any answer says, or who stands on these places, and who on a side of them. */
export type Asks = Says | { says: "named"; places: number[]; side: unknown };

export interface Question {
  kind: string;
  nCategories: number;
  /** What an answer is: "category", "ranks", or such as "3 members" of a row. */
  form: string;
  /** What it asks, where no answer says so. */
  asks?: Asks;
  /** Whether rankings of only some items have an answer, too. */
  takesIncomplete: boolean;
  answer(ranks: Ranks): Answer;
  says(answer: Answer): Says;
}

export interface HashedReport {
  multiplier: string;
  offset: string;
  bucket: number;
}

/** As it stands in JSON. */
export type Report = number | string | HashedReport | number[];

/** `Randomness`, of which tests have another. */
export interface Random {
  bytes(size: number): Uint8Array;
  words(size: number): bigint[];
  word(): bigint;
}

export interface Mechanism {
  kind: string;
  nCategories: number;
  /** What a report costs at most, in nats. */
  epsilon: number;
  /** What it hides: as the question's. */
  form: string;
  /** How likely a report does not support the truth; null where it hides a row. */
  lieRate: number | null;
  randomise(answer: Answer, rng: Random): Report;
  /** Tells whether the report speaks for a category; never asked of rows. */
  supports(report: Report): (category: number) => boolean;
}

/** What people are shown before anything. */
export interface Announcement {
  id: string;
  /** Shared with the surveys that repeat this one. */
  series: string;
  title: string;
  items: { name: string; description?: string; picture?: string }[];
  protocol: string;
  /** The most that all rounds together cost a person, in nats. */
  epsilon: number;
  /** Whether a person may be asked again in a later round. */
  comes_back: boolean;
  unranked: "refused" | "last" | "unknown";
  joining: "open" | "invitations" | "api";
  smallest_group: number;
  closes: string | null;
  asked_by: string;
  purpose: string;
  contact: string;
  privacy_notice: string;
  language: string;
  /** The fingerprints of the surveys of the first round. */
  first_round: string[];
}

export interface Asked {
  /** Of the question in the survey. */
  number: number;
  question: Question;
  mechanism: Mechanism;
  /** The same for the same question about the same items, equally hidden. */
  key: string;
}

/** What a device answers in one round. */
export interface Handout {
  /** Of the survey, which reports name. */
  fingerprint: string;
  name: string;
  items: string[];
  epsilon: number;
  lots: [number, number];
  takesIncomplete: boolean;
  asked: Asked[];
}

/** What is stored under each key; undefined where nothing is. */
export type Kept = Record<string, any>;

export interface Storage {
  /**
   * Gives `step` what stands under the keys, stores all that it returns, and returns the rest.
   *
   * Nobody else, in no other tab, changes anything from the reading to the writing, and it is
   * written when the promise is kept. Where `step` throws, nothing is changed. What it returns as
   * undefined is deleted.
   */
  transact<T>(keys: string[], step: (kept: Kept) => [Kept, T]): Promise<T>;
}

/** One round that was answered. */
export interface Entry {
  collector: string;
  survey: string;
  title: string;
  round: number;
  /** 0 where an earlier answer was sent again. */
  nats: number;
  /** Milliseconds since 1970. */
  at: number;
}

export interface Account {
  /** The most nats that a collector may cost in a year. */
  limit: number;
  entries: Entry[];
}

export interface Statement extends Account {
  /** In the last year, at this collector. */
  spent: number;
  /** Ever, at this collector. */
  total: number;
  /** Ever, at all collectors that this storage knows. */
  everywhere: number;
}

export interface Answered {
  /** Exactly what is sent, one for each asked question. */
  reports: Report[];
  /** What they cost: 0 where all were sent before. */
  nats: number;
  /** Whether any is the report of an earlier survey of the series. */
  isRepeated: boolean;
  /** Whether any answers an earlier order, as the limit allows no new report. */
  isOutdated: boolean;
}

/** Where the person stands in a round. */
export interface Standing {
  round: number;
  /** Null where this lot is not asked in this round. */
  handout: Handout | null;
  answered: Answered | null;
  receipt: string | null;
}

/** What is kept of the latest round that the person joined. */
export interface KeptStanding extends Standing {
  series: string;
  /** The bytes that are sent. */
  upload: string | null;
  /** Whether they may have left, and only the receipt did not come. */
  isUnderWay: boolean;
  /** Whether the person's limit lets them answer. */
  isPayable: boolean;
}

export interface KeptSurvey {
  /** Of the announcement. */
  fingerprint: string;
  announcement: string;
  person: string;
  /** What each round that asked may cost. */
  asked: Record<number, number>;
  latest: number | null;
}

export interface KeptRound {
  assignment: string | null;
  handout: string | null;
  /** By it the collector tells who sends again from who guesses what was sent. */
  key: string;
  answered: Answered | null;
  /** The bytes to send. */
  upload: string | null;
  /** Whether they were to leave once; set before they do. */
  isUnderWay: boolean;
  receipt: string | null;
}

/** What surveys that repeat each other share, so that an answer can be sent again. */
export interface KeptSeries {
  /** Drawn once: the same people are asked in the same round. */
  lot: number;
  /** The latest of each round. */
  assignments: Record<number, string>;
  memos: Memos;
}

/** Of each question: the true answer of the latest report, and the report of each true answer. */
export type Memos = Record<string, { last: string; reports: Record<string, Report> }>;

/** A table of words: see strings/en.json. */
export type Strings = Readonly<Record<string, string>>;
