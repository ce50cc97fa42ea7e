// Saves a screenshot of the page: node screenshot.mjs RUN FILE.png [FRAME] [COLOR].

import { openPage, SOFTWARE_RENDERING } from "./open_page.mjs";

const [run, file, frame = "0", color = "object"] = process.argv.slice(2);
if (!run || !file) {
  console.error("usage: node screenshot.mjs RUN FILE.png [FRAME] [COLOR]");
  process.exit(2);
}
const { page, close } = await openPage(run, SOFTWARE_RENDERING, { width: 1280, height: 760 });
await page.selectOption("#color", color);
for (let k = 0; k < Number(frame); k++) {
  await page.keyboard.press("ArrowRight");
}
await page.waitForFunction((number) => window.fibra.frame === number && !window.fibra.loading, Number(frame));
await page.waitForTimeout(2000);
await page.screenshot({ path: file });
await close();
