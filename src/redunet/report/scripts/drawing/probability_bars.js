// Probabilities of classes as bars: the longest one is the answer.

const MOST_BARS = 10; // of many classes, the most probable ones

/** A list of bars; show(probabilities, answer) fills it, whatever the number of classes. */
function probabilityBars(classes, most = MOST_BARS) {
  const inOrder = classes.length <= most; // then every class has its place, and only lengths change
  const rows = Array.from({ length: Math.min(most, classes.length) }, barRow);
  const others = element("li", { class: "others", hidden: inOrder });
  const node = element("ul", { class: "probabilities" }, ...rows.map(({ row }) => row), others);
  const show = (probabilities, answer = probabilities.indexOf(Math.max(...probabilities))) => {
    const shown = inOrder ? classes.map((_, j) => j) : mostProbable(probabilities, most);
    rows.forEach((row, i) => fillBar(row, classes, shown[i], probabilities[shown[i]], shown[i] === answer));
    const rest = probabilities.reduce((sum, value, j) => (shown.includes(j) ? sum : sum + value), 0);
    others.textContent = `${classes.length - shown.length} others, together ${percentText(rest)}`;
  };
  return { node, show };
}

function barRow() {
  const name = element("span", { class: "name" });
  const bar = element("span", { class: "bar" });
  const value = element("span", { class: "value" });
  const row = element("li", {}, name, element("span", { class: "track" }, bar), value);
  return { row, name, bar, value };
}

function fillBar({ row, name, bar, value }, classes, j, probability, isAnswer) {
  name.textContent = classes[j];
  name.title = classes[j];
  bar.style.width = `${100 * probability}%`;
  bar.style.background = classColour(j);
  value.textContent = percentText(probability);
  row.classList.toggle("nearest", isAnswer);
}

/** Numbers of the most probable classes, the most probable first. */
function mostProbable(probabilities, most) {
  const order = probabilities.map((_, j) => j);
  return order.sort((a, b) => probabilities[b] - probabilities[a] || a - b).slice(0, most);
}

/** A share in percent; only 0 and 1 themselves are 0 % and 100 %. */
function percentText(share) {
  if (share > 0 && share < 0.001) return "< 0.1 %";
  if (share < 1 && share > 0.999) return "> 99.9 %";
  const percent = 100 * share;
  return `${percent.toFixed(percent === 0 || percent === 100 ? 0 : 1)} %`;
}
