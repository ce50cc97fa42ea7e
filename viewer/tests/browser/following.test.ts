// A run of each method that is still going is followed.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Bench, framePath } from "./harness";
import { optionsOf, SCENES } from "./scenes";

const bench = new Bench();
after(() => bench.close());

for (const scene of SCENES) {
  test(`${scene.method}: a run of ${scene.name} that is going is followed to its newest frame`, async () => {
    const simulation = bench.start(scene.name, 3000, ...optionsOf(scene));
    const folder = bench.runFolder(scene.name);
    while (!existsSync(framePath(folder, 1))) {
      assert.equal(simulation.exitCode, null, "the run has ended");
      await sleep(50);
    }
    const { url } = await bench.serve(folder);
    const visit = await bench.open(url);
    const { page } = visit;
    assert.equal(await page.locator("#status").textContent(), "running");
    const start = await page.evaluate(() => window.fibra!.frameCount);
    await page.click("#follow");
    await page.waitForFunction((count) => window.fibra!.frameCount >= count + 2, start);
    await visit.settle(() => window.fibra!.following && !window.fibra!.loading && window.fibra!.frame === window.fibra!.frameCount - 1);
    // A step back lets go.
    await page.keyboard.press("ArrowLeft");
    await visit.settle(() => !window.fibra!.following && window.fibra!.frame < window.fibra!.frameCount - 1);
    simulation.kill("SIGINT");
    await visit.settle(() => window.fibra!.status === "interrupted");
    await visit.end();
  });
}
