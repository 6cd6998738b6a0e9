// Charts with axes, drawn as vectors.

/** Round numbers between two others, about so many. */
function niceTicks(low, high, wanted = 5) {
  if (!(high > low)) return [low];
  const raw = (high - low) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((times) => times * power >= raw * 0.999) * power;
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i++) {
    ticks.push(Number((i * step).toPrecision(10)));
  }
  return ticks;
}

const MARGIN = { top: 10, right: 12, bottom: 40, left: 52 };

/**
 * A chart that is drawn again whenever its width changes.
 *
 * plot(svg, x, y) draws into it, with scales from values to places. Whole x have ticks at whole numbers only.
 */
function chart({ label, xlabel, ylabel, xRange, yRange, height = 230, whole = false, plot }) {
  const box = element("div", { class: "chart" });
  const draw = (width) => {
    const share = (value, [low, high]) => (value - low) / (high - low || 1);
    const x = (value) => MARGIN.left + share(value, xRange) * (width - MARGIN.left - MARGIN.right);
    const y = (value) => height - MARGIN.bottom - share(value, yRange) * (height - MARGIN.top - MARGIN.bottom);
    const svg = drawn("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
    const across = niceTicks(...xRange, width > 420 ? 8 : 5).filter((tick) => !whole || Number.isInteger(tick));
    svg.append(
      ...niceTicks(...yRange, 5).flatMap((tick) => yTick(tick, y(tick), width)),
      ...across.map((tick) => xTick(tick, x(tick), height)),
      ...axisNames(xlabel, ylabel, width, height),
    );
    plot(svg, x, y);
    box.replaceChildren(svg);
  };
  return { box, open: () => whenResized(box, draw) };
}

/** A line across the chart and the number it stands for. */
function yTick(value, y, width) {
  return [
    drawn("line", { class: "rule", x1: MARGIN.left, x2: width - MARGIN.right, y1: y, y2: y }),
    drawn("text", { x: MARGIN.left - 8, y: y + 4, "text-anchor": "end" }, numberText(value)),
  ];
}

function xTick(value, x, height) {
  return drawn("text", { x, y: height - MARGIN.bottom + 17, "text-anchor": "middle" }, numberText(value));
}

function axisNames(xlabel, ylabel, width, height) {
  const middle = (height - MARGIN.bottom + MARGIN.top) / 2;
  return [
    drawn("text", { x: (width + MARGIN.left) / 2, y: height - 6, "text-anchor": "middle" }, xlabel),
    drawn("text", { transform: `translate(12 ${middle}) rotate(-90)`, "text-anchor": "middle" }, ylabel),
  ];
}
