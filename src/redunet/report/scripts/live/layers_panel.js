// The layers: which one is looked at, which class each of them guesses, and the rates after each.

/** A slider that chooses a layer; 0 is the input. */
function layerSlider(state) {
  const { nLayers } = state;
  const choose = () => state.chooseLayer(Number(slider.value));
  const range = { min: 0, max: nLayers, step: 1, value: nLayers };
  const slider = element("input", { type: "range", ...range, oninput: choose });
  const name = element("output", { class: "layer-number" });
  const show = () => {
    name.textContent = state.layer === 0 ? "0, the input" : `${state.layer} of ${nLayers}`;
    slider.setAttribute("aria-valuetext", `layer ${name.textContent}`);
  };
  show();
  state.listen(["layer"], show);
  return element("label", { class: "slider" }, "Layer", slider, name);
}

/** Memberships of the sample, if any layer guesses them. */
function membershipsPanel(state) {
  const { classes } = state.network;
  const chart = membershipChart(classes, state.nLayers);
  const show = () => chart.show(state.result.memberships, state.layer);
  show();
  state.listen(["result", "layer"], show);
  const node = panel("Which class each layer guesses", classLegend(classes), chart.box);
  return { node, open: chart.open };
}

/** Coding rates of the training samples, marked at the chosen layer. */
function historyPanel(state, history) {
  const chart = historyChart(history);
  const show = () => chart.mark(state.layer);
  show();
  state.listen(["layer"], show);
  return { node: panel("Coding rates of the training samples", ...chart.nodes), open: chart.open };
}
