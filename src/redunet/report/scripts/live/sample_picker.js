// Buttons that choose a sample, each with a small picture of it.

function samplePicker(state) {
  const thumbnails = state.samples.map((sample) => thumbnail(state, sample));
  const buttons = state.labels.map((label, i) => {
    const choose = { type: "button", class: "choice", onclick: () => state.chooseSample(i) };
    return element("button", choose, thumbnails[i].box, label);
  });
  const mark = () => buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(i === state.sample)));
  mark();
  state.listen(["sample"], mark);
  return {
    node: element("div", { class: "choices", role: "group", "aria-label": "Choose a sample" }, ...buttons),
    open: () => thumbnails.forEach((canvas) => canvas.open()),
  };
}

/** The first channel of a sample, small. */
function thumbnail(state, sample) {
  const values = sample.subarray(0, state.nPositions);
  const [rows, columns] = state.isSignal ? [1, 2] : state.grid;
  const paint = (context, width, height, look) => {
    const box = { x: 0, y: 0, width, height };
    if (state.isSignal) drawWave(context, values, box, largestMagnitude(values), look.ink);
    else drawPicture(context, values, state.grid, box, extent(values), RAMPS.grey);
  };
  return new ResizingCanvas("", (width) => (width * rows) / columns, paint, { role: "presentation" });
}
