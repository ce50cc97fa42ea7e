// Opens the page of a run in a browser, for `screenshot.mjs` and `speed.mjs`. The environment variables FIBRA and CHROMIUM work as for the tests.

import { spawn } from "node:child_process";
import { chromium } from "playwright-core";

/** Browser flags for software rendering. */
export const SOFTWARE_RENDERING = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"];

/** Starts `fibra view` and a browser with `flags`. Returns the page once the first frame is drawn, the load time [s], and a function that closes both. */
export async function openPage(run, flags, viewport) {
  const program = process.env.FIBRA ?? new URL("../target/release/fibra", import.meta.url).pathname;
  const server = spawn(program, ["view", run], { stdio: ["ignore", "pipe", "inherit"] });
  // Stop the server even if this script fails.
  process.once("exit", () => server.kill());
  const url = await new Promise((resolve, reject) => {
    let output = "";
    server.stdout.on("data", (chunk) => {
      output += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+\//.exec(output);
      if (found) resolve(found[0]);
    });
    server.once("exit", () => reject(new Error("`fibra view` exited before it printed its address")));
  });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--ignore-gpu-blocklist", ...flags],
  });
  const page = await browser.newPage({ viewport });
  page.setDefaultTimeout(120_000);
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) console.error(`browser console: ${message.text()}`);
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
