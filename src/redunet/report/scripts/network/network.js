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
      measure: measureOf(layer.measure),
    }));
    // Room for C_j V, used again by every layer.
    this.compressed = this.classes.map(() => new Float64Array(2 * this.grid.nFreqs * this.nChannels));
    this.answers = measureOf(data.answers);
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

  /** One layer: P(v + step (E v - what its measure subtracts)), and the membership that the measure guessed, if any. */
  passLayer(layer, V) {
    const compressed = this.compressed.map((room, j) => this.apply(layer.compression, j, V, room));
    const { sum, membership } = layer.measure.compression(this, layer, V, compressed);
    const next = this.apply(layer.expansion, 0, V);
    for (let i = 0; i < next.length; i++) next[i] = V[i] + layer.step_size * (next[i] - sum[i]);
    this.normalise(next);
    return { next, membership };
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

  /** Distance of features to each class, by the measure of the answer. */
  distances(V) {
    return this.answers.distances(this, V);
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
