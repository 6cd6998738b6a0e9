// A lift by filters: more channels for a sample.

// What is left of a response, given the level below which nothing is. Without a threshold, all of it.
const THRESHOLDS = {
  relu: (value, level) => Math.max(value - level, 0),
  soft: (value, level) => Math.sign(value) * Math.max(Math.abs(value) - level, 0),
  none: (value) => value,
};

/** Filters that give a sample more channels: circular correlation, a threshold, and the slow part of what is left. */
class FilterLift {
  isPooled = false;

  constructor(data, sampleShape, coarse) {
    const [nChannelsIn, ...unpadded] = sampleShape;
    this.threshold = THRESHOLDS[data.threshold];
    this.level = data.level;
    this.pool = data.pool;
    this.pad = data.pad;
    this.unpadded = unpadded;
    this.grid = new Grid(unpadded.map((length, axis) => length + data.pad[axis]));
    this.coarse = coarse;
    this.nChannelsIn = nChannelsIn;
    this.nValues = data.unit_scale ? product(sampleShape) : 0;
    this.contrast = data.contrast ? new LocalContrast(data.contrast, this.grid, nChannelsIn) : null;
    this.spectra = data.filters.flatMap((filters) => this.filterSpectra(decodeArray(filters)));
  }

  /** Spectra of filters, each centred on position 0: for every filter a list with one spectrum per input channel. */
  filterSpectra({ shape, values }) {
    const [nFilters, nIn, ...kernel] = shape;
    const [height, width] = kernel.length > 1 ? kernel : [1, kernel[0]];
    const [high, wide] = kernel.length > 1 ? this.grid.lengths : [1, this.grid.last];
    const centre = [Math.floor(height / 2), Math.floor(width / 2)];
    return Array.from({ length: nFilters }, (_, filter) =>
      Array.from({ length: nIn }, (_, channel) => {
        const placed = new Float64Array(this.grid.size);
        for (let i = 0; i < height; i++) {
          for (let k = 0; k < width; k++) {
            const place = modulo(i - centre[0], high) * wide + modulo(k - centre[1], wide);
            placed[place] = values[((filter * nIn + channel) * height + i) * width + k];
          }
        }
        return this.grid.transform(placed);
      }),
    );
  }

  /** The contrast of a padded sample, of root mean square 1, the padding not counted; as far as the lift has these. */
  scaled(sample) {
    const peak = largestMagnitude(sample);
    if (!(peak > 0) || !(this.contrast || this.nValues)) return sample;
    const found = sample.map((value) => value / peak);
    const contrast = this.contrast ? this.contrast.of(found) : found;
    const energy = contrast.reduce((sum, value) => sum + value ** 2, 0);
    if (!this.nValues || !(energy > 0)) return contrast;
    const rms = Math.sqrt(energy / this.nValues);
    return contrast.map((value) => value / rms);
  }

  /** Responses to a sample, shape (C, ...coarse grid). */
  respond(padded) {
    const { size } = this.grid;
    const sample = this.scaled(padded);
    const inputs = Array.from({ length: this.nChannelsIn }, (_, channel) =>
      this.grid.transform(sample.subarray(channel * size, (channel + 1) * size)),
    );
    const responses = new Float64Array(this.spectra.length * this.coarse.size);
    this.spectra.forEach((filter, c) => {
      const sum = new Float64Array(2 * this.grid.nFreqs);
      filter.forEach((F, channel) => {
        const X = inputs[channel];
        for (let i = 0; i < sum.length; i += 2) {
          sum[i] += X[i] * F[i] + X[i + 1] * F[i + 1]; // X times the conjugate of F: correlation
          sum[i + 1] += X[i + 1] * F[i] - X[i] * F[i + 1];
        }
      });
      const response = this.grid.inverse(sum).map((value) => this.threshold(value, this.level));
      responses.set(this.pool === 1 ? response : this.slowPart(response), c * this.coarse.size);
    });
    return responses;
  }

  /** A response made of its lowest frequencies alone, on the coarse grid. */
  slowPart(response) {
    const { grid, coarse } = this;
    const spectrum = grid.transform(response);
    const low = new Float64Array(2 * coarse.nFreqs);
    const scale = coarse.size / grid.size;
    for (let row = 0; row < coarse.nRows; row++) {
      // The rows of the coarse spectrum: frequencies 0, 1, 2, ... and then the negative ones up to -1.
      const from = row <= coarse.nRows / 2 ? row : row - coarse.nRows + grid.nRows;
      for (let i = 0; i < 2 * coarse.half; i++) {
        low[2 * row * coarse.half + i] = scale * spectrum[2 * from * grid.half + i];
      }
    }
    return coarse.inverse(low);
  }
}

/** The lift that a network has, or null; coarse is the grid of the features. */
function liftOf(data, sampleShape, coarse) {
  if (!data) return null;
  return data.kind === "pooled" ? new PooledLift(data, sampleShape) : new FilterLift(data, sampleShape, coarse);
}
