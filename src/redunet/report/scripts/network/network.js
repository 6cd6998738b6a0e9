// The network: a sample through lift and layers to an answer.
//
// Blocks V hold a complex number for each frequency p and channel c, at 2 (p C + c): the half spectrum, frequency
// first. Operators A hold a C x C matrix for each frequency.

class Network {
  constructor(data) {
    this.classes = data.classes;
    this.nChannels = data.n_channels;
    this.unitary = data.unitary;
    this.grid = new Grid(data.grid);
    const [nIn, ...gridIn] = data.sample_shape;
    this.nChannelsIn = nIn;
    this.unpaddedGrid = gridIn;
    this.pad = data.lift ? data.lift.pad : gridIn.map(() => 0);
    this.gridIn = new Grid(gridIn.map((length, axis) => length + this.pad[axis]));
    this.lift = data.lift && new Lift(data.lift, data.sample_shape, this.gridIn, this.grid);
    const counts = this.grid.multiplicities();
    this.weights = this.unitary ? counts : counts.map((count) => count / this.grid.size);
    this.layers = data.layers.map((layer) => ({
      ...layer,
      expansion: decodeArray(layer.expansion),
      compression: decodeArray(layer.compression),
      subspaces: layer.subspaces && decodeArray(layer.subspaces),
    }));
    // Room for C_j V, used again by every layer.
    this.pulls = this.classes.map(() => new Float64Array(2 * this.grid.nFreqs * this.nChannels));
    this.answers = { ...data.answers };
    for (const name of ["bases", "compression"]) {
      if (this.answers[name]) this.answers[name] = decodeArray(this.answers[name]);
    }
  }

  /** A sample with its margin of zeros: what moves in a circle. */
  enter(values) {
    return padded(values, this.nChannelsIn, this.unpaddedGrid, this.pad);
  }

  /** All that happens to a sample: channels, blocks before and after each layer, memberships, distances. */
  run(sample) {
    const channels = this.lift ? this.lift.respond(sample) : sample;
    const blocks = [this.blocksOf(channels)];
    const memberships = [];
    this.layers.forEach((layer, i) => {
      let V = blocks[i];
      if (layer.momentum && i > 0) V = this.carriedOn(V, blocks[i - 1], layer.momentum);
      const { next, membership } = this.passLayer(layer, V);
      blocks.push(next);
      memberships.push(membership);
    });
    return { channels, blocks, memberships, distances: this.distances(blocks.at(-1)) };
  }

  /** Blocks of channels, projected onto the unit sphere. */
  blocksOf(channels) {
    const V = this.spectraOf(channels);
    this.normalise(V);
    return V;
  }

  spectraOf(channels) {
    const C = this.nChannels;
    const V = new Float64Array(2 * this.grid.nFreqs * C);
    const scale = this.unitary ? 1 / Math.sqrt(this.grid.size) : 1;
    for (let c = 0; c < C; c++) {
      const spectrum = this.grid.transform(channels.subarray(c * this.grid.size, (c + 1) * this.grid.size));
      for (let p = 0; p < this.grid.nFreqs; p++) {
        V[2 * (p * C + c)] = scale * spectrum[2 * p];
        V[2 * (p * C + c) + 1] = scale * spectrum[2 * p + 1];
      }
    }
    return V;
  }

  /** Features in the sample domain, shape (C, ...grid). */
  channelsOf(V) {
    const C = this.nChannels;
    const channels = new Float64Array(C * this.grid.size);
    const scale = this.unitary ? Math.sqrt(this.grid.size) : 1;
    const spectrum = new Float64Array(2 * this.grid.nFreqs);
    for (let c = 0; c < C; c++) {
      for (let p = 0; p < this.grid.nFreqs; p++) {
        spectrum[2 * p] = scale * V[2 * (p * C + c)];
        spectrum[2 * p + 1] = scale * V[2 * (p * C + c) + 1];
      }
      channels.set(this.grid.inverse(spectrum), c * this.grid.size);
    }
    return channels;
  }

  /** Squared norm of a sample, taken in its spectrum (Parseval). */
  squaredNorm(V) {
    return this.inner(V, V);
  }

