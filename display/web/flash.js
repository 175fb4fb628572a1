// The flash test: /flash?trim=40. A camera in slow motion sees how far two screens are apart.
//
// It paints with every frame, which a wall never does: here the frame is what is measured.

import { device, hubAddress, token } from "./identity.js";
import { Link, Session } from "./link.js";

/** Milliseconds that a flash stays: long enough for a camera, short enough to see its beginning. */
const LIT = 200;

const asked = new URLSearchParams(location.search);
const trim = Number(asked.get("trim")) || 0;
const session = new Session(device(), token(), "flash test");
const link = new Link(hubAddress(), session, { kind: "wall" });
const page = document.documentElement;
const [second, tenths, sync] = ["#second", "#tenths", "#sync"].map((each) => document.querySelector(each));
tenths.append(...Array.from({ length: 10 }, () => document.createElement("i")));

let shown = null; // the second that is shown
export const flips = []; // when seconds were painted, in hub time without the trim: for tests

function frame() {
  requestAnimationFrame(frame);
  const own = link.now();
  if (!session.clock.known) return;
  const now = session.clock.now(own) + trim;
  const whole = Math.floor(now / 1_000);
  page.dataset.lit = now % 1_000 < LIT;
  for (const [index, cell] of [...tenths.children].entries()) cell.dataset.on = index <= Math.floor((now % 1_000) / 100);
  if (whole === shown) return;
  shown = whole;
  flips.push(now - trim);
  if (flips.length > 60) flips.shift();
  second.textContent = String(whole % 60).padStart(2, "0");
  const away = session.freshness(own) === "fresh" ? "" : " · hub away";
  const signed = (ms) => `${ms < 0 ? "−" : "+"}${Math.abs(ms)} ms`;
  const device = now - trim - Date.now(); // hub time minus what this device takes for the time
  sync.textContent = `hub time ± ${Math.ceil(session.clock.uncertainty(own))} ms · offset of this device ${signed(device)} · trim ${signed(trim)}${away}`;
}

addEventListener("keydown", ({ key }) => {
  if (key === "f") page.requestFullscreen?.().catch(() => {});
});
addEventListener("pointerdown", () => page.requestFullscreen?.().catch(() => {}));
link.start();
frame();
