// The network: a sample through lift and layers to an answer.
//
// Blocks V hold a complex number for each frequency p and channel c, at 2 (p C + c): the half spectrum, frequency
// first. Operators A hold a C x C matrix for each frequency.

class Network {
  /** A network of the data, for classes of these names. */
  constructor(data, classes) {
    this.classes = classes;
    this.nChannels = data.n_channels;
    this.unitary = data.unitary;
    this.offset = data.offset;
    this.decimals = data.decimals;
    this.isSingle = data.single;
    this.isVector = data.grid.length === 0; // then there is one position, and a channel for each feature
    this.grid = new Grid(this.isVector ? [1] : data.grid);
    this.nChannelsIn = data.sample_shape[0];
    const counts = this.grid.multiplicities();
    this.weights = this.unitary ? counts : counts.map((count) => count / this.grid.size);
    this.lift = liftOf(data.lift, data.sample_shape, this.grid);
    const numbers = (name) => decodeArray(data.scaler[name]).values;
    this.scaler = data.scaler && { mean: numbers("mean"), scale: numbers("scale") };
    this.span = data.span && new Span(data.span);
    this.layers = data.layers.map((layer) => ({
      ...layer,
      expansion: decodeComplex(layer.expansion),
      compression: decodeComplex(layer.compression),
      measure: measureOf(layer.measure),
    }));
    // Room for C_j V, used again by every layer.
    this.compressed = data.layers.length
      ? this.classes.map(() => new Float64Array(2 * this.grid.nFreqs * this.nChannels))
      : [];
    this.answers = measureOf(data.answers);
  }

  /** All that happens to a sample with its margin: channels, blocks before and after each layer, memberships. */
  run(sample) {
    const channels = this.lift ? this.lift.respond(sample) : this.scaled(sample);
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

  /** Features of a vector on one scale, where that was learned. */
  scaled(sample) {
    if (!this.scaler) return sample;
    const { mean, scale } = this.scaler;
    const scaled = Float64Array.from(sample, (value, i) => (value - mean[i]) / scale[i]);
    return this.isSingle ? Float64Array.from(scaled, Math.fround) : scaled;
  }

  /** Blocks of channels, projected onto the unit sphere; in coordinates of the span, if there is one. */
  blocksOf(channels) {
    if (this.lift && this.lift.isPooled) return this.vectorBlocks(channels); // they are on the sphere already
    const largest = Math.max(largestMagnitude(channels), this.offset ?? 0) || 1; // first: squares may be too large
    const scaled = new Float64Array(channels.length + (this.offset === null ? 0 : 1));
    channels.forEach((value, i) => (scaled[i] = value / largest));
    if (this.offset !== null) scaled[channels.length] = this.offset / largest;
    const entering = this.isSingle ? Float64Array.from(scaled, Math.fround) : scaled;
    const V = this.isVector ? this.vectorBlocks(entering) : this.spectraOf(entering);
    this.normalise(V);
    return V;
  }

  /** Blocks of a vector: complex numbers without an imaginary part. */
  vectorBlocks(vector) {
    const coordinates = this.span ? this.span.coordinates(vector) : vector;
    const V = new Float64Array(2 * coordinates.length);
    coordinates.forEach((value, i) => (V[2 * i] = value));
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

  /** Distance of features to each class, rounded far below any meaning: a tie is always broken the same way. */
  distances(V) {
    const unit = 10 ** this.decimals;
    return this.answers.distances(this, V).map((distance) => Math.round(distance * unit) / unit);
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
