// What is wider than the screen scrolls in its own box; a fading edge says that more is there. Without this
// script it scrolls all the same.
"use strict";
(() => {
  const BOXES = "table, figure, pre, .text_html, .math, mjx-container, .cell_output";
  const watched = new WeakSet();

  /** Mark a box by which of its sides hide something. */
  function mark(box) {
    const hidden = box.scrollWidth - box.clientWidth;
    const scrolls = hidden > 4 && /auto|scroll/.test(getComputedStyle(box).overflowX);
    box.classList.toggle("more-right", scrolls && box.scrollLeft < hidden - 4);
    box.classList.toggle("more-left", scrolls && box.scrollLeft > 4);
    if (scrolls && !watched.has(box)) {
      watched.add(box);
      box.addEventListener("scroll", () => mark(box), { passive: true });
    }
  }

  const markAll = () => document.querySelectorAll(BOXES.split(", ").map((s) => `.bd-article ${s}`).join(", ")).forEach(mark);
  addEventListener("load", markAll);
  addEventListener("resize", markAll);
  // folded cells and answers have no width until they are opened
  document.addEventListener("toggle", markAll, true);
  document.addEventListener("click", () => setTimeout(markAll, 0));
})();
