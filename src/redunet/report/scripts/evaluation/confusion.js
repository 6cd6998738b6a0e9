// The confusion matrix as a table in a box of its own, which scrolls where there are many classes.

const MANY_CLASSES = 12; // beyond, names of columns stand upright

function confusionExhibit({ classes, counts }, host) {
  const totals = counts.map((row) => row.reduce((sum, count) => sum + count, 0));
  const answered = classes.map((_, i) => counts.reduce((sum, row) => sum + row[i], 0));
  const share = (part, whole) => (whole ? part / whole : null);
  const rows = classes.map((name, j) => confusionRow(name, j, counts[j], totals[j], share(counts[j][j], totals[j])));
  const precisions = classes.map((_, j) => element("td", {}, shortShare(share(counts[j][j], answered[j]))));
  const precisionName = element("th", { scope: "row" }, "precision");
  const table = element(
    "table",
    { class: classes.length > MANY_CLASSES ? "matrix many" : "matrix" },
    element("caption", {}, "How often each class was answered as each class"),
    element("thead", {}, confusionHead(classes)),
    element("tbody", {}, ...rows),
    element("tfoot", {}, element("tr", {}, precisionName, ...precisions, element("td"), element("td"))),
  );
  const box = { class: "table tall", role: "region", tabindex: 0, "aria-label": "Confusion matrix" };
  const scale = colourScale([0, 1], "share of the row");
  host.append(element("div", box, table), scale.node);
  scale.open();
  return { counts: () => counts };
}

function confusionHead(classes) {
  const names = classes.map((name, j) =>
    element("th", { scope: "col", class: "class-name", title: name }, element("span", {}, swatch(j), name)),
  );
  const ends = ["samples", "recall"].map((name) => element("th", { scope: "col", class: "number" }, name));
  return element("tr", {}, element("th", { scope: "col" }, "is \\ answered"), ...names, ...ends);
}

function confusionRow(name, j, counts, total, recall) {
  const cells = counts.map((count, i) => {
    const cell = element("td", { class: i === j ? "count right" : "count" }, count ? String(count) : "·");
    if (count) Object.assign(cell.style, rampStyle(RAMPS.even, count / total));
    return cell;
  });
  return element(
    "tr",
    {},
    element("th", { scope: "row", class: "class-name", title: name }, element("span", {}, swatch(j), name)),
    ...cells,
    element("td", { class: "number" }, String(total)),
    element("td", { class: "number" }, shortShare(recall)),
  );
}

function shortShare(share) {
  return share === null ? "–" : share.toFixed(2);
}
