// Channels of the lifted sample and of its features, as curves or pictures, a group of them at a time.

const CHANNEL_TILE_WIDTH = 84; // about, of each channel of an image, in CSS pixels
const LEAST_CURVES_HEIGHT = 90;

/** The sample as the lift gives it to the first layer. */
function liftedPanel(state) {
  const canvas = channelsCanvas(state, "Channels of the lifted sample", () => state.result.channels);
  state.listen(["result", "channels"], () => canvas.redraw());
  return { node: panel("Lifted sample", canvas.box), open: () => canvas.open() };
}

/** The sample after the chosen layer. */
function featuresPanel(state) {
  const canvas = channelsCanvas(state, "Features after the chosen layer", () => state.features);
  const node = panel("Features", canvas.box);
  const show = () => {
    const place = state.layer === 0 ? "before the first layer" : `after layer ${state.layer}`;
    if (state.nLayers > 0) node.heading.textContent = `Features ${place}`;
    canvas.redraw();
  };
  show();
  state.listen(["result", "layer", "channels"], show);
  return { node, open: () => canvas.open() };
}

function channelsCanvas(state, label, channelsNow) {
  const { lengths, size } = state.network.grid;
  const height = (width) => {
    const nShown = state.channelsShown.length;
    if (state.isSignal) return WAVE_AXIS + Math.max(nShown * WAVE_HEIGHT, LEAST_CURVES_HEIGHT);
    return tiling(nShown, width, lengths, CHANNEL_TILE_WIDTH).height;
  };
  const paint = (context, width, height, look) => {
    const shown = state.channelsShown;
    const channels = channelsNow().subarray(shown[0] * size, (shown.at(-1) + 1) * size);
    const names = shown.map((channel) => String(channel + 1));
    if (state.isSignal) drawWaves(context, width, height, look, { channels, length: size, names });
    else drawPictures(context, width, height, look, { channels, grid: lengths, names, wanted: CHANNEL_TILE_WIDTH });
  };
  return new ResizingCanvas(label, height, paint);
}

/** Which group of channels is shown, in all panels that show channels. */
function channelsControl(state) {
  const { nChannels } = state.network;
  const options = Array.from({ length: Math.ceil(nChannels / CHANNELS_PER_GROUP) }, (_, i) => {
    const last = Math.min((i + 1) * CHANNELS_PER_GROUP, nChannels);
    return element("option", { value: i }, `${i * CHANNELS_PER_GROUP + 1} to ${last} of ${nChannels}`);
  });
  const select = element("select", { onchange: () => state.chooseChannels(Number(select.value)) }, ...options);
  return element("label", {}, "Channels ", select);
}
