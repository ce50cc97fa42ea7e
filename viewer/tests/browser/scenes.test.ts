// A small run of each method in the browser: right counts, something is drawn, it moves, and nothing complains.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Bench, builtPage, frameHeader } from "./harness";
import { optionsOf, SCENES } from "./scenes";

const FRAMES = 4;

const bench = new Bench();
before(async () => {
  // Two at a time, each on a core.
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
  test(`${method}: ${name} is drawn, plays, is scrubbed and takes colors`, async () => {
    const folder = bench.runFolder(name);
    const { url } = await bench.serve(folder);
    const visit = await bench.open(url);
    assert.equal(await visit.page.evaluate(() => window.fibra!.frameCount), FRAMES + 1);

    const { tensors } = frameHeader(folder, 0);
    const rows = (tensor: string) => tensors.get(tensor)?.shape[0] ?? 0;
    const counts = await visit.counts();
    assert.equal(counts.segments, rows("segments"));
    assert.equal(counts.triangles, rows("triangles"));
    assert.equal(counts.grains, rows("instances"));
    assert.ok(counts.points <= rows("points"));
    if (kind === "points") assert.equal(counts.points, rows("points"));
    assert.ok(counts.bodies <= rows("colliders"));

    const first = await visit.pixels();
    assert.ok(first[kind] > 200, `${kind}: ${JSON.stringify(first)}`);
    const picture = await visit.picture();
    await visit.page.keyboard.press("End");
    await visit.frame(FRAMES);
    assert.notEqual(await visit.picture(), picture, "the picture moves");

    // Without shadows this goes faster.
    await visit.page.keyboard.press("s");
    // Play starts over from the end and goes on; then the pointer takes it to the middle.
    await visit.page.click("#play");
    await visit.settle(() => window.fibra!.playing && window.fibra!.frame > 0 && window.fibra!.frame < 4);
    await visit.page.keyboard.press("Space");
    await visit.settle(() => !window.fibra!.playing);
    await visit.scrub(0, 0.5);
    await visit.frame(FRAMES / 2);
    assert.match((await visit.page.locator("#clock").textContent())!, /^2 \/ 4/);

    const seen = new Set<number>();
    const { choices } = await visit.page.evaluate(() => window.fibra!.color);
    for (const key of ["object", "speed", "velocity.y", choices.at(-1)!]) {
      await visit.colorBy(key);
      seen.add(await visit.picture());
    }
    assert.ok(seen.size >= 3, `${seen.size} pictures by color`);
    await visit.end();
  });
}

test("all the ways to play, color and show work", async () => {
  const { url } = await bench.serve(bench.runFolder("wavy-hair"));
  const visit = await bench.open(url);
  const { page } = visit;

  // Steps and ends.
  await page.keyboard.press("Home");
  await visit.frame(0);
  await page.keyboard.press("ArrowRight");
  await visit.frame(1);
  await page.keyboard.press("ArrowLeft");
  await visit.frame(0);

  // Each coloring, with a legend that has a range and a unit.
  const plain = await visit.picture();
  for (const key of ["strand", "stretch", "speed", "attribute.contact_force"]) {
    await visit.colorBy(key);
    assert.notEqual(await visit.picture(), plain, key);
  }
  assert.match((await page.locator("#legend").textContent())!, /Contact force.*N/);
  await visit.colorBy("object");
  await page.locator("#legend").waitFor({ state: "hidden" });

  // Objects and bodies go and come back.
  const all = await visit.pixels();
  await page.click("#objects button");
  assert.equal((await visit.pixels()).segments, 0);
  await page.click("#objects button");
  assert.deepEqual(await visit.pixels(), all);
  const { bodies } = await visit.counts();
  await page.click("#bodies button");
  assert.equal((await visit.counts()).bodies, bodies - 1);

  // A button that was reached by keyboard takes the space bar; one that was clicked leaves it to the play.
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

  // The view turns, and fits again.
  const turned = await visit.picture();
  await page.mouse.move(300, 250);
  await page.mouse.down();
  await page.mouse.move(420, 280, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(300);
  assert.notEqual(await visit.picture(), turned);
  await page.keyboard.press("f");

  // Every other key does its work without complaint.
  for (const key of ["r", "b", "s", "p", "l", "v", "v", "[", "]", "1", "c", "?", "?", "n", "Shift+ArrowRight"]) {
    await page.keyboard.press(key);
  }
  assert.ok((await page.locator("#plots figure").count()) > 5);
  assert.ok((await page.locator("#stages b").count()) > 0);
  await visit.end();
});

test("the program carries the page that is committed", { skip: process.env.PAGE === "dist" }, async () => {
  const { url } = await bench.serve(bench.runFolder("plant"));
  const served = await (await fetch(url)).text();
  assert.ok(served === builtPage(), "viewer/dist/index.html has changed since the program was built");
});
