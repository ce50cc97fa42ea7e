// A picture of the page: node picture.mjs RUN FILE.png [FRAME] [COLOR].

import { visit, WITHOUT_CARD } from "./visit.mjs";

const [run, file, frame = "0", color = "object"] = process.argv.slice(2);
if (!run || !file) {
  console.error("usage: node picture.mjs RUN FILE.png [FRAME] [COLOR]");
  process.exit(2);
}
const { page, close } = await visit(run, WITHOUT_CARD, { width: 1280, height: 760 });
await page.selectOption("#color", color);
for (let k = 0; k < Number(frame); k++) {
  await page.keyboard.press("ArrowRight");
}
await page.waitForFunction((number) => window.fibra.frame === number && !window.fibra.loading, Number(frame));
await page.waitForTimeout(2000);
await page.screenshot({ path: file });
await close();
