// A matrix as a map of colours, with their scale.

function heatmapExhibit(data, host) {
  const { shape, values } = decodeArray(data.values);
  const label = `${data.title}: ${data.ylabel} by ${data.xlabel}`;
  const canvas = new ResizingCanvas(label, (width) => (width * shape[0]) / shape[1], (context, width, height) => {
    drawPicture(context, values, shape, { x: 0, y: 0, width, height }, [data.low, data.high], RAMPS.even);
  });
  const ramp = new ResizingCanvas("Scale of colours", 12, (context, width, height) => {
    const steps = Float32Array.from({ length: 256 }, (_, i) => i);
    drawPicture(context, steps, [1, 256], { x: 0, y: 0, width, height }, [0, 255], RAMPS.even);
  });
  const ends = [data.low, data.high].map((value) => element("span", {}, numberText(value)));
  const scale = element("div", { class: "scale" }, ends[0], ramp.box, ends[1]);
  const map = element(
    "div",
    { class: "map" },
    element("span", { class: "ylabel" }, data.ylabel),
    canvas.box,
    element("span", { class: "xlabel" }, data.xlabel),
    scale,
  );
  host.append(map);
  canvas.open();
  ramp.open();
  return {};
}
