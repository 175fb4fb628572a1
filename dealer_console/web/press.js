// Pressing and holding: what a finger, a glove or a key does to a target.
//
// A target acts when it is touched, not when it is let go: the instant of a tap is what counts. Only
// a target that can be held waits for the finger to go, and still keeps the instant of the touch.

/** Held for so long, a target opens what lies behind it. */
export const HOLD = 450;

const clock = () => Math.round(performance.now());

/** Hear of a finger also where it slides off; one that is gone already cannot be followed. */
function capture(node, finger) {
  try {
    node.setPointerCapture(finger);
  } catch { /* it was too quick: the tap counts all the same */ }
}

/**
 * Let a target be pressed, and held where `hold` is given; both get our own time of the touch.
 * `release` is for targets in a list that scrolls: they wait for the finger to go, too.
 */
export function press(node, { tap, hold = null, release = hold !== null, can = () => true }) {
  let finger = null; // {id, own, timer}
  const end = () => {
    clearTimeout(finger.timer);
    finger = null;
    delete node.dataset.pressed;
  };
  const isOurs = (event) => finger !== null && event.pointerId === finger.id;
  node.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || finger !== null || !can()) return;
    if (!release) event.preventDefault(); // no focus, no magnifier, no mouse events later
    const own = clock();
    node.dataset.pressed = "";
    finger = { id: event.pointerId, own, timer: 0 };
    capture(node, event.pointerId); // it may slide while it presses
    if (hold !== null) finger.timer = setTimeout(() => { end(); hold(own); }, HOLD);
    if (!release) tap(own);
  });
  node.addEventListener("pointerup", (event) => {
    if (!isOurs(event)) return;
    const { own } = finger;
    end();
    if (release) tap(own);
  });
  for (const lost of ["pointercancel", "lostpointercapture"]) {
    node.addEventListener(lost, (event) => { if (isOurs(event)) end(); });
  }
  // A key, or a reader for the blind; a finger's own click has a count.
  node.addEventListener("click", (event) => {
    if (event.detail === 0 && can()) tap(clock());
  });
}

/** Keep the page still under busy hands: no menu, no selection, no zoom, no pull to reload. */
export function keepStill(root) {
  const never = (event) => event.preventDefault();
  root.addEventListener("contextmenu", never);
  root.addEventListener("selectstart", (event) => {
    if (!(event.target instanceof Element && event.target.closest("input"))) event.preventDefault();
  });
  root.addEventListener("dblclick", never);
  root.addEventListener("gesturestart", never); // Safari's pinch
  root.addEventListener("touchmove", (event) => {
    const scrolls = event.target instanceof Element && event.target.closest("[data-scrolls]");
    if (!scrolls && event.cancelable) event.preventDefault();
  }, { passive: false });
}
