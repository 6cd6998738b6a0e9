// Exhibits that only show: pictures, histograms, heat maps.

function galleryExhibit(data, host) {
  const pictures = data.images.map(({ label, values }) => {
    const { shape, values: numbers } = decodeArray(values);
    const board = new ResizingCanvas(label, (width) => (width * shape[0]) / shape[1], (context, width, height) => {
      drawPicture(context, numbers, shape, { x: 0, y: 0, width, height }, extent(numbers), RAMPS.grey);
    });
    return { board, node: element("figure", {}, board.box, element("figcaption", {}, label)) };
  });
  host.append(element("div", { class: "pictures" }, ...pictures.map(({ node }) => node)));
  pictures.forEach(({ board }) => board.open());
  return {};
}

function histogramExhibit(data, host) {
  const parts = histogramChart(data);
  host.append(classLegend(data.series.map(({ label }) => label)), parts.box);
  parts.open();
  return {};
}

function heatmapExhibit(data, host) {
  const { shape, values } = decodeArray(data.values);
  const label = `${data.title}: ${data.ylabel} by ${data.xlabel}`;
  const board = new ResizingCanvas(label, (width) => (width * shape[0]) / shape[1], (context, width, height) => {
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
    board.box,
    element("span", { class: "xlabel" }, data.xlabel),
    scale,
  );
  host.append(map);
  board.open();
  ramp.open();
  return {};
}
