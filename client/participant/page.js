// What all views share: the words, the device, the names of things.

import { inWords } from "../words.js";
import { speaker } from "./strings.js";

/** @typedef {import("../types.js").Says} Says */
/** @typedef {import("../types.js").Asks} Asks */
/** @typedef {{here: number, all: number, limit: number}} Spent */
/** @typedef {import("../types.js").Announcement} Announcement */
/** @typedef {import("../order.js").Ranking} Ranking */
/**
 * @typedef {object} Kept  what the device keeps of the latest round that it joined
 * @property {number} round
 * @property {"joined" | "not-asked" | "locked" | "sent"} stage
 * @property {boolean} isPayable  within the limit of the person
 * @property {Ranking | null} ranking
 * @property {string[]} names  of the items
 * @property {Says[]} said  what the reports say, of each question
 * @property {Asks[]} asked  the question's first answer, which names what it is about
 * @property {number | null} lieChance
 * @property {boolean} isOutdated  whether a report answers an earlier order
 * @property {string | null} wire
 * @property {boolean} isUnderWay  whether it may have left, as the person had it sent
 * @property {string | null} receipt
 */
/** @typedef {{isAgain: boolean, next: string, results: string | null, forget: (() => Promise<void>) | null}} After */
/**
 * @typedef {object} Look
 * @property {Announcement} announcement
 * @property {string} fingerprint
 * @property {{state: string, round: number | null, closes: string | null}} state
 * @property {Kept | null} kept
 * @property {Ranking | null} earlier  the order that was given in an earlier survey of the series
 */
/**
 * @typedef {object} Device
 * @property {(id: string) => Promise<Look>} look
 * @property {(id: string, how: {invitation: string | null}) => Promise<Kept>} join
 * @property {(id: string, series: string, ranking: Ranking) => Promise<Kept>} lock
 * @property {(id: string, round: number) => Promise<Kept>} send
 * @property {(id: string) => Promise<Kept | null>} kept
 * @property {(id: string) => Promise<void>} forget
 * @property {() => Promise<Spent>} spent
 * @property {(nats: number) => Promise<void>} limitTo
 * @property {(asks: boolean) => Promise<boolean>} lasts
 */
/** @typedef {ReturnType<typeof pageOf>} Page */

/**
 * @param {object} parts
 * @param {string} parts.id
 * @param {string} parts.language
 * @param {Record<string, string>} parts.strings
 * @param {() => Promise<void>} parts.show
 */
export function pageOf({ id, language, strings, show }) {
  const say = speaker(strings, language);
  const kind = matchMedia("(pointer: coarse)").matches ? "device.phone" : "device.computer";
  const always = { device: say(kind) };
  /** @param {string} key @param {Record<string, string | number | string[]>} [values] */
  const t = (key, values = {}) => say(key, { ...always, ...values });
  return {
    t,
    device: /** @type {Device} */ (/** @type {unknown} */ (null)), // until it is opened
    id,
    language,
    show,
    direction: strings["language.direction"] ?? "ltr",
    collector: location.host,
    listStrings: listStrings(strings),
    said: (/** @type {Kept} */ kept) => saidWords(kept, t, strings, language),
    asked: (/** @type {Kept} */ kept) => askedWords(kept, t, language),
    time: (/** @type {string} */ iso) => timeOf(iso, language),
    pictures: `/v1/surveys/${id}/pictures/`,
  };
}

/** @param {Record<string, string>} strings */
function listStrings(strings) {
  const own = Object.entries(strings).filter(([key]) => key.startsWith("list."));
  return Object.fromEntries(own.map(([key, words]) => [key.slice("list.".length), words]));
}

/**
 * What the reports say: one thing, or several of which one is said.
 * @param {Kept} kept @param {Page["t"]} t @param {Record<string, string>} strings @param {string} language
 */
function saidWords({ said, names }, t, strings, language) {
  const words = (/** @type {Says} */ says) => inWords(says, names, strings, language);
  const [only] = said;
  if (said.length > 1 || only.says !== "any" || only.parts.length === 0) {
    return [listed(said.map(words), language)];
  }
  const more = only.more === null ? [t("says.others")] : only.more ? [t("says.more", { n: only.more })] : [];
  return [...only.parts.map(words), ...more];
}

/** What is asked. @param {Kept} kept @param {Page["t"]} t @param {string} language */
function askedWords({ asked, names }, t, language) {
  const named = (/** @type {number[]} */ items) =>
    listed([...items].sort((a, b) => a - b).map((item) => names[item]), language);
  return listed(asked.map((says) => askedOf(says, named, t, language)), language);
}

/** @param {Asks} says @param {(items: number[]) => string} named @param {Page["t"]} t @param {string} language @returns {string} */
function askedOf(says, named, t, language) {
  switch (says.says) {
    case "order":
      return t("asked.order", { items: named(says.items) });
    case "top":
      return t("asked.top", { n: says.items.length });
    case "merge":
      return t("asked.merge", { left: named(says.left), right: named(says.right) });
    case "ranks":
      return t("asked.place", { item: named([says.item]) });
    case "named":
      return t(`asked.named.${says.side}`, { places: listed(says.places.map((place) => `${place + 1}`), language) });
    case "both":
      return says.parts.map((part) => askedOf(part, named, t, language)).join(" ");
    default:
      return t("asked.whole");
  }
}

/** @param {string[]} parts @param {string} language */
function listed(parts, language) {
  return new Intl.ListFormat(language, { type: "conjunction" }).format(parts);
}

/** A time in words, as where the person is. @param {string} iso @param {string} language */
function timeOf(iso, language) {
  const style = /** @type {const} */ ({ dateStyle: "long", timeStyle: "short" });
  return new Intl.DateTimeFormat(language, style).format(new Date(iso));
}
