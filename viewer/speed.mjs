// How smooth the page is: node speed.mjs RUN [FLAG…], with flags for the browser, such as `--use-angle=gl-egl` where it does not find the graphics card by
// itself. Prints how soon the first and the last frame are seen, and pictures and new frames per second, in a view of 1920 x 1080, while the run is turned and while it plays, four times as fast as it should:
// its own rate is no limit then.

import { visit } from "./visit.mjs";

const [run, ...flags] = process.argv.slice(2);
if (!run) {
  console.error("usage: node speed.mjs RUN [FLAG…]");
  process.exit(2);
}

/** Time that is counted [s]. */
const SECONDS = 4;

const { page, close, seconds } = await visit(run, flags, { width: 1920, height: 1080 });
const about = await page.evaluate(() => {
  const gl = document.createElement("canvas").getContext("webgl2");
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const { points, segments } = window.fibra.counts;
  return `${points} points, ${segments} segments, drawn by ${gl.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER)}`;
});
console.log(about);
console.log(`first frame after ${seconds.toFixed(1)} s`);
const jump = performance.now();
await page.keyboard.press("End");
await page.waitForFunction(() => window.fibra.frame > 0 && !window.fibra.loading);
console.log(`last frame, ${await page.evaluate(() => window.fibra.frame)}, after another ${((performance.now() - jump) / 1000).toFixed(1)} s`);
await page.keyboard.press("Home");
console.log("                          pictures/s  frames/s  longest wait");
// The frames around it are read.
await page.waitForTimeout(2000);
await count("turning", { turns: true });
for (const key of ["]", "]", " "]) await page.keyboard.press(key);
await count("playing, first time");
await page.waitForTimeout(3000);
await count("playing again");
await count("playing and turning", { turns: true });
if (await page.locator("#color option[value=speed]").count()) {
  await page.selectOption("#color", "speed");
  await count("playing, by speed, first");
  await page.waitForTimeout(3000);
  await count("playing, by speed, again");
}
await close();

/** Counts what happens in some seconds, in which the view may be turned as with a mouse. */
async function count(what, { turns = false } = {}) {
  const { pictures, frames, longest } = await page.evaluate(
    async ([seconds, turns]) => {
      const { fibra } = window;
      const view = document.getElementById("view");
      // There is no pointer that could be captured.
      view.setPointerCapture = view.releasePointerCapture = () => undefined;
      const drag = (type, clientX) => {
        const pointer = { pointerId: 1, pointerType: "mouse", isPrimary: true, buttons: 1 };
        view.dispatchEvent(new PointerEvent(type, { clientX, clientY: 400, bubbles: true, ...pointer }));
      };
      if (turns) drag("pointerdown", 600);
      const start = performance.now();
      const picturesBefore = fibra.pictures;
      let [pictures, frame, frames, last, longest, x] = [fibra.pictures, fibra.frame, 0, start, 0, 600];
      while (performance.now() - start < 1000 * seconds) {
        await new Promise(requestAnimationFrame);
        if (turns) drag("pointermove", (x += 2));
        if (fibra.frame !== frame) frames += 1;
        if (fibra.pictures === pictures) continue;
        const now = performance.now();
        longest = Math.max(longest, now - last);
        [pictures, frame, last] = [fibra.pictures, fibra.frame, now];
      }
      if (turns) drag("pointerup", x);
      const elapsed = (performance.now() - start) / 1000;
      return { pictures: (fibra.pictures - picturesBefore) / elapsed, frames: frames / elapsed, longest };
    },
    [SECONDS, turns],
  );
  console.log(`${what.padEnd(26)}${pictures.toFixed(1).padStart(10)}${frames.toFixed(1).padStart(10)}${longest.toFixed(0).padStart(11)} ms`);
}
