// The calibration curve: probabilities of answers against how many of them are correct.

function calibrationExhibit({ bins, words }, host) {
  const lowest = Math.min(...bins.map(({ probability, interval }) => Math.min(probability, interval[0])));
  const low = Math.max(0, Math.floor(10 * lowest - 0.5) / 10);
  const { box, open } = chart({
    label: `Calibration: ${words}`,
    xlabel: "probability of the answer",
    ylabel: "share correct",
    xRange: [low, 1],
    yRange: [low, 1 + 0.1 * (1 - low)],
    height: 320,
    plot: (svg, x, y) => {
      svg.append(drawn("line", { class: "diagonal", x1: x(low), y1: y(low), x2: x(1), y2: y(1) }));
      const points = bins.map(({ probability, share }) => `${x(probability).toFixed(1)},${y(share).toFixed(1)}`);
      svg.append(drawn("polyline", { class: "calibration", points: points.join(" ") }));
      for (const bin of bins) svg.append(...calibrationPoint(bin, x, y));
    },
  });
  box.classList.add("narrow");
  host.append(element("p", { class: "prose" }, words), box);
  open();
  return { bins: () => bins };
}

/** A bin of answers: a point, its interval, and how many answers it has. */
function calibrationPoint({ probability, share, count, interval }, x, y) {
  const [left, top] = [x(probability), y(share)];
  const atEnd = probability > 0.95; // of the chart, where there is room on the left only
  const beside = { class: "count", x: left + (atEnd ? -7 : 7), y: top - 7, "text-anchor": atEnd ? "end" : "start" };
  const words = `${count} answers of probability ${probability.toFixed(2)}: ${percentText(share)} correct`;
  return [
    drawn("line", { class: "interval", x1: left, x2: left, y1: y(interval[0]), y2: y(Math.min(1, interval[1])) }),
    drawn("circle", { class: "calibration", cx: left, cy: top, r: 5 }, drawn("title", {}, words)),
    drawn("text", beside, String(count)),
  ];
}
