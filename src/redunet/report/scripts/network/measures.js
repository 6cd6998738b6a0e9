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

// Energy outside of a subspace below which it is measured by itself, not as a difference.
const SMALL_ENERGY = 1e-4;

/** By the distance to the subspace of the class. */
class SubspaceMeasure extends Measure {
  constructor({ bases }) {
    super();
    this.bases = decodeComplex(bases);
  }

  residuals(network, V) {
    return this.distances(network, V);
  }

  /** Distance of features to each class, as a share of their norm. */
  distances(network, V) {
    const total = network.squaredNorm(V) || 1;
    return network.classes.map((_, j) => {
      const rest = 1 - this.energyInside(network, j, V) / total;
      // What is left of a difference of nearly equal numbers is rounding: there the rest itself is measured.
      const outside = rest < SMALL_ENERGY ? this.energyOutside(network, j, V) / total : rest;
      return Math.sqrt(Math.max(0, Math.min(1, outside)));
    });
  }

  /** Energy of a sample in the subspace of class j: that of U* v, over all frequencies. */
  energyInside(network, j, V) {
    const { nChannels: C, weights } = network;
    const rank = this.bases.shape[3];
    const U = this.bases.values;
    const along = new Float64Array(2 * rank);
    let u = 2 * j * weights.length * C * rank;
    let total = 0;
    for (let p = 0, i = 0; p < weights.length; p++) {
      along.fill(0);
      for (let c = 0; c < C; c++, i += 2) {
        const re = V[i];
        const im = V[i + 1];
        for (let r = 0; r < 2 * rank; r += 2, u += 2) {
          along[r] += U[u] * re + U[u + 1] * im; // conjugate of U times v
          along[r + 1] += U[u] * im - U[u + 1] * re;
        }
      }
      let energy = 0;
      for (const value of along) energy += value * value;
      total += weights[p] * energy;
    }
    return total;
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
  /** Layers have C_j already, so that their measure comes without it; the measure of the answer brings its own. */
  constructor({ unit, offset, compression = null }) {
    super();
    this.unit = unit;
    this.offset = offset;
    this.operators = compression && decodeComplex(compression);
  }

  residuals(network, V, compressed) {
    return compressed.map((pulled, j) => network.inner(V, pulled) / this.unit[j] + this.offset[j]);
  }

  distances(network, V) {
    const compressed = network.classes.map((_, j) => network.apply(this.operators, j, V));
    return this.residuals(network, V, compressed);
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

/** By what a ridge regression on the labels predicts for each class: one minus it. For plain vectors. */
class RegressionMeasure extends Measure {
  constructor({ coefficients }) {
    super();
    this.coefficients = decodeArray(coefficients).values;
  }

  residuals(network, V) {
    return this.distances(network, V);
  }

  distances(network, V) {
    const C = network.nChannels;
    return network.classes.map((_, j) => {
      let prediction = 0;
      for (let c = 0; c < C; c++) prediction += this.coefficients[j * C + c] * V[2 * c];
      return 1 - prediction;
    });
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
  regression: RegressionMeasure,
};

/** The measure that a layer or the answer of a network has. */
function measureOf({ name, ...fields }) {
  return new MEASURES[name](fields);
}

/** Whether a classifier can run in the page: Python gives null where it knows of a part without a script. */
function canRun(classifier) {
  if (!classifier) return false;
  const networks = classifier.answers.map(({ network }) => network);
  const measures = networks.flatMap(({ answers, layers }) => [answers, ...layers.map(({ measure }) => measure)]);
  return measures.every((measure) => measure && Object.hasOwn(MEASURES, measure.name));
}
