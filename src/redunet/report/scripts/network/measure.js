// What every measure is; each one is a class of its own, in measures.js or in a file beside it.

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

function softmax(values) {
  const largest = Math.max(...values);
  const powers = values.map((value) => Math.exp(value - largest));
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}
