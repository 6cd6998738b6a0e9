// The page: header, summary, experiments.

/** Put all that the data hold into the page. */
function fillPage(data) {
  const main = document.querySelector("main");
  pageClassifier.data = data.classifier ?? null;
  document.title = data.title;
  const subtitle = data.subtitle ? element("p", { class: "subtitle" }, data.subtitle) : null;
  document.querySelector("header").append(element("div", {}, element("h1", {}, data.title), subtitle), themeButton);
  if (data.first) main.append(element("section", { class: "first" }, placeExhibit(data.first)));
  if (data.summary.length) {
    const table = resultTable(data.summary, "Summary of all experiments", true);
    main.append(element("section", { class: "summary" }, element("h2", {}, "Summary"), table));
  }
  main.append(...data.experiments.map(experimentSection));
  document.querySelector("footer").append(`redunet ${data.version}`);
}

/** Zoom, or another screen, changes how fine a canvas must be. */
function redrawWhenZoomed() {
  let density = window.devicePixelRatio;
  addEventListener("resize", () => {
    if (density === window.devicePixelRatio) return;
    density = window.devicePixelRatio;
    redrawCanvases();
  });
}

/** On paper every exhibit is drawn, in dark ink. */
function printInFull() {
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
    for (const exhibit of exhibits) exhibit.draw();
    setTheme("light");
  });
  addEventListener("afterprint", () => setTheme(currentTheme()));
}

followSystemTheme();
fillPage(JSON.parse(document.getElementById("data").textContent));
drawExhibitsInView();
redrawWhenZoomed();
printInFull();
answerDroppedFiles();

window.redunet = { exhibits };
