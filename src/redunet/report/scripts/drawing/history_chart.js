// Rates over the layers of a network.

const RATES = [
  { key: "coding_rate", name: "R", words: "all together", class: "rate-all" },
  { key: "class_coding_rate", name: "R_c", words: "classes apart", class: "rate-classes" },
  { key: "rate_reduction", name: "ΔR", words: "difference", class: "rate-reduction" },
];

/** Rates over the layers, with a marker that mark(layer) moves. */
function historyChart(history) {
  const layers = history.layer;
  const values = RATES.flatMap(({ key }) => history[key]);
  const lowest = Math.min(...values, 0);
  const readout = element("p", { class: "readout" });
  let marked = layers[0];
  let moveMarker = () => {}; // until the chart is drawn
  const { box, open } = chart({
    label: "Coding rates after each layer",
    xlabel: "layer",
    ylabel: "rate (nats)",
    xRange: [layers[0], layers.at(-1)],
    yRange: [lowest, 1.05 * (Math.max(...values, 0) || 1)],
    whole: true,
    plot: (svg, x, y) => {
      moveMarker = plotRates(svg, x, y, history, lowest);
      moveMarker(marked);
    },
  });
  const mark = (layer) => {
    marked = Math.max(layers[0], Math.min(layers.at(-1), layer));
    readout.replaceChildren(...ratesText(history, Math.round(marked)));
    moveMarker(marked);
  };
  mark(marked);
  return { nodes: [rateLegend(), box, readout], open, mark };
}

/** Draw the curves and a marker; returns a function that moves the marker to a layer, or between two. */
function plotRates(svg, x, y, history, lowest) {
  const marker = drawn("line", { class: "marker", y1: MARGIN.top, y2: y(lowest) });
  const dots = RATES.map((rate) => drawn("circle", { class: rate.class, r: 4 }));
  const curves = RATES.map((rate) => {
    const points = history[rate.key].map((value, i) => `${x(history.layer[i]).toFixed(1)},${y(value).toFixed(1)}`);
    return drawn("polyline", { class: rate.class, points: points.join(" ") });
  });
  svg.append(marker, ...curves, ...dots);
  return (layer) => {
    marker.setAttribute("x1", x(layer));
    marker.setAttribute("x2", x(layer));
    RATES.forEach((rate, i) => {
      dots[i].setAttribute("cx", x(layer));
      dots[i].setAttribute("cy", y(between(history.layer, history[rate.key], layer)));
    });
  };
}

function rateLegend() {
  const entries = RATES.map((rate) => {
    const words = element("span", {}, ...rateName(rate), `, ${rate.words}`);
    return element("li", {}, element("span", { class: `dash ${rate.class}` }), words);
  });
  return element("ul", { class: "legend" }, ...entries);
}

/** The rates after one layer, in words. */
function ratesText(history, layer) {
  const rates = RATES.flatMap((rate, i) => [
    i ? ", " : "",
    ...rateName(rate),
    ` = ${numberText(between(history.layer, history[rate.key], layer), 3)}`,
  ]);
  return [`Layer ${layer}: `, ...rates, " nats"];
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
