// The participant's page: shows who asks what, takes the order, shows what will be sent, sends it.
// What is asked, drawn, kept and sent is the business of device.js; this is what a person sees of it.

import "./ranking-list.js";
import { ledger, MOST_LIMIT } from "./participant/blocks.js";
import { h, ICONS } from "./participant/elements.js";
import { erase, note, noted } from "./participant/notes.js";
import { pageOf } from "./participant/page.js";
import { openDevice } from "./participant/person.js";
import * as views from "./participant/views.js";

/** @typedef {import("./participant/page.js").Look} Look */
/** @typedef {import("./participant/page.js").Kept} Kept */
/** @typedef {import("./participant/page.js").Page} Page */

const RETRY = 15_000; // ms between two tries to send without a connection

/** @type {HTMLElement} */ const main = /** @type {HTMLElement} */ (document.querySelector("main"));
const id = main.dataset.survey ?? "";
const preview = main.dataset.preview;
const draft = `hushrank-draft:${preview ?? id}`;

const others = otherTabs();

/** @type {Page} */ let page;
/** @type {Look | null} */ let look = null;
/** @type {(() => Promise<void>) | null} */ let waiting = null; // tried once more when there is a connection
let retry = 0;

/** This survey in other tabs, where a browser lets them talk to each other. */
function otherTabs() {
  try {
    return new BroadcastChannel(`hushrank:${id}`);
  } catch {
    return null;
  }
}

// --- showing -----------------------------------------------------------------------------------

/**
 * @param {(Node | string | false | null | undefined)[]} view
 * @param {number} [step]
 */
function display(view, step = 0) {
  clearTimeout(retry);
  waiting = null;
  const isFirst = main.dataset.state === "loading";
  main.dataset.state = step ? `step-${step}` : "message";
  main.replaceChildren(.../** @type {Node[]} */ (view.filter(Boolean)));
  showProgress(step);
  scrollTo(0, 0);
  if (!isFirst) main.querySelector("h1")?.focus({ preventScroll: true });
}

/** @param {number} step */
function showProgress(step) {
  const progress = /** @type {HTMLElement} */ (document.querySelector(".progress"));
  progress.hidden = step === 0;
  if (!step) return;
  const dots = [1, 2, 3].map((each) => h("i", { class: each <= step ? "on" : "" }));
  const words = page.t("page.steps", { step, steps: 3 });
  progress.replaceChildren(h("span", {}, words), h("span", { class: "steps", "aria-hidden": "true" }, dots));
}

/** @param {string} kind @param {{text?: string, button?: Node, more?: Node[], mark?: keyof ICONS}} [how] */
function say(kind, { text = `${kind}.text`, mark = "closed", ...rest } = {}) {
  const { t, collector } = page;
  if (!look) document.title = t(`${kind}.title`);
  const said = { mark, title: t(`${kind}.title`), text: t(text, { collector }), ...rest };
  display(views.message(page, said, look?.announcement ?? null));
}

/** @param {() => Promise<void>} [step] */
const tryAgain = (step = show) => h("button", { class: "primary", onclick: views.busy(step) }, page.t("offline.try"));

// --- what can go wrong, in words ---------------------------------------------------------------

const REFUSED = ["asked-twice", "malformed", "too-dear", "too-large", "wrong-thresholds", "incomplete", "unfit-ranking"];
const KNOWN = ["not-open", "not-asked", "not-invited", "changed", "conflict", "no-storage", "no-randomness"];

/** @param {any} error */
async function explain(error) {
  const kind = String(error?.kind ?? "unexpected");
  if (kind === "offline") return waitForConnection("offline.page");
  if (kind === "not-answered") return show(); // another tab is in the next round
  if (kind === "over-limit") return overLimit();
  if (["too-many", "unavailable"].includes(kind)) return say(kind, { mark: "waiting", button: tryAgain() });
  // where the collector says so, an answer may have left the device
  if (REFUSED.includes(kind) && !error.status) return say("refused", { mark: "warning" });
  if (kind === "not-found") return say(kind, deletable(await page.device.kept(id).catch(() => null)));
  if (["closed", "not-open"].includes(kind) && look) return ended();
  if (kind === "not-joined") return say("no-storage"); // gone since the page was opened
  if (KNOWN.includes(kind)) return say(kind, { mark: kind === "changed" ? "warning" : "closed" });
  console.error(error);
  return say("unexpected", { mark: "warning", button: tryAgain() });
}

async function overLimit() {
  const spent = await page.device.spent();
  const text = spent.limit < MOST_LIMIT ? "limit.text" : "limit.text_most";
  say("limit", { text, mark: "warning", more: [ledger(page, spent, look?.announcement.epsilon ?? 0)] });
}

/** @param {string} text @param {() => Promise<void>} [step] */
function waitForConnection(text, step = show) {
  say("offline", { text, mark: "waiting", button: tryAgain(step) });
  waitFor(step);
}

