// Pictures side by side.

function galleryExhibit(data, host) {
  const pictures = data.images.map(({ label, values }) => {
    const { shape, values: numbers } = decodeArray(values);
    const canvas = new ResizingCanvas(label, (width) => (width * shape[0]) / shape[1], (context, width, height) => {
      drawPicture(context, numbers, shape, { x: 0, y: 0, width, height }, extent(numbers), RAMPS.grey);
    });
    return { canvas, node: element("figure", {}, canvas.box, element("figcaption", {}, label)) };
  });
  host.append(element("div", { class: "pictures" }, ...pictures.map(({ node }) => node)));
  pictures.forEach(({ canvas }) => canvas.open());
  return {};
}
