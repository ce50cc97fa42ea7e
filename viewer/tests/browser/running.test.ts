// Runs that are still going, are broken, or lose their server.

import assert from "node:assert/strict";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Bench, frameHeader, framePath } from "./harness";

const bench = new Bench();
const FRAMES = 8;
before(async () => {
  await bench.run("plant", FRAMES);
});
after(() => bench.close());

test("a run that is going is followed to its newest frame", async () => {
  const simulation = bench.start("jelly-drop", 3000, "--threads", "1", "--set", "mpm.dx=0.03");
  const folder = bench.runFolder("jelly-drop");
  while (!existsSync(framePath(folder, 1))) await sleep(50);
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
  await visit.settle(() => !window.fibra!.following && window.fibra!.frame === window.fibra!.frameCount - 2);
  simulation.kill("SIGINT");
  await visit.settle(() => window.fibra!.status === "interrupted");
  await visit.end();
});

test("broken and missing frames are told of, and the others can still be seen", async () => {
  const folder = bench.runFolder("plant");
  const { server, url } = await bench.serve(folder);
  writeFileSync(framePath(folder, 2), "this is not a frame, and never was one");
  const points = frameHeader(folder, 3).tensors.get("points")!;
  const bytes = readFileSync(framePath(folder, 3));
  bytes.writeFloatLE(NaN, points.begin);
  bytes.writeFloatLE(Infinity, points.begin + 300);
  writeFileSync(framePath(folder, 3), bytes);
  const triangles = frameHeader(folder, 4).tensors.get("triangles")!;
  const wrong = readFileSync(framePath(folder, 4));
  wrong.writeUInt32LE(4_000_000_000, triangles.begin);
  writeFileSync(framePath(folder, 4), wrong);

  const visit = await bench.open(url);
  const { page } = visit;
  const message = () => page.locator("#messages").textContent();
  const says = async (words: RegExp) => {
    await page.waitForFunction((source) => new RegExp(source).test(document.getElementById("messages")!.textContent!), words.source);
  };
  await page.keyboard.press("ArrowRight");
  await visit.frame(1);
  await page.keyboard.press("ArrowRight");
  await says(/Frame 2 cannot be shown/);
  await page.keyboard.press("ArrowRight");
  await visit.frame(3);
  await says(/Frame 3: 2 places are not finite/);
  assert.ok((await visit.pixels()).triangles > 200);
  await page.keyboard.press("ArrowRight");
  await says(/Frame 4 cannot be shown: `triangles` joins point 4000000000/);
  await page.keyboard.press("Home");
  await visit.frame(0);
  assert.equal(await message(), "");
  assert.deepEqual(visit.problems, []);

  // From here on the browser itself reports requests that fail.
  rmSync(framePath(folder, 7));
  await page.keyboard.press("End");
  await visit.frame(8);
  await page.keyboard.press("ArrowLeft");
  await says(/Frame 7 cannot be shown: the file is not there/);
  server.kill("SIGKILL");
  await says(/The server does not answer/);
  await page.keyboard.press("Home");
  await visit.frame(0);
  assert.ok(visit.problems.every((problem) => /Failed to load resource/.test(problem)), visit.problems.join("\n"));
  await page.close();
});

test("a run without frames says so, and shows the first one when it comes", async () => {
  const folder = await bench.run("plant", 1);
  const first = readFileSync(framePath(folder, 0));
  rmSync(framePath(folder, 0));
  rmSync(framePath(folder, 1));
  const { url } = await bench.serve(folder);
  const visit = await bench.open(url, true);
  await visit.page.waitForFunction(() => /no frames/.test(document.getElementById("messages")!.textContent!));
  writeFileSync(framePath(folder, 0), first);
  await visit.frame(0);
  assert.ok((await visit.pixels()).triangles > 200);
  await visit.end();
});