/** @param {() => Promise<void>} step */
function waitFor(step) {
  waiting = step;
  retry = window.setTimeout(step, RETRY);
}

/**
 * A step of the page: whatever goes wrong in it is said in words.
 * @template {unknown[]} Given
 * @param {(...given: Given) => Promise<void> | void} step
 */
const guarded =
  (step) =>
  async (/** @type {Given} */ ...given) => {
    try {
      await step(...given);
    } catch (error) {
      await explain(error);
    }
  };

// --- the steps ---------------------------------------------------------------------------------

/** Looks where things stand, and shows the step that is next. */
const show = guarded(async () => {
  look = await page.device.look(id);
  document.title = look.announcement.title;
  await showStep(look);
});

/** @param {Look} found */
async function showStep(found) {
  const { announcement, state, kept } = found;
  // what was announced is the end of the first round
  const asked = state.round ? { ...announcement, closes: state.closes } : announcement;
  const isOpen = state.state === "open";
  // Of what this tab began nothing is left where another one has answered, or nobody will.
  if (isOver(state) || kept?.wire) erase(draft);
  const isThisRound = kept !== null && kept.round === state.round;
  if (kept?.stage === "locked" && (isOpen ? isThisRound : isOver(state))) {
    if (kept.isUnderWay) return send(kept); // it may have come, and only its receipt did not
    if (isOpen) return reveal(kept);
  }
  if (kept?.stage === "sent" && (isThisRound || !isOpen || !asked.comes_back)) return receipt(kept, true);
  if (!isOpen) return notOpen(found);
  if (kept?.stage === "not-asked" && isThisRound) return notAsked();
  if (kept?.stage === "joined" && isThisRound) return payable(kept) && rank();
  if (kept && kept.stage !== "not-asked" && !asked.comes_back) return notAsked(); // each is asked once
  const given = kept?.ranking;
  if (given) return display(views.nextQuestion(page, asked, guarded(() => answerFrom(given))), 1);
  if (asked.joining === "api") return say("in-app");
  if (asked.joining === "invitations" && !kept && !invitation()) return say("not-invited");
  if (savedDraft() !== null) return rank();
  return display(views.intro(page, asked, await page.device.spent(), guarded(begin)), 1);
}

/** Whether nobody answers any more. @param {Look["state"]} where */
function isOver({ state }) {
  return ["closed", "published"].includes(state);
}

/** The round that the page showed takes nothing more: says whether another one may. */
const ended = guarded(async () => {
  look = null; // where it cannot be asked, nobody asks again
  look = await page.device.look(id);
  if (isOver(look.state)) return notOpen(look);
  say("ended", { button: tryAgain() });
});

/** @param {Look} look */
function notOpen({ state, kept }) {
  if (state.state === "draft") return say("not-open", { mark: "waiting" });
  if (state.state === "between") return say("between", { mark: "waiting" });
  const text = kept?.stage === "locked" ? "closed.text_locked" : "closed.text";
  return say("closed", { text, ...(isOver(state) && deletable(kept)) });
}

/** A button, where anything is kept. @param {Kept | null} kept */
function deletable(kept) {
  const button = h("button", { class: "secondary", onclick: views.busy(guarded(forgetAll)) }, page.t("keep.delete"));
  return kept ? { more: [h("p", {}, page.t("keep.title"))], button } : {};
}

function notAsked() {
  say("not-asked", { mark: "waiting" });
}

/** The token of a one-use invitation, behind the # of the link. */
function invitation() {
  return new URLSearchParams(location.hash.slice(1)).get("i");
}

/** Takes part: from here on, the collector knows that this device was asked. */
async function join() {
  const kept = await page.device.join(id, { invitation: invitation() });
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  if (look) look.kept = kept;
  return payable(kept);
}

/** What the person's own limit lets them answer. @param {Kept} kept */
function payable(kept) {
  if (kept.stage === "joined" && !kept.isPayable) throw { kind: "over-limit" };
  return kept;
}

async function begin() {
  const kept = await join().catch(unlessOffline);
  if (kept?.stage === "not-asked") return notAsked();
  rank(kept === null);
}

/** @param {unknown} error */
function unlessOffline(error) {
  if (/** @type {{kind?: unknown}} */ (error)?.kind !== "offline") throw error;
  return null;
}

function rank(isOffline = false) {
  const { announcement } = /** @type {Look} */ (look);
  const earlier = fitting(look?.earlier, announcement);
  const saved = savedDraft();
  const begun = { ranking: saved ?? earlier, isBegun: saved !== null, isAgain: earlier !== null, isOffline };
  const changed = (/** @type {{value: unknown}} */ { value }) => note(draft, JSON.stringify(value));
  display(views.rank(page, announcement, begun, changed, guarded(finish)), 2);
}

