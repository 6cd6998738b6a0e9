// A classifier: one or two ways to the classes, whose distances are added up, and probabilities of them.

/** A sample that has no answer, and why. */
class RefusedSample extends Error {}

const ALL_ZERO = "it is all zero, which has no direction";
const SILENT = "no filter responds to it, as to constant samples";

class Classifier {
  constructor(data) {
    this.classes = data.classes;
    this.seen = data.seen; // numbers of the classes that have samples, which networks and measures know
    this.sharpness = data.sharpness;
    this.doubt = data.doubt;
    this.offsets = data.offsets;
    this.sampleShape = data.sample_shape;
    this.answers = data.answers.map((answer) => ({
      weight: answer.weight,
      refusesSilence: answer.refuses_silence,
      network: new Network(answer.network, data.seen.map((j) => data.classes[j])),
    }));
    this.network = this.answers[0].network;
    const [, ...grid] = data.sample_shape;
    this.unpaddedGrid = grid;
    this.pad = this.network.lift ? this.network.lift.pad : grid.map(() => 0);
  }

  /** A sample with its margin of zeros: what moves in a circle. */
  enter(values) {
    return padded(values, this.sampleShape[0], this.unpaddedGrid, this.pad);
  }

  /** All that the first network does with a sample that has its margin, and the distances by all answers. */
  run(sample) {
    const result = this.network.run(sample);
    const others = this.answers.slice(1).map((answer) => this.distancesBy(answer, sample));
    return { ...result, distances: this.weighed([result.distances, ...others]) };
  }

  /** Distances of a sample as it is in a file to all classes; what has no place on the sphere is refused. */
  distances(values) {
    if (this.network.offset === null && !largestMagnitude(values)) throw new RefusedSample(ALL_ZERO);
    return this.weighed(
      this.answers.map((answer) => {
        if (!answer.weight) return this.seen.map(() => 0);
        const pad = answer.network.lift ? answer.network.lift.pad : this.pad;
        return this.distancesBy(answer, padded(values, this.sampleShape[0], this.unpaddedGrid, pad));
      }),
    );
  }

  distancesBy({ network, refusesSilence }, sample) {
    const { channels, distances } = network.run(sample);
    if (!network.lift || network.lift.isPooled || largestMagnitude(channels)) return distances;
    if (refusesSilence) throw new RefusedSample(SILENT);
    return distances.map(() => 1); // equally far from all classes
  }

  /** The sum of the distances by each answer, each times its weight; a class without samples is infinitely far. */
  weighed(distances) {
    const all = this.classes.map(() => Infinity);
    this.seen.forEach((number, j) => {
      all[number] = this.answers.reduce(
        (sum, { weight }, i) => sum + (weight === 1 ? distances[i][j] : weight * distances[i][j]),
        0,
      );
      if (this.offsets) all[number] -= this.offsets[j];
    });
    return all;
  }

  /** Number of the nearest class; of equally near ones the first. */
  answer(distances) {
    return distances.indexOf(Math.min(...distances));
  }

  probabilities(distances) {
    const shares = softmax(distances.map((distance) => -this.sharpness * distance));
    if (!this.doubt) return shares;
    const evenly = 1 / this.seen.length;
    return shares.map(
      (share, j) => (1 - this.doubt) * share + this.doubt * (distances[j] === Infinity ? 0 : evenly),
    );
  }
}
