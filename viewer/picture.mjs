// A picture of the page: node picture.mjs RUN FILE.png [FRAME] [COLOUR]. FIBRA and CHROMIUM as for the tests.

import { spawn } from "node:child_process";
import { chromium } from "playwright-core";

const [run, file, frame = "0", colour = "object"] = process.argv.slice(2);
if (!run || !file) {
  console.error("usage: node picture.mjs RUN FILE.png [FRAME] [COLOUR]");
  process.exit(2);
}
const program = process.env.FIBRA ?? new URL("../target/release/fibra", import.meta.url).pathname;
const server = spawn(program, ["view", run], { stdio: ["ignore", "pipe", "inherit"] });
const url = await new Promise((resolve, reject) => {
  let said = "";
  server.stdout.on("data", (chunk) => {
    said += chunk;
    const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(said);
    if (found) resolve(found[0]);
  });
  server.once("exit", () => reject(new Error("fibra view ended")));
});
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
const page = await browser.newPage({ viewport: { width: 1280, height: 760 } });
page.setDefaultTimeout(120_000);
await page.goto(url);
await page.waitForFunction(() => window.fibra?.frame >= 0 && !window.fibra.loading);
await page.selectOption("#colour", colour);
for (let k = 0; k < Number(frame); k++) {
  await page.keyboard.press("ArrowRight");
}
await page.waitForFunction((number) => window.fibra.frame === number && !window.fibra.loading, Number(frame));
await page.waitForTimeout(2000);
await page.screenshot({ path: file });
await browser.close();
server.kill();
