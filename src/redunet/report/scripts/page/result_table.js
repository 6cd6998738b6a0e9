// Tables of results.

const NUMBERS = ["paper", "published", "ours"]; // the columns with numbers, from left to right

/**
 * A table of results, without the columns that hold nothing. Where linked, as in the summary of all experiments, the
 * rows of each experiment stand below a link to it.
 */
function resultTable(rows, caption, linked) {
  const columns = columnsOf(rows);
  const body = rows.flatMap((row, i) => {
    const isFirst = i === 0 || rows[i - 1].experiment !== row.experiment;
    return linked && isFirst ? [linkRow(row, columns), resultRow(row, columns)] : [resultRow(row, columns)];
  });
  const parts = [
    element("caption", {}, caption),
    element("thead", {}, headRow(columns)),
    element("tbody", {}, ...body),
  ];
  const table = element("table", { class: columns.numbers.length > 1 ? "results" : false }, ...parts);
  return element("div", { class: "table", role: "region", "aria-label": caption, tabindex: 0 }, table);
}

/** Which columns hold anything, and how many characters follow the point in those with numbers. */
function columnsOf(rows) {
  const has = (key) => rows.some((row) => row[key] !== null && row[key] !== undefined);
  const characters = (key) => Math.max(0, ...rows.map((row) => splitNumber(row[key], row.whole)[1].length));
  const numbers = NUMBERS.filter(has).map((key) => ({ key, characters: characters(key) }));
  return { numbers, timed: has("seconds"), noted: has("note") };
}

function headRow({ numbers, timed, noted }) {
  const name = (key) => (numbers.length === 1 ? "value" : key);
  return element(
    "tr",
    {},
    element("th", { scope: "col", class: "quantity" }, "quantity"),
    ...numbers.map(({ key }) => element("th", { scope: "col", class: "number" }, name(key))),
    timed ? element("th", { scope: "col", class: "number" }, "time") : null,
    noted ? element("th", { scope: "col", class: "note" }, "note") : null,
  );
}

/** A link to the experiment that the rows below are from. */
function linkRow(row, { numbers, timed, noted }) {
  const link = element("a", { href: `#${encodeURIComponent(row.experiment)}` }, row.title);
  const heading = element("th", { scope: "rowgroup", colspan: 1 + numbers.length + timed + noted }, link);
  return element("tr", { class: "group" }, heading);
}

function resultRow(row, { numbers, timed, noted }) {
  return element(
    "tr",
    {},
    element("th", { scope: "row", class: "quantity" }, row.quantity),
    ...numbers.map(({ key, characters }) => numberCell(row[key], row.whole, characters, key)),
    timed ? element("td", { class: "number time" }, durationText(row.seconds)) : null,
    noted ? element("td", { class: "note" }, row.note || "") : null,
  );
}

/** Text of a result, cut in front of its point: counts are whole, shares have three decimals. */
function splitNumber(value, whole) {
  if (typeof value !== "number") return [numberText(value), ""];
  const text = value.toFixed(whole ? 0 : Math.abs(value) >= 10 ? 1 : 3).replace("-", "−");
  const point = text.indexOf(".");
  return point < 0 ? [text, ""] : [text.slice(0, point), text.slice(point)];
}

/** Numbers stand with their points below each other: what follows the point is equally wide in all rows. */
function numberCell(value, whole, characters, name) {
  const [before, rest] = splitNumber(value, whole);
  const fraction = element("span", { class: "fraction", style: `width: ${characters}ch` }, rest);
  return element("td", { class: `number ${name}` }, before, fraction);
}
