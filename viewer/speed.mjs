// Measures the frame rate of the page: node speed.mjs RUN [FLAG…]. Flags are passed to the browser; use `--use-angle=gl-egl` if Chromium does
// not find the graphics card. Prints the time to the first and last frame, and the rendered images and new frames per second in a 1920 x 1080 view
// while the view orbits and while the run plays. The run plays at four times real time, so that its own frame rate is not the limit.

import { openPage } from "./open_page.mjs";

const [run, ...flags] = process.argv.slice(2);
if (!run) {
  console.error("usage: node speed.mjs RUN [FLAG…]");
  process.exit(2);
}

/** Duration of each measurement [s]. */
const SECONDS = 4;

const { page, close, seconds } = await openPage(run, flags, { width: 1920, height: 1080 });
const description = await page.evaluate(() => {
  const gl = document.createElement("canvas").getContext("webgl2");
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const { points, segments } = window.fibra.counts;
  return `${points} points, ${segments} segments, rendered by ${gl.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER)}`;
});
console.log(description);
console.log(`first frame after ${seconds.toFixed(1)} s`);
const jump = performance.now();
await page.keyboard.press("End");
await page.waitForFunction(() => window.fibra.frame > 0 && !window.fibra.loading);
console.log(`last frame (${await page.evaluate(() => window.fibra.frame)}): ${((performance.now() - jump) / 1000).toFixed(1)} s after the jump to it`);
await page.keyboard.press("Home");
console.log("                            images/s  frames/s  longest wait");
// Wait until the neighboring frames have been read.
await page.waitForTimeout(2000);
await measure("orbiting", { orbits: true });
for (const key of ["]", "]", " "]) await page.keyboard.press(key);
await measure("playing, not cached");
await page.waitForTimeout(3000);
await measure("playing, cached");
await measure("playing and orbiting", { orbits: true });
if (await page.locator("#color option[value=speed]").count()) {
  await page.selectOption("#color", "speed");
  await measure("playing, by speed, first");
  await page.waitForTimeout(3000);
  await measure("playing, by speed, cached");
}
await close();

/** Counts rendered images and new frames for `SECONDS`; `orbits` simulates a mouse drag that orbits the camera. */
async function measure(label, { orbits = false } = {}) {
  const { images, frames, longest } = await page.evaluate(
    async ([seconds, orbits]) => {
      const { fibra } = window;
      const view = document.getElementById("view");
      // Synthetic events have no pointer to capture.
      view.setPointerCapture = view.releasePointerCapture = () => undefined;
      const drag = (type, clientX) => {
        const pointer = { pointerId: 1, pointerType: "mouse", isPrimary: true, buttons: 1 };
        view.dispatchEvent(new PointerEvent(type, { clientX, clientY: 400, bubbles: true, ...pointer }));
      };
      if (orbits) drag("pointerdown", 600);
      const start = performance.now();
      const imagesBefore = fibra.imageCount;
      let [images, frame, frames, last, longest, x] = [fibra.imageCount, fibra.frame, 0, start, 0, 600];
      while (performance.now() - start < 1000 * seconds) {
        await new Promise(requestAnimationFrame);
        if (orbits) drag("pointermove", (x += 2));
        if (fibra.frame !== frame) frames += 1;
        if (fibra.imageCount === images) continue;
        const now = performance.now();
        longest = Math.max(longest, now - last);
        [images, frame, last] = [fibra.imageCount, fibra.frame, now];
      }
      if (orbits) drag("pointerup", x);
      const elapsed = (performance.now() - start) / 1000;
      return { images: (fibra.imageCount - imagesBefore) / elapsed, frames: frames / elapsed, longest };
    },
    [SECONDS, orbits],
  );
  console.log(`${label.padEnd(26)}${images.toFixed(1).padStart(10)}${frames.toFixed(1).padStart(10)}${longest.toFixed(0).padStart(11)} ms`);
}
