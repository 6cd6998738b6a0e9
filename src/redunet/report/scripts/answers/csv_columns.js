// Which columns of a table are the features of a model: by name where it knows names, else by their order.

const MOST_LISTED_NAMES = 8;
const MOST_NAME_CHARACTERS = 40;

/** Text in quotes, cut if it is long. */
function quoted(text) {
  const short = text.length <= MOST_NAME_CHARACTERS ? text : `${text.slice(0, MOST_NAME_CHARACTERS)}…`;
  return short.includes("'") && !short.includes('"') ? `"${short}"` : `'${short.replaceAll("'", "\\'")}'`;
}

/** Names in quotes with commas between them; only the first ones if there are many. */
function listed(names) {
  const more = names.length > MOST_LISTED_NAMES ? ` and ${names.length - MOST_LISTED_NAMES} more` : "";
  return names.slice(0, MOST_LISTED_NAMES).map(quoted).join(", ") + more;
}

/**
 * Features among the columns of a file: names, their positions, and the columns that are not used.
 * known are the names that the model was fitted on, or null; nFeatures is how many numbers a sample has.
 */
function chooseColumns(file, header, known, nFeatures) {
  refuseAnotherDelimiter(file, header);
  if (known) return knownColumns(file, header, known);
  if (header.length !== nFeatures) {
    throw new FileProblem(
      `${file} has ${header.length} columns, but the model takes ${nFeatures}, by their order, since it knows no ` +
        "names; leave out the others.",
    );
  }
  refuseTwice(file, header);
  return { names: header, positions: header.map((_, i) => i), unused: [] };
}

function knownColumns(file, header, known) {
  const where = new Map(header.map((name, i) => [name, i]).reverse()); // of equal names the first
  const missing = known.filter((name) => !where.has(name));
  if (missing.length) {
    const more = missing.length > 1 ? `, and ${missing.length - 1} more that the model knows,` : ",";
    throw new FileProblem(
      `${file}, row 1: there is no column ${quoted(missing[0])}${more} which the model was fitted on; add it, or ` +
        `correct its name.${didYouMean(missing[0], header)}${noHeader(header)}`,
    );
  }
  const wanted = new Set(known);
  refuseTwice(file, header.filter((name) => wanted.has(name)));
  const unused = header.filter((name) => !wanted.has(name));
  return { names: known, positions: known.map((name) => where.get(name)), unused };
}

function refuseTwice(file, names) {
  const counts = new Map();
  for (const name of names) counts.set(name, (counts.get(name) || 0) + 1);
  for (const [name, count] of counts) {
    if (count > 1) {
      throw new FileProblem(`${file}, row 1: ${count} columns are called ${quoted(name)}; rename them.`);
    }
  }
}

/** One column whose name holds a usual delimiter is several columns. */
function refuseAnotherDelimiter(file, header) {
  if (header.length > 1) return;
  const names = { "\t": "a tab", ";": "';'", ",": "','", "|": "'|'" };
  const other = Object.keys(names).find((delimiter) => header[0].includes(delimiter));
  if (!other) return;
  throw new FileProblem(
    `${file}, row 1: one column, ${quoted(header[0])}; the file seems to be separated by ${names[other]}, save it ` +
      "with commas and the ending .csv, or with tabs and the ending .tsv.",
  );
}

/** A hint where the first row looks like data. */
function noHeader(header) {
  const numeric = header.every((name) => NUMBER.test(name.trim()));
  return numeric ? " Row 1 holds only numbers; it must hold the names of the columns." : "";
}

/** A guess at the name that was meant, as a sentence after a space; empty if no name is near. */
function didYouMean(name, names) {
  const given = name.toLowerCase();
  if (given.length > 100) return "";
  const near = names.slice(0, 200).map((other) => [alikeness(given, other.toLowerCase()), other]);
  const best = near.reduce((one, other) => (other[0] > one[0] ? other : one), [0, ""]);
  return best[0] >= 0.6 ? ` Did you mean ${quoted(best[1])}?` : "";
}

/** Share of two texts that they have in common, longest pieces first. */
function alikeness(one, other) {
  const inCommon = (a, b) => {
    let [length, i, k] = [0, 0, 0];
    for (let s = 0; s < a.length; s++) {
      for (let t = 0; t < b.length; t++) {
        let n = 0;
        while (s + n < a.length && a[s + n] === b[t + n]) n++;
        if (n > length) [length, i, k] = [n, s, t];
      }
    }
    if (!length) return 0;
    return length + inCommon(a.slice(0, i), b.slice(0, k)) + inCommon(a.slice(i + length), b.slice(k + length));
  };
  return (2 * inCommon(one, other)) / (one.length + other.length || 1);
}