  normalise(V) {
    const norm = Math.sqrt(this.squaredNorm(V));
    if (norm > 0) for (let i = 0; i < V.length; i++) V[i] /= norm;
  }

  /** Features carried on in the direction they came from, which a layer with momentum starts from. */
  carriedOn(V, before, momentum) {
    const further = V.map((value, i) => value + momentum * (value - before[i]));
    this.normalise(further);
    return further;
  }

  /** One layer: P(v + step (E v - sum of share_j membership_j C_j v)), and the membership it guessed. */
  passLayer(layer, V) {
    const pulls = this.pulls.map((pull, j) => this.apply(layer.compression, j, V, pull));
    const next = this.apply(layer.expansion, 0, V);
    let membership = null;
    if (layer.membership === "relu") {
      const alpha = layer.class_share[0] * layer.residual_unit[0];
      const residual = this.rectifiedResidual(V, pulls, layer.residual_unit);
      for (let i = 0; i < next.length; i++) next[i] -= alpha * residual[i];
    } else {
      membership = softmax(this.residuals(layer, V, pulls).map((residual) => -layer.sharpness * residual));
      pulls.forEach((pull, j) => {
        const share = layer.class_share[j] * membership[j];
        for (let i = 0; i < next.length; i++) next[i] -= share * pull[i];
      });
    }
    for (let i = 0; i < next.length; i++) next[i] = V[i] + layer.step_size * next[i];
    this.normalise(next);
    return { next, membership };
  }

  /** How badly each class explains a sample. */
  residuals(layer, V, pulls) {
    if (layer.membership === "code") {
      return pulls.map((pull, j) => this.inner(V, pull) / layer.residual_unit[j] + layer.residual_offset[j]);
    }
    if (layer.membership === "subspace") {
      return pulls.map((_, j) => Math.sqrt(this.energyOutside(layer.subspaces, j, V)));
    }
    return pulls.map((pull, j) => Math.sqrt(this.squaredNorm(pull)) / layer.residual_unit[j]);
  }

  /** What no class explains, by rectified linear units: v - sum of relu(v - C_j v / unit_j), in the sample domain. */
  rectifiedResidual(V, pulls, unit) {
    const explained = new Float64Array(this.nChannels * this.grid.size);
    const part = new Float64Array(V.length);
    pulls.forEach((pull, j) => {
      for (let i = 0; i < V.length; i++) part[i] = V[i] - pull[i] / unit[j];
      const projection = this.channelsOf(part);
      for (let i = 0; i < explained.length; i++) explained[i] += Math.max(projection[i], 0);
    });
    const residual = this.spectraOf(explained);
    for (let i = 0; i < V.length; i++) residual[i] = V[i] - residual[i];
    return residual;
  }

  /** The product A V of matrix number j at each frequency, into result. */
  apply(operators, j, V, result = new Float64Array(V.length)) {
    const C = this.nChannels;
    const A = operators.values;
    let a = 2 * j * this.grid.nFreqs * C * C;
    for (let p = 0; p < this.grid.nFreqs; p++) {
      const start = 2 * p * C;
      for (let row = 0; row < C; row++) {
        let re = 0;
        let im = 0;
        for (let i = start; i < start + 2 * C; i += 2, a += 2) {
          re += A[a] * V[i] - A[a + 1] * V[i + 1];
          im += A[a] * V[i + 1] + A[a + 1] * V[i];
        }
        result[start + 2 * row] = re;
        result[start + 2 * row + 1] = im;
      }
    }
    return result;
  }

  /** Real part of the inner product of two blocks. */
  inner(V, W) {
    const width = 2 * this.nChannels;
    let total = 0;
    for (let p = 0; p < this.grid.nFreqs; p++) {
      let sum = 0;
      for (let i = p * width; i < (p + 1) * width; i++) sum += V[i] * W[i];
      total += this.weights[p] * sum;
    }
    return total;
  }

