// Tables of cells tagged `sortable`: a button in each header sorts the rows. Without this script they stand as written.
"use strict";

// ---- pure functions --------------------------------------------------------------------------------------

/** The number that a cell begins with, or null: "7,400 rollouts" is 7400, "~2" and "H100" are no numbers. */
function readLeadingNumber(text) {
  const match = /^[-−+]?\d[\d,]*(\.\d+)?/.exec(text.trim());
  return match ? Number(match[0].replace(/,/g, "").replace("−", "-")) : null;
}

/** Compare two cells: numbers before words, empty cells last whatever the direction (1 up, -1 down). */
function compareCells(a, b, direction) {
  const [left, right] = [a.trim(), b.trim()];
  if (!left || !right) return (left ? 0 : 1) - (right ? 0 : 1);
  const [x, y] = [readLeadingNumber(left), readLeadingNumber(right)];
  if (x !== null && y !== null && x !== y) return direction * (x - y);
  if ((x === null) !== (y === null)) return direction * (x === null ? 1 : -1);
  return direction * left.localeCompare(right, "en");
}

// ---- the page --------------------------------------------------------------------------------------------

function makeTableSortable(table) {
  const header = table.tHead && table.tHead.rows[0];
  if (!header || !table.tBodies.length) return;
  [...header.cells].forEach((cell, column) => {
    const name = cell.textContent.trim() || "name";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort-button";
    button.textContent = name;
    button.title = `Sort by ${name}`;
    cell.replaceChildren(button);
    button.addEventListener("click", () => {
      const direction = cell.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of header.cells) other.removeAttribute("aria-sort");
      cell.setAttribute("aria-sort", direction === 1 ? "ascending" : "descending");
      const text = (row) => row.cells[column].textContent;
      const rows = [...table.tBodies[0].rows].sort((a, b) => compareCells(text(a), text(b), direction));
      table.tBodies[0].append(...rows);
    });
  });
}

if (typeof document !== "undefined") {
  const start = () => document.querySelectorAll(".tag_sortable table.dataframe").forEach(makeTableSortable);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
}

if (typeof module !== "undefined") {
  module.exports = { readLeadingNumber, compareCells };
}
