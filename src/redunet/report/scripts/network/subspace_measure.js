// The distance to class subspaces, per frequency.

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
