// Text of CSV and TSV files as rows of fields, by the rules of the command line (Python's csv, strict).

const DELIMITERS = { csv: ",", tsv: "\t", tab: "\t" };

/** What is wrong with a file, in words for its reader. */
class FileProblem extends Error {}

/** Fields of text that arrives in pieces. An empty line is a row without fields. */
class CsvParser {
  constructor(delimiter) {
    this.delimiter = delimiter;
    this.rows = [];
    this.startRow();
    this.afterReturn = false; // a line end of two characters is one line end
  }

  startRow() {
    this.row = [];
    this.startField();
  }

  startField() {
    this.field = "";
    this.state = "start"; // then "plain", "quoted", or "closed" after the second quote
  }

  /** Rows that are complete once this text is read. */
  push(text) {
    for (const letter of text) {
      if (letter === "\n" && this.afterReturn) {
        this.afterReturn = false;
        continue;
      }
      this.afterReturn = letter === "\r" && this.state !== "quoted";
      this.read(letter);
    }
    return this.rows.splice(0);
  }

  read(letter) {
    if (this.state === "quoted") {
      if (letter === '"') this.state = "closed";
      else this.field += letter;
    } else if (letter === this.delimiter) {
      this.row.push(this.field);
      this.startField();
      this.state = "start";
    } else if (letter === "\n" || letter === "\r") {
      this.endRow();
    } else if (this.state === "closed") {
      if (letter !== '"') throw new FileProblem(NOT_CLOSED);
      this.field += letter;
      this.state = "quoted";
    } else if (this.state === "start" && letter === '"') {
      this.state = "quoted";
    } else if (this.state === "plain" || letter !== " ") {
      this.field += letter; // spaces before a field do not count
      this.state = "plain";
    }
  }

  endRow() {
    if (this.row.length || this.state !== "start") this.row.push(this.field);
    this.rows.push(this.row);
    this.startRow();
  }

  /** The last row, where the text does not end with a line end. */
  end() {
    if (this.state === "quoted") throw new FileProblem(NOT_CLOSED);
    if (this.row.length || this.state !== "start") this.endRow();
    return this.rows.splice(0);
  }
}

const NOT_CLOSED =
  "a quoted field is not closed, or has text after its closing quote; write a quote inside a field twice.";

/** What separates the fields of a file, by the ending of its name. */
function delimiterOf(name) {
  const ending = name.split(".").at(-1).toLowerCase();
  if (Object.hasOwn(DELIMITERS, ending)) return DELIMITERS[ending];
  throw new FileProblem(`${name}: this page reads tables whose names end in .csv, .tsv or .tab; save it as CSV.`);
}

/** Rows of a file, some at a time: number is that of the first of them, counted from 1; bytes are where they are. */
async function* rowsOfFile(file) {
  const parser = new CsvParser(delimiterOf(file.name));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let number = 1;
  let bytes = [0, 0];
  const parsed = (read) => {
    try {
      return read();
    } catch (error) {
      if (error instanceof FileProblem) throw new FileProblem(`${file.name}, row ${number}: ${error.message}`);
      throw new FileProblem(`${file.name} is not UTF-8 text (after row ${number - 1}); save it as CSV in UTF-8.`);
    }
  };
  const reader = file.stream().getReader();
  for (let done = false; !done; ) {
    const part = await reader.read();
    done = part.done;
    const rows = parsed(() => parser.push(done ? decoder.decode() : decoder.decode(part.value, { stream: true })));
    if (done) rows.push(...parsed(() => parser.end()));
    bytes = [bytes[1], bytes[1] + (done ? 0 : part.value.length)];
    yield { rows, number, bytes };
    number += rows.length;
  }
}
