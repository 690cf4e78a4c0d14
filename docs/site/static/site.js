const SCROLLS = "div.math, mjx-container[display], .cell_output .output, .table-scroll, pre";

// What is wider than the page scrolls by itself; make it reachable without a mouse, too.
function reachByKeyboard() {
  for (const box of document.querySelectorAll(SCROLLS)) {
    if (box.scrollWidth > box.clientWidth) {
      box.tabIndex = 0;
    }
  }
}

for (const table of document.querySelectorAll(".bd-article table")) {
  if (!table.closest(".cell_output, .pst-scrollable-table-container, .table-scroll")) {
    const box = document.createElement("div");
    box.className = "table-scroll";
    table.replaceWith(box);
    box.append(table);
  }
}

// An empty corner heads nothing.
for (const corner of document.querySelectorAll(".bd-article th")) {
  if (!corner.textContent.trim()) {
    corner.replaceWith(document.createElement("td"));
  }
}

// These have words; a label for screen readers beside them only says something else.
for (const worded of document.querySelectorAll("summary[aria-label], .search-button-field")) {
  worded.removeAttribute("aria-label");
}

// A formula and the full stop behind it stay on one line.
for (const formula of document.querySelectorAll("span.math")) {
  const behind = formula.nextSibling;
  const mark = behind?.nodeType === Node.TEXT_NODE && behind.data.match(/^[^\s\w]+/);
  if (mark) {
    formula.append(mark[0]);
    behind.data = behind.data.slice(mark[0].length);
  }
}

window.addEventListener("load", () => {
  const math = window.MathJax?.startup?.promise ?? Promise.resolve();
  math.then(reachByKeyboard);
});
window.addEventListener("resize", reachByKeyboard);
document.addEventListener("toggle", reachByKeyboard, true);
