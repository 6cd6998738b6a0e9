// The sample, which can be dragged.

const SAMPLE_HEIGHT = 150; // of a signal with one channel, in CSS pixels
const SAMPLE_TILE_WIDTH = 120; // about, of each channel of an image

function samplePanel(state) {
  const canvas = sampleCanvas(state);
  const readout = element("p", { class: "readout" });
  const moveBack = () => state.moveTo(state.grid.map(() => 0));
  const buttons = element(
    "div",
    { class: "buttons" },
    element("button", { type: "button", onclick: () => state.moveAtRandom() }, "Move at random"),
    element("button", { type: "button", onclick: moveBack }, "Move back"),
  );
  const show = () => {
    readout.textContent = state.shiftText;
    const label = `Sample ${state.labels[state.sample]}, ${state.shiftText}; the arrow keys move it`;
    canvas.canvas.setAttribute("aria-label", label);
    canvas.redraw();
  };
  show();
  state.listen(["result"], show);
  makeSampleDraggable(state, canvas);
  const hint = element("p", { class: "hint" }, "Drag to move, or use the arrow keys; it wraps around.");
  return { node: panel("Sample", canvas.box, readout, buttons, hint), open: () => canvas.open() };
}

/** A canvas with the sample where it is now, drawn in the way that suits its number of axes and channels. */
function sampleCanvas(state) {
  const nChannels = state.nChannelsIn;
  const few = nChannels <= CHANNELS_PER_GROUP;
  const drawing = !state.isSignal ? imageDrawing(state) : few ? curvesDrawing(state) : rowsDrawing(state);
  const paint = (...place) => drawing.paint(state.movedSample(), ...place);
  const canvas = new ResizingCanvas("", drawing.height, paint, { role: "application" });
  if (!state.isSignal) canvas.box.classList.add("sample-picture");
  return canvas;
}

/** A signal with few channels: curves, one below the other. */
function curvesDrawing(state) {
  const nChannels = state.nChannelsIn;
  const names = Array.from({ length: nChannels }, (_, i) => String(i + 1));
  return {
    height: WAVE_AXIS + (nChannels === 1 ? SAMPLE_HEIGHT : nChannels * WAVE_HEIGHT),
    paint: (values, context, width, height, look) => {
      const curves = { channels: values, length: state.grid[0], names, seam: state.shift[0] || null };
      drawWaves(context, width, height, look, curves);
    },
  };
}

/** A signal with many channels: a picture with a row for each. */
function rowsDrawing(state) {
  const nChannels = state.nChannelsIn;
  return {
    height: 12 * nChannels,
    paint: (values, context, width, height) => {
      const box = { x: 0, y: 0, width, height };
      drawPicture(context, values, [nChannels, state.grid[0]], box, extent(values), RAMPS.grey);
    },
  };
}

/** An image: a picture of each channel, with its name if there are more. */
function imageDrawing(state) {
  const { grid } = state;
  const { nChannelsIn: nChannels, nPositions } = state;
  return {
    height: (width) =>
      nChannels === 1 ? (width * grid[0]) / grid[1] : tiling(nChannels, width, grid, SAMPLE_TILE_WIDTH).height,
    paint: (values, context, width, height, look) => {
      const one = [{ x: 0, y: 0, width, height }];
      const boxes = nChannels === 1 ? one : tiling(nChannels, width, grid, SAMPLE_TILE_WIDTH).boxes;
      boxes.forEach((box, i) => {
        const channel = values.subarray(i * nPositions, (i + 1) * nPositions);
        drawPicture(context, channel, grid, box, extent(values), RAMPS.grey);
        drawFrame(context, box, look);
        context.fillStyle = look.muted;
        if (nChannels > 1) context.fillText(`channel ${i + 1}`, box.x, box.y - 4);
      });
    },
  };
}

function makeSampleDraggable(state, canvas) {
  let from; // the shift where dragging began
  const along = (start, right, down) => (state.isSignal ? [start[0] + right] : [start[0] + down, start[1] + right]);
  makeDraggable(canvas.canvas, {
    axes: state.isSignal ? "x" : "xy",
    start: () => (from = state.shift),
    drag: (dx, dy) => {
      const pixels = pixelsPerPosition(state, canvas.width);
      state.moveTo(along(from, dx / pixels, dy / pixels));
    },
    step: (dx, dy) => state.moveTo(along(state.shift, dx, dy)),
  });
}

/** CSS pixels per position, which is the same across and down. */
function pixelsPerPosition(state, width) {
  const nChannels = state.nChannelsIn;
  if (state.isSignal || nChannels === 1) return width / state.grid.at(-1);
  return tiling(nChannels, width, state.grid, SAMPLE_TILE_WIDTH).boxes[0].width / state.grid[1];
}
