// Runs that are broken, empty, replaced or far away, or lose their server; browsers that lack something.

import assert from "node:assert/strict";
import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Bench, frameHeader, framePath } from "./harness";

const bench = new Bench();
const FRAMES = 8;
before(async () => {
  await bench.run("plant", FRAMES);
});
after(() => bench.close());

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

  // They do not stop the play.
  const play = await bench.open(url);
  for (const key of ["l", "[", "[", "[", " "]) await play.page.keyboard.press(key);
  await play.settle(() => window.fibra!.frame === 8 && !window.fibra!.playing);
  await play.says(/Frame [24] cannot be shown/);
  await play.page.keyboard.press("Home");
  await play.frame(0);
  assert.equal(await play.page.locator("#messages").textContent(), "");
  await play.end();

  // They are told of one by one.
  const visit = await bench.open(url);
  const { page } = visit;
  const says = (words: RegExp) => visit.says(words);
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
  assert.equal(await page.locator("#messages").textContent(), "");
  assert.deepEqual(visit.problems, []);

  // From here on the browser itself reports requests that fail.
  await page.route("**/frames/0007.safetensors", (route) => route.fulfill({ status: 404 }));
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
  await visit.says(/no frames/);
  writeFileSync(framePath(folder, 0), first);
  await visit.frame(0);
  assert.ok((await visit.pixels()).triangles > 200);
  await visit.end();
});

test("a page whose run is replaced starts over", async () => {
  const folder = await bench.run("plant", 2);
  const { url } = await bench.serve(folder);
  const visit = await bench.open(url);
  const { page } = visit;
  const isOld = () => page.evaluate(() => "isOld" in window);
  const mark = () => page.evaluate(() => void Object.assign(window, { isOld: true }));
  const startsOver = () => visit.settle(() => !("isOld" in window) && window.fibra !== undefined && window.fibra.frame >= 0);
  await mark();
  await page.waitForResponse("**/frames.json");
  assert.ok(await isOld());
  // Its scene is written anew.
  utimesSync(join(folder, "scene.toml"), new Date(), new Date());
  await startsOver();
  // It has fewer frames.
  await page.waitForResponse("**/frames.json");
  await mark();
  rmSync(framePath(folder, 2));
  await startsOver();
  await visit.settle(() => window.fibra!.frameCount === 2);
  await visit.end();
});

test("a run far from the origin is seen as one near it", async () => {
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
  const seen = [0, 5000].map(async (x) => {
    const file = join(bench.folder, `block-${x}.toml`);
    writeFileSync(file, scene(x));
    const folder = await bench.run(file, 2);
    const isFar = JSON.parse(frameHeader(folder, 0).metadata.origin!)[0] !== 0;
    assert.equal(isFar, x !== 0);
    const visit = await bench.open((await bench.serve(folder)).url);
    // From where the scene says, and then from where all is seen.
    const placed = await visit.pixels();
    const color = await visit.page.evaluate(() => window.fibra!.meanColor());
    await visit.page.keyboard.press("f");
    const fitted = await visit.pixels();
    await visit.end();
    return [placed.points, fitted.points, ...color];
  });
  const [near, far] = await Promise.all(seen);
  near.forEach((value, k) => assert.ok(value > 50 && Math.abs(far[k] - value) < 0.02 * value, `${near} and ${far}`));
});

test("without threads the page reads the frames itself", async () => {
  const { url } = await bench.serve(await bench.run("plant", 2));
  for (const fails of ["at once", "later"] as const) {
    const visit = await bench.open(url, false, (page) =>
      page.addInitScript((fails) => {
        window.Worker = class extends EventTarget {
          onerror: (() => void) | undefined;
          constructor() {
            super();
            if (fails === "at once") throw new Error("there are no threads");
            setTimeout(() => this.onerror?.(), 100);
          }
          postMessage() {}
          terminate() {}
        } as unknown as typeof Worker;
      }, fails),
    );
    await visit.page.keyboard.press("End");
    await visit.frame(2);
    assert.ok((await visit.pixels()).triangles > 200);
    await visit.end();
  }
});

test("an answer that makes no sense is told of", async () => {
  const { url } = await bench.serve(await bench.run("plant", 2));
  const visit = await bench.open(url, true, (page) => page.route("**/appearance.json", (route) => route.fulfill({ json: { title: 3 } })));
  await visit.says(/The run cannot be shown/);
  await visit.end();
});

test("a graphics card that is lost and comes back shows the same picture, shadows and all", async () => {
  const { url } = await bench.serve(await bench.run("plant", 2));
  const visit = await bench.open(url);
  const { page } = visit;
  await page.waitForTimeout(1000);
  const before = await visit.picture();
  const drawn = () => page.evaluate(() => window.fibra!.pictures);
  await page.evaluate(() => {
    const gl = document.querySelector("canvas")!.getContext("webgl2")!;
    const loss = gl.getExtension("WEBGL_lose_context")!;
    Object.assign(window, { comeBack: () => loss.restoreContext() });
    loss.loseContext();
  });
  await visit.says(/graphics card was lost/);
  const atLoss = await drawn();
  await page.evaluate(() => (window as unknown as { comeBack(): void }).comeBack());
  await page.waitForFunction((atLoss) => window.fibra!.pictures > atLoss, atLoss);
  assert.equal(await page.locator("#messages").textContent(), "");
  assert.equal(await visit.picture(), before);
  assert.ok(visit.problems.every((problem) => /context lost|context restored/i.test(problem)), visit.problems.join("\n"));
  await page.close();
});
