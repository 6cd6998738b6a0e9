// Features on the circle or the sphere, moving from layer to layer.

const PLAY_SECONDS = 6;
const GLIDE_SECONDS = 0.25;

function sphereExhibit(data, host) {
  const { values, shape } = decodeArray(data.points);
  const [nShown, nPoints, dimension] = shape;
  const round = dimension === 3;
  const view = { yaw: 0.6, pitch: 0.35 };
  let position = 0; // among the layers shown, in between while points glide
  let running = 0;

  const board = new ResizingCanvas(`Features on the ${round ? "sphere" : "circle"}, coloured by class`, (width) => width, paint);
  const history = data.history && historyChart(data.history);
  const choose = () => glideTo(Number(slider.value));
  const slider = element("input", { type: "range", min: 0, max: nShown - 1, step: 1, value: 0, oninput: choose });
  const readout = element("output", { class: "layer-number" });
  const play = element("button", { type: "button", onclick: togglePlay }, "Play");
  const hollow = element("li", {}, element("span", { class: "swatch hollow" }), "new samples");
  const legend = data.new.some(Boolean) ? classLegend(data.classes, hollow) : classLegend(data.classes);
  host.append(
    element("div", { class: "controls" }, element("label", { class: "slider" }, "Layer", slider, readout), play),
    element(
      "div",
      { class: "panels" },
      panel(
        round ? "Features on the sphere" : "Features on the circle",
        legend,
        board.box,
        round ? element("p", { class: "hint" }, "Drag to turn, or use the arrow keys.") : "",
      ),
      history ? panel("Coding rates", ...history.nodes) : null,
    ),
  );
  if (round) {
    let from;
    const turn = (yaw, pitch) => {
      view.yaw = yaw;
      view.pitch = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, pitch));
      board.redraw();
    };
    const radius = () => board.width * 0.44;
    board.canvas.setAttribute("role", "application");
    board.canvas.setAttribute("aria-label", "Features on the sphere; the arrow keys turn it");
    makeDraggable(board.canvas, {
      start: () => (from = { ...view }),
      drag: (dx, dy) => turn(from.yaw - dx / radius(), from.pitch + dy / radius()),
      step: (dx, dy) => turn(view.yaw - 0.1 * dx, view.pitch + 0.1 * dy),
    });
  }
  board.box.classList.add("square");
  board.open();
  if (history) history.open();
  showLayer(0);

  /** Points at the present place between two layers, back on the sphere. */
  function points() {
    const below = Math.min(Math.floor(position), nShown - 1);
    const above = Math.min(below + 1, nShown - 1);
    const share = position - below;
    return Array.from({ length: nPoints }, (_, i) => {
      const at = (layer, axis) => values[(layer * nPoints + i) * dimension + axis];
      const mixed = (_, axis) => (1 - share) * at(below, axis) + share * at(above, axis);
      const point = Array.from({ length: dimension }, mixed);
      const norm = Math.hypot(...point) || 1;
      return point.map((value) => value / norm);
    });
  }

  /** Where a point is seen: right, up, and towards the reader. */
  function project([a, b, c = 0]) {
    if (!round) return [a, b, 0];
    const [cosYaw, sinYaw] = [Math.cos(view.yaw), Math.sin(view.yaw)];
    const [cosPitch, sinPitch] = [Math.cos(view.pitch), Math.sin(view.pitch)];
    const ahead = cosYaw * a + sinYaw * b;
    return [cosYaw * b - sinYaw * a, cosPitch * c - sinPitch * ahead, cosPitch * ahead + sinPitch * c];
  }

  function paint(context, width, height, look) {
    const radius = width * 0.44;
    const place = ([right, up]) => [width / 2 + radius * right, height / 2 - radius * up];
    context.strokeStyle = look.muted;
    context.lineWidth = 1;
    context.beginPath();
    context.arc(width / 2, height / 2, radius, 0, 2 * Math.PI);
    context.stroke();
    if (round) drawMeridians(context, look, place);
    else drawCross(context, look, place);
    const seen = points().map((point, i) => ({ place: project(point), i }));
    seen.sort((one, other) => one.place[2] - other.place[2]);
    for (const { place: where, i } of seen) {
      const near = round ? (where[2] + 1) / 2 : 1;
      const [x, y] = place(where);
      context.globalAlpha = round ? 0.2 + 0.7 * near : 0.75;
      context.beginPath();
      context.arc(x, y, round ? 2.4 + 2.2 * near : 4.4, 0, 2 * Math.PI);
      const colour = CLASS_COLOURS[data.labels[i] % CLASS_COLOURS.length];
      if (data.new[i]) {
        context.strokeStyle = colour;
        context.lineWidth = 1.5;
        context.stroke();
      } else {
        context.fillStyle = colour;
        context.fill();
      }
    }
    context.globalAlpha = 1;
  }

  /** The equator and six half circles from pole to pole; what lies behind is fainter. */
  function drawMeridians(context, look, place) {
    const around = Array.from({ length: 73 }, (_, i) => (i * Math.PI) / 36);
    const curves = [around.map((angle) => [Math.cos(angle), Math.sin(angle), 0])];
    for (let m = 0; m < 6; m++) {
      const turn = (m * Math.PI) / 3;
      const down = (angle) => [Math.sin(angle) * Math.cos(turn), Math.sin(angle) * Math.sin(turn), Math.cos(angle)];
      curves.push(around.slice(0, 37).map(down));
    }
    context.strokeStyle = look.muted;
    for (const curve of curves) {
      const seen = curve.map(project);
      for (let i = 1; i < seen.length; i++) {
        context.globalAlpha = seen[i][2] + seen[i - 1][2] > 0 ? 0.45 : 0.15;
        context.beginPath();
        context.moveTo(...place(seen[i - 1]));
        context.lineTo(...place(seen[i]));
        context.stroke();
      }
    }
    context.globalAlpha = 1;
  }

  function drawCross(context, look, place) {
    context.strokeStyle = look.line;
    for (const [from, to] of [[[-1, 0], [1, 0]], [[0, -1], [0, 1]]]) {
      context.beginPath();
      context.moveTo(...place(from));
      context.lineTo(...place(to));
      context.stroke();
    }
  }

  /** Draw the points at a place among the layers; chosen is the layer that counts while they glide. */
  function showLayer(now, chosen = Math.round(now)) {
    position = now;
    const layer = data.layers[chosen];
    host.dataset.layer = layer;
    readout.textContent = layer === 0 ? "0, the input" : String(layer);
    slider.setAttribute("aria-valuetext", `layer ${readout.textContent}`);
    if (history) history.mark(layer);
    board.redraw();
  }

  /** Let the points glide to a place among the layers, by way of the layers in between when playing. */
  function glideTo(target, seconds = GLIDE_SECONDS, playing = false) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    const from = position;
    const begun = performance.now();
    const run = ++running;
    play.textContent = playing ? "Pause" : "Play";
    const frame = (time) => {
      if (run !== running) return;
      const share = seconds > 0 ? Math.min(1, Math.max(0, time - begun) / (1000 * seconds)) : 1;
      const now = from + share * (target - from);
      if (playing) {
        showLayer(still ? Math.round(now) : now);
        slider.value = Math.round(now);
      } else {
        showLayer(still ? target : now, target);
      }
      if (share < 1) requestAnimationFrame(frame);
      else play.textContent = "Play";
    };
    frame(begun);
  }

  function togglePlay() {
    if (play.textContent === "Pause") return glideTo(Number(slider.value));
    if (position >= nShown - 1) showLayer(0);
    return glideTo(nShown - 1, (PLAY_SECONDS * (nShown - 1 - position)) / Math.max(nShown - 1, 1), true);
  }

  return { positions: () => points().map(project), view };
}
