// The answer, whether it stays the same, and how far the sample is from each class.

function answerPanel(state) {
  const answer = element("p", { class: "answer", role: "status" });
  const warning = element("p", { class: "warning", role: "alert", hidden: true });
  const bars = distanceBars(state);
  const show = () => {
    const problem = whatIsWrong(state);
    const words = element("span", {}, stabilityText(state));
    answer.replaceChildren("answer: ", element("strong", {}, state.answer), words);
    answer.classList.toggle("wrong", problem !== null);
    warning.hidden = problem === null;
    warning.textContent = problem;
    bars.show();
  };
  show();
  state.listen(["result"], show);
  const hint = element("p", { class: "hint" }, state.network.answers.answerText);
  return { node: panel("Answer", answer, warning, bars.node, hint) };
}

function stabilityText({ nShiftsTried, answersDiffer }) {
  if (answersDiffer) return `not the same at all ${nShiftsTried} shifts you tried`;
  if (nShiftsTried === 1) return "move the sample and see whether it stays";
  return `the same at all ${nShiftsTried} shifts you tried`;
}

/** A warning if the answer is not what it must be, else null. */
function whatIsWrong({ answersDiffer, expectedAnswer, answer }) {
  if (answersDiffer) return "The answer has changed with the shift. It must not: something is broken.";
  if (expectedAnswer === undefined || expectedAnswer === answer) return null;
  return `The report was made with the answer ${expectedAnswer} for this sample: something is broken.`;
}

/** A bar for each class, as long as the measure of the answer says. */
function distanceBars(state) {
  const { network } = state;
  const rows = network.classes.map((name, j) => {
    const bar = element("span", { class: "bar", style: `background: ${classColour(j)}` });
    const value = element("span", { class: "value" });
    const track = element("span", { class: "track" }, bar);
    return { bar, value, row: element("li", {}, element("span", {}, name), track, value) };
  });
  const show = () => {
    const { distances } = state.result;
    const lengths = network.answers.barLengths(distances);
    const longest = Math.max(...lengths) || 1;
    const nearest = network.answer(distances);
    rows.forEach(({ bar, value, row }, j) => {
      bar.style.width = `${(100 * lengths[j]) / longest}%`;
      value.textContent = distances[j].toFixed(4).replace("-", "−");
      row.classList.toggle("nearest", j === nearest);
    });
  };
  return { node: element("ul", { class: "distances" }, ...rows.map(({ row }) => row)), show };
}
