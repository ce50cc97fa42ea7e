import assert from "node:assert/strict";
import { test } from "node:test";
import type { Mesh } from "three";
import { Frame } from "../../src/data/frame";
import type { Numbers } from "../../src/data/safetensors";
import type { Appearance, ObjectAppearance } from "../../src/data/server";
import { Topology } from "../../src/data/topology";
import { BallsDrawing } from "../../src/drawing/balls_drawing";
import { BodiesDrawing } from "../../src/drawing/bodies_drawing";
import { TextureLayout } from "../../src/drawing/gpu_list";
import { defaultCurveRadii } from "../../src/drawing/object_appearance";
import { Shared } from "../../src/drawing/shared";

function frame(tensors: Record<string, Numbers>, topology: Topology): Frame {
  const testFrame = new Frame(0, { metadata: {}, tensors: new Map() });
  for (const [name, values] of Object.entries(tensors)) testFrame.tensors.set(name, values);
  testFrame.topology = topology;
  return testFrame;
}

const none = new Uint32Array(0);

test("texture rows are as long as the graphics card allows, and too many points are rejected", () => {
  for (const maxTexels of [2048, 8192, 16384, 32768]) {
    const layout = new TextureLayout(maxTexels);
    assert.ok(3 * layout.rowPoints <= maxTexels && 6 * layout.rowPoints > maxTexels);
    assert.equal(layout.rows(0), 1);
    assert.equal(layout.rows(layout.rowPoints + 1), 2);
    assert.equal(layout.rows(maxTexels * layout.rowPoints), maxTexels);
    assert.throws(() => layout.rows(maxTexels * layout.rowPoints + 1), /graphics card can draw/);
  }
});

test("the same balls stay visible if there are more than the maximum", () => {
  const appearance = { name: "balls", material: "rigid", color: [1, 1, 1], point_radius: 1, turns: true } as unknown as ObjectAppearance;
  const balls = new BallsDrawing(new Shared(), [appearance]);
  const count = 300;
  const testFrame = frame({ points: new Float32Array(3 * count) }, new Topology(count, new Uint32Array(count), none, none));
  const visibleCounts = [0, 1, 2].map(() => {
    balls.update(testFrame, [true]);
    return balls.object.children.filter(({ visible }) => visible).length;
  });
  assert.deepEqual(visibleCounts, [256, 256, 256]);
});

test("a deforming body reuses its geometry while the size of its mesh is constant", () => {
  const appearance = { objects: [], bodies: [{ name: "body", color: [1, 1, 1], shape: { kind: "deforming" } }] };
  const bodies = new BodiesDrawing(new Shared(), appearance as unknown as Appearance);
  const mesh = bodies.object.children.at(-1) as Mesh;
  const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1);
  bodies.setMesh(0, { positions, triangles: Uint32Array.of(0, 1, 2) });
  const before = mesh.geometry;
  bodies.setMesh(0, { positions: positions.map((x) => 2 * x), triangles: Uint32Array.of(0, 1, 3) });
  assert.equal(mesh.geometry, before);
  assert.equal(mesh.geometry.getAttribute("position").array[3], 2);
  assert.deepEqual([...mesh.geometry.index!.array], [0, 1, 3]);
  bodies.setMesh(0, { positions, triangles: Uint32Array.of(0, 1, 2, 0, 1, 3) });
  assert.notEqual(mesh.geometry, before);
});

test("the default curve radius depends on the median segment length of each object", () => {
  const xs = [0, 1, 3, 100, 0, 7];
  const points = Float32Array.from(xs.flatMap((x) => [x, 0, 0]));
  const topology = new Topology(6, Uint32Array.of(0, 0, 0, 0, 2, 2), Uint32Array.of(0, 1, 1, 2, 2, 3, 4, 5), none);
  const radii = defaultCurveRadii(frame({ points }, topology), 3);
  assert.deepEqual(radii.map((radius) => Math.round(1e6 * radius) / 1e6), [0.2, 0, 0.7]);
});
