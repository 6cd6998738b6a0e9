// Images as coloured squares.

const scratch = element("canvas");

/** Paint values (rows, columns) into a box; low takes the first colour of the ramp and high the last. */
function drawPicture(context, values, [rows, columns], box, [low, high], ramp) {
  if (scratch.width !== columns || scratch.height !== rows) [scratch.width, scratch.height] = [columns, rows];
  const small = scratch.getContext("2d", { willReadFrequently: true });
  const image = small.createImageData(columns, rows);
  const unit = high > low ? 255 / (high - low) : 0;
  for (let i = 0; i < rows * columns; i++) {
    const colour = 3 * Math.max(0, Math.min(255, Math.round((values[i] - low) * unit)));
    image.data[4 * i] = ramp[colour];
    image.data[4 * i + 1] = ramp[colour + 1];
    image.data[4 * i + 2] = ramp[colour + 2];
    image.data[4 * i + 3] = 255;
  }
  small.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(scratch, box.x, box.y, box.width, box.height);
}

/** Values (rows, columns) as colours over a picture: strong where they are large, and none where they are zero. */
function drawOverlay(context, values, [rows, columns], box, ramp) {
  const scale = largestMagnitude(values) || 1;
  [scratch.width, scratch.height] = [columns, rows];
  const small = scratch.getContext("2d", { willReadFrequently: true });
  const image = small.createImageData(columns, rows);
  for (let i = 0; i < rows * columns; i++) {
    const colour = 3 * (values[i] < 0 ? 40 : 215); // clear colours of either side
    for (let k = 0; k < 3; k++) image.data[4 * i + k] = ramp[colour + k];
    image.data[4 * i + 3] = (215 * Math.abs(values[i])) / scale;
  }
  small.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(scratch, box.x, box.y, box.width, box.height);
}

function drawFrame(context, box, look) {
  context.strokeStyle = look.line;
  context.lineWidth = 1;
  context.strokeRect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1);
}

const TILE_GAP = 8;
const TILE_LABEL = 16;

/** Places of n pictures in rows, as many in each as fit; also the height of it all. */
function tiling(n, width, [rows, columns], wanted) {
  const perRow = Math.max(1, Math.min(n, Math.floor((width + TILE_GAP) / (wanted + TILE_GAP))));
  const side = Math.min(wanted * 1.3, (width - (perRow - 1) * TILE_GAP) / perRow);
  const high = (side * rows) / columns;
  const boxes = Array.from({ length: n }, (_, i) => ({
    x: (i % perRow) * (side + TILE_GAP),
    y: TILE_LABEL + Math.floor(i / perRow) * (high + TILE_LABEL + TILE_GAP),
    width: side,
    height: high,
  }));
  return { boxes, height: Math.ceil(n / perRow) * (high + TILE_LABEL + TILE_GAP) + TILE_LABEL };
}

/** Pictures of channels side by side, each under its name, on one scale of colours around zero. */
function drawPictures(context, width, height, look, { channels, grid, names, wanted }) {
  const size = product(grid);
  const scale = largestMagnitude(channels) || 1;
  context.textAlign = "left";
  context.textBaseline = "alphabetic";
  tiling(names.length, width, grid, wanted).boxes.forEach((box, i) => {
    context.fillStyle = look.muted;
    context.fillText(names[i], box.x, box.y - 4);
    drawPicture(context, channels.subarray(i * size, (i + 1) * size), grid, box, [-scale, scale], look.signed);
    drawFrame(context, box, look);
  });
  context.fillStyle = look.muted;
  context.fillText(`blue −${numberText(scale, 2)}, orange ${numberText(scale, 2)}`, 0, height - 4);
}
