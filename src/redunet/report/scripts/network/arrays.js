// Arrays out of base64, and arithmetic on shapes.

/**
 * An array of the data as {shape, complex, values}. A complex array has its real and imaginary parts in turn.
 * The bytes are little endian, as typed arrays are on every machine that browsers run on.
 */
function decodeArray(data) {
  const text = atob(data.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const double = data.dtype === "float64" || data.dtype === "complex128";
  const values = double ? new Float64Array(bytes.buffer) : new Float32Array(bytes.buffer);
  return { shape: data.shape, complex: data.dtype.startsWith("complex"), values };
}

/** An array whose values are complex, as those of vectors are not: their imaginary parts are zero then. */
function decodeComplex(data) {
  const array = decodeArray(data);
  if (array.complex) return array;
  const values = new array.values.constructor(2 * array.values.length);
  array.values.forEach((value, i) => (values[2 * i] = value));
  return { shape: array.shape, complex: true, values };
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
  if (!grid.length) return values; // a vector
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
