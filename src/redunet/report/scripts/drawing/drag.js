// Moving things by mouse, finger and arrow keys.

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * Let a node be dragged. start() is called when it begins, drag(dx, dy) with the way since then in CSS pixels, and
 * step(dx, dy) for arrow keys, five steps with the shift key; axes "x" leaves up and down to the page.
 */
function makeDraggable(node, { start, drag, step, axes = "xy" }) {
  let origin = null;
  node.tabIndex = 0;
  node.classList.add("draggable");
  node.style.touchAction = axes === "x" ? "pan-y" : "none";
  node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    origin = [event.clientX, event.clientY];
    node.setPointerCapture(event.pointerId);
    start();
  });
  node.addEventListener("pointermove", (event) => {
    if (origin) drag(event.clientX - origin[0], event.clientY - origin[1]);
  });
  for (const end of ["pointerup", "pointercancel"]) node.addEventListener(end, () => (origin = null));
  node.addEventListener("keydown", (event) => {
    const arrow = ARROWS[event.key];
    if (!arrow || event.ctrlKey || event.altKey || event.metaKey || (axes === "x" && arrow[1])) return;
    event.preventDefault();
    const times = event.shiftKey ? 5 : 1;
    step(times * arrow[0], times * arrow[1]);
  });
}
