// Features on the circle or the sphere, moving from layer to layer.

const PLAY_SECONDS = 6;
const GLIDE_SECONDS = 0.25;

function sphereExhibit(data, host) {
  const path = new FeaturePath(data.points);
  const view = new SphereView(path.dimension === 3);
  const shape = view.isSphere ? "sphere" : "circle";
  const label = `Features on the ${shape}, coloured by class`;
  const canvas = new ResizingCanvas(label, (width) => width, (...place) => {
    view.paint(...place, { points: path.points(), labels: data.labels, isNew: data.new });
  });
  canvas.box.classList.add("square");
  const history = data.history && historyChart(data.history);
  const player = layerPlayer(path, data.layers, (layer) => {
    host.dataset.layer = layer;
    if (history) history.mark(layer);
    canvas.redraw();
  });
  const hint = view.isSphere ? element("p", { class: "hint" }, "Drag to turn, or use the arrow keys.") : "";
  const features = panel(`Features on the ${shape}`, pointsLegend(data), canvas.box, hint);
  const rates = history ? panel("Coding rates", ...history.nodes) : null;
  host.append(player.node, element("div", { class: "panels" }, features, rates));
  if (view.isSphere) makeSphereTurn(view, canvas);
  canvas.open();
  if (history) history.open();
  player.show(0);
  return { positions: () => path.points().map((point) => view.project(point)), view };
}

/** Points after some of the layers, and on their way between them. */
class FeaturePath {
  constructor(points) {
    const { values, shape } = decodeArray(points);
    this.values = values;
    [this.nShown, this.nPoints, this.dimension] = shape;
    this.position = 0; // among the layers shown, in between while points glide
  }

  /** Points at the present position between two layers, back on the sphere. */
  points() {
    const below = Math.min(Math.floor(this.position), this.nShown - 1);
    const above = Math.min(below + 1, this.nShown - 1);
    const share = this.position - below;
    return Array.from({ length: this.nPoints }, (_, i) => {
      const at = (layer, axis) => this.values[(layer * this.nPoints + i) * this.dimension + axis];
      const mixed = (_, axis) => (1 - share) * at(below, axis) + share * at(above, axis);
      const point = Array.from({ length: this.dimension }, mixed);
      const norm = Math.hypot(...point) || 1;
      return point.map((value) => value / norm);
    });
  }
}

function pointsLegend({ classes, new: isNew }) {
  const hollow = element("li", {}, element("span", { class: "swatch hollow" }), "new samples");
  return isNew.some(Boolean) ? classLegend(classes, hollow) : classLegend(classes);
}

function makeSphereTurn(view, canvas) {
  let from; // the angles where dragging began
  const turnTo = (yaw, pitch) => {
    view.turnTo(yaw, pitch);
    canvas.redraw();
  };
  const radius = () => canvas.width * SPHERE_RADIUS;
  canvas.canvas.setAttribute("role", "application");
  canvas.canvas.setAttribute("aria-label", "Features on the sphere; the arrow keys turn it");
  makeDraggable(canvas.canvas, {
    start: () => (from = { yaw: view.yaw, pitch: view.pitch }),
    drag: (dx, dy) => turnTo(from.yaw - dx / radius(), from.pitch + dy / radius()),
    step: (dx, dy) => turnTo(view.yaw - 0.1 * dx, view.pitch + 0.1 * dy),
  });
}

/** A slider and a button that move the points along their path; showLayer(layer) is called at every step. */
function layerPlayer(path, layers, showLayer) {
  const last = path.nShown - 1;
  const glide = new Glide();
  const choose = () => glideTo(Number(slider.value));
  const slider = element("input", { type: "range", min: 0, max: last, step: 1, value: 0, oninput: choose });
  const readout = element("output", { class: "layer-number" });
  const button = element("button", { type: "button", onclick: () => togglePlay() }, "Play");

  /** Show the points at a position; chosen is the layer that counts while they glide. */
  const show = (position, chosen = Math.round(position)) => {
    path.position = position;
    const layer = layers[chosen];
    readout.textContent = layer === 0 ? "0, the input" : String(layer);
    slider.setAttribute("aria-valuetext", `layer ${readout.textContent}`);
    showLayer(layer);
  };

  const glideTo = (target) => {
    button.textContent = "Play";
    glide.run(path.position, target, GLIDE_SECONDS, (now) => show(prefersStillness() ? target : now, target));
  };

  const play = () => {
    if (path.position >= last) show(0);
    button.textContent = "Pause";
    const seconds = (PLAY_SECONDS * (last - path.position)) / Math.max(last, 1);
    const step = (now) => {
      show(prefersStillness() ? Math.round(now) : now);
      slider.value = Math.round(now);
    };
    glide.run(path.position, last, seconds, step, () => (button.textContent = "Play"));
  };

  const togglePlay = () => (button.textContent === "Pause" ? choose() : play());
  const label = element("label", { class: "slider" }, "Layer", slider, readout);
  return { node: element("div", { class: "controls" }, label, button), show };
}
