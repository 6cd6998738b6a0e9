// Single answers to look at: each sample with what speaks for its answer drawn onto it.

const MOST_CASE_BARS = 4;

function casesExhibit({ classes, columns, cases }, host) {
  if (!cases.length) {
    host.append(element("p", { class: "prose" }, "There are none."));
    return {};
  }
  const cards = cases.map((one) => caseCard(one, classes, columns));
  host.append(element("div", { class: "case-list" }, ...cards.map(({ node }) => node)));
  cards.forEach(({ open }) => open());
  return {};
}

function caseCard(one, classes, columns) {
  const isWrong = one.label !== null && one.label !== one.answer;
  const drawing = caseDrawing(one, columns);
  const bars = caseBars(one, classes);
  const hint = one.positions ? element("p", { class: "hint" }, ...explanationKey(classes[one.answer], one.other)) : "";
  const node = element(
    "article",
    { class: isWrong ? "case wrong" : "case" },
    element("h4", {}, one.place),
    element("p", { class: "case-answer" }, ...caseWords(one, classes, isWrong)),
    drawing.node,
    hint,
    bars,
  );
  return { node, open: drawing.open };
}

/** The most probable classes, and the one that the sample belongs to. */
function caseBars({ probabilities, answer, label }, classes) {
  const most = mostProbable(probabilities, MOST_CASE_BARS);
  const shown = label === null || most.includes(label) ? most : [...most.slice(0, -1), label];
  const rows = shown.map((j) => {
    const row = barRow();
    fillBar(row, classes, j, probabilities[j], j === answer);
    return row.row;
  });
  return element("ul", { class: "probabilities" }, ...rows);
}

function caseWords({ answer, label }, classes, isWrong) {
  const named = (j) => element("strong", {}, swatch(j), classes[j]);
  if (label === null) return ["answer ", named(answer)];
  if (!isWrong) return [element("span", { class: "mark" }, "right"), " answer ", named(answer)];
  return [element("span", { class: "mark" }, "wrong"), " answer ", named(answer), ", it is ", named(label)];
}

/** What the colours of an explanation mean. */
function explanationKey(answer, other) {
  return [
    element("span", { class: "key-for" }, "orange"),
    ` speaks for ${answer}, `,
    element("span", { class: "key-against" }, "blue"),
    ` for ${other}`,
  ];
}
