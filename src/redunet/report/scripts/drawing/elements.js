// Elements, and numbers as text.

/** An element with attributes and children. Text stays text, whatever it holds; "onclick" and the like listen. */
function element(tag, attributes = {}, ...children) {
  return furnished(document.createElement(tag), attributes, children);
}

/** The same for drawings. */
function drawn(tag, attributes = {}, ...children) {
  return furnished(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function furnished(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** Call draw(width) now and whenever the width of a box changes. */
function whenResized(box, draw) {
  let width = 0;
  const check = () => {
    const now = Math.floor(box.clientWidth);
    if (now > 0 && now !== width) {
      width = now;
      draw(now);
    }
  };
  check();
  // In the next frame: what is drawn may change the layout that is being observed.
  new ResizeObserver(() => requestAnimationFrame(check)).observe(box);
}

/** A number with so many digits that count, and a proper minus sign. */
function numberText(value, digits = 4) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  let text;
  if (Number.isInteger(value) && size < 1e9) text = String(value);
  else if (size >= 10 ** digits && size < 1e9) text = value.toFixed(0);
  else text = String(Number(value.toPrecision(digits)));
  return text.replace("-", "−");
}

/** Seconds as people say them. */
function durationText(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 119.5) return `${Math.round(seconds)} s`;
  if (seconds < 7170) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

/** A part of an exhibit under a small heading. */
function panel(title, ...children) {
  const heading = element("h4", {}, title);
  return Object.assign(element("section", { class: "panel" }, heading, ...children), { heading });
}

/** A dot in the colour of a class. */
function swatch(j) {
  return element("span", { class: "swatch", style: `background: ${classColour(j)}` });
}

/** Which colour stands for which class. */
function classLegend(classes, ...more) {
  const entries = classes.map((name, j) =>
    element("li", {}, swatch(j), name),
  );
  return element("ul", { class: "legend" }, ...entries, ...more);
}
