// What all pages of the organiser do beside showing themselves: every one of them works without it.

import { showTimes } from "./times.js";

showTimes(document);

// A field whose button copies it.
for (const button of document.querySelectorAll("[data-copy]")) {
  button.hidden = !navigator.clipboard;
  const words = button.textContent;
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    field.select();
    await navigator.clipboard.writeText(field.value);
    button.textContent = document.body.dataset.copied;
    setTimeout(() => (button.textContent = words), 2000);
  });
}

// What is wrong is read first.
document.getElementById("problems")?.focus();

// A closing time is typed in the organiser's own time zone.
const closes = document.getElementById("closes");
if (closes) {
  const hint = document.getElementById("closes-hint");
  const offset = closes.form.elements.closes_offset;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  hint.textContent = hint.dataset.local.replace("{zone}", zone);
  const tell = () => {
    offset.value = closes.value ? new Date(closes.value).getTimezoneOffset() : 0;
  };
  if (closes.dataset.utc) {
    const utc = new Date(closes.dataset.utc);
    const local = new Date(utc.getTime() - utc.getTimezoneOffset() * 60_000);
    closes.value = local.toISOString().slice(0, 16);
  }
  tell();
  closes.addEventListener("change", tell);
}
