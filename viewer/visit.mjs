// Opens the page of a run in a browser, for `picture.mjs` and `speed.mjs`. FIBRA and CHROMIUM as for the tests.

import { spawn } from "node:child_process";
import { chromium } from "playwright-core";

/** Flags for a browser that draws on the processor. */
export const WITHOUT_CARD = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

/** The page with the first frame of a run, in a browser with these flags; how many seconds that took; and a function that ends all. */
export async function visit(run, flags, viewport) {
  const program = process.env.FIBRA ?? new URL("../target/release/fibra", import.meta.url).pathname;
  const server = spawn(program, ["view", run], { stdio: ["ignore", "pipe", "inherit"] });
  // Also when something goes wrong.
  process.once("exit", () => server.kill());
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
    args: ["--no-sandbox", "--ignore-gpu-blocklist", ...flags],
  });
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(120_000);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) console.error(`the browser says: ${message.text()}`);
  });
  const start = performance.now();
  await page.goto(url);
  await page.waitForFunction(() => window.fibra?.frame >= 0 && !window.fibra.loading);
  const seconds = (performance.now() - start) / 1000;
  const close = async () => {
    await browser.close();
    server.kill();
  };
  return { page, close, seconds };
}
