// Arrays out of base64, and arithmetic on shapes.

/**
 * An array of the data as {shape, complex, values}. A complex array has its real and imaginary parts in turn.
 * The bytes are little endian, as typed arrays are on every machine that browsers run on.
 */
function decodeArray(data) {
  const text = atob(data.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return { shape: data.shape, complex: data.dtype === "complex64", values: new Float32Array(bytes.buffer) };
}

function product(numbers) {
  return numbers.reduce((total, number) => total * number, 1);
}

/** The rest of a division, never negative. */
function modulo(number, length) {
  return ((number % length) + length) % length;
}

/** Values (channels, ...grid) moved along the cyclic axes: what was at t is at t + shift. */
function rolled(values, grid, shift) {
  const width = grid.at(-1);
  const height = grid.length > 1 ? grid[0] : 1;
  const [down, right] = grid.length > 1 ? shift : [0, shift[0]];
  const moved = new Float64Array(values.length);
  for (let start = 0; start < values.length; start += height * width) {
    for (let row = 0; row < height; row++) {
      const from = start + row * width;
      const to = start + modulo(row + down, height) * width;
      for (let column = 0; column < width; column++) {
        moved[to + modulo(column + right, width)] = values[from + column];
      }
    }
  }
  return moved;
}

/** Values (channels, ...grid) with zeros appended along the cyclic axes. */
function padded(values, nChannels, grid, pad) {
  const width = grid.at(-1);
  const height = grid.length > 1 ? grid[0] : 1;
  const wide = width + pad.at(-1);
  const high = grid.length > 1 ? height + pad[0] : 1;
  const result = new Float64Array(nChannels * high * wide);
  for (let channel = 0; channel < nChannels; channel++) {
    for (let row = 0; row < height; row++) {
      const from = (channel * height + row) * width;
      result.set(values.subarray(from, from + width), (channel * high + row) * wide);
    }
  }
  return result;
}

/** Smallest and largest value. */
function extent(values) {
  let low = Infinity;
  let high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

function largestMagnitude(values) {
  let largest = 0;
  for (const value of values) largest = Math.max(largest, Math.abs(value));
  return largest;
}
