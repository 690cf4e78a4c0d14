// What is wider than the page scrolls by itself; make it reachable without a mouse, too.
function reachByKeyboard() {
  for (const box of document.querySelectorAll("div.math, .cell_output .output, .table-scroll, pre")) {
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
