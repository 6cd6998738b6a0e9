// Histograms.

function histogramExhibit(data, host) {
  const parts = histogramChart(data);
  host.append(classLegend(data.series.map(({ label }) => label)), parts.box);
  parts.open();
  return {};
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
