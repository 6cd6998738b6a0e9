// Memberships of a sample over the layers of a network.

/** Memberships of a sample in the classes at each layer, as columns that add up to 1. */
function membershipChart(classes, nLayers) {
  let shown = { memberships: [], layer: nLayers };
  let update = () => {}; // until the chart is drawn
  const { box, open } = chart({
    label: "Membership in each class, as each layer guesses it",
    xlabel: "layer",
    ylabel: "membership",
    xRange: [0.5, nLayers + 0.5],
    yRange: [0, 1],
    whole: true,
    plot: (svg, x, y) => {
      update = plotMemberships(svg, x, y, classes, nLayers);
      update(shown);
    },
  });
  const show = (memberships, layer) => {
    shown = { memberships, layer };
    update(shown);
  };
  return { box, open, show };
}

/** Draw empty columns and a frame around one; returns a function that fills the columns and moves the frame. */
function plotMemberships(svg, x, y, classes, nLayers) {
  const wide = x(1) - x(0);
  const inner = Math.max(1, wide - (wide > 6 ? 2 : 0.5));
  const columns = Array.from({ length: nLayers }, (_, i) =>
    classes.map((_, j) => drawn("rect", { x: x(i + 1) - inner / 2, width: inner, style: `fill: ${classColour(j)}` })),
  );
  const frame = drawn("rect", { class: "chosen", width: wide, y: y(1) - 3, height: y(0) - y(1) + 6, rx: 2 });
  svg.append(...columns.flat(), frame);
  return ({ memberships, layer }) => {
    memberships.forEach((membership, i) => fillColumn(columns[i], membership, y));
    frame.setAttribute("x", x(Math.max(layer, 1)) - wide / 2);
    frame.style.visibility = layer > 0 ? "visible" : "hidden";
  };
}

/** Stack the bars of one layer; a layer that guesses no membership has an empty column. */
function fillColumn(bars, membership, y) {
  let below = 0;
  bars.forEach((bar, j) => {
    const share = membership ? membership[j] : 0;
    bar.setAttribute("y", y(below + share));
    bar.setAttribute("height", Math.max(0, y(below) - y(below + share)));
    below += share;
  });
}
