// The page: header, summary, experiments; exhibits are drawn when they come into view.

const EXHIBITS = {
  sphere: sphereExhibit,
  network: networkExhibit,
  gallery: galleryExhibit,
  histogram: histogramExhibit,
  heatmap: heatmapExhibit,
};

// What an exhibit may be asked, or told, from outside.
const QUESTIONS = [
  "positions", "distances", "memberships", "channels", "features", "kernels", "moveTo", "chooseSample",
];

const data = JSON.parse(document.getElementById("data").textContent);
const exhibits = [];

/** An exhibit's place in the page, and how to draw it there; what it tells is there once it is asked for. */
function placeExhibit(exhibit) {
  const host = element("div", { class: "stage" });
  const node = element(
    "section",
    { class: `exhibit ${exhibit.kind}` },
    element("h3", {}, exhibit.title),
    exhibit.caption ? element("p", { class: "prose" }, exhibit.caption) : null,
    host,
  );
  let told = null;
  const draw = () => {
    if (told) return told;
    host.classList.add("drawn");
    told = EXHIBITS[exhibit.kind](exhibit, host);
    return told;
  };
  const handle = { kind: exhibit.kind, element: host, draw, drawn: () => told !== null };
  // Questions draw first, so that an exhibit out of view answers as well.
  for (const name of QUESTIONS) {
    handle[name] = (...values) => draw()[name](...values);
  }
  exhibits.push(handle);
  return node;
}

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
  return element(
    "section",
    { class: "experiment", id: experiment.name },
    element("h2", {}, experiment.title),
    ...paragraphs(experiment.text),
    experiment.rows.length ? resultTable(experiment.rows, `Results: ${experiment.title}`, false) : null,
    ...experiment.exhibits.map(placeExhibit),
    figures.length ? element("div", { class: "figures" }, ...figures) : null,
    element("p", { class: "hint" }, `Took ${durationText(experiment.seconds)}.`),
  );
}

// Light or dark, as the system has it until the reader chooses.
const darkSystem = matchMedia("(prefers-color-scheme: dark)");
let chosenTheme = null;
const themeButton = element("button", { type: "button", class: "theme", onclick: toggleTheme });

function toggleTheme() {
  chosenTheme = theme() === "dark" ? "light" : "dark";
  setTheme(theme());
}

function theme() {
  return chosenTheme || (darkSystem.matches ? "dark" : "light");
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  themeButton.textContent = name === "dark" ? "Light page" : "Dark page";
  redrawCanvases();
}

setTheme(theme());
darkSystem.addEventListener("change", () => setTheme(theme()));

document.title = data.title;
const subtitle = data.subtitle ? element("p", { class: "subtitle" }, data.subtitle) : null;
document.querySelector("header").append(element("div", {}, element("h1", {}, data.title), subtitle), themeButton);
if (data.summary.length) {
  const table = resultTable(data.summary, "Summary of all experiments", true);
  document.querySelector("main").append(element("section", { class: "summary" }, element("h2", {}, "Summary"), table));
}
document.querySelector("main").append(...data.experiments.map(experimentSection));
document.querySelector("footer").append(`redunet ${data.version}`);

const watcher = new IntersectionObserver(
  (entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      watcher.unobserve(entry.target);
      exhibits.find(({ element: host }) => host === entry.target).draw();
    }
  },
  { rootMargin: "300px" },
);
for (const exhibit of exhibits) watcher.observe(exhibit.element);

// Zoom, or another screen, changes how fine a canvas must be.
let density = window.devicePixelRatio;
addEventListener("resize", () => {
  if (density === window.devicePixelRatio) return;
  density = window.devicePixelRatio;
  redrawCanvases();
});

// On paper everything is there, in ink.
addEventListener("beforeprint", () => {
  for (const exhibit of exhibits) exhibit.draw();
  setTheme("light");
});
addEventListener("afterprint", () => setTheme(theme()));

window.redunet = { exhibits };