/** The order that this tab has so far. */
function savedDraft() {
  const { announcement } = /** @type {Look} */ (look);
  return fitting(JSON.parse(noted(draft) ?? "null"), announcement);
}

/**
 * A ranking, if it is one of the items that are asked about.
 * @param {import("./order.js").Ranking | null | undefined} ranking
 * @param {Look["announcement"]} announcement
 */
function fitting(ranking, { items, unranked }) {
  const isWhole = ranking && ranking.order.length + ranking.unranked.length === items.length;
  return isWhole && (unranked !== "refused" || ranking.unranked.length === 0) ? ranking : null;
}

/** @param {import("./ranking-list.js").RankingList} list */
async function finish({ value }) {
  note(draft, JSON.stringify(value));
  await answerFrom(value);
}

/**
 * Where it can be asked, no round is answered that is over: nobody would take what it costs.
 * @param {import("./order.js").Ranking} ranking @returns {Promise<void>}
 */
async function answerFrom(ranking) {
  const kept = await join().catch(unlessOffline);
  if (kept?.stage === "not-asked") return notAsked();
  if (!kept && look?.kept?.stage !== "joined") return waitForConnection("offline.question", guarded(() => answerFrom(ranking)));
  await answer(ranking);
}

/** @param {import("./order.js").Ranking} ranking */
async function answer(ranking) {
  const { announcement } = /** @type {Look} */ (look);
  const kept = await page.device.lock(id, announcement.series, ranking);
  erase(draft);
  if (look) look.kept = kept;
  const isOther = kept.ranking?.order.join() !== ranking.order.join();
  return kept.stage === "sent" ? receipt(kept, true) : reveal(kept, isOther);
}

/** @param {Kept} kept */
function reveal(kept, isOther = false) {
  const { announcement } = /** @type {Look} */ (look);
  const sends = guarded(() => send(kept));
  display(views.reveal(page, announcement, kept, isOther, sends), 3);
  if (kept.isUnderWay) waitFor(sends);
}

/** @param {Kept} shown  with the answer that the person saw */
async function send(shown) {
  clearTimeout(retry);
  const kept = await page.device.send(id, shown.round).catch(unlessOffline);
  if (!kept) return reveal({ ...shown, isUnderWay: true });
  if (look) look.kept = kept;
  await receipt(kept, false);
}

/** @param {Kept} kept @param {boolean} isAgain */
async function receipt(kept, isAgain) {
  const { announcement: asked, state } = /** @type {Look} */ (look);
  const results = state.state === "published" ? `/r/${id}` : null;
  const forget = isOver(state) ? guarded(forgetAll) : null;
  const mayFollow = asked.comes_back && !isOver(state) && kept.round === 0; // people are asked twice at most
  const next = mayFollow ? "receipt.more" : "receipt.results_later";
  const after = { isAgain, next, results, forget };
  display(views.receipt(page, asked, kept, await page.device.spent(), after), 3);
  const lasts = await page.device.lasts(!isAgain); // nobody is asked before the answer is there
  main.querySelector(".vanishing")?.toggleAttribute("hidden", lasts);
}

async function forgetAll() {
  erase(draft);
  await page.device.forget(id);
  others?.postMessage("forgotten");
  say("keep", { text: "keep.deleted", mark: "done" });
}

// --- the page ----------------------------------------------------------------------------------

/** @param {string} language */
async function stringsOf(language) {
  const answer = await fetch(new URL(`./strings/${language}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`no words in ${language}`);
  return answer.json();
}

/** What this tab began was forgotten in another one. */
function forgotten() {
  erase(draft);
  show();
}

function connected() {
  if (document.visibilityState !== "visible" || main.dataset.state === "loading") return;
  if (waiting) waiting();
  else if (main.dataset.state === "message") show();
}

/** A device that sends nothing, and a line that says so. @param {string} address */
async function previewed(address) {
  const { previewDevice } = await import("./participant/preview.js");
  page.pictures = `/o/surveys/${id}/pictures/`;
  document.body.prepend(h("aside", { class: "banner" }, page.t("preview.banner")));
  return previewDevice(address);
}

/** Another language, the same invitation. @param {Event} event */
function keepInvitation({ target }) {
  const link = /** @type {HTMLElement} */ (target).closest("a");
  if (link) link.hash = location.hash;
}

async function start() {
  const language = document.documentElement.lang;
  page = pageOf({ id, language, strings: await stringsOf(language), show });
  /** @type {HTMLElement} */ (document.querySelector("[data-words]")).textContent = page.t("page.footer");
  document.querySelector("footer nav")?.addEventListener("click", keepInvitation);
  addEventListener("online", connected);
  document.addEventListener("visibilitychange", connected);
  await guarded(async () => {
    page.device = preview ? await previewed(preview) : await openDevice({ origin: location.origin });
    await show();
  })();
  others?.addEventListener("message", forgotten);
}

await start().catch((error) => {
  main.textContent = main.dataset.failed ?? "";
  throw error;
});
