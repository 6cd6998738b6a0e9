// The exhibits of the page, each drawn when it comes into view.

// By the kinds that Python names. To add one, write it in a file of its own and add its line.
const EXHIBITS = {
  sphere: sphereExhibit,
  network: networkExhibit,
  drag: dragExhibit,
  gallery: galleryExhibit,
  histogram: histogramExhibit,
  heatmap: heatmapExhibit,
  accuracy: accuracyExhibit,
  confusion: confusionExhibit,
  calibration: calibrationExhibit,
  cases: casesExhibit,
  drop: dropExhibit,
};

// What an exhibit may be asked, or made to do, from outside.
const QUESTIONS = [
  "positions", "distances", "probabilities", "memberships", "channels", "features", "kernels", "moveTo",
  "chooseSample", "answersText", "start",
];

const exhibits = [];

/** An exhibit's place in the page, which stays empty until the exhibit is drawn. */
function placeExhibit(exhibit) {
  const host = element("div", { class: "stage" });
  exhibits.push(exhibitHandle(exhibit, host));
  return element(
    "section",
    { class: `exhibit ${exhibit.kind}` },
    exhibit.title ? element("h3", {}, exhibit.title) : null,
    exhibit.caption ? element("p", { class: "prose" }, exhibit.caption) : null,
    host,
  );
}

/** What draws an exhibit, once, and passes questions on to it. */
function exhibitHandle(exhibit, host) {
  let answers = null;
  const draw = () => {
    if (answers) return answers;
    host.classList.add("drawn");
    answers = EXHIBITS[exhibit.kind](exhibit, host);
    return answers;
  };
  const handle = { kind: exhibit.kind, element: host, draw, drawn: () => answers !== null };
  // Questions draw first, so that an exhibit out of view answers as well.
  for (const name of QUESTIONS) {
    handle[name] = (...values) => draw()[name](...values);
  }
  return handle;
}

/** Draw each exhibit when it is nearly in view. */
function drawExhibitsInView() {
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
}
