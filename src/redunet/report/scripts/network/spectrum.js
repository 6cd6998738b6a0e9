// Between samples and the half spectrum of their cyclic axes.

/**
 * The discrete Fourier transform on a grid, as its definition reads, one axis after the other.
 * A half spectrum has all frequencies of every axis but the last, which has length / 2 + 1 (rounded down); real and
 * imaginary parts in turn.
 */
class Grid {
  constructor(lengths) {
    this.lengths = lengths;
    this.size = product(lengths);
    this.last = lengths.at(-1);
    this.half = Math.floor(this.last / 2) + 1;
    this.nRows = this.size / this.last;
    this.nFreqs = this.nRows * this.half;
    this.circles = lengths.map(circle);
  }

  /** How many frequencies of the full spectrum each one of the half spectrum stands for. */
  multiplicities() {
    return Float64Array.from({ length: this.nFreqs }, (_, p) => {
      const frequency = p % this.half;
      return frequency === 0 || 2 * frequency === this.last ? 1 : 2;
    });
  }

  /** Half spectrum of real values. */
  transform(values) {
    const { half, last } = this;
    const spectrum = new Float64Array(2 * this.nFreqs);
    const { cos, sin } = this.circles.at(-1);
    const even = new Float64Array(half);
    const odd = new Float64Array(half);
    for (let row = 0; row < this.nRows; row++) {
      const from = row * last;
      // Positions t and -t have the same cosine and opposite sines, so they go together.
      for (let t = 0; t < half; t++) {
        const paired = t > 0 && 2 * t < last;
        even[t] = values[from + t] + (paired ? values[from + last - t] : 0);
        odd[t] = paired ? values[from + t] - values[from + last - t] : 0;
      }
      for (let k = 0; k < half; k++) {
        let re = 0;
        let im = 0;
        for (let t = 0, angle = 0; t < half; t++) {
          re += even[t] * cos[angle];
          im -= odd[t] * sin[angle];
          angle += k;
          if (angle >= last) angle -= last;
        }
        spectrum[2 * (row * half + k)] = re;
        spectrum[2 * (row * half + k) + 1] = im;
      }
    }
    this.alongOtherAxes(spectrum, -1);
    return spectrum;
  }

  /** Real values of a half spectrum; the inverse of transform. */
  inverse(spectrum) {
    const whole = Float64Array.from(spectrum);
    this.alongOtherAxes(whole, 1);
    const { half, last } = this;
    const values = new Float64Array(this.size);
    const { cos, sin } = this.circles.at(-1);
    const re = new Float64Array(half);
    const im = new Float64Array(half);
    for (let row = 0; row < this.nRows; row++) {
      for (let k = 0; k < half; k++) {
        // A frequency and its mirror image add up to twice the real part; one without has no imaginary part.
        const paired = k > 0 && 2 * k < last;
        re[k] = (whole[2 * (row * half + k)] * (paired ? 2 : 1)) / this.size;
        im[k] = paired ? (2 * whole[2 * (row * half + k) + 1]) / this.size : 0;
      }
      for (let t = 0; t < half; t++) {
        let even = 0;
        let odd = 0;
        for (let k = 0, angle = 0; k < half; k++) {
          even += re[k] * cos[angle];
          odd += im[k] * sin[angle];
          angle += t;
          if (angle >= last) angle -= last;
        }
        values[row * last + t] = even - odd;
        if (t > 0) values[row * last + last - t] = even + odd;
      }
    }
    return values;
  }

  /** Transform a half spectrum in place along every axis but the last; sign -1 forward, 1 back. */
  alongOtherAxes(spectrum, sign) {
    let stride = this.half;
    for (let axis = this.lengths.length - 2; axis >= 0; axis--) {
      const length = this.lengths[axis];
      const { cos, sin } = this.circles[axis];
      const line = new Float64Array(2 * length);
      for (let start = 0; start < this.nFreqs; start++) {
        if (Math.floor(start / stride) % length) continue; // lines start where this axis is at 0
        for (let t = 0; t < length; t++) {
          line[2 * t] = spectrum[2 * (start + t * stride)];
          line[2 * t + 1] = spectrum[2 * (start + t * stride) + 1];
        }
        for (let k = 0; k < length; k++) {
          let re = 0;
          let im = 0;
          for (let t = 0, angle = 0; t < length; t++) {
            const c = cos[angle];
            const s = sign * sin[angle];
            re += line[2 * t] * c - line[2 * t + 1] * s;
            im += line[2 * t] * s + line[2 * t + 1] * c;
            angle += k;
            if (angle >= length) angle -= length;
          }
          spectrum[2 * (start + k * stride)] = re;
          spectrum[2 * (start + k * stride) + 1] = im;
        }
      }
      stride *= length;
    }
  }
}

/** Cosines and sines of the angles that divide a circle into equal parts. */
function circle(length) {
  const angles = Array.from({ length }, (_, i) => (2 * Math.PI * i) / length);
  return { cos: Float64Array.from(angles, Math.cos), sin: Float64Array.from(angles, Math.sin) };
}
