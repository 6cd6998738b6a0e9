// A lift that pools: responses to short dilated filters, counted over the whole circle.
//
// The Python package has this in lift/pooled_bank.py and numerics/pooling.py. Counts are whole numbers, and they are
// the same here to the last one: a response is compared with its threshold in single precision, and every sum is
// rounded (Math.fround) in the same order as there. So no tie at a threshold is broken differently here.

const N_TAPS = 9;
const N_COUNTS = 3;

// The three taps of weight 2 of each filter, in the order of Python.
const HEAVY_TAPS = [];
for (let a = 0; a < N_TAPS; a++) {
  for (let b = a + 1; b < N_TAPS; b++) for (let c = b + 1; c < N_TAPS; c++) HEAVY_TAPS.push([a, b, c]);
}

class PooledLift {
  isPooled = true;

  constructor(data, sampleShape) {
    this.dilations = data.dilations;
    const { shape, values } = decodeArray(data.thresholds);
    [this.nChannels, this.nViews] = shape;
    this.nThresholds = shape[4];
    this.thresholds = values;
    this.mean = decodeArray(data.mean).values;
    this.inverseScale = decodeArray(data.scale).values.map((scale) => (scale > 0 ? 1 / scale : 0));
    this.offset = data.offset;
    this.pad = data.pad;
    this.grid = sampleShape[1] ? new Grid([sampleShape[1] + data.pad[0]]) : null; // null: of any length
    this.unpadded = [sampleShape[1]];
  }

  /** Features of a padded sample on the unit sphere, with a constant coordinate last. */
  respond(sample) {
    const length = sample.length / this.nChannels;
    return this.unitVector(this.counts(sample, length), length);
  }

  /** How many positions are above each threshold, their longest run, and how many runs begin. */
  counts(sample, length) {
    const counts = new Int32Array(this.thresholds.length * N_COUNTS);
    const perDilation = HEAVY_TAPS.length * this.nThresholds;
    let first = 0; // number of the first threshold of a channel, view and dilation
    for (let channel = 0; channel < this.nChannels; channel++) {
      const signal = sample.subarray(channel * length, (channel + 1) * length);
      for (const view of signalViews(signal).slice(0, this.nViews)) {
        for (const dilation of this.dilations) {
          this.countResponses(new DilatedFilters(view, dilation), first, counts);
          first += perDilation;
        }
      }
    }
    return counts;
  }

  countResponses(filters, first, counts) {
    HEAVY_TAPS.forEach((taps, f) => {
      const response = filters.response(taps);
      for (let q = 0; q < this.nThresholds; q++) {
        const i = first + f * this.nThresholds + q;
        countRuns(response, this.thresholds[i], counts, N_COUNTS * i);
      }
    });
  }

  /** Roots of the shares of positions, standardised; energies are summed in eight places, as Python does. */
  unitVector(counts, length) {
    const n = counts.length;
    const standardised = new Float64Array(n);
    for (let f = 0; f < n; f++) {
      standardised[f] = (Math.sqrt(counts[f] / length) - this.mean[f]) * this.inverseScale[f];
    }
    const energies = new Float64Array(8);
    const whole = n - (n % 8);
    for (let f = 0; f < whole; f++) energies[f % 8] += standardised[f] * standardised[f];
    let energy = energies.reduce((sum, value) => sum + value, this.offset * this.offset);
    for (let f = whole; f < n; f++) energy += standardised[f] * standardised[f];
    const scale = 1 / Math.sqrt(energy);
    const vector = new Float32Array(n + 1);
    for (let f = 0; f < n; f++) vector[f] = standardised[f] * scale;
    vector[n] = this.offset * scale;
    return vector;
  }
}

/** All filters of one dilation on a circular signal of single precision. */
class DilatedFilters {
  constructor(signal, dilation) {
    const length = signal.length;
    this.everywhere = new Float32Array(length);
    this.tripled = Array.from({ length: N_TAPS }, (_, k) => {
      const tripled = new Float32Array(length);
      const from = modulo((k - Math.floor(N_TAPS / 2)) * dilation, length);
      for (let t = 0; t < length; t++) {
        const value = signal[t + from < length ? t + from : t + from - length];
        this.everywhere[t] -= value; // rounded to single precision when it is stored
        tripled[t] = 3 * value;
      }
      return tripled;
    });
    this.room = new Float32Array(length);
  }

  /** Response of the filter with these heavy taps, in room that the next one overwrites. */
  response([a, b, c]) {
    const { everywhere, room } = this;
    const [first, second, third] = [this.tripled[a], this.tripled[b], this.tripled[c]];
    for (let t = 0; t < room.length; t++) {
      room[t] = Math.fround(Math.fround(everywhere[t] + first[t]) + second[t]) + third[t];
    }
    return room;
  }
}

/** Positions of a circle above a threshold, their longest run, and how many runs begin; written to counts. */
function countRuns(response, threshold, counts, place) {
  const length = response.length;
  let count = 0;
  let rises = 0;
  let longest = 0;
  let run = 0;
  let before = response[length - 1] > threshold ? 1 : 0;
  for (let t = 0; t < length; t++) {
    const above = response[t] > threshold ? 1 : 0; // no branch depends on it: it would be guessed wrong too often
    count += above;
    rises += above & ~before;
    before = above;
    run = Math.imul(run + 1, above);
    longest = Math.max(longest, run);
  }
  if (run > 0 && run < length) { // the run at the end may go on at the beginning
    for (let t = 0; response[t] > threshold; t++) run++;
    longest = Math.max(longest, run);
  }
  counts[place] = count;
  counts[place + 1] = longest;
  counts[place + 2] = rises;
}

/** A signal, and its circular difference, each of mean 0 and mean square 1, in single precision. */
function signalViews(signal) {
  const difference = signal.map((value, t) => value - signal[t ? t - 1 : signal.length - 1]);
  return [standardised(signal), standardised(difference)];
}

/** Sums run over values in ascending order, and in pairs as NumPy adds: the same bits as in Python. */
function standardised(signal) {
  const peak = largestMagnitude(signal) || 1;
  const scaled = Float64Array.from(signal, (value) => value / peak);
  const mean = pairwiseSum(scaled.slice().sort()) / scaled.length;
  const squares = scaled.map((value) => (value - mean) * (value - mean)).sort();
  const deviation = Math.sqrt(pairwiseSum(squares) / scaled.length);
  // A signal that is constant but for rounding has no shape.
  return Float32Array.from(scaled, (value) => (deviation > 1e-9 ? (value - mean) / deviation : 0));
}

/** The sum of values in the order in which NumPy adds up a row of an array. */
function pairwiseSum(values, start = 0, n = values.length) {
  if (n > 128) {
    const half = Math.floor(n / 2) - (Math.floor(n / 2) % 8);
    return pairwiseSum(values, start, half) + pairwiseSum(values, start + half, n - half);
  }
  const lanes = n < 8 ? 0 : 8;
  const sums = values.slice(start, start + lanes);
  const whole = n - (lanes ? n % 8 : n);
  for (let i = lanes; i < whole; i++) sums[i % 8] += values[start + i];
  const [a, b, c, d, e, f, g, h] = sums;
  let total = lanes ? (a + b + (c + d)) + (e + f + (g + h)) : 0;
  for (let i = start + whole; i < start + n; i++) total += values[i];
  return total;
}
