// Cells of a table, which are text, as numbers; and what is wrong with those that are none.

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
// How spreadsheets and programs write that there is nothing.
const MISSING_VALUES = new Set(["", "na", "n/a", "nan", "null", "none", "-", "?", "#n/a"]);
const LARGEST_VALUE = 1e300;

/** Numbers of the cells of a row at these positions; a row with a bad one has no answer, and it is thrown why. */
function numbersOf(row, { names, positions }) {
  const numbers = new Float64Array(positions.length);
  for (let i = 0; i < positions.length; i++) {
    const text = row[positions[i]].trim();
    const number = NUMBER.test(text) ? Number(text) : NaN;
    if (!(Math.abs(number) <= LARGEST_VALUE)) {
      throw new RefusedSample(`column ${quoted(names[i])}: ${complaintOf(text)}`);
    }
    numbers[i] = number;
  }
  return numbers;
}

/** What is wrong with a cell and what helps. */
function complaintOf(text) {
  if (MISSING_VALUES.has(text.toLowerCase())) {
    return `${text ? `${quoted(text)} is no value` : "empty cell"}; fill it in, or remove the row`;
  }
  if (/^[+-]?inf(inity)?$/i.test(text)) return `${text.startsWith("-") ? "-inf" : "inf"} is not finite; correct it`;
  if (NUMBER.test(text)) {
    const number = Number(text);
    if (!Number.isFinite(number)) return `${number < 0 ? "-inf" : "inf"} is not finite; correct it`;
    return `${Number(number.toPrecision(6)).toExponential()} is above 1e+300; scale the column`;
  }
  const point = text.replace(",", ".");
  if (text.includes(",") && NUMBER.test(point)) {
    return `${quoted(text)} is not a number; write decimals with a point: ${point}`;
  }
  return `${quoted(text)} is not a number; correct it`;
}
