// Answers as the text of a CSV file: what `redunet predict --probabilities` writes.

function answersText(classes, answers) {
  const header = ["row", "prediction", ...classes.map((name) => `probability of ${name}`), "reason"];
  const lines = answers.map(({ row, answer, probabilities, reason }) => [
    String(row),
    ...(reason ? ["", ...classes.map(() => "")] : [classes[answer], ...probabilities.map(shareText)]),
    reason,
  ]);
  return [header, ...lines].map((fields) => `${fields.map(csvField).join(",")}\n`).join("");
}

function csvField(text) {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A number between 0 and 1 as Python writes it: 0.0, 0.25, 1e-06. */
function shareText(share) {
  if (Number.isInteger(share)) return share.toFixed(1);
  if (share >= 1e-4) return String(share);
  const [digits, power] = share.toExponential().split("e-");
  return `${digits}e-${power.padStart(2, "0")}`;
}
