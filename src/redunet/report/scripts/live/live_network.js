// A network that runs: a sample that can be moved, and what becomes of it.

const MOST_CHANNELS = 8; // shown at a time
const WAVE_HEIGHT = 46;

function networkExhibit(data, host) {
  const network = new Network(data.network);
  const grid = network.gridIn.lengths;
  const flat = grid.length === 1;
  const nLayers = network.layers.length;
  const samples = data.samples.map((sample) => network.enter(decodeArray(sample.values).values));
  const tried = samples.map(() => new Map()); // shift -> answer, for each sample
  const state = { sample: 0, shift: grid.map(() => 0), layer: nLayers, operator: -1, group: 0 };
  let result = null;
  let waiting = false;

  // What is seen, from top to bottom.
  const picker = samplePicker();
  const sampleBoard = sampleView();
  const where = element("p", { class: "readout" });
  const answer = element("p", { class: "answer", role: "status" });
  const warning = element("p", { class: "warning", role: "alert", hidden: true });
  const bars = distanceBars();
  const channelBoard = network.lift && channelView("Channels of the lifted sample", () => result.channels);
  const featuresNow = () => network.channelsOf(result.blocks[state.layer]);
  const featureBoard = channelView("Features after the chosen layer", featuresNow);
  const steps = { min: 0, max: nLayers, step: 1, value: nLayers };
  const slider = element("input", { type: "range", ...steps, oninput: chooseLayer });
  const layerName = element("output", { class: "layer-number" });
  const guesses = network.layers.some((layer) => layer.measure.guessesMembership);
  const memberships = guesses ? membershipChart(network.classes, nLayers) : null;
  const history = data.history && nLayers > 0 && historyChart(data.history);
  const kernels = nLayers > 0 ? kernelView() : null;
  const features = panel("Features", featureBoard.box);
  const kernelPanel = kernels && panel("Kernels", ...kernels.nodes);
  const buttons = element(
    "div",
    { class: "buttons" },
    element("button", { type: "button", onclick: moveAtRandom }, "Move at random"),
    element("button", { type: "button", onclick: () => moveTo(grid.map(() => 0)) }, "Move back"),
  );
  host.append(
    picker.box,
    element(
      "div",
      { class: "panels" },
      panel(
        "Sample",
        sampleBoard.box,
        where,
        buttons,
        element("p", { class: "hint" }, "Drag to move, or use the arrow keys; it wraps around."),
      ),
      panel("Answer", answer, warning, bars.box, element("p", { class: "hint" }, bars.words)),
    ),
    nLayers > 0 || network.nChannels > MOST_CHANNELS
      ? element(
          "div",
          { class: "controls" },
          nLayers > 0 ? element("label", { class: "slider" }, "Layer", slider, layerName) : null,
          network.nChannels > MOST_CHANNELS ? groupPicker() : null,
        )
      : "",
    element(
      "div",
      { class: "panels" },
      network.lift ? panel("Lifted sample", channelBoard.box) : null,
      features,
      memberships ? panel("Which class each layer guesses", classLegend(network.classes), memberships.box) : null,
      history ? panel("Coding rates of the training samples", ...history.nodes) : null,
      kernelPanel,
    ),
  );
  compute();
  for (const part of [picker, sampleBoard, channelBoard, featureBoard, memberships, history, kernels]) {
    if (part) part.open();
  }
  show();
  if (kernels) kernels.show();

  /** Carry the sample through the network where it is now, and keep the answer. */
  function compute() {
    result = network.run(rolled(samples[state.sample], grid, state.shift));
    const name = network.classes[network.answer(result.distances)];
    const answers = tried[state.sample];
    answers.set(state.shift.join(), name);
    const differ = new Set(answers.values()).size > 1;
    host.dataset.shift = state.shift.join();
    host.dataset.answer = name;
    host.dataset.answersDiffer = String(differ);
    host.dataset.sample = state.sample;
    const words = element("span", {}, answerWords(answers.size, differ));
    answer.replaceChildren("answer: ", element("strong", {}, name), words);
    const expected = data.expected && network.classes[data.expected[state.sample].answer];
    const wrong = differ || (expected !== undefined && expected !== null && expected !== name);
    answer.classList.toggle("wrong", wrong);
    warning.hidden = !wrong;
    if (wrong) {
      warning.textContent = differ
        ? "The answer has changed with the shift. It must not: something is broken."
        : `The report was made with the answer ${expected} for this sample: something is broken.`;
    }
  }

  function answerWords(nShifts, differ) {
    if (differ) return `not the same at all ${nShifts} shifts you tried`;
    if (nShifts === 1) return "move the sample and see whether it stays";
    return `the same at all ${nShifts} shifts you tried`;
  }

  /** Draw all that depends on the sample, its shift or the layer. */
  function show() {
    const words = flat
      ? `moved by ${state.shift[0]} of ${grid[0]} positions`
      : `moved ${state.shift[0]} down and ${state.shift[1]} right, of ${grid[0]} × ${grid[1]} pixels`;
    where.textContent = words;
    const { label } = data.samples[state.sample];
    sampleBoard.canvas.setAttribute("aria-label", `Sample ${label}, ${words}; the arrow keys move it`);
    sampleBoard.redraw();
    bars.show();
    if (channelBoard) channelBoard.redraw();
    if (nLayers > 0) {
      const place = state.layer === 0 ? "before the first layer" : `after layer ${state.layer}`;
      features.heading.textContent = `Features ${place}`;
    }
    featureBoard.redraw();
    if (memberships) memberships.show(result.memberships, state.layer);
    if (history) history.mark(state.layer);
    layerName.textContent = state.layer === 0 ? "0, the input" : `${state.layer} of ${nLayers}`;
    host.dataset.layer = state.layer;
    slider.setAttribute("aria-valuetext", `layer ${layerName.textContent}`);
  }

  /** Compute and show once before the next frame, however often it is asked for. */
  function soon() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(settle);
  }

  function settle() {
    if (!waiting) return;
    waiting = false;
    compute();
    show();
  }

  function moveTo(shift) {
    const wrapped = shift.map((steps, axis) => modulo(Math.round(steps), grid[axis]));
    if (wrapped.join() === state.shift.join()) return;
    state.shift = wrapped;
    soon();
  }

  function moveAtRandom() {
    const here = state.shift.join();
    let shift;
    do shift = grid.map((length) => Math.floor(Math.random() * length));
    while (shift.join() === here && product(grid) > 1);
    moveTo(shift);
  }

  function chooseSample(number) {
    state.sample = number;
    picker.mark();
    soon();
  }

  function chooseLayer() {
    state.layer = Number(slider.value);
    show();
    kernels.show();
  }

  // The parts.

  function samplePicker() {
    const thumbnails = [];
    const choices = data.samples.map((sample, i) => {
      const shape = flat ? [1, 2] : grid;
      const thumbnail = new ResizingCanvas("", (width) => (width * shape[0]) / shape[1], (context, width, height, look) => {
        const values = samples[i].subarray(0, network.gridIn.size);
        if (flat) drawWave(context, values, { x: 0, y: 0, width, height }, largestMagnitude(values), look.ink);
        else drawPicture(context, values, grid, { x: 0, y: 0, width, height }, extent(values), RAMPS.grey);
      }, { role: "presentation" });
      thumbnails.push(thumbnail);
      const choose = { type: "button", class: "choice", onclick: () => chooseSample(i) };
      return element("button", choose, thumbnail.box, sample.label);
    });
    const mark = () => choices.forEach((choice, i) => choice.setAttribute("aria-pressed", String(i === state.sample)));
    mark();
    const box = element("div", { class: "choices", role: "group", "aria-label": "Choose a sample" }, ...choices);
    return { box, mark, open: () => thumbnails.forEach((thumbnail) => thumbnail.open()) };
  }

  function sampleView() {
    const nIn = network.nChannelsIn;
    const size = network.gridIn.size;
    const rows = flat && nIn <= MOST_CHANNELS;
    const heightOf = (width) => {
      if (flat) return rows ? WAVE_AXIS + (nIn === 1 ? 150 : nIn * WAVE_HEIGHT) : 12 * nIn;
      return nIn === 1 ? (width * grid[0]) / grid[1] : tiling(nIn, width, grid, 120).height;
    };
    const board = new ResizingCanvas("", heightOf, (context, width, height, look) => {
      const values = rolled(samples[state.sample], grid, state.shift);
      if (rows) {
        const names = Array.from({ length: nIn }, (_, i) => String(i + 1));
        const seam = state.shift[0] || null;
        drawWaves(context, width, height, look, { channels: values, length: size, names, seam });
      } else if (flat) {
        drawPicture(context, values, [nIn, size], { x: 0, y: 0, width, height }, extent(values), RAMPS.grey);
      } else {
        const names = Array.from({ length: nIn }, (_, i) => `channel ${i + 1}`);
        const boxes = nIn === 1 ? [{ x: 0, y: 0, width, height }] : tiling(nIn, width, grid, 120).boxes;
        boxes.forEach((box, i) => {
          const channel = values.subarray(i * size, (i + 1) * size);
          drawPicture(context, channel, grid, box, extent(values), RAMPS.grey);
          drawFrame(context, box, look);
          context.fillStyle = look.muted;
          if (nIn > 1) context.fillText(names[i], box.x, box.y - 4);
        });
      }
    }, { role: "application" });
    if (!flat) board.box.classList.add("sample-picture");
    let from;
    /** CSS pixels per position, across and down. */
    const pitch = () => {
      if (flat) return board.width / grid[0];
      return (network.nChannelsIn === 1 ? board.width : tiling(nIn, board.width, grid, 120).boxes[0].width) / grid[1];
    };
    makeDraggable(board.canvas, {
      axes: flat ? "x" : "xy",
      start: () => (from = state.shift),
      drag: (dx, dy) => moveTo(flat ? [from[0] + dx / pitch()] : [from[0] + dy / pitch(), from[1] + dx / pitch()]),
      step: (dx, dy) => moveTo(flat ? [state.shift[0] + dx] : [state.shift[0] + dy, state.shift[1] + dx]),
    });
    return board;
  }

  /** Channels of the present group, as curves or pictures. */
  function channelView(label, channelsNow) {
    const { lengths, size } = network.grid;
    const nShown = () => groupChannels().length;
    const heightOf = (width) =>
      flat ? WAVE_AXIS + Math.max(nShown() * WAVE_HEIGHT, 90) : tiling(nShown(), width, lengths, 84).height;
    return new ResizingCanvas(label, heightOf, (context, width, height, look) => {
      const shown = groupChannels();
      const channels = channelsNow().subarray(shown[0] * size, (shown.at(-1) + 1) * size);
      const names = shown.map((c) => String(c + 1));
      if (flat) drawWaves(context, width, height, look, { channels, length: size, names });
      else drawPictures(context, width, height, look, { channels, grid: lengths, names, wanted: 84 });
    });
  }

  function groupChannels() {
    const first = state.group * MOST_CHANNELS;
    const last = Math.min(first + MOST_CHANNELS, network.nChannels);
    return Array.from({ length: last - first }, (_, i) => first + i);
  }

  function groupPicker() {
    const nGroups = Math.ceil(network.nChannels / MOST_CHANNELS);
    const options = Array.from({ length: nGroups }, (_, i) => {
      const last = Math.min((i + 1) * MOST_CHANNELS, network.nChannels);
      return element("option", { value: i }, `${i * MOST_CHANNELS + 1} to ${last} of ${network.nChannels}`);
    });
    const choose = () => {
      state.group = Number(select.value);
      show();
      if (kernels) kernels.show();
    };
    const select = element("select", { onchange: choose }, ...options);
    return element("label", {}, "Channels ", select);
  }

  /** A bar for each class: its distance, or how much longer its code is than the shortest. */
  function distanceBars() {
    const rows = network.classes.map((name, j) => {
      const bar = element("span", { class: "bar", style: `background: ${classColour(j)}` });
      const value = element("span", { class: "value" });
      const track = element("span", { class: "track" }, bar);
      return { bar, value, row: element("li", {}, element("span", {}, name), track, value) };
    });
    const show = () => {
      const { distances } = result;
      const lengths = network.answers.barLengths(distances);
      const longest = Math.max(...lengths) || 1;
      const chosen = network.answer(distances);
      rows.forEach(({ bar, value, row }, j) => {
        bar.style.width = `${(100 * lengths[j]) / longest}%`;
        value.textContent = distances[j].toFixed(4).replace("-", "−");
        row.classList.toggle("nearest", j === chosen);
      });
    };
    return { box: element("ul", { class: "distances" }, ...rows.map(({ row }) => row)), show, words: network.answers.answerText };
  }

  /** The operators of the chosen layer as convolution kernels, from every channel to every channel. */
  function kernelView() {
    const { lengths, size } = network.grid;
    const names = ["E, expansion of all", ...network.classes.map((name) => `C, compression of class ${name}`)];
    const choose = () => {
      state.operator = Number(select.value);
      view.show();
    };
    const options = names.map((name, i) => element("option", { value: i - 1 }, name));
    const select = element("select", { onchange: choose }, ...options);
    const full = element("input", { type: "checkbox", onchange: () => board.redraw() });
    const span = flat ? `from shift −${Math.floor(size / 2)} to ${Math.ceil(size / 2) - 1},` : "over all shifts,";
    let values = new Float64Array(0);
    const aspect = flat ? 0.62 : lengths[0] / lengths[1];
    const cells = (width) => {
      const n = groupChannels().length;
      const side = Math.min(flat ? 180 : 110, (width - WAVE_GUTTER) / n - 4);
      return { n, side, high: Math.max(side * aspect, 12) };
    };
    const board = new ResizingCanvas("Convolution kernels", (width) => {
      const { n, high } = cells(width);
      return 2 * TILE_LABEL + n * (high + 4);
    }, (context, width, height, look) => {
      const shown = groupChannels();
      const { side, high } = cells(width);
      const kernel = (row, column) => {
        const first = (row * network.nChannels + column) * size;
        const shift = lengths.map((length) => Math.floor(length / 2)); // shift 0 into the middle
        return rolled(values.subarray(first, first + size), lengths, shift);
      };
      const all = shown.map((row) => shown.map((column) => kernel(row, column)));
      // An operator is nearly a multiple of the identity, a spike that would leave nothing else to be seen.
      const spike = lengths.reduce((place, length) => place * length + Math.floor(length / 2), 0);
      const beside = all.flatMap((line, i) => line.map((one, k) => one.filter((_, t) => i !== k || t !== spike)));
      const whole = Math.max(...all.flat().map(largestMagnitude));
      const scale = (full.checked ? whole : Math.max(...beside.map(largestMagnitude))) || whole || 1;
      context.fillStyle = look.muted;
      shown.forEach((channel, i) => {
        context.textBaseline = "alphabetic";
        context.textAlign = "center";
        context.fillText(channel + 1, WAVE_GUTTER + i * (side + 4) + side / 2, TILE_LABEL - 5);
        context.textBaseline = "middle";
        context.textAlign = "right";
        context.fillText(channel + 1, WAVE_GUTTER - 6, TILE_LABEL + i * (high + 4) + high / 2);
      });
      all.forEach((line, i) => line.forEach((one, k) => {
        const box = { x: WAVE_GUTTER + k * (side + 4), y: TILE_LABEL + i * (high + 4), width: side, height: high };
        if (flat) {
          drawZeroLine(context, box, look);
          drawWave(context, one, box, scale, look.ink);
        } else {
          drawPicture(context, one, lengths, box, [-scale, scale], look.signed);
        }
        drawFrame(context, box, look);
      }));
      const words = `${flat ? "scale ±" : "blue −" + numberText(scale, 2) + ", orange "}${numberText(scale, 2)}`;
      context.fillStyle = look.muted;
      context.textAlign = "left";
      context.textBaseline = "alphabetic";
      context.fillText(full.checked ? words : `${words}, the identity cut off`, WAVE_GUTTER, height - 4);
    });
    const view = {
      nodes: [
        element(
          "div",
          { class: "controls inner" },
          element("label", {}, "Operator ", select),
          element("label", {}, full, " identity in full"),
        ),
        board.box,
        element("p", { class: "hint" }, `From channel (column) to channel (row), each ${span} with 0 in the middle.`),
      ],
      open: () => board.open(),
      show: () => {
        const layer = Math.max(state.layer, 1);
        values = network.kernels(layer - 1, state.operator);
        const operator = state.operator < 0 ? "E" : `C of class ${network.classes[state.operator]}`;
        kernelPanel.heading.textContent = `Layer ${layer} as convolution kernels: ${operator}`;
        board.redraw();
      },
    };
    return view;
  }

  return {
    network,
    distances: () => (settle(), result.distances),
    memberships: () => (settle(), result.memberships),
    channels: () => (settle(), Array.from(result.channels)),
    features: (layer = state.layer) => (settle(), Array.from(network.channelsOf(result.blocks[layer]))),
    kernels: (layer, operator) => Array.from(network.kernels(layer, operator)),
    moveTo: (shift) => (moveTo(shift), settle()),
    chooseSample: (number) => (chooseSample(number), settle()),
  };
}
