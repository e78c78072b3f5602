// The ledger page: show only the claims of a chapter, with a verdict, that hold some words.
// Without this script all claims are on the page. The choice lives in the address (?chapter=…&verdict=…&words=…).
"use strict";

// ---- pure functions --------------------------------------------------------------------------------------

/** Whether a claim {chapter, verdict, text} is wanted; an empty part of `wanted` means any. */
function isWantedClaim(claim, wanted) {
  if (wanted.chapter && claim.chapter !== wanted.chapter) return false;
  if (wanted.verdict && claim.verdict !== wanted.verdict) return false;
  const text = claim.text.toLowerCase();
  return wanted.words.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

/** The wanted part of an address, each part empty where the address has none. */
function readWantedClaims(search) {
  const query = new URLSearchParams(search);
  return Object.fromEntries(["chapter", "verdict", "words"].map((key) => [key, query.get(key) || ""]));
}

/** The address of a choice: only parts that are set. */
function writeWantedClaims(wanted) {
  const parts = Object.entries(wanted).filter(([, value]) => value);
  return parts.length ? "?" + new URLSearchParams(parts).toString() : "";
}

/** How many of how many, in words. */
function countClaims(shown, all) {
  return shown === all ? `All ${all} claims` : `${shown} of ${all} claims`;
}

// ---- the page --------------------------------------------------------------------------------------------

function makeClaimsFilter(page) {
  const bar = page.getElementById("claims-filter");
  const boxes = [...page.querySelectorAll("#claims > .claim-note")];
  if (!bar || !boxes.length) return;
  const claims = boxes.map((box) => ({
    chapter: box.dataset.chapter,
    verdict: box.dataset.verdict,
    text: box.textContent,
  }));
  const fields = {};
  const addField = (name, label, field) => {
    const wrapper = page.createElement("label");
    wrapper.append(label, field);
    field.id = `claims-${name}`;
    fields[name] = field;
    bar.append(wrapper);
  };
  const makeSelect = (values, any) => {
    const select = page.createElement("select");
    select.append(new Option(any, ""), ...values.map((value) => new Option(value, value)));
    return select;
  };
  const distinct = (key) => [...new Set(claims.map((claim) => claim[key]))].sort();
  addField("chapter", "Chapter", makeSelect(distinct("chapter"), "all chapters"));
  addField("verdict", "Verdict", makeSelect(distinct("verdict"), "all verdicts"));
  const words = page.createElement("input");
  words.type = "search";
  addField("words", "Words", words);
  const status = page.createElement("span");
  status.setAttribute("role", "status");
  bar.append(status);

  const show = () => {
    const wanted = Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, field.value.trim()]));
    const shown = claims.map((claim) => isWantedClaim(claim, wanted));
    boxes.forEach((box, i) => {
      box.hidden = !shown[i];
    });
    status.textContent = countClaims(shown.filter(Boolean).length, claims.length);
    return wanted;
  };
  const change = () => {
    const address = writeWantedClaims(show());
    // a page that was opened from disk may not be allowed to change its address
    try {
      window.history.replaceState(null, "", address || window.location.pathname);
    } catch (error) {
      if (!(error instanceof DOMException)) throw error;
    }
  };
  const start = readWantedClaims(window.location.search);
  for (const [name, field] of Object.entries(fields)) {
    field.value = start[name];
    if (field.value !== start[name]) field.value = ""; // an address can name a chapter that does not exist
    field.addEventListener("input", change);
  }
  bar.hidden = false;
  show();
  // a link to one claim shows it whatever the filter hides
  const target = window.location.hash && page.getElementById(window.location.hash.slice(1));
  if (target && target.hidden) target.hidden = false;
}

if (typeof document !== "undefined") {
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => makeClaimsFilter(document));
  else makeClaimsFilter(document);
}

if (typeof module !== "undefined") {
  module.exports = { isWantedClaim, readWantedClaims, writeWantedClaims, countClaims };
}
