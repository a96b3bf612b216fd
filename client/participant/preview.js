// A device for looking at a survey before it is open: it keeps nothing and sends nothing, and what
// it shows as a report is made up from the order.

import { secureBelow, shuffledItems } from "../order.js";
import { readAnnouncement } from "../survey.js";

/** @typedef {import("./page.js").Device} Device */
/** @typedef {import("./page.js").Kept} Kept */
/** @typedef {import("../order.js").Ranking} Ranking */

const WORDS = 2 ** 32;
const LIMIT = 8;

/** Opens the survey whose announcement stands at an address. @param {string} address @returns {Device} */
export function previewDevice(address) {
  /** @type {Kept | null} */ let kept = null;
  let lieChance = 0.5;
  /** @type {string[]} */ let names = [];

  return {
    async look() {
      const answer = await fetch(address);
      if (!answer.ok) throw { kind: "not-found" };
      const told = readAnnouncement(await answer.text());
      /** @type {import("./page.js").Announcement} */ // as whoever has a link of their own sees it
      const announcement = told.joining === "invitations" ? { ...told, joining: "open" } : told;
      names = announcement.items.map(({ name }) => name);
      lieChance = (1 - 2 ** -48) / (Math.exp(announcement.epsilon) + 1); // floats err by less
      return { announcement, fingerprint: "", state: { state: "open", round: 0, closes: announcement.closes }, kept, earlier: null };
    },
    async join() {
      kept ??= joined(names, lieChance);
      return kept;
    },
    async lock(_id, _series, ranking) {
      kept = locked(kept ?? joined(names, lieChance), ranking);
      return kept;
    },
    async send() {
      kept = { ...(kept ?? joined(names, lieChance)), stage: "sent", receipt: "0".repeat(32) };
      return kept;
    },
    kept: async () => kept,
    async forget() {
      kept = null;
    },
    spent: async () => ({ here: 0, all: 0, limit: LIMIT }),
    limitTo: async () => {},
    lasts: async () => true,
  };
}

/** @param {string[]} names @param {number} lieChance @returns {Kept} */
function joined(names, lieChance) {
  const pair = shuffledItems(names.length).slice(0, 2).sort((a, b) => a - b);
  const asked = [{ says: /** @type {const} */ ("order"), items: pair }];
  const nothing = { ranking: null, said: [], wire: null, isUnderWay: false, receipt: null };
  return { round: 0, stage: "joined", isPayable: true, names, asked, lieChance, isOutdated: false, ...nothing };
}

/** @param {Kept} kept @param {Ranking} ranking @returns {Kept} */
function locked(kept, ranking) {
  const [question] = kept.asked;
  const order = [...ranking.order, ...ranking.unranked];
  const pair = question.says === "order" ? question.items : [];
  const truth = [...pair].sort((a, b) => order.indexOf(a) - order.indexOf(b));
  const isLie = secureBelow(WORDS) < (kept.lieChance ?? 0) * WORDS;
  const items = isLie ? [...truth].reverse() : truth;
  const report = { question: 0, report: items[0] === pair[0] ? 0 : 1 };
  const wire = JSON.stringify({ assignment: "", idempotency_key: "", reports: [report] });
  return { ...kept, stage: "locked", ranking, said: [{ says: "order", items }], wire };
}
