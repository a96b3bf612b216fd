// The views of the participant's page: each is one screen, made from what the page knows.

import { cost, heading, howItWorks, ledger, notice, quotation, unprotectedWarning, whoAsks } from "./blocks.js";
import { contact } from "./blocks.js";
import { h, icon, ICONS } from "./elements.js";
import { budgetShares, chanceShown } from "./odds.js";

/** @typedef {import("./page.js").Page} Page */
/** @typedef {import("./page.js").Announcement} Announcement */
/** @typedef {import("./page.js").Kept} Kept */
/** @typedef {import("./page.js").Spent} Spent */
/** @typedef {import("../ranking-list.js").RankingList} RankingList */

/** @param {Page} page @param {Announcement} asked @param {Spent} spent @param {() => Promise<void>} start */
export function intro(page, asked, spent, start) {
  const { t } = page;
  const { isEnough } = budgetShares(spent.here, asked.epsilon, spent.limit);
  return [
    heading(asked.title, t("intro.asks", { who: asked.asked_by })),
    h("p", { class: "lead", dir: "auto", lang: asked.language }, asked.purpose),
    facts(page, asked),
    unprotectedWarning(page),
    !isEnough && overLimit(page),
    cost(page, asked),
    whoAsks(page, asked),
    ledger(page, spent, asked.epsilon),
    howItWorks(page),
    startDock(t, start),
  ];
}

/** @param {Page["t"]} t @param {() => Promise<void>} start */
function startDock(t, start) {
  const button = h("button", { class: "primary", onclick: busy(start) }, t("intro.start"));
  return h("div", { class: "dock row" }, button, h("p", { class: "small" }, t("intro.nothing_yet")));
}

/** @param {Page} page @param {Announcement} asked */
function facts({ t, time }, { items, closes }) {
  const minutes = Math.max(1, Math.round(items.length / 10));
  const each = [
    t("intro.tasks", { n: items.length }),
    t("intro.minutes", { n: minutes }),
    closes && t("intro.until", { time: time(closes) }),
  ];
  return h("ul", { class: "facts" }, each.filter(Boolean).map((words) => h("li", {}, words)));
}

/** @param {Page} page */
function overLimit({ t, collector }) {
  return notice("warning", t("limit.soon"), h("p", {}, t("limit.soon_text", { collector })));
}

/**
 * @param {Page} page
 * @param {Announcement} asked
 * @param {{ranking: import("../order.js").Ranking | null, isBegun: boolean, isAgain: boolean, isOffline: boolean}} begun
 * @param {(list: RankingList) => void} changed
 * @param {(list: RankingList) => Promise<void>} done
 */
export function rank(page, asked, { ranking, isBegun, isAgain, isOffline }, changed, done) {
  const { t } = page;
  const incomplete = asked.unranked !== "refused";
  const list = rankingList(page, asked, incomplete);
  if (ranking) list.value = ranking;
  const before = JSON.stringify(list.value);
  const hint = h("p", { class: "hint", role: "status" });
  let isSure = ranking !== null;
  list.addEventListener("change", () => {
    hint.textContent = "";
    isSure = true;
    changed(list);
  });
  const finish = async () => {
    const isUnmoved = !isSure && JSON.stringify(list.value) === before;
    if (isUnmoved) hint.textContent = t(incomplete ? "rank.empty" : "rank.unmoved");
    isSure = true;
    if (!isUnmoved) await done(list);
  };
  const begins = isAgain ? "rank.text_again" : incomplete ? "rank.text_incomplete" : "rank.text";
  const text = isBegun ? "rank.text_begun" : begins;
  return [
    heading(t("rank.title"), asked.title),
    h("p", { class: "lead" }, t(text)),
    isAgain && notice("plain", t("intro.again_title"), h("p", {}, t("intro.again"))),
    isOffline && notice("plain", t("offline.title"), h("p", {}, t("offline.rank"))),
    list,
    h("div", { class: "dock" }, hint, h("button", { class: "primary", onclick: busy(finish) }, t("rank.done"))),
  ];
}

/** @param {Page} page @param {Announcement} asked @param {boolean} incomplete */
function rankingList(page, asked, incomplete) {
  const list = /** @type {RankingList} */ (document.createElement("hushrank-ranking-list"));
  list.lang = page.language;
  list.setAttribute("label", asked.title);
  list.strings = page.listStrings;
  list.incomplete = incomplete;
  list.items = asked.items.map((item) => ({
    name: item.name,
    description: item.description,
    picture: item.picture && page.pictures + item.picture,
  }));
  return list;
}

/**
 * @param {Page} page
 * @param {Announcement} asked
 * @param {Kept} kept
 * @param {boolean} isOther  whether the person gave another order since
 * @param {() => Promise<void>} send
 */