  /** Energy of a sample outside of the subspace of class j: v - U U* v at each frequency. */
  energyOutside(bases, j, V) {
    const C = this.nChannels;
    const rank = bases.shape[3];
    const U = bases.values;
    const rest = new Float64Array(2 * C); // of one frequency
    let total = 0;
    for (let p = 0; p < this.grid.nFreqs; p++) {
      const u0 = 2 * (j * this.grid.nFreqs + p) * C * rank;
      const v0 = 2 * p * C;
      for (let i = 0; i < 2 * C; i++) rest[i] = V[v0 + i];
      for (let r = 0; r < rank; r++) {
        let re = 0;
        let im = 0;
        for (let c = 0; c < C; c++) {
          const u = u0 + 2 * (c * rank + r);
          re += U[u] * V[v0 + 2 * c] + U[u + 1] * V[v0 + 2 * c + 1]; // conjugate of U times V
          im += U[u] * V[v0 + 2 * c + 1] - U[u + 1] * V[v0 + 2 * c];
        }
        for (let c = 0; c < C; c++) {
          const u = u0 + 2 * (c * rank + r);
          rest[2 * c] -= U[u] * re - U[u + 1] * im;
          rest[2 * c + 1] -= U[u] * im + U[u + 1] * re;
        }
      }
      let energy = 0;
      for (let i = 0; i < 2 * C; i++) energy += rest[i] * rest[i];
      total += this.weights[p] * energy;
    }
    return total;
  }

  /** Distance of features to each class: to its subspace, or the length of its code. */
  distances(V) {
    const { kind, bases, compression, unit, offset } = this.answers;
    return this.classes.map((_, j) => {
      if (kind === "codes") return this.inner(V, this.apply(compression, j, V)) / unit[j] + offset[j];
      return Math.sqrt(Math.min(1, this.energyOutside(bases, j, V) / (this.squaredNorm(V) || 1)));
    });
  }

  /** The nearest class. Distances are rounded far below any meaning, so that a tie is always broken the same way. */
  answer(distances) {
    const round = distances.map((distance) => Math.round(distance * 1e9));
    return round.indexOf(Math.min(...round));
  }

  /** Operator number j of a layer (-1: expansion) as convolution kernels, shape (C, C, ...grid), shift 0 first. */
  kernels(layer, j) {
    const C = this.nChannels;
    const operators = j < 0 ? this.layers[layer].expansion : this.layers[layer].compression;
    const first = Math.max(j, 0) * this.grid.nFreqs * C * C;
    const kernels = new Float64Array(C * C * this.grid.size);
    const spectrum = new Float64Array(2 * this.grid.nFreqs);
    for (let pair = 0; pair < C * C; pair++) {
      for (let p = 0; p < this.grid.nFreqs; p++) {
        const a = 2 * (first + p * C * C + pair);
        spectrum[2 * p] = operators.values[a];
        spectrum[2 * p + 1] = operators.values[a + 1];
      }
      kernels.set(this.grid.inverse(spectrum), pair * this.grid.size);
    }
    return kernels;
  }
}

/** Filters that give a sample more channels: circular correlation, a threshold, and the slow part of what is left. */
class Lift {
  constructor(data, sampleShape, grid, coarse) {
    this.threshold = data.threshold;
    this.level = data.level;
    this.pool = data.pool;
    this.grid = grid;
    this.coarse = coarse;
    this.nChannelsIn = sampleShape[0];
    this.nValues = data.unit_scale ? sampleShape.reduce((product, length) => product * length) : 0;
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

  /** A padded sample of root mean square 1, the padding not counted; or as it is, where the lift leaves it so. */
  scaled(sample) {
    if (!this.nValues) return sample;
    const peak = sample.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    const energy = sample.reduce((sum, value) => sum + (value / peak) ** 2, 0);
    const rms = Math.sqrt(energy / this.nValues);
    return peak > 0 ? sample.map((value) => value / peak / rms) : sample;
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
      const response = this.grid.inverse(sum).map((value) => this.cut(value));
      responses.set(this.pool === 1 ? response : this.slowPart(response), c * this.coarse.size);
    });
    return responses;
  }

  cut(value) {
    if (this.threshold === "relu") return Math.max(value - this.level, 0);
    if (this.threshold === "soft") return Math.sign(value) * Math.max(Math.abs(value) - this.level, 0);
    return value;
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

function softmax(values) {
  const largest = Math.max(...values);
  const powers = values.map((value) => Math.exp(value - largest));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}
