// What a live network shows at present, and who is told when it changes.

const CHANNELS_PER_GROUP = 8; // shown at a time

/**
 * The sample that is chosen, where it was moved to, the layer and the group of channels to look at, and what the
 * network makes of the sample there. Panels read it, change it through its methods, and listen to what changes:
 *
 *   "sample"    another sample was chosen; its result follows
 *   "result"    the network has run
 *   "layer"     another layer was chosen
 *   "channels"  another group of channels was chosen
 */
class LiveState {
  constructor(data, classifier) {
    this.classifier = classifier;
    this.network = classifier.network; // whose lift and layers there are to look at
    this.grid = classifier.unpaddedGrid.map((length, axis) => length + classifier.pad[axis]); // where a sample moves
    this.nPositions = product(this.grid);
    this.nChannelsIn = classifier.sampleShape[0];
    this.isSignal = this.grid.length === 1; // else an image
    this.nLayers = this.network.layers.length;
    this.labels = data.samples.map(({ label }) => label);
    this.samples = data.samples.map(({ values }) => classifier.enter(decodeArray(values).values));
    this.expected = data.expected || [];
    this.answersAtShifts = this.samples.map(() => new Map());
    this.listeners = { sample: [], result: [], layer: [], channels: [] };
    this.sample = 0;
    this.shift = this.grid.map(() => 0);
    this.layer = this.nLayers;
    this.group = 0;
    this.isStale = false; // whether the network has yet to run
    this.run();
  }

  /** Call listener after each of these changes. */
  listen(changes, listener) {
    for (const change of changes) this.listeners[change].push(listener);
  }

  changed(what) {
    for (const listener of this.listeners[what]) listener();
  }

  chooseSample(number) {
    this.sample = number;
    this.changed("sample");
    this.runSoon();
  }

  chooseLayer(number) {
    this.layer = number;
    this.changed("layer");
  }

  chooseChannels(group) {
    this.group = group;
    this.changed("channels");
  }

  /** Move the sample to a shift, which may be anywhere: it wraps around. */
  moveTo(shift) {
    const wrapped = shift.map((steps, axis) => modulo(Math.round(steps), this.grid[axis]));
    if (wrapped.join() === this.shift.join()) return;
    this.shift = wrapped;
    this.runSoon();
  }

  moveAtRandom() {
    const here = this.shift.join();
    let shift;
    do shift = this.grid.map((length) => Math.floor(Math.random() * length));
    while (shift.join() === here && product(this.grid) > 1);
    this.moveTo(shift);
  }

  /** Run once before the next frame, however often it is asked for. */
  runSoon() {
    if (this.isStale) return;
    this.isStale = true;
    requestAnimationFrame(() => this.settle());
  }

  /** Run now, if that is yet to be done. */
  settle() {
    if (!this.isStale) return;
    this.isStale = false;
    this.run();
    this.changed("result");
  }

  /** Carry the sample through the network where it is now, and remember the answer. */
  run() {
    this.result = this.classifier.run(this.movedSample());
    this.answersAtShifts[this.sample].set(this.shift.join(), this.answer);
  }

  /** Values of the sample where it is now. */
  movedSample() {
    return rolled(this.samples[this.sample], this.grid, this.shift);
  }

  /** The class that the network answers. */
  get answer() {
    return this.classifier.classes[this.classifier.answer(this.result.distances)];
  }

  /** The class that Python answers, or undefined if the page was not given any. */
  get expectedAnswer() {
    const expected = this.expected[this.sample];
    return expected && this.classifier.classes[expected.answer];
  }

  get nShiftsTried() {
    return this.answersAtShifts[this.sample].size;
  }

  /** Whether the answer depends on where the sample is, which it must not. */
  get answersDiffer() {
    return new Set(this.answersAtShifts[this.sample].values()).size > 1;
  }

  /** Where the sample is, in words. */
  get shiftText() {
    const [first, second] = this.shift;
    if (this.isSignal) return `moved by ${first} of ${this.grid[0]} positions`;
    return `moved ${first} down and ${second} right, of ${this.grid[0]} × ${this.grid[1]} pixels`;
  }

  /** Features after the chosen layer, shape (C, ...grid). */
  get features() {
    return this.network.channelsOf(this.result.blocks[this.layer]);
  }

  /** Numbers of the channels in the chosen group. */
  get channelsShown() {
    const first = this.group * CHANNELS_PER_GROUP;
    const last = Math.min(first + CHANNELS_PER_GROUP, this.network.nChannels);
    return Array.from({ length: last - first }, (_, i) => first + i);
  }
}
