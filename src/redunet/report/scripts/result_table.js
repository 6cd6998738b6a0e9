// Tables of results.

const NUMBERS = [
  ["paper", "paper"],
  ["published", "published"],
  ["ours", "ours"],
];

/** Rows of results, without columns that nothing is in; below links to their experiments where the table is the summary of all of them. */
function resultTable(rows, caption, linked) {
  const has = (key) => rows.some((row) => row[key] !== null && row[key] !== undefined);
  const noted = has("note");
  const timed = has("seconds");
  const numbers = NUMBERS.filter(([key]) => has(key));
  const alone = numbers.length === 1;
  const places = numbers.map(([key]) => Math.max(0, ...rows.map((row) => splitNumber(row[key], row.whole)[1].length)));
  const head = element(
    "tr",
    {},
    element("th", { scope: "col" }, "quantity"),
    ...numbers.map(([, name]) => element("th", { scope: "col", class: "number" }, alone ? "value" : name)),
    timed ? element("th", { scope: "col", class: "number" }, "time") : null,
    noted ? element("th", { scope: "col" }, "note") : null,
  );
  const body = rows.flatMap((row, i) => {
    const first = i === 0 || rows[i - 1].experiment !== row.experiment;
    const link = () => element("a", { href: `#${encodeURIComponent(row.experiment)}` }, row.title);
    const heading = () => element("th", { scope: "rowgroup", colspan: 1 + numbers.length + timed + noted }, link());
    const results = element(
      "tr",
      {},
      element("th", { scope: "row", class: "quantity" }, row.quantity),
      ...numbers.map(([key], column) => numberCell(row[key], row.whole, places[column], key)),
      timed ? element("td", { class: "number time" }, durationText(row.seconds)) : null,
      noted ? element("td", { class: "note" }, row.note || "") : null,
    );
    return linked && first ? [element("tr", { class: "group" }, heading()), results] : [results];
  });
  const parts = [element("caption", {}, caption), element("thead", {}, head), element("tbody", {}, ...body)];
  const table = element("table", {}, ...parts);
  return element("div", { class: "table", role: "region", "aria-label": caption, tabindex: 0 }, table);
}

/** Text of a result, cut in front of its point: counts are whole, shares have three decimals. */
function splitNumber(value, whole) {
  if (typeof value !== "number") return [numberText(value), ""];
  const text = value.toFixed(whole ? 0 : Math.abs(value) >= 10 ? 1 : 3).replace("-", "−");
  const point = text.indexOf(".");
  return point < 0 ? [text, ""] : [text.slice(0, point), text.slice(point)];
}

/** Numbers stand with their points below each other: what follows the point is equally wide in all rows. */
function numberCell(value, whole, places, name) {
  const [before, rest] = splitNumber(value, whole);
  const fraction = element("span", { class: "fraction", style: `width: ${places}ch` }, rest);
  return element("td", { class: `number ${name}` }, before, fraction);
}
