// Local contrast: how much each value of a sample differs from its surroundings, in units of how much these vary.

/** The contrast of samples of several channels on a grid; data has the weights of the window along each axis. */
class LocalContrast {
  constructor(data, grid, nChannels) {
    this.windows = data.windows;
    this.floorShare = data.floor_share;
    this.least = data.least;
    this.grid = grid;
    this.nChannels = nChannels;
  }

  /** The contrast of a sample whose largest value is 1; zeros for one that does not vary. */
  of(sample) {
    const { size } = this.grid;
    const differences = new Float64Array(sample.length);
    const squares = new Float64Array(size);
    for (let c = 0; c < this.nChannels; c++) {
      const channel = sample.subarray(c * size, (c + 1) * size);
      const mean = this.surroundings(channel);
      for (let s = 0; s < size; s++) {
        const difference = channel[s] - mean[s];
        differences[c * size + s] = difference;
        squares[s] += difference ** 2 / this.nChannels;
      }
    }
    const rms = Math.sqrt(squares.reduce((sum, value) => sum + value, 0) / size);
    if (!(rms > this.least)) return new Float64Array(sample.length);
    const spread = this.surroundings(squares).map((value) => Math.sqrt(Math.max(value, 0)) + this.floorShare * rms);
    return differences.map((value, s) => value / spread[s % size]);
  }

  /** Mean over the window around each position of one channel. */
  surroundings(values) {
    let found = values;
    let stride = this.grid.size;
    this.grid.lengths.forEach((length, axis) => {
      stride /= length;
      found = this.along(found, length, stride, this.windows[axis]);
    });
    return found;
  }

  /** The same along one axis, whose neighbours are `stride` values apart. */
  along(values, length, stride, weights) {
    const radius = (weights.length - 1) / 2;
    return Float64Array.from(values, (_, s) => {
      const at = Math.floor(s / stride) % length;
      const start = s - at * stride;
      const beside = (t) => values[start + modulo(at + t - radius, length) * stride];
      return weights.reduce((sum, weight, t) => sum + weight * beside(t), 0);
    });
  }
}
