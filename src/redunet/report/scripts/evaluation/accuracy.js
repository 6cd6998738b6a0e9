// Accuracy on the samples given beside the estimate of the fit, each with its interval.

function accuracyExhibit({ shares, verdict }, host) {
  const lowest = Math.min(...shares.map(({ interval, value }) => (interval ? interval[0] : value)));
  const low = Math.max(0, Math.floor(10 * lowest - 0.5) / 10);
  const place = (value) => `${(100 * (value - low)) / (1 - low)}%`;
  const rows = shares.map((share, i) => shareRow(share, i === 0, place));
  const ends = [low, 1].map((share) => element("span", {}, percentText(share)));
  const axis = element("div", { class: "share-axis" }, ...ends);
  host.append(element("div", { class: "shares" }, ...rows, axis));
  if (verdict) host.append(element("p", { class: "prose verdict" }, verdict));
  return {};
}

/** A share in figures, and on a scale: a point, and a band where the truth lies at 95 %, if that is known. */
function shareRow({ name, value, interval, note }, isFirst, place) {
  const point = element("span", { class: "share-point" });
  point.style.left = place(value);
  const marks = interval ? [shareBand(interval, place), point] : [point];
  const between = interval ? `95 % interval ${percentText(interval[0])} to ${percentText(interval[1])}; ` : "";
  return element(
    "div",
    { class: isFirst ? "share first" : "share" },
    element("p", { class: "share-name" }, element("strong", {}, percentText(value)), ` ${name}`),
    element("div", { class: "share-track" }, ...marks),
    element("p", { class: "hint" }, `${between}${note}.`),
  );
}

/** The band between the ends of an interval. */
function shareBand([from, to], place) {
  const band = element("span", { class: "share-band" });
  band.style.left = place(from);
  band.style.right = `calc(100% - ${place(to)})`;
  return band;
}
