// Charts with axes, drawn as vectors.

/** Round numbers between two others, about so many. */
function niceTicks(low, high, wanted = 5) {
  if (!(high > low)) return [low];
  const raw = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((times) => times * power >= raw * 0.999) * power;
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) {
    ticks.push(Number((i * step).toPrecision(10)));
  }
  return ticks;
}

const MARGIN = { top: 10, right: 12, bottom: 40, left: 52 };

/**
 * A chart that is drawn anew whenever its width changes.
 *
 * plot(svg, x, y) draws into it, with scales from values to places. Whole x have ticks at whole numbers only.
 */
function chart({ label, xlabel, ylabel, xRange, yRange, height = 230, whole = false, plot }) {
  const box = element("div", { class: "chart" });
  const draw = (width) => {
    const share = (value, [low, high]) => (value - low) / (high - low || 1);
    const x = (value) => MARGIN.left + share(value, xRange) * (width - MARGIN.left - MARGIN.right);
    const y = (value) => height - MARGIN.bottom - share(value, yRange) * (height - MARGIN.top - MARGIN.bottom);
    const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    for (const tick of niceTicks(...yRange, 5)) {
      svg.append(
        drawn("line", { class: "rule", x1: MARGIN.left, x2: width - MARGIN.right, y1: y(tick), y2: y(tick) }),
        drawn("text", { x: MARGIN.left - 8, y: y(tick) + 4, "text-anchor": "end" }, numberText(tick)),
      );
    }
    const across = niceTicks(...xRange, width > 420 ? 8 : 5).filter((tick) => !whole || Number.isInteger(tick));
    for (const tick of across) {
      const place = { x: x(tick), y: height - MARGIN.bottom + 17, "text-anchor": "middle" };
      svg.append(drawn("text", place, numberText(tick)));
    }
    const middle = (height - MARGIN.bottom + MARGIN.top) / 2;
    svg.append(
      drawn("text", { x: (width + MARGIN.left) / 2, y: height - 6, "text-anchor": "middle" }, xlabel),
      drawn("text", { transform: `translate(12 ${middle}) rotate(-90)`, "text-anchor": "middle" }, ylabel),
    );
    plot(svg, x, y);
    box.replaceChildren(svg);
  };
  return { box, open: () => whenResized(box, draw) };
}

const RATES = [
  { key: "coding_rate", name: "R", words: "all together", class: "rate-all" },
  { key: "class_coding_rate", name: "R_c", words: "classes apart", class: "rate-classes" },
  { key: "rate_reduction", name: "ΔR", words: "difference", class: "rate-reduction" },
];

/** Rates over the layers, with a marker at one of them. */
function historyChart(history) {
  const layers = history.layer;
  const values = RATES.flatMap(({ key }) => history[key]);
  const high = Math.max(...values, 0) || 1;
  let marked = layers[0];
  let move = () => {};
  const readout = element("p", { class: "readout" });
  const parts = chart({
    label: "Coding rates after each layer",
    xlabel: "layer",
    ylabel: "rate (nats)",
    xRange: [layers[0], layers.at(-1)],
    yRange: [Math.min(...values, 0), 1.05 * high],
    whole: true,
    plot: (svg, x, y) => {
      const marker = drawn("line", { class: "marker", y1: MARGIN.top, y2: y(Math.min(...values, 0)) });
      const dots = RATES.map((rate) => drawn("circle", { class: rate.class, r: 4 }));
      svg.append(marker);
      for (const rate of RATES) {
        const points = history[rate.key].map((value, i) => `${x(layers[i]).toFixed(1)},${y(value).toFixed(1)}`);
        svg.append(drawn("polyline", { class: rate.class, points: points.join(" ") }));
      }
      svg.append(...dots);
      move = () => {
        marker.setAttribute("x1", x(marked));
        marker.setAttribute("x2", x(marked));
        RATES.forEach((rate, i) => {
          dots[i].setAttribute("cx", x(marked));
          dots[i].setAttribute("cy", y(between(layers, history[rate.key], marked)));
        });
      };
      move();
    },
  });
  const legend = element(
    "ul",
    { class: "legend" },
    ...RATES.map((rate) => {
      const words = element("span", {}, ...rateName(rate), `, ${rate.words}`);
      return element("li", {}, element("span", { class: `dash ${rate.class}` }), words);
    }),
  );
  const mark = (layer) => {
    marked = Math.max(layers[0], Math.min(layers.at(-1), layer));
    const at = Math.round(marked);
    const texts = RATES.flatMap((rate, i) => [
      i ? ", " : "",
      ...rateName(rate),
      ` = ${numberText(between(layers, history[rate.key], at), 3)}`,
    ]);
    readout.replaceChildren(`Layer ${at}: `, ...texts, " nats");
    move();
  };
  mark(marked);
  return { nodes: [legend, parts.box, readout], open: parts.open, mark };
}

