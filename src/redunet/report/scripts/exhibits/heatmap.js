// A matrix as a map of colours, with their scale.

function heatmapExhibit(data, host) {
  const { shape, values } = decodeArray(data.values);
  const label = `${data.title}: ${data.ylabel} by ${data.xlabel}`;
  const canvas = new ResizingCanvas(label, (width) => (width * shape[0]) / shape[1], (context, width, height) => {
    drawPicture(context, values, shape, { x: 0, y: 0, width, height }, [data.low, data.high], RAMPS.even);
  });
  const scale = colourScale([data.low, data.high]);
  const map = element(
    "div",
    { class: "map" },
    element("span", { class: "ylabel" }, data.ylabel),
    canvas.box,
    element("span", { class: "xlabel" }, data.xlabel),
    scale.node,
  );
  host.append(map);
  canvas.open();
  scale.open();
  return {};
}
