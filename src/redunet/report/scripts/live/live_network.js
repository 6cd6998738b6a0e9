// A network that runs: a sample that can be moved, and what becomes of it. Each panel has a file of its own.

const NO_SCRIPT =
  "This page has no script for one of the measures that this network uses, so the network does not run here.";

/** The sample, its answer, and everything in between. */
function networkExhibit(data, host) {
  return liveExhibit(data, host, (state) => furtherPanels(state, data.history));
}

/** The sample and its answer alone. */
function dragExhibit(data, host) {
  return liveExhibit(data, host, () => []);
}

function liveExhibit(data, host, furtherOf) {
  const classifier = classifierOf(data);
  if (!classifier) {
    host.append(element("p", { class: "prose no-script" }, NO_SCRIPT));
    return {};
  }
  const state = new LiveState(data, classifier);
  const picker = samplePicker(state);
  const first = [samplePanel(state), answerPanel(state)];
  const further = furtherOf(state);
  host.append(picker.node, panelRow(first));
  if (further.length) host.append(controlsOf(state), panelRow(further));
  // A panel that draws on canvases is opened once it is in the page, where it has a width.
  for (const part of [picker, ...first, ...further]) if (part.open) part.open();
  publish(state, host);
  state.listen(["result", "layer"], () => publish(state, host));
  return answersToQuestions(state);
}

/** The panels below the sample and its answer. To add one, write it in a file of its own and list it here. */
function furtherPanels(state, history) {
  const { lift, layers } = state.network;
  return [
    lift && liftedPanel(state),
    featuresPanel(state),
    layers.some(({ measure }) => measure.guessesMembership) && membershipsPanel(state),
    layers.length > 0 && history && historyPanel(state, history),
    layers.length > 0 && kernelsPanel(state),
  ].filter(Boolean);
}

function panelRow(panels) {
  return element("div", { class: "panels" }, ...panels.map(({ node }) => node));
}

/** What chooses the layer and the channels, where there is a choice. */
function controlsOf(state) {
  const controls = [
    state.nLayers > 0 && layerSlider(state),
    state.network.nChannels > CHANNELS_PER_GROUP && channelsControl(state),
  ].filter(Boolean);
  return controls.length ? element("div", { class: "controls" }, ...controls) : "";
}

/** Write the state where style sheets and tests can read it. */
function publish(state, host) {
  Object.assign(host.dataset, {
    sample: state.sample,
    shift: state.shift.join(),
    layer: state.layer,
    answer: state.answer,
    answersDiffer: state.answersDiffer,
  });
}

/** What the exhibit may be asked from outside; the network has run before it answers. */
function answersToQuestions(state) {
  const { network } = state;
  const settled = (answer) => (...values) => {
    state.settle();
    return answer(...values);
  };
  return {
    network,
    probabilities: settled(() => state.classifier.probabilities(state.result.distances)),
    distances: settled(() => state.result.distances),
    memberships: settled(() => state.result.memberships),
    channels: settled(() => Array.from(state.result.channels)),
    features: settled((layer = state.layer) => Array.from(network.channelsOf(state.result.blocks[layer]))),
    kernels: (layer, operator) => Array.from(network.kernels(layer, operator)),
    moveTo: (shift) => (state.moveTo(shift), state.settle()),
    chooseSample: (number) => (state.chooseSample(number), state.settle()),
  };
}