export function reveal(page, asked, kept, isOther, send) {
  const { t } = page;
  return [
    heading(t("reveal.title"), asked.title),
    isOther && notice("plain", t("receipt.already"), h("p", {}, t("reveal.other_tab"))),
    h(
      "section",
      { class: "card sends" },
      h("p", { class: "soft" }, t("reveal.sends")),
      quotation(page, page.said(kept)),
      h("p", {}, lie(page, kept)),
    ),
    h("p", { dir: "auto" }, t("reveal.asked", { asked: page.asked(kept) })),
    h("p", {}, t(asked.comes_back ? "reveal.stays_round" : "reveal.stays")),
    everyByte(page, kept),
    kept.isUnderWay && notice("plain", t("offline.title"), h("p", {}, t("offline.send"))),
    h(
      "div",
      { class: "dock" },
      h("button", { class: "primary", onclick: busy(send) }, t(kept.isUnderWay ? "offline.try" : "reveal.send")),
    ),
  ];
}

/** How far what is sent is true. @param {Page} page @param {Kept} kept */
function lie({ t }, { lieChance: p, isOutdated }) {
  if (isOutdated) return t("reveal.outdated"); // nobody knows the chance that it is true of this order
  if (!p) return t("reveal.lie");
  const shown = chanceShown(p);
  return `${t("reveal.lie")} ${t("odds" in shown ? "reveal.chance" : "reveal.chance_percent", shown)}`;
}

/** @param {Page} page @param {Kept} kept */
function everyByte({ t }, kept) {
  return h(
    "details",
    {},
    h("summary", {}, t("reveal.bytes")),
    h("p", { class: "small" }, t("reveal.bytes_hint")),
    h("pre", { tabindex: 0, dir: "ltr", "aria-label": t("reveal.bytes") }, h("code", {}, kept.wire ?? "")),
  );
}

/** @param {Page} page @param {Announcement} asked @param {Kept} kept @param {Spent} spent @param {import("./page.js").After} after */
export function receipt(page, asked, kept, spent, after) {
  const { t } = page;
  return [
    h("div", { class: "stamp" }, icon(ICONS.done)),
    heading(t(after.isAgain ? "receipt.already" : "receipt.title"), asked.title),
    h(
      "section",
      { class: "card sends" },
      h("p", { class: "soft" }, t("receipt.sent")),
      quotation(page, page.said(kept)),
      h("p", {}, lie(page, kept)),
      h("p", { class: "code" }, h("span", {}, t("receipt.code")), " ", h("code", { dir: "ltr" }, kept.receipt ?? "")),
      h("p", { class: "small" }, t("receipt.code_hint")),
    ),
    !after.results && h("p", {}, t(after.next)),
    after.results && actions(h("a", { class: "button primary", href: after.results }, t("receipt.results"))),
    ledger(page, spent, 0),
    howItWorks(page),
    everyByte(page, kept),
    keeps(page, after),
  ];
}

/** @param {Page} page @param {import("./page.js").After} after */
function keeps({ t }, { forget }) {
  return h(
    "details",
    {},
    h("summary", {}, t("keep.title")),
    h("p", {}, t("keep.text")),
    h("p", { class: "small vanishing", hidden: true }, t("keep.may_vanish")),
    forget
      ? h("button", { class: "secondary", onclick: busy(forget) }, t("keep.delete"))
      : h("p", { class: "small" }, t("keep.not_yet")),
  );
}

/** @param {Page} page @param {Announcement} asked @param {() => Promise<void>} start */
export function nextQuestion(page, asked, start) {
  const { t } = page;
  return [
    heading(t("next.title"), asked.title),
    h("p", { class: "lead" }, t("next.text")),
    unprotectedWarning(page),
    actions(h("button", { class: "primary", onclick: busy(start) }, t("next.start")), t("intro.nothing_yet")),
    whoAsks(page, asked),
    howItWorks(page),
  ];
}

/** A state in which there is nothing to do, or only to try again, in words. */
/**
 * @param {Page} page
 * @param {{mark: keyof ICONS, title: string, text: string, more?: (Node | null)[], button?: Node | null}} said
 * @param {Announcement | null} asked
 */
export function message(page, { mark, title, text, more = [], button = null }, asked) {
  const { t } = page;
  const reach = asked?.contact && h("p", { class: "small" }, t("intro.contact"), ": ", contact(asked.contact));
  return [
    h("div", { class: `stamp ${mark}` }, icon(ICONS[mark])),
    heading(title, asked?.title),
    h("p", { class: "lead" }, text),
    ...more,
    button && actions(button),
    reach,
  ];
}

/** @param {Node} button @param {string} [words] */
function actions(button, words) {
  return h("div", { class: "actions" }, button, words && h("p", { class: "small" }, words));
}

/**
 * A listener that runs once at a time.
 * @param {() => Promise<void>} step
 */
export function busy(step) {
  return async (/** @type {Event} */ event) => {
    const button = /** @type {HTMLButtonElement} */ (event.currentTarget);
    if (button.getAttribute("aria-busy") === "true") return;
    button.setAttribute("aria-busy", "true");
    try {
      await step();
    } finally {
      button.removeAttribute("aria-busy");
    }
  };
}
