// Canvases that stay sharp.

const openCanvases = new Set();

/**
 * A canvas as wide as its box, painted by paint(context, width, height, look) in CSS pixels, and painted again whenever
 * its width or the look of the page changes.
 *
 * height is a number or a function of the width.
 */
class ResizingCanvas {
  constructor(label, height, paint, attributes = {}) {
    this.heightOf = typeof height === "function" ? height : () => height;
    this.paint = paint;
    this.canvas = element("canvas", { role: "img", "aria-label": label, width: 1, height: 1, ...attributes });
    this.box = element("div", { class: "canvas-box" }, this.canvas);
    this.context = this.canvas.getContext("2d");
    this.width = 0;
    openCanvases.add(this);
  }

  /** Start; the box must be in the page, or it has no width. */
  open() {
    whenResized(this.box, (width) => {
      this.width = width;
      this.redraw();
    });
    return this;
  }

  redraw() {
    if (!this.width) return;
    const density = Math.max(window.devicePixelRatio || 1, 1);
    const height = Math.max(1, Math.round(this.heightOf(this.width)));
    const size = [Math.round(this.width * density), Math.round(height * density)];
    if (this.canvas.width !== size[0] || this.canvas.height !== size[1]) [this.canvas.width, this.canvas.height] = size;
    this.context.setTransform(density, 0, 0, density, 0, 0);
    this.context.clearRect(0, 0, this.width, height);
    const look = currentLook();
    this.context.font = look.font;
    this.paint(this.context, this.width, height, look);
  }
}

function redrawCanvases() {
  for (const canvas of openCanvases) canvas.redraw();
}
