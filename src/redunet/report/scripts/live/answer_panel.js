// The answer, whether it stays the same, and how probable each class is.

function answerPanel(state) {
  const { classifier } = state;
  const answer = element("p", { class: "answer", role: "status" });
  const warning = element("p", { class: "warning", role: "alert", hidden: true });
  const bars = probabilityBars(classifier.classes);
  const show = () => {
    const problem = whatIsWrong(state);
    const words = element("span", {}, stabilityText(state));
    answer.replaceChildren("answer: ", element("strong", {}, state.answer), words);
    answer.classList.toggle("wrong", problem !== null);
    warning.hidden = problem === null;
    warning.textContent = problem;
    const { distances } = state.result;
    bars.show(classifier.probabilities(distances), classifier.answer(distances));
  };
  show();
  state.listen(["result"], show);
  const hint = element("p", { class: "hint" }, "Probability of each class. The longest bar is the answer.");
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
