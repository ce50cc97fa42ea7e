// A small run of each method in the browser: counts are correct, the image is not empty, it changes over time, and there are no errors.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { builtPage, frameHeader, TestBench } from "./harness";
import { optionsOf, SCENES } from "./scenes";

const FRAMES = 4;

const bench = new TestBench();
before(async () => {
  // Two simulations at a time, each with one thread.
  const waiting = [...SCENES];
  const work = async () => {
    for (let scene = waiting.pop(); scene; scene = waiting.pop()) {
      await bench.run(scene.name, FRAMES, ...optionsOf(scene));
    }
  };
  await Promise.all([work(), work()]);
});
after(() => bench.close());

for (const { name, kind, method } of SCENES) {
  test(`${method}: ${name} can be drawn, played, scrubbed and colored`, async () => {
    const folder = bench.runFolder(name);
    const { url } = await bench.serve(folder);
    const session = await bench.open(url);
    assert.equal(await session.page.evaluate(() => window.fibra!.frameCount), FRAMES + 1);

    const { tensors } = frameHeader(folder, 0);
    const rows = (tensor: string) => tensors.get(tensor)?.shape[0] ?? 0;
    const counts = await session.counts();
    assert.equal(counts.segments, rows("segments"));
    assert.equal(counts.triangles, rows("triangles"));
    assert.equal(counts.grains, rows("instances"));
    assert.ok(counts.points <= rows("points"));
    if (kind === "points") assert.equal(counts.points, rows("points"));
    assert.ok(counts.bodies <= rows("colliders"));

    const first = await session.pixels();
    assert.ok(first[kind] > 200, `${kind}: ${JSON.stringify(first)}`);
    const firstImage = await session.imageHash();
    await session.page.keyboard.press("End");
    await session.frame(FRAMES);
    assert.notEqual(await session.imageHash(), firstImage, "the last frame has the same image as the first");

    // Turn shadows off to save time.
    await session.page.keyboard.press("s");
    // Playback restarts from the first frame. Then scrub to the middle.
    await session.page.click("#play");
    await session.settle(() => window.fibra!.playing && window.fibra!.frame > 0 && window.fibra!.frame < 4);
    await session.page.keyboard.press("Space");
    await session.settle(() => !window.fibra!.playing);
    await session.scrub(0, 0.5);
    await session.frame(FRAMES / 2);
    assert.match((await session.page.locator("#clock").textContent())!, /^2 \/ 4/);

    const images = new Set<number>();
    const { choices } = await session.page.evaluate(() => window.fibra!.color);
    for (const key of ["object", "speed", "velocity.y", choices.at(-1)!]) {
      await session.colorBy(key);
      images.add(await session.imageHash());
    }
    assert.ok(images.size >= 3, `only ${images.size} distinct images for four color values`);
    await session.end();
  });
}

test("playback, color and visibility controls work", async () => {
  const { url } = await bench.serve(bench.runFolder("wavy-hair"));
  const session = await bench.open(url);
  const { page } = session;

  // Single steps and jumps.
  await page.keyboard.press("Home");
  await session.frame(0);
  await page.keyboard.press("ArrowRight");
  await session.frame(1);
  await page.keyboard.press("ArrowLeft");
  await session.frame(0);

  // Color values, with a range and a unit in the legend.
  const plain = await session.imageHash();
  for (const key of ["strand", "stretch", "speed", "attribute.contact_force"]) {
    await session.colorBy(key);
    assert.notEqual(await session.imageHash(), plain, key);
  }
  assert.match((await page.locator("#legend").textContent())!, /Contact force.*N/);
  await session.colorBy("object");
  await page.locator("#legend").waitFor({ state: "hidden" });

  // Objects and bodies can be hidden and shown.
  const all = await session.pixels();
  await page.click("#objects button");
  assert.equal((await session.pixels()).segments, 0);
  await page.click("#objects button");
  assert.deepEqual(await session.pixels(), all);
  const { bodies } = await session.counts();
  await page.click("#bodies button");
  assert.equal((await session.counts()).bodies, bodies - 1);

  // The space bar presses a button that was focused by keyboard; after a click it controls playback instead.
  const isPlaying = () => page.evaluate(() => window.fibra!.playing);
  const isOn = () => page.locator("#objects button").getAttribute("aria-pressed");
  const hasFocus = () => page.evaluate(() => document.activeElement?.closest("#objects") !== null);
  for (let tabs = 0; tabs < 60 && !(await hasFocus()); tabs++) await page.keyboard.press("Tab");
  const wasOn = await isOn();
  await page.keyboard.press("Space");
  await page.waitForFunction((was) => document.querySelector("#objects button")!.getAttribute("aria-pressed") !== was, wasOn);
  assert.equal(await isPlaying(), false);
  await page.click("#objects button");
  await page.waitForFunction((was) => document.querySelector("#objects button")!.getAttribute("aria-pressed") === was, wasOn);
  await page.keyboard.press("Space");
  assert.equal(await isPlaying(), true);
  await page.keyboard.press("Space");
  assert.deepEqual([await isPlaying(), await isOn()], [false, wasOn]);

  // Orbit and zoom to fit.
  const beforeOrbit = await session.imageHash();
  await page.mouse.move(300, 250);
  await page.mouse.down();
  await page.mouse.move(420, 280, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(300);
  assert.notEqual(await session.imageHash(), beforeOrbit);
  await page.keyboard.press("f");

  // All other keys work without errors.
  for (const key of ["r", "b", "s", "p", "l", "v", "v", "[", "]", "1", "c", "?", "?", "n", "Shift+ArrowRight"]) {
    await page.keyboard.press(key);
  }
  assert.ok((await page.locator("#plots figure").count()) > 5);
  assert.ok((await page.locator("#stages b").count()) > 0);
  await session.end();
});

test("the program embeds the committed page", { skip: process.env.PAGE === "dist" }, async () => {
  const { url } = await bench.serve(bench.runFolder("plant"));
  const served = await (await fetch(url)).text();
  assert.ok(served === builtPage(), "viewer/dist/index.html has changed since the program was built");
});
