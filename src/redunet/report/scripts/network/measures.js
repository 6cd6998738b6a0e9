// What a class measures a sample by: the Python package redunet.measures, as far as it runs in the page.
//
// A measure guesses the class of a sample in each layer, and it may give the answer of the network, too. Each is a
// class of its own, made of what its Python twin gives as page_data(). To add one, write a class and add its line to
// MEASURES, at the end of this file. No other script asks which measure it has.

/** What all measures have in common: a layer pulls a sample towards each class by a softmax of minus the residuals. */
class Measure {
  /** Whether layers guess how much a sample belongs to each class; there is something to draw if they do. */
  guessesMembership = true;

  /** How badly each class explains a sample V, given C_j V of each class. */
  residuals(network, V, compressed) {
    throw new Error(`${this.constructor.name} must say how badly each class explains a sample.`);
  }

  /** What a layer subtracts from E V: the sum of share_j membership_j C_j V. Also the membership, or null. */
  compression(network, layer, V, compressed) {
    const membership = softmax(this.residuals(network, V, compressed).map((residual) => -layer.sharpness * residual));
    const sum = new Float64Array(V.length);
    compressed.forEach((pulled, j) => {
      const share = layer.class_share[j] * membership[j];
      for (let i = 0; i < sum.length; i++) sum[i] += share * pulled[i];
    });
    return { sum, membership };
  }

  /** Lengths of the bars of the answer, one for each class, in any unit. */
  barLengths(distances) {
    return distances;
  }
}

/** By the norm of what the class compresses: ‖C_j v‖ / unit_j. */
class ResidualMeasure extends Measure {
  constructor({ unit }) {
    super();
    this.unit = unit;
  }

  residuals(network, V, compressed) {
    return compressed.map((pulled, j) => Math.sqrt(network.squaredNorm(pulled)) / this.unit[j]);
  }
}

/** By the distance to the subspace of the class. */
class SubspaceMeasure extends Measure {
  answerText = "Distance of the features to the subspace of each class, at most 1. The nearest class is the answer.";

  constructor({ bases }) {
    super();
    this.bases = decodeArray(bases);
  }

  residuals(network, V, compressed) {
    return compressed.map((_, j) => Math.sqrt(this.energyOutside(network, j, V)));
  }

  /** Distance of features to each class, as a share of their norm. */
  distances(network, V) {
    const total = network.squaredNorm(V) || 1;
    return network.classes.map((_, j) => Math.sqrt(Math.min(1, this.energyOutside(network, j, V) / total)));
  }

  /** Energy of a sample outside of the subspace of class j: that of v - U U* v, over all frequencies. */
  energyOutside(network, j, V) {
    const width = 2 * network.nChannels;
    let total = 0;
    for (let p = 0; p < network.grid.nFreqs; p++) {
      const rest = this.outside(network, j, p, V.subarray(p * width, (p + 1) * width));
      let energy = 0;
      for (const value of rest) energy += value * value;
      total += network.weights[p] * energy;
    }
    return total;
  }

  /** The part v - U U* v of a sample at frequency p that is outside of the subspace of class j. */
  outside(network, j, p, v) {
    const C = network.nChannels;
    const rank = this.bases.shape[3];
    const first = 2 * (j * network.grid.nFreqs + p) * C * rank;
    const U = this.bases.values;
    const rest = Float64Array.from(v);
    for (let r = 0; r < rank; r++) {
      let re = 0;
      let im = 0;
      for (let c = 0; c < C; c++) {
        const u = first + 2 * (c * rank + r);
        re += U[u] * v[2 * c] + U[u + 1] * v[2 * c + 1]; // conjugate of U times v
        im += U[u] * v[2 * c + 1] - U[u + 1] * v[2 * c];
      }
      for (let c = 0; c < C; c++) {
        const u = first + 2 * (c * rank + r);
        rest[2 * c] -= U[u] * re - U[u + 1] * im;
        rest[2 * c + 1] -= U[u] * im + U[u + 1] * re;
      }
    }
    return rest;
  }
}

/** By the length of the code of a sample with the code book of the class: v* C_j v / unit_j + offset_j. */
class CodeMeasure extends Measure {
  answerText =
    "Code length per coefficient with the code book of each class; bars show what it has above the shortest.";

  /** Layers have C_j already, so that their measure comes without it; the measure of the answer brings its own. */
  constructor({ unit, offset, compression = null }) {
    super();
    this.unit = unit;
    this.offset = offset;
    this.operators = compression && decodeArray(compression);
  }

  residuals(network, V, compressed) {
    return compressed.map((pulled, j) => network.inner(V, pulled) / this.unit[j] + this.offset[j]);
  }

  distances(network, V) {
    const compressed = network.classes.map((_, j) => network.apply(this.operators, j, V));
    return this.residuals(network, V, compressed);
  }

  /** Lengths of codes hardly differ and may be negative, so that bars show the differences. */
  barLengths(distances) {
    const shortest = Math.min(...distances);
    return distances.map((distance) => distance - shortest);
  }
}

/** Without a guess: rectified linear units find what no class explains. */
class RectifiedMeasure extends Measure {
  guessesMembership = false;

  constructor({ unit }) {
    super();
    this.unit = unit;
  }

  /** With the right guess a layer subtracts share_j C_j v, and share_j unit_j is the same number for every class. */
  compression(network, layer, V, compressed) {
    const alpha = layer.class_share[0] * this.unit[0];
    const sum = this.unexplained(network, V, compressed).map((value) => alpha * value);
    return { sum, membership: null };
  }

  /** v - sum of relu(v - C_j v / unit_j); the units work in the sample domain. */
  unexplained(network, V, compressed) {
    const explained = new Float64Array(network.nChannels * network.grid.size);
    compressed.forEach((pulled, j) => {
      const projection = network.channelsOf(V.map((value, i) => value - pulled[i] / this.unit[j]));
      for (let i = 0; i < explained.length; i++) explained[i] += Math.max(projection[i], 0);
    });
    const spectra = network.spectraOf(explained);
    return V.map((value, i) => value - spectra[i]);
  }
}

function softmax(values) {
  const largest = Math.max(...values);
  const powers = values.map((value) => Math.exp(value - largest));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

// The measures by the names that Python gives them, which are the values of the option "membership".
const MEASURES = {
  softmax: ResidualMeasure,
  subspace: SubspaceMeasure,
  code: CodeMeasure,
  relu: RectifiedMeasure,
};

/** The measure that a layer or the answer of a network has. */
function measureOf({ name, ...fields }) {
  return new MEASURES[name](fields);
}

/** Whether a network can run in the page: Python gives null where it knows of a measure without a script. */
function canRun(network) {
  if (!network) return false;
  const measures = [network.answers, ...network.layers.map(({ measure }) => measure)];
  return measures.every((measure) => measure && Object.hasOwn(MEASURES, measure.name));
}
