// The operators of the chosen layer as convolution kernels, from every channel to every channel.

const KERNEL_GAP = 4; // between two kernels, in CSS pixels
const LARGEST_KERNEL = { signal: 180, image: 110 }; // width in CSS pixels

function kernelsPanel(state) {
  const { network } = state;
  const names = ["E, expansion of all", ...network.classes.map((name) => `C, compression of class ${name}`)];
  const options = names.map((name, i) => element("option", { value: i - 1 }, name)); // -1 is E, j is C of class j
  const select = element("select", { onchange: () => show() }, ...options);
  const inFull = element("input", { type: "checkbox", onchange: () => canvas.redraw() });
  let kernels = new Float64Array(0);
  const canvas = new ResizingCanvas(
    "Convolution kernels",
    (width) => kernelLayout(state, width).height,
    (context, width, height, look) => paintKernels(context, look, state, kernels, width, inFull.checked),
  );
  const controls = element(
    "div",
    { class: "controls inner" },
    element("label", {}, "Operator ", select),
    element("label", {}, inFull, " identity in full"),
  );
  const node = panel("Kernels", controls, canvas.box, element("p", { class: "hint" }, kernelsHint(state)));
  const show = () => {
    const operator = Number(select.value);
    const layer = Math.max(state.layer, 1); // at the input, those of the first layer
    kernels = network.kernels(layer - 1, operator);
    const name = operator < 0 ? "E" : `C of class ${network.classes[operator]}`;
    node.heading.textContent = `Layer ${layer} as convolution kernels: ${name}`;
    canvas.redraw();
  };
  show();
  state.listen(["layer", "channels"], show);
  return { node, open: () => canvas.open() };
}

function kernelsHint({ isSignal, network }) {
  const { size } = network.grid;
  const span = isSignal ? `from shift −${Math.floor(size / 2)} to ${Math.ceil(size / 2) - 1},` : "over all shifts,";
  return `From channel (column) to channel (row), each ${span} with 0 in the middle.`;
}

/** Boxes of the kernels in rows and columns, and the height of it all. */
function kernelLayout(state, width) {
  const { lengths } = state.network.grid;
  const shown = state.channelsShown;
  const largest = state.isSignal ? LARGEST_KERNEL.signal : LARGEST_KERNEL.image;
  const wide = Math.min(largest, (width - WAVE_GUTTER) / shown.length - KERNEL_GAP);
  const high = Math.max(wide * (state.isSignal ? 0.62 : lengths[0] / lengths[1]), 12);
  const boxOf = (row, column) => ({
    x: WAVE_GUTTER + column * (wide + KERNEL_GAP),
    y: TILE_LABEL + row * (high + KERNEL_GAP),
    width: wide,
    height: high,
  });
  const boxes = shown.map((_, row) => shown.map((_, column) => boxOf(row, column)));
  return { boxes, height: 2 * TILE_LABEL + shown.length * (high + KERNEL_GAP) };
}

function paintKernels(context, look, state, kernels, width, inFull) {
  const { lengths } = state.network.grid;
  const { boxes, height } = kernelLayout(state, width);
  const shown = shownKernels(state, kernels);
  const scale = kernelScale(shown, lengths, inFull);
  nameChannels(context, look, state.channelsShown, boxes);
  shown.forEach((line, row) => line.forEach((kernel, column) => {
    const box = boxes[row][column];
    if (state.isSignal) {
      drawZeroLine(context, box, look);
      drawWave(context, kernel, box, scale, look.ink);
    } else {
      drawPicture(context, kernel, lengths, box, [-scale, scale], look.signed);
    }
    drawFrame(context, box, look);
  }));
  const size = numberText(scale, 2);
  const words = state.isSignal ? `scale ±${size}` : `blue −${size}, orange ${size}`;
  context.fillStyle = look.muted;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  context.fillText(inFull ? words : `${words}, the identity cut off`, WAVE_GUTTER, height - 4);
}

/** Kernels between the channels that are shown, in rows, each with shift 0 in the middle. */
function shownKernels(state, kernels) {
  const { nChannels, grid } = state.network;
  const middle = grid.lengths.map((length) => Math.floor(length / 2));
  const kernel = (row, column) => {
    const first = (row * nChannels + column) * grid.size;
    return rolled(kernels.subarray(first, first + grid.size), grid.lengths, middle);
  };
  return state.channelsShown.map((row) => state.channelsShown.map((column) => kernel(row, column)));
}

/**
 * The largest magnitude to draw. An operator is nearly a multiple of the identity, a spike that would leave nothing
 * else to be seen; so what is beside it counts, unless the identity is wanted in full.
 */
function kernelScale(kernels, lengths, inFull) {
  const spike = lengths.reduce((place, length) => place * length + Math.floor(length / 2), 0);
  const beside = kernels.flatMap((line, row) =>
    line.map((kernel, column) => kernel.filter((_, t) => row !== column || t !== spike)),
  );
  const whole = Math.max(...kernels.flat().map(largestMagnitude));
  return (inFull ? whole : Math.max(...beside.map(largestMagnitude))) || whole || 1;
}

/** Numbers of the channels, above the columns and beside the rows. */
function nameChannels(context, look, channels, boxes) {
  context.fillStyle = look.muted;
  channels.forEach((channel, i) => {
    const { x, y, width, height } = boxes[i][i];
    context.textBaseline = "alphabetic";
    context.textAlign = "center";
    context.fillText(channel + 1, x + width / 2, TILE_LABEL - 5);
    context.textBaseline = "middle";
    context.textAlign = "right";
    context.fillText(channel + 1, WAVE_GUTTER - 6, y + height / 2);
  });
}
