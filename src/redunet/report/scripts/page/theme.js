// Light or dark, as the system has it until the reader chooses.

const darkSystem = matchMedia("(prefers-color-scheme: dark)");
const themeButton = element("button", { type: "button", class: "theme", onclick: toggleTheme });
let chosenTheme = null;

function toggleTheme() {
  chosenTheme = currentTheme() === "dark" ? "light" : "dark";
  setTheme(currentTheme());
}

function currentTheme() {
  return chosenTheme || (darkSystem.matches ? "dark" : "light");
}

function setTheme(name) {
  document.documentElement.dataset.theme = name;
  themeButton.textContent = name === "dark" ? "Light page" : "Dark page";
  redrawCanvases();
}

function followSystemTheme() {
  setTheme(currentTheme());
  darkSystem.addEventListener("change", () => setTheme(currentTheme()));
}
