// The page follows a running simulation of each method.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { framePath, TestBench } from "./harness";
import { optionsOf, SCENES } from "./scenes";

const bench = new TestBench();
after(() => bench.close());

for (const scene of SCENES) {
  test(`${scene.method}: the page follows a running ${scene.name} simulation to its newest frame`, async () => {
    const simulation = bench.start(scene.name, 3000, ...optionsOf(scene));
    const folder = bench.runFolder(scene.name);
    while (!existsSync(framePath(folder, 1))) {
      assert.equal(simulation.exitCode, null, "the simulation exited early");
      await sleep(50);
    }
    const { url } = await bench.serve(folder);
    const session = await bench.open(url);
    const { page } = session;
    assert.equal(await page.locator("#status").textContent(), "running");
    const start = await page.evaluate(() => window.fibra!.frameCount);
    await page.click("#follow");
    await page.waitForFunction((count) => window.fibra!.frameCount >= count + 2, start);
    await session.settle(() => window.fibra!.following && !window.fibra!.loading && window.fibra!.frame === window.fibra!.frameCount - 1);
    // A step back stops following.
    await page.keyboard.press("ArrowLeft");
    await session.settle(() => !window.fibra!.following && window.fibra!.frame < window.fibra!.frameCount - 1);
    simulation.kill("SIGINT");
    await session.settle(() => window.fibra!.status === "interrupted");
    await session.end();
  });
}
