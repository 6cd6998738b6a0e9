// An experiment: text, results, exhibits, figures.

function paragraphs(text) {
  const parts = (text || "").split(/\n\s*\n/).map((part) => part.trim()).filter(Boolean);
  return parts.map((part) => element("p", { class: "prose" }, part));
}

/** A figure, with its file to take along. */
function figure({ caption, svg, png, file }) {
  const bytes = png && Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const blob = svg ? new Blob([svg], { type: "image/svg+xml" }) : png ? new Blob([bytes], { type: "image/png" }) : null;
  if (!blob) return null;
  const address = URL.createObjectURL(blob);
  return element(
    "figure",
    { class: "figure" },
    element("img", { src: address, alt: caption }),
    element("figcaption", {}, `${caption} `, element("a", { href: address, download: file, class: "file" }, file)),
  );
}

function experimentSection(experiment) {
  const figures = experiment.figures.map(figure).filter(Boolean);
  const content = [
    ...paragraphs(experiment.text),
    experiment.rows.length ? resultTable(experiment.rows, `Results: ${experiment.title}`, false) : null,
    ...experiment.exhibits.map(placeExhibit),
    figures.length ? element("div", { class: "figures" }, ...figures) : null,
    experiment.seconds === null ? null : element("p", { class: "hint" }, `Took ${durationText(experiment.seconds)}.`),
  ];
  const heading = element("h2", {}, experiment.title);
  const place = { class: "experiment", id: experiment.name };
  if (!experiment.folded) return element("section", place, heading, ...content);
  return element("section", place, element("details", {}, element("summary", {}, heading), ...content));
}
