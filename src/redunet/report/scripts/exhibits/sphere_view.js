// Points on the circle or the sphere, as they are seen.

const SPHERE_RADIUS = 0.44; // of the width of the drawing

/** Where the reader stands, and how points look from there. A circle is seen from above. */
class SphereView {
  constructor(isSphere) {
    this.isSphere = isSphere;
    this.yaw = 0.6;
    this.pitch = 0.35;
  }

  /** Turn by hand; at the poles it stops. */
  turnTo(yaw, pitch) {
    this.yaw = yaw;
    this.pitch = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, pitch));
  }

  /** Where a point is seen: right, up, and towards the reader. */
  project([a, b, c = 0]) {
    if (!this.isSphere) return [a, b, 0];
    const [cosYaw, sinYaw] = [Math.cos(this.yaw), Math.sin(this.yaw)];
    const [cosPitch, sinPitch] = [Math.cos(this.pitch), Math.sin(this.pitch)];
    const ahead = cosYaw * a + sinYaw * b;
    return [cosYaw * b - sinYaw * a, cosPitch * c - sinPitch * ahead, cosPitch * ahead + sinPitch * c];
  }

  /** Paint points of some classes; new samples are hollow. */
  paint(context, width, height, look, { points, labels, isNew }) {
    const radius = width * SPHERE_RADIUS;
    const place = ([right, up]) => [width / 2 + radius * right, height / 2 - radius * up];
    context.strokeStyle = look.muted;
    context.lineWidth = 1;
    context.beginPath();
    context.arc(width / 2, height / 2, radius, 0, 2 * Math.PI);
    context.stroke();
    if (this.isSphere) this.paintMeridians(context, look, place);
    else this.paintCross(context, look, place);
    const seen = points.map((point, i) => ({ position: this.project(point), i }));
    seen.sort((one, other) => one.position[2] - other.position[2]); // the nearest last, on top of the others
    for (const { position, i } of seen) {
      this.paintPoint(context, place(position), position[2], classColour(labels[i]), isNew[i]);
    }
    context.globalAlpha = 1;
  }

  /** A point, on a sphere the larger and the stronger the nearer it is. */
  paintPoint(context, [x, y], towards, colour, hollow) {
    const near = (towards + 1) / 2;
    context.globalAlpha = this.isSphere ? 0.2 + 0.7 * near : 0.75;
    context.beginPath();
    context.arc(x, y, this.isSphere ? 2.4 + 2.2 * near : 4.4, 0, 2 * Math.PI);
    if (hollow) {
      context.strokeStyle = colour;
      context.lineWidth = 1.5;
      context.stroke();
    } else {
      context.fillStyle = colour;
      context.fill();
    }
  }

  /** The equator and six half circles from pole to pole; what lies behind is fainter. */
  paintMeridians(context, look, place) {
    const around = Array.from({ length: 73 }, (_, i) => (i * Math.PI) / 36);
    const curves = [around.map((angle) => [Math.cos(angle), Math.sin(angle), 0])];
    for (let m = 0; m < 6; m++) {
      const turn = (m * Math.PI) / 3;
      const down = (angle) => [Math.sin(angle) * Math.cos(turn), Math.sin(angle) * Math.sin(turn), Math.cos(angle)];
      curves.push(around.slice(0, 37).map(down));
    }
    context.strokeStyle = look.muted;
    for (const curve of curves) {
      const seen = curve.map((point) => this.project(point));
      for (let i = 1; i < seen.length; i++) {
        context.globalAlpha = seen[i][2] + seen[i - 1][2] > 0 ? 0.45 : 0.15;
        paintLine(context, place(seen[i - 1]), place(seen[i]));
      }
    }
    context.globalAlpha = 1;
  }

  paintCross(context, look, place) {
    context.strokeStyle = look.line;
    paintLine(context, place([-1, 0]), place([1, 0]));
    paintLine(context, place([0, -1]), place([0, 1]));
  }
}

function paintLine(context, from, to) {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
}
