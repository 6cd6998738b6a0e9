// What the colours of the one colour map for shares and cosines mean.

/** A strip of all colours between two numbers, to be opened once it is in the page. */
function colourScale(ends, words = null) {
  const ramp = new ResizingCanvas("Scale of colours", 12, (context, width, height) => {
    const steps = Float32Array.from({ length: 256 }, (_, i) => i);
    drawPicture(context, steps, [1, 256], { x: 0, y: 0, width, height }, [0, 255], RAMPS.even);
  });
  const [low, high] = ends.map((value) => element("span", {}, numberText(value)));
  const node = element("div", { class: "scale" }, words && element("span", {}, words), low, ramp.box, high);
  return { node, open: () => ramp.open() };
}
