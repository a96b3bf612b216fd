// What stands in more than one view: the cost, the account, the quotation, the explanations.

import { h, icon, ICONS } from "./elements.js";
import { budgetShares, lieOdds, liePercent, natsAbove } from "./odds.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./page.js").Announcement} Announcement */

const WEAK = 20; // a lie in fewer than one of 20 answers hides little
const MOST_DOTS = 60;
const LIMITS = [2, 4, 8, 16]; // in nats, that the page offers
export const MOST_LIMIT = Math.max(...LIMITS);

/**
 * The heading of a view, which takes the focus when the view appears.
 * @param {string} words
 * @param {string} [eyebrow]
 */
export function heading(words, eyebrow) {
  const title = h("h1", { tabindex: -1 }, words);
  return eyebrow ? h("hgroup", {}, h("p", { class: "eyebrow", dir: "auto" }, eyebrow), title) : title;
}

/** @param {string} kind  warning, bad, good or plain @param {string} title @param {...(Node | string)} rest */
export function notice(kind, title, ...rest) {
  const mark = icon(ICONS[kind === "good" ? "done" : kind === "plain" ? "waiting" : "warning"]);
  return h("div", { class: `notice ${kind}` }, mark, h("div", {}, h("h2", {}, title), ...rest));
}

/** @param {Page} page */
export function unprotectedWarning({ t }) {
  if (globalThis.isSecureContext) return null;
  return notice("warning", t("unprotected.title"), h("p", {}, t("unprotected.text")));
}

/** @param {Page} page @param {Announcement} asked */
export function cost({ t }, { epsilon, comes_back: comesBack }) {
  const odds = lieOdds(epsilon);
  const questions = t(comesBack ? "cost.questions" : "cost.question");
  const lies = t(odds > WEAK ? "cost.lies_weak" : "cost.lies", { odds, percent: liePercent(epsilon) });
  return h(
    "section",
    { class: "card cost" },
    h("h2", {}, icon(ICONS.lock), t("cost.title")),
    h("p", {}, questions),
    h("p", {}, lies),
    odds <= MOST_DOTS && dots(odds, t("cost.picture", { odds })),
  );
}

/** One dot in so many is another. @param {number} n @param {string} words */
function dots(n, words) {
  const each = Array.from({ length: n }, (_, i) => h("span", { class: i === Math.floor(n / 2) ? "dot lie" : "dot" }));
  return h("p", { class: "dots", role: "img", "aria-label": words }, each);
}

/**
 * The account of what was spent, with the limit that the person sets.
 * @param {Page} page
 * @param {import("./page.js").Spent} spent
 * @param {number} more  what this survey may still cost
 */
export function ledger(page, spent, more) {
  const { t, collector } = page;
  const shares = budgetShares(spent.here, more, spent.limit);
  const key = more === 0 ? "ledger.now" : spent.here > 0 ? "ledger.before" : "ledger.first";
  const [here, limit, all] = [spent.here, spent.limit, spent.all].map(natsAbove);
  return h(
    "section",
    { class: "ledger" },
    h("h2", {}, t("ledger.title")),
    h("p", {}, t(key, { collector, spent: shares.spent, more: shares.more })),
    bar(shares),
    h(
      "details",
      {},
      h("summary", {}, t("ledger.limit")),
      limitChoice(page, spent.limit),
      h("p", { class: "small" }, t("ledger.numbers", { here, limit, all, collector }), " ", t("ledger.kept")),
    ),
  );
}

/** @param {{spent: number, more: number}} shares */
function bar({ spent, more }) {
  const parts = [h("span", { class: "spent" }), h("span", { class: "more" })];
  parts[0].style.width = `${Math.min(spent, 100)}%`;
  parts[1].style.width = `${Math.min(more, 100 - Math.min(spent, 100))}%`;
  return h("div", { class: "bar", "aria-hidden": "true" }, parts);
}

/** @param {Page} page @param {number} limit */
function limitChoice({ t, device, show }, limit) {
  const options = LIMITS.map((each) =>
    h("option", { value: each, selected: each === limit }, t(`ledger.limit_${each}`)),
  );
  if (!LIMITS.includes(limit)) {
    options.push(h("option", { value: limit, selected: true }, t("ledger.limit_other")));
  }
  const choose = (/** @type {Event} */ event) =>
    device.limitTo(Number(/** @type {HTMLSelectElement} */ (event.target).value)).finally(show);
  return h("select", { "aria-label": t("ledger.limit"), onchange: choose }, options);
}

/** What the report says, as a quotation. @param {Page} page @param {string[]} said */
export function quotation({ t, language }, said) {
  const quoted = said.map((words) => t("reveal.quote", { said: words }));
  const isOne = said.length === 1;
  return h(
    "blockquote",
    { class: isOne ? "quote" : "quote several", dir: "auto", lang: language },
    isOne ? quoted : [t("reveal.one_of"), h("ul", {}, quoted.map((words) => h("li", {}, words)))],
  );
}

/** @param {Page} page */
export function howItWorks({ t }) {
  const parts = ["how.1", "how.2", "how.3"].map((key) => h("p", {}, t(key)));
  return h("details", {}, h("summary", {}, t("how.title")), parts);
}

/** Until when, whom to write to, what becomes of the answers. @param {Page} page @param {Announcement} asked */
export function whoAsks({ t, time }, asked) {
  const lines = [
    ["intro.when", asked.closes ? time(asked.closes) : t("intro.no_end")],
    ["intro.contact", contact(asked.contact)],
    ["intro.notice", asked.privacy_notice],
  ];
  const shown = lines.filter(([, value]) => value);
  return h(
    "section",
    { class: "who" },
    h("h2", {}, t("intro.details")),
    h("dl", {}, shown.flatMap(([key, value]) => [
      h("dt", {}, t(/** @type {string} */ (key))),
      h("dd", { dir: "auto", lang: key === "intro.when" ? null : asked.language }, value),
    ])),
    h("p", { class: "small" }, t("intro.group", { n: asked.smallest_group })),
  );
}

/** An address that can be written to is a link. @param {string} words */
export function contact(words) {
  const isMail = /^[^\s@<>"]+@[^\s@<>"]+\.[a-z]{2,}$/i.test(words);
  return isMail ? h("a", { href: `mailto:${encodeURIComponent(words).replace("%40", "@")}` }, words) : words;
}
