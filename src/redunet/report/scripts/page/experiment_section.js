// An experiment: text, results, exhibits, figures.

function paragraphs(text) {
  const parts = (text || "").split(/\n\s*\n/).map((part) => part.trim()).filter(Boolean);
  return parts.map((part) => element("p", { class: "prose" }, part));
}

/** A figure, with its file to take along; some are drawn a second time for a dark page. */
function figure({ caption, svg, png, dark_png: darkPng = null, file }) {
  const blob = svg ? new Blob([svg], { type: "image/svg+xml" }) : png ? pngBlob(png) : null;
  if (!blob) return null;
  const address = URL.createObjectURL(blob);
  const light = element("img", { src: address, alt: caption, class: darkPng ? "for-light" : "for-paper" });
  const darkAddress = darkPng && URL.createObjectURL(pngBlob(darkPng));
  const dark = darkPng && element("img", { src: darkAddress, alt: caption, class: "for-dark" });
  return element(
    "figure",
    { class: "figure" },
    element("div", { class: "figure-box", tabindex: 0, role: "region", "aria-label": caption }, light, dark),
    element("figcaption", {}, `${caption} `, element("a", { href: address, download: file, class: "file" }, file)),
  );
}

function pngBlob(text) {
  return new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], { type: "image/png" });
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
