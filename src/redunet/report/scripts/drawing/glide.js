// Numbers that change smoothly.

/** A number that glides from one value to another; a new glide ends the one before. */
class Glide {
  constructor() {
    this.runs = 0;
  }

  /** Call step(value) in every frame until the target is reached, and then end(). */
  run(from, target, seconds, step, end = () => {}) {
    const begun = performance.now();
    const run = ++this.runs;
    const frame = (time) => {
      if (run !== this.runs) return;
      const share = seconds > 0 ? Math.min(1, Math.max(0, time - begun) / (1000 * seconds)) : 1;
      step(from + share * (target - from));
      if (share < 1) requestAnimationFrame(frame);
      else end();
    };
    frame(begun);
  }
}

/** Whether the reader has asked the system for less motion. */
function prefersStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
