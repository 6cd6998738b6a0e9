// A place to drop a CSV file on: the network in the page answers it, row by row.

const MOST_ROWS_SHOWN = 200;

function dropExhibit(data, host) {
  const classifier = classifierOf(data);
  const input = element("input", { type: "file", accept: ".csv,.tsv,.tab,text/csv" });
  const words = element("span", { class: "drop-words" }, "Drop a CSV file here, or ");
  const button = element("span", { class: "file-button" }, "choose a file");
  const choose = element("label", { class: "drop-area" }, words, button, input);
  const bar = element("progress", { max: 1, value: 0, hidden: true, "aria-label": "Rows answered" });
  const status = element("p", { class: "readout", role: "status" });
  const problem = element("p", { class: "warning", role: "alert", hidden: true });
  const result = element("div", { class: "file-answers" });
  host.append(choose, element("p", { class: "hint" }, columnsHint(data, classifier)), bar, status, problem, result);
  const parts = { host, bar, status, problem, result };
  let running = null;
  const start = (file) => {
    if (running) running.isStopped = true;
    running = new FileAnswers(file, classifier, data.columns);
    return answerInView(running, parts);
  };
  input.addEventListener("change", () => {
    if (input.files.length) start(input.files[0]);
    input.value = ""; // so that the same file can be chosen again
  });
  for (const name of ["dragover", "dragleave", "drop"]) {
    choose.addEventListener(name, () => choose.classList.toggle("over", name === "dragover"));
  }
  return { start, answersText: () => answersText(classifier.classes, running.answers) };
}

function columnsHint({ columns }, classifier) {
  const n = product(classifier.sampleShape);
  const which = columns
    ? `Columns are found by their names, in any order: ${listed(columns)}. Others are ignored.`
    : `The model knows no names of columns: the file must have ${n}, in the order of the fit.`;
  const rows = "The first row has the names of the columns, each other row is a sample.";
  return `${rows} ${which} The file stays on this computer.`;
}

/** A file may be dropped anywhere on a page with such an exhibit; elsewhere the browser would leave the page for it. */
function answerDroppedFiles() {
  const exhibit = exhibits.find(({ kind }) => kind === "drop");
  if (!exhibit) return;
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const { files } = event.dataTransfer;
    if (!files.length) return;
    exhibit.element.scrollIntoView({ block: "center" });
    exhibit.start(files[0]);
  });
}

/** Answer a file and show how far it is, then the answers, or what is wrong with the file. */
async function answerInView(work, { host, bar, status, problem, result }) {
  host.dataset.state = "running";
  bar.hidden = false;
  problem.hidden = true;
  result.replaceChildren();
  const progress = () => {
    if (work.isStopped) return;
    status.textContent = `${work.file.name}: ${work.answers.length.toLocaleString("en")} rows answered`;
    bar.value = work.share;
  };
  try {
    progress();
    await nextTask();
    await work.run(progress);
    if (work.isStopped) return;
    result.replaceChildren(...answersInView(work));
    host.dataset.state = "done";
  } catch (error) {
    if (work.isStopped) return;
    if (!(error instanceof FileProblem)) console.error(error);
    status.textContent = "";
    problem.textContent = error instanceof FileProblem ? error.message : `The file cannot be read: ${error.message}`;
    problem.hidden = false;
    host.dataset.state = "refused";
  }
  bar.hidden = true;
}

/** A note about columns that are not used, how often each class was answered, a download, and the first answers. */
function answersInView({ file, classifier, answers, columns }) {
  const { classes } = classifier;
  const counts = classes.map((_, j) => answers.filter(({ answer }) => answer === j).length);
  const most = mostProbable(counts, MOST_BARS).filter((j) => counts[j]);
  const found = most.map((j) => `${classes[j]} ${counts[j]}`).join(", ");
  const unused = `${file.name} has columns that the model does not use: ${listed(columns.unused)}; they are ignored.`;
  return [
    columns.unused.length ? element("p", { class: "hint" }, unused) : "",
    unansweredNote(answers),
    element("p", { class: "answers-summary" }, answers.length ? `Answers: ${found}.` : `${file.name} has no samples.`),
    downloadLink(file, classes, answers),
    answersTable(classes, answers.slice(0, MOST_ROWS_SHOWN), answers.length),
  ];
}

/** How many rows have no answer, and why the first has none. */
function unansweredNote(answers) {
  const without = answers.filter(({ reason }) => reason);
  if (!without.length) return "";
  const [{ row, reason }] = without;
  const text = `${without.length} of ${answers.length} samples have no answer. The first is row ${row}: ${reason}.`;
  return element("p", { class: "warning" }, text);
}

function downloadLink(file, classes, answers) {
  const address = URL.createObjectURL(new Blob([answersText(classes, answers)], { type: "text/csv" }));
  const name = `${file.name.replace(/\.[^.]*$/, "")}-answers.csv`;
  return element("a", { class: "download", href: address, download: name }, `Download the answers (${name})`);
}

function answersTable(classes, shown, n) {
  const rows = shown.map(({ row, answer, probabilities, reason }) =>
    element(
      "tr",
      {},
      element("td", { class: "number" }, String(row)),
      reason ? element("td", {}, `no answer: ${reason}`) : element("td", {}, swatch(answer), classes[answer]),
      element("td", { class: "number" }, reason ? "" : percentText(probabilities[answer])),
    ),
  );
  const heads = ["row", "answer", "probability"].map((name, i) =>
    element("th", { scope: "col", class: i === 1 ? false : "number" }, name),
  );
  const caption = n > shown.length ? `The first ${shown.length} of ${n} answers` : "Answers";
  const table = element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...rows),
  );
  const more = n > shown.length ? element("p", { class: "hint" }, `${caption}; the download has all.`) : "";
  const box = { class: "table tall", tabindex: 0, role: "region", "aria-label": caption };
  return element("div", {}, element("div", box, table), more);
}
