// Damaged, empty and replaced runs, runs far from the origin, lost servers, and browsers with missing features.

import assert from "node:assert/strict";
import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { frameHeader, framePath, TestBench } from "./harness";

const bench = new TestBench();
const FRAMES = 8;
before(async () => {
  await bench.run("plant", FRAMES);
});
after(() => bench.close());

test("damaged and missing frames are reported, and the other frames are displayed", async () => {
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

  // Damaged frames do not stop playback.
  const play = await bench.open(url);
  for (const key of ["l", "[", "[", "[", " "]) await play.page.keyboard.press(key);
  await play.settle(() => window.fibra!.frame === 8 && !window.fibra!.playing);
  await play.waitForMessage(/Cannot show frame [24]/);
  await play.page.keyboard.press("Home");
  await play.frame(0);
  assert.equal(await play.page.locator("#messages").textContent(), "");
  await play.end();

  // Stepping reports each damaged frame.
  const session = await bench.open(url);
  const { page } = session;
  const waitForMessage = (pattern: RegExp) => session.waitForMessage(pattern);
  await page.keyboard.press("ArrowRight");
  await session.frame(1);
  await page.keyboard.press("ArrowRight");
  await waitForMessage(/Cannot show frame 2/);
  await page.keyboard.press("ArrowRight");
  await session.frame(3);
  await waitForMessage(/Frame 3: 2 positions are not finite/);
  assert.ok((await session.pixels()).triangles > 200);
  await page.keyboard.press("ArrowRight");
  await waitForMessage(/Cannot show frame 4: `triangles` refers to point 4000000000/);
  await page.keyboard.press("Home");
  await session.frame(0);
  assert.equal(await page.locator("#messages").textContent(), "");
  assert.deepEqual(session.problems, []);

  // From here on, the browser logs failed requests.
  await page.route("**/frames/0007.safetensors", (route) => route.fulfill({ status: 404 }));
  await page.keyboard.press("End");
  await session.frame(8);
  await page.keyboard.press("ArrowLeft");
  await waitForMessage(/Cannot show frame 7: file not found/);
  server.kill("SIGKILL");
  await waitForMessage(/No response from the server/);
  await page.keyboard.press("Home");
  await session.frame(0);
  assert.ok(session.problems.every((problem) => /Failed to load resource/.test(problem)), session.problems.join("\n"));
  await page.close();
});

test("a run without frames shows a message, and the first frame once it exists", async () => {
  const folder = await bench.run("plant", 1);
  const first = readFileSync(framePath(folder, 0));
  rmSync(framePath(folder, 0));
  rmSync(framePath(folder, 1));
  const { url } = await bench.serve(folder);
  const session = await bench.open(url, true);
  await session.waitForMessage(/no frames/);
  writeFileSync(framePath(folder, 0), first);
  await session.frame(0);
  assert.ok((await session.pixels()).triangles > 200);
  await session.end();
});

test("the page reloads if a new run replaces the folder", async () => {
  const folder = await bench.run("plant", 2);
  const { url } = await bench.serve(folder);
  const session = await bench.open(url);
  const { page } = session;
  const hasMark = () => page.evaluate(() => "mark" in window);
  const mark = () => page.evaluate(() => void Object.assign(window, { mark: true }));
  const waitForReload = () => session.settle(() => !("mark" in window) && window.fibra !== undefined && window.fibra.frame >= 0);
  await mark();
  await page.waitForResponse("**/frames.json");
  assert.ok(await hasMark());
  // The scene file is rewritten.
  utimesSync(join(folder, "scene.toml"), new Date(), new Date());
  await waitForReload();
  // The new run has fewer frames.
  await page.waitForResponse("**/frames.json");
  await mark();
  rmSync(framePath(folder, 2));
  await waitForReload();
  await session.settle(() => window.fibra!.frameCount === 2);
  await session.end();
});

