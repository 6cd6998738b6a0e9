// The span of training vectors: coordinates in it, and one more for all that lies outside.

class Span {
  constructor(basis) {
    const { shape, values } = decodeArray(basis);
    [this.nFeatures, this.nDirections] = shape;
    this.basis = values;
  }

  /** Inner products with the basis, then the length outside of the span. */
  coordinates(vector) {
    const coordinates = new Float64Array(this.nDirections + 1);
    let rest = Float64Array.from(vector);
    // A second pass makes the rest orthogonal to the last bit.
    for (let pass = 0; pass < 2; pass++) {
      const inside = this.inside(rest);
      inside.forEach((value, r) => (coordinates[r] += value));
      rest = this.without(rest, inside);
    }
    coordinates[this.nDirections] = Math.sqrt(rest.reduce((sum, value) => sum + value * value, 0));
    return coordinates;
  }

  inside(vector) {
    const inside = new Float64Array(this.nDirections);
    for (let i = 0, b = 0; i < this.nFeatures; i++) {
      for (let r = 0; r < this.nDirections; r++, b++) inside[r] += this.basis[b] * vector[i];
    }
    return inside;
  }

  /** A vector without its part inside of the span. */
  without(vector, inside) {
    return vector.map((value, i) => {
      let part = 0;
      for (let r = 0; r < this.nDirections; r++) part += this.basis[i * this.nDirections + r] * inside[r];
      return value - part;
    });
  }
}
