// Pages with prices: a warning on top when the oldest of their lists was last read too long ago.
// The day and the limit are written into the page; without this script the page still prints the day.
"use strict";

// ---- pure functions --------------------------------------------------------------------------------------

/** Whole days from a day YYYY-MM-DD to a moment in milliseconds. */
function countDays(day, now) {
  return Math.floor((now - Date.parse(`${day}T00:00:00Z`)) / 86_400_000);
}

/** What to warn of, or an empty text: a price list is too old. */
function warnOfAge(day, limit, now) {
  const days = countDays(day, now);
  if (!(days > limit)) return "";
  return `The prices on this page are ${days} days old (last read on ${day}). Check them before you rely on a bill.`;
}

// ---- the page --------------------------------------------------------------------------------------------

function showPriceAge(page, now) {
  const note = page.querySelector("[data-price-day]");
  if (!note) return;
  const text = warnOfAge(note.dataset.priceDay, Number(note.dataset.priceLimit), now);
  if (!text) return;
  const box = page.createElement("div");
  box.className = "admonition warning price-warning";
  box.setAttribute("role", "note");
  const title = page.createElement("p");
  title.className = "admonition-title";
  title.textContent = "Old prices";
  const words = page.createElement("p");
  words.textContent = text;
  box.append(title, words);
  page.querySelector("article h1").after(box);
}

if (typeof document !== "undefined") {
  const start = () => showPriceAge(document, Date.now());
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
}

if (typeof module !== "undefined") {
  module.exports = { countDays, warnOfAge };
}
