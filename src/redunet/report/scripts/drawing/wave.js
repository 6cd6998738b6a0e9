// Signals as curves.

/** One curve of values in a box; -scale is at its bottom, scale at its top. */
function drawWave(context, values, box, scale, colour) {
  const { x, y, width, height } = box;
  const middle = y + height / 2;
  const step = width / Math.max(values.length - 1, 1);
  const unit = scale > 0 ? (height / 2 - 1) / scale : 0;
  context.save();
  context.beginPath();
  context.rect(x - 1, y - 1, width + 2, height + 2); // what is beyond the scale is cut off
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1.3;
  context.lineJoin = "round";
  context.beginPath();
  for (let t = 0; t < values.length; t++) context.lineTo(x + t * step, middle - unit * values[t]);
  context.stroke();
  context.restore();
}

function drawZeroLine(context, box, look) {
  const middle = Math.round(box.y + box.height / 2) + 0.5;
  context.strokeStyle = look.line;
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(box.x, middle);
  context.lineTo(box.x + box.width, middle);
  context.stroke();
}

const WAVE_GUTTER = 22;
const WAVE_AXIS = 30;
const WAVE_HEIGHT = 46; // of each of several curves, in CSS pixels

/** Curves of channels one below the other, on one scale, above an axis of positions. */
function drawWaves(context, width, height, look, { channels, length, names, seam = null }) {
  const inner = height - WAVE_AXIS;
  const nRows = names.length;
  const scale = largestMagnitude(channels) || 1;
  const gutter = nRows > 1 ? WAVE_GUTTER : 4;
  context.textBaseline = "middle";
  names.forEach((name, row) => {
    const box = { x: gutter, y: (row * inner) / nRows, width: width - gutter - 4, height: inner / nRows };
    drawZeroLine(context, box, look);
    drawWave(context, channels.subarray(row * length, (row + 1) * length), box, scale, look.ink);
    if (nRows > 1) {
      context.fillStyle = look.muted;
      context.textAlign = "right";
      context.fillText(name, gutter - 6, box.y + box.height / 2);
    }
  });
  const span = { x: gutter, width: width - gutter - 4 };
  if (seam !== null) drawSeam(context, look, span.x + (span.width * seam) / Math.max(length - 1, 1), inner);
  drawPositions(context, look, span, inner, length);
  context.textAlign = "right";
  context.fillText(`scale ±${numberText(scale, 2)}`, span.x + span.width, inner + 16);
}

/** Where a moved signal begins. */
function drawSeam(context, look, x, height) {
  context.save();
  context.strokeStyle = look.muted;
  context.setLineDash([3, 4]);
  context.beginPath();
  context.moveTo(x, 0);
  context.lineTo(x, height);
  context.stroke();
  context.restore();
}

function drawPositions(context, look, span, top, length) {
  context.fillStyle = look.muted;
  context.textBaseline = "top";
  for (const tick of niceTicks(0, length - 1, span.width > 260 ? 5 : 3)) {
    const x = span.x + (span.width * tick) / Math.max(length - 1, 1);
    context.textAlign = tick === 0 ? "left" : x > span.x + span.width - 12 ? "right" : "center";
    context.fillText(String(tick), x, top + 2);
  }
  context.textAlign = "center";
  context.fillText("position", span.x + span.width / 2, top + 16);
}
