// What a class measures a sample by: the Python package redunet.measures, as far as it runs in the page.
//
// A measure guesses the class of a sample in each layer, and it may give the answer of the network, too. Each is a
// class of its own, made of what its Python twin gives as page_data(). To add one, write a class and add its line to
// MEASURES, at the end of this file. No other script asks which measure it has.

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
