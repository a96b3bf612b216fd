// Times come in UTC; here they are shown as the reader's clock has them.

const { lang } = document.documentElement;

/** The language of the page, as the reader's own country writes it. */
export const locale = navigator.languages.find((each) => each.startsWith(lang)) ?? lang;

const form = { dateStyle: "medium", timeStyle: "short" };
const clock = new Intl.DateTimeFormat(locale, form);

export function showTimes(within) {
  for (const time of within.querySelectorAll("time[datetime]")) {
    time.textContent = clock.format(new Date(time.dateTime));
  }
}
