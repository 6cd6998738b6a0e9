// A sample with its explanation drawn onto it: stripes behind a signal, colours over an image, bars beside a table.

const CASE_HEIGHT = 110; // of a signal with one channel, in CSS pixels
const MOST_CASE_CHANNELS = 4;
const MOST_CASE_FEATURES = 8;

function caseDrawing(one, columns) {
  const { shape, values } = decodeArray(one.values);
  const positions = one.positions && decodeArray(one.positions).values;
  if (shape.length === 1) return featureList(values, positions, columns);
  const canvas = shape.length === 2 ? signalCase(shape, values, positions) : imageCase(shape, values, positions);
  return { node: canvas.box, open: () => canvas.open() };
}

function signalCase([nChannels, length], values, positions) {
  const n = Math.min(nChannels, MOST_CASE_CHANNELS);
  const names = Array.from({ length: n }, (_, i) => String(i + 1));
  const height = WAVE_AXIS + (n === 1 ? CASE_HEIGHT : n * WAVE_HEIGHT);
  return new ResizingCanvas("The sample", height, (context, width, high, look) => {
    const gutter = n > 1 ? WAVE_GUTTER : 4;
    const part = (high - WAVE_AXIS) / n;
    for (let i = 0; positions && i < n; i++) {
      const box = { x: gutter, y: i * part, width: width - gutter - 4, height: part };
      const scale = largestMagnitude(positions) || 1;
      const row = positions.subarray(i * length, (i + 1) * length);
      drawPicture(context, row, [1, length], box, [-scale, scale], look.signed);
    }
    drawWaves(context, width, high, look, { channels: values.subarray(0, n * length), length, names });
  });
}

function imageCase([nChannels, rows, columns], values, positions) {
  const size = rows * columns;
  const mean = (array) => Float64Array.from({ length: size }, (_, i) => {
    let sum = 0;
    for (let c = 0; c < nChannels; c++) sum += array[c * size + i];
    return sum / nChannels;
  });
  const grey = mean(values);
  const spoken = positions && mean(positions);
  const paint = (context, width, height, look) => {
    const box = { x: 0, y: 0, width, height };
    drawPicture(context, grey, [rows, columns], box, extent(grey), RAMPS.grey);
    if (spoken) drawOverlay(context, spoken, [rows, columns], box, look.signed);
    drawFrame(context, box, look);
  };
  const canvas = new ResizingCanvas("The sample", (width) => (width * rows) / columns, paint);
  canvas.box.classList.add("sample-picture");
  return canvas;
}

/** The features that speak most for the answer or against it; without an explanation, the first ones. */
function featureList(values, positions, columns) {
  const scale = positions ? largestMagnitude(positions) || 1 : 1;
  const order = Array.from(values, (_, i) => i);
  if (positions) order.sort((a, b) => Math.abs(positions[b]) - Math.abs(positions[a]) || a - b);
  const shown = order.slice(0, MOST_CASE_FEATURES);
  const rows = shown.map((i) => featureRow(columns ? columns[i] : `feature ${i + 1}`, values[i], positions, i, scale));
  const nMore = values.length - shown.length;
  const more = nMore ? element("p", { class: "hint" }, `${nMore} more`) : "";
  return { node: element("div", {}, element("ul", { class: "features" }, ...rows), more), open: () => {} };
}

function featureRow(name, value, positions, i, scale) {
  const track = element("span", { class: "signed-track" });
  if (positions) {
    const bar = element("span", { class: positions[i] < 0 ? "signed-bar against" : "signed-bar" });
    bar.style.width = `${(50 * Math.abs(positions[i])) / scale}%`;
    track.append(bar);
  }
  const number = element("span", { class: "value" }, numberText(value, 3));
  return element("li", {}, element("span", { class: "name", title: name }, name), number, positions ? track : "");
}
