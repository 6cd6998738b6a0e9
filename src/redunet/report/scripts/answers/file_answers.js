// A classifier at work on a file, row by row, a moment at a time so that the page stays responsive.

const WORKING_MILLISECONDS = 30; // at a time
const PROBABILITY_DECIMALS = 6;

/** Let the browser do what it has to do, and go on. */
function nextTask() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** The answers of a classifier to the rows of a file; columns are the names that it was fitted on, or null. */
class FileAnswers {
  constructor(file, classifier, columns) {
    this.file = file;
    this.classifier = classifier;
    this.known = columns;
    this.columns = null; // of the file, once its header is read
    this.answers = []; // {row, answer, probabilities, reason}; row 1 is the header, as in a spreadsheet
    this.isStopped = false;
    this.share = 0; // of the file that is answered
  }

  /** Answer all rows; progress() is called now and then. What is wrong with the file is thrown. */
  async run(progress) {
    for await (const part of rowsOfFile(this.file)) {
      await this.answerRows(part, progress);
      if (this.isStopped) return;
    }
    if (!this.columns) {
      throw new FileProblem(`${this.file.name} is empty; its first row must hold the names of the columns.`);
    }
  }

  /** Answer rows that were read; they are some of the bytes of the file. */
  async answerRows({ rows, number, bytes }, progress) {
    let begun = performance.now();
    for (let i = 0; i < rows.length; i++) {
      if (number + i === 1) this.readHeader(rows[i]);
      else this.answerRow(rows[i], number + i);
      if (performance.now() - begun < WORKING_MILLISECONDS) continue;
      this.share = (bytes[0] + ((bytes[1] - bytes[0]) * i) / rows.length) / this.file.size;
      progress();
      await nextTask();
      if (this.isStopped) return;
      begun = performance.now();
    }
    progress();
  }

  readHeader(row) {
    const { name } = this.file;
    if (!row.length) throw new FileProblem(`${name} is empty; its first row must hold the names of the columns.`);
    this.header = row.map((cell) => cell.trim());
    this.columns = chooseColumns(name, this.header, this.known, product(this.classifier.sampleShape));
  }

  answerRow(row, number) {
    if (!row.length) {
      this.emptyRow ??= number; // lines may be empty at the end of a file, and nowhere else
      return;
    }
    if (this.emptyRow) {
      throw new FileProblem(`${this.file.name}, row ${this.emptyRow}: the row is empty; remove it, or fill it in.`);
    }
    if (row.length !== this.header.length) {
      throw new FileProblem(`${this.file.name}, row ${number}: ${this.fieldsComplaint(row.length)}`);
    }
    this.answers.push({ row: number, ...this.answerTo(row) });
  }

  /** The answer to a row, or why it has none. */
  answerTo(row) {
    try {
      const distances = this.classifier.distances(numbersOf(row, this.columns));
      const unit = 10 ** PROBABILITY_DECIMALS;
      const probabilities = this.classifier.probabilities(distances).map((share) => Math.round(share * unit) / unit);
      return { answer: this.classifier.answer(distances), probabilities, reason: "" };
    } catch (error) {
      if (error instanceof RefusedSample) return { answer: null, probabilities: null, reason: error.message };
      throw error;
    }
  }

  fieldsComplaint(nFields) {
    const few = nFields < this.header.length;
    const remedy = few
      ? "add what is missing (an empty field must be there, too), or quote a field that goes on in the next row; the " +
        `columns are ${listed(this.header)}`
      : "quote values that contain what separates the fields";
    return `${nFields} fields, but row 1 names ${this.header.length} columns; ${remedy}.`;
  }
}