/** The name of a rate with what is below the line there. */
function rateName(rate) {
  const [name, below] = rate.name.split("_");
  return below ? [name, element("sub", {}, below)] : [name];
}

/** The value of a curve between its points. */
function between(places, values, place) {
  let i = places.findIndex((other) => other >= place);
  if (i <= 0) i = Math.min(1, places.length - 1);
  if (places.length === 1) return values[0];
  const share = (place - places[i - 1]) / (places[i] - places[i - 1]);
  return values[i - 1] + share * (values[i] - values[i - 1]);
}

/** Memberships of a sample in the classes at each layer, as columns that add up to 1. */
function membershipChart(classes, nLayers) {
  let memberships = [];
  let marked = nLayers;
  let update = () => {};
  const parts = chart({
    label: "Membership in each class, as each layer guesses it",
    xlabel: "layer",
    ylabel: "membership",
    xRange: [0.5, nLayers + 0.5],
    yRange: [0, 1],
    whole: true,
    plot: (svg, x, y) => {
      const wide = x(1) - x(0);
      const inner = Math.max(1, wide - (wide > 6 ? 2 : 0.5));
      const columns = Array.from({ length: nLayers }, (_, i) =>
        classes.map((_, j) =>
          drawn("rect", { x: x(i + 1) - inner / 2, width: inner, style: `fill: ${classColour(j)}` }),
        ),
      );
      const frame = drawn("rect", { class: "chosen", width: wide, y: y(1) - 3, height: y(0) - y(1) + 6, rx: 2 });
      svg.append(...columns.flat(), frame);
      update = () => {
        memberships.forEach((membership, i) => {
          let below = 0;
          columns[i].forEach((bar, j) => {
            const share = membership ? membership[j] : 0;
            bar.setAttribute("y", y(below + share));
            bar.setAttribute("height", Math.max(0, y(below) - y(below + share)));
            below += share;
          });
        });
        frame.setAttribute("x", x(Math.max(marked, 1)) - wide / 2);
        frame.style.visibility = marked > 0 ? "visible" : "hidden";
      };
      update();
    },
  });
  const show = (values, layer) => {
    memberships = values;
    marked = layer;
    update();
  };
  return { box: parts.box, open: parts.open, show };
}

/** Counts in bins, one outline for each series. */
function histogramChart({ title, xlabel, ylabel, series }) {
  const edges = series.flatMap((one) => one.edges);
  const most = Math.max(...series.flatMap((one) => one.counts), 0) || 1;
  return chart({
    label: title,
    xlabel,
    ylabel,
    height: 280,
    xRange: extent(edges),
    yRange: [0, 1.05 * most],
    plot: (svg, x, y) => {
      series.forEach((one, j) => {
        const corners = one.counts.flatMap((count, i) => [
          [one.edges[i], count],
          [one.edges[i + 1], count],
        ]);
        const outline = [[one.edges[0], 0], ...corners, [one.edges.at(-1), 0]];
        const points = outline.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
        const colour = classColour(j);
        svg.append(drawn("polygon", { class: "bins", points, style: `fill: ${colour}; stroke: ${colour}` }));
      });
    },
  });
}
