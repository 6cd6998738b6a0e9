// Tables of results.

const NUMBERS = [
  ["paper", "paper"],
  ["published", "published"],
  ["ours", "ours"],
];

/** Rows of results; below links to their experiments where the table is the summary of all of them. */
function resultTable(rows, caption, linked) {
  const noted = rows.some((row) => row.note);
  const places = NUMBERS.map(([key]) => Math.max(0, ...rows.map((row) => splitNumber(row[key])[1].length)));
  const head = element(
    "tr",
    {},
    element("th", { scope: "col" }, "quantity"),
    ...NUMBERS.map(([, name]) => element("th", { scope: "col", class: "number" }, name)),
    element("th", { scope: "col", class: "number" }, "time"),
    noted ? element("th", { scope: "col" }, "note") : null,
  );
  const body = rows.flatMap((row, i) => {
    const first = i === 0 || rows[i - 1].experiment !== row.experiment;
    const link = () => element("a", { href: `#${encodeURIComponent(row.experiment)}` }, row.title);
    const heading = () => element("th", { scope: "rowgroup", colspan: 5 + noted }, link());
    const results = element(
      "tr",
      {},
      element("th", { scope: "row", class: "quantity" }, row.quantity),
      ...NUMBERS.map(([key], column) => numberCell(row[key], places[column], key)),
      element("td", { class: "number time" }, durationText(row.seconds)),
      noted ? element("td", { class: "note" }, row.note || "") : null,
    );
    return linked && first ? [element("tr", { class: "group" }, heading()), results] : [results];
  });
  const parts = [element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, ...body)];
  const table = element("table", {}, ...parts);
  return element("div", { class: "table", role: "region", "aria-label": caption, tabindex: 0 }, table);
}

/** Text of a number, cut in front of its point. */
function splitNumber(value) {
  const text = numberText(value);
  const point = text.indexOf(".");
  return point < 0 ? [text, ""] : [text.slice(0, point), text.slice(point)];
}

/** Numbers stand with their points below each other: what follows the point is equally wide in all rows. */
function numberCell(value, places, name) {
  const [whole, rest] = splitNumber(value);
  const fraction = element("span", { class: "fraction", style: `width: ${places}ch` }, rest);
  return element("td", { class: `number ${name}` }, whole, fraction);
}
