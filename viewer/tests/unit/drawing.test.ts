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
import { usualCurveRadii } from "../../src/drawing/looks";
import { Shared } from "../../src/drawing/shared";

function frame(tensors: Record<string, Numbers>, topology: Topology): Frame {
  const made = new Frame(0, { metadata: {}, tensors: new Map() });
  for (const [name, values] of Object.entries(tensors)) made.tensors.set(name, values);
  made.topology = topology;
  return made;
}

const none = new Uint32Array(0);

test("rows are as long as the graphics card allows, and more points than fit are refused", () => {
  for (const most of [2048, 8192, 16384, 32768]) {
    const layout = new TextureLayout(most);
    assert.ok(3 * layout.rowPoints <= most && 6 * layout.rowPoints > most);
    assert.equal(layout.rows(0), 1);
    assert.equal(layout.rows(layout.rowPoints + 1), 2);
    assert.equal(layout.rows(most * layout.rowPoints), most);
    assert.throws(() => layout.rows(most * layout.rowPoints + 1), /graphics card can draw/);
  }
});

test("balls stay, however many there are", () => {
  const look = { name: "balls", material: "rigid", color: [1, 1, 1], point_radius: 1, turns: true } as unknown as ObjectAppearance;
  const balls = new BallsDrawing(new Shared(), [look]);
  const count = 300;
  const made = frame({ points: new Float32Array(3 * count) }, new Topology(count, new Uint32Array(count), none, none));
  const seen = [0, 1, 2].map(() => {
    balls.update(made, [true]);
    return balls.object.children.filter(({ visible }) => visible).length;
  });
  assert.deepEqual(seen, [256, 256, 256]);
});

test("a body that deforms keeps its place in memory while its mesh keeps its size", () => {
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

test("curves of unknown thickness go by the median of their own object", () => {
  const xs = [0, 1, 3, 100, 0, 7];
  const points = Float32Array.from(xs.flatMap((x) => [x, 0, 0]));
  const topology = new Topology(6, Uint32Array.of(0, 0, 0, 0, 2, 2), Uint32Array.of(0, 1, 1, 2, 2, 3, 4, 5), none);
  const radii = usualCurveRadii(frame({ points }, topology), 3);
  assert.deepEqual(radii.map((radius) => Math.round(1e6 * radius) / 1e6), [0.2, 0, 0.7]);
});
