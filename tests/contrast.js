// Body of a function that returns up to ten kinds of element of the article whose text is hard to read: [kind, ratio, text].
const parse = (colour) => {
  const parts = colour.match(/[\d.]+/g).map(Number);
  return parts.length < 4 ? [...parts, 1] : parts;
};
const luminance = (colour) => {
  const [r, g, b] = colour.slice(0, 3).map((value) => {
    const share = value / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  for (let e = element; e; e = e.parentElement) {
    const colour = parse(getComputedStyle(e).backgroundColor);
    if (colour[3] > 0.95) return colour;
  }
  return [255, 255, 255, 1];
};
const weak = new Map();
for (const element of document.querySelectorAll("article *")) {
  const hasText = [...element.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  if (!hasText || !element.offsetParent || element.closest("mjx-container, svg, script")) continue;
  const style = getComputedStyle(element);
  const front = parse(style.color);
  if (front[3] < 0.95 || style.visibility === "hidden") continue;
  const [a, b] = [luminance(front), luminance(behind(element))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) weak.set(`${element.tagName}.${element.className}`, [ratio.toFixed(2), element.textContent.trim().slice(0, 40)]);
}
return [...weak.entries()].slice(0, 10);