test("a run far from the origin is drawn like one near it", async () => {
  const scene = (x: number) => `
    title = "A block falls on a stone"
    method = "mpm"
    time.frames = 2
    mpm.dx = 0.05
    camera = { eye = [${x + 1}, 0.8, 2.4], target = [${x}, 0.3, 0] }
    [[object]]
    name = "block"
    shape.box = { center = [${x}, 0.6, 0], size = [0.4, 0.4, 0.4] }
    material.neo-hookean = { density = 1000, youngs_modulus = 2e4, poisson_ratio = 0.35 }
    [[collider]]
    name = "ground"
    shape.plane = { point = [${x}, 0, 0] }
    [[collider]]
    name = "stone"
    shape.sphere = { center = [${x + 0.3}, 0.1, 0], radius = 0.3 }
  `;
  const results = [0, 5000].map(async (x) => {
    const file = join(bench.folder, `block-${x}.toml`);
    writeFileSync(file, scene(x));
    const folder = await bench.run(file, 2);
    const isFar = JSON.parse(frameHeader(folder, 0).metadata.origin!)[0] !== 0;
    assert.equal(isFar, x !== 0);
    const session = await bench.open((await bench.serve(folder)).url);
    // With the camera of the scene, and then zoomed to fit.
    const initial = await session.pixels();
    const color = await session.page.evaluate(() => window.fibra!.meanColor());
    await session.page.keyboard.press("f");
    const fitted = await session.pixels();
    await session.end();
    return [initial.points, fitted.points, ...color];
  });
  const [near, far] = await Promise.all(results);
  near.forEach((value, k) => assert.ok(value > 50 && Math.abs(far[k] - value) < 0.02 * value, `${near} and ${far}`));
});

test("without workers the main thread reads the frames", async () => {
  const { url } = await bench.serve(await bench.run("plant", 2));
  for (const fails of ["at once", "later"] as const) {
    const session = await bench.open(url, false, (page) =>
      page.addInitScript((fails) => {
        window.Worker = class extends EventTarget {
          onerror: (() => void) | undefined;
          constructor() {
            super();
            if (fails === "at once") throw new Error("workers are not available");
            setTimeout(() => this.onerror?.(), 100);
          }
          postMessage() {}
          terminate() {}
        } as unknown as typeof Worker;
      }, fails),
    );
    await session.page.keyboard.press("End");
    await session.frame(2);
    assert.ok((await session.pixels()).triangles > 200);
    await session.end();
  }
});

test("an invalid response is reported", async () => {
  const { url } = await bench.serve(await bench.run("plant", 2));
  const session = await bench.open(url, true, (page) => page.route("**/appearance.json", (route) => route.fulfill({ json: { title: 3 } })));
  await session.waitForMessage(/Cannot show the run/);
  await session.end();
});

test("the same image with shadows is drawn after the graphics card was lost and restored", async () => {
  const { url } = await bench.serve(await bench.run("plant", 2));
  const session = await bench.open(url);
  const { page } = session;
  await page.waitForTimeout(1000);
  const before = await session.imageHash();
  const imageCount = () => page.evaluate(() => window.fibra!.imageCount);
  await page.evaluate(() => {
    const gl = document.querySelector("canvas")!.getContext("webgl2")!;
    const loss = gl.getExtension("WEBGL_lose_context")!;
    Object.assign(window, { restoreCard: () => loss.restoreContext() });
    loss.loseContext();
  });
  await session.waitForMessage(/lost the graphics card/);
  const atLoss = await imageCount();
  await page.evaluate(() => (window as unknown as { restoreCard(): void }).restoreCard());
  await page.waitForFunction((atLoss) => window.fibra!.imageCount > atLoss, atLoss);
  assert.equal(await page.locator("#messages").textContent(), "");
  assert.equal(await session.imageHash(), before);
  assert.ok(session.problems.every((problem) => /context lost|context restored/i.test(problem)), session.problems.join("\n"));
  await page.close();
});
