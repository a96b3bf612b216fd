// How many reports came when: numbers that follow the server, and a picture of them.
// The table beside it says the same, and is all there is without this module.

import { locale, showTimes } from "./times.js";

const card = document.querySelector("[data-progress]");
const plot = card.querySelector("[data-plot]");
const bins = card.querySelector("[data-bins]");
const numbers = new Intl.NumberFormat(locale);
const EVERY = 10_000; // ms
const BIN = 600; // s
const HEIGHT = 180;

let drawn = null;

function colour(name) {
  return getComputedStyle(card).getPropertyValue(name).trim();
}

/** The sums over time, from the first ten minutes to the last. */
function sums(told) {
  const times = told.map(([start]) => Date.parse(start) / 1000);
  const found = [[times[0]], [0]];
  let sum = 0;
  for (const [n, [, reports]] of told.entries()) {
    if (times[n] > found[0].at(-1)) {
      found[0].push(times[n]);
      found[1].push(sum);
    }
    sum += reports;
    found[0].push(times[n] + BIN);
    found[1].push(sum);
  }
  return found;
}

function draw(told) {
  if (!told.length || !globalThis.uPlot) return;
  drawn?.destroy();
  const ink = colour("--hush-ink-soft");
  const grid = { stroke: colour("--hush-border"), width: 1 };
  const axis = { stroke: ink, grid, ticks: { show: false } };
  const time = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit" });
  const day = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
  const data = sums(told);
  const isLong = data[0].at(-1) - data[0][0] > 2 * 86_400;
  const label = (at) => (isLong ? day : time).format(new Date(at * 1000));
  const options = {
    width: plot.clientWidth || card.clientWidth - 48,
    height: HEIGHT,
    padding: [8, 28, 0, 0],
    cursor: { show: false },
    legend: { show: false },
    axes: [
      { ...axis, grid: { show: false }, space: 90, values: (_, found) => found.map(label) },
      { ...axis, size: 48, values: (_, found) => found.map((n) => (Number.isInteger(n) ? numbers.format(n) : "")) },
    ],
    scales: { y: { range: (_, low, high) => [0, Math.max(high, 4) * 1.05] } },
    series: [
      {},
      { label: card.dataset.reports, stroke: colour("--hush-accent"), fill: colour("--hush-accent-soft"), width: 2 },
    ],
  };
  drawn = new globalThis.uPlot(options, data, plot);
}

function tabulate(told) {
  const rows = told.map(([start, reports]) => {
    const row = document.createElement("tr");
    const head = row.appendChild(document.createElement("th"));
    head.scope = "row";
    const time = head.appendChild(document.createElement("time"));
    time.dateTime = start;
    const cell = row.appendChild(document.createElement("td"));
    cell.className = "num";
    cell.textContent = numbers.format(reports);
    return row;
  });
  bins.replaceChildren(...rows);
  showTimes(bins);
}

async function follow() {
  const answer = await fetch(card.dataset.progress).catch(() => null);
  if (!answer?.ok) return;
  const told = await answer.json();
  if (told.state !== card.dataset.state || String(told.round) !== card.dataset.round) {
    location.replace(location.pathname);
    return;
  }
  for (const name of ["reported", "joined"]) {
    card.querySelector(`[data-count=${name}]`).textContent = numbers.format(told[name]);
  }
  const share = Math.min(100, (100 * told.reported) / Number(card.dataset.expected));
  card.querySelector("[data-fill]").setAttribute("width", String(share));
  tabulate(told.bins);
  draw(told.bins);
}

follow();
setInterval(() => {
  if (document.visibilityState === "visible") follow();
}, EVERY);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", follow);
addEventListener("resize", () => drawn?.setSize({ width: plot.clientWidth, height: HEIGHT }));
