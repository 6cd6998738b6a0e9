// Colours: of classes, of values, of the page as it looks now.

// Okabe and Ito's colours, which most colour-blind readers can tell apart, as redunet.plot has them. The next eight
// classes have paler ones, and eight more have deeper ones.
const CLASS_COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c8c8c", "#f0e442"];
const SHADES = [[0, 0], [255, 0.5], [0, 0.4]]; // mixed with this grey by this share

/** The colour of a class, everywhere in the page and in either look of it. */
function classColour(j) {
  const round = Math.floor(j / CLASS_COLOURS.length);
  if (round >= SHADES.length) return `hsl(${Math.round(137.5 * j) % 360} 50% 55%)`; // each far from the one before
  const [grey, share] = SHADES[round];
  const colour = coloursOf(CLASS_COLOURS[j % CLASS_COLOURS.length]);
  return `rgb(${colour.map((value) => Math.round(value + share * (grey - value))).join(", ")})`;
}

/** Red, green and blue of a colour such as #0072b2. */
function coloursOf(hex) {
  return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
}

// A ramp is 256 colours between the ones of a short table. The even one grows lighter from blue to yellow; the signed
// ones go from blue to orange, through the colour of the page at zero.
const RAMPS = {
  grey: rampOf("#000000", "#ffffff"),
  even: rampOf(
    "#00224e", "#1a386f", "#434e6c", "#61656f", "#7d7c78", "#9b9476", "#bcae6c", "#dec958", "#fee838",
  ),
  signedLight: rampOf("#003f6b", "#2f86b8", "#a9d0e6", "#ffffff", "#f7cf9e", "#e08a2a", "#9c3d00"),
  signedDark: rampOf("#b5e0fa", "#56a8d8", "#235a7d", "#1d2024", "#7d4716", "#dc8a35", "#ffd9a8"),
};

function rampOf(...table) {
  const anchors = table.map(coloursOf);
  const colours = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < 256; i++) {
    const place = (i / 255) * (anchors.length - 1);
    const below = Math.min(Math.floor(place), anchors.length - 2);
    for (let k = 0; k < 3; k++) {
      colours[3 * i + k] = anchors[below][k] + (place - below) * (anchors[below + 1][k] - anchors[below][k]);
    }
  }
  return colours;
}

/** Background and ink of a cell for a share between 0 and 1. */
function rampStyle(ramp, share) {
  const [red, green, blue] = ramp.subarray(3 * Math.round(255 * share), 3 * Math.round(255 * share) + 3);
  const bright = 0.299 * red + 0.587 * green + 0.114 * blue > 140;
  return { background: `rgb(${red}, ${green}, ${blue})`, color: bright ? "#000000" : "#ffffff" };
}

/** Colours of the page as it looks now, for what is painted. */
function currentLook() {
  const style = getComputedStyle(document.documentElement);
  const dark = document.documentElement.dataset.theme === "dark";
  const of = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    dark,
    ink: of("ink"),
    muted: of("muted"),
    line: of("line"),
    surface: of("surface"),
    font: `12px ${of("plain")}`,
    signed: dark ? RAMPS.signedDark : RAMPS.signedLight,
  };
}
