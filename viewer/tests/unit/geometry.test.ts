import assert from "node:assert/strict";
import { test } from "node:test";
import { loseNonFinite, NOWHERE } from "../../src/data/frame";
import { nearestPoints } from "../../src/data/nearest";
import { smoothNormals } from "../../src/data/normals";
import { around, ballOf, roomOf } from "../../src/data/room";
import { chains, NO_STRAND, strandsOf } from "../../src/data/strands";
import { stretch } from "../../src/data/stretch";
import { Topology } from "../../src/data/topology";

test("curves hang together, whichever way their segments point", () => {
  // 0-1-2 with the second segment turned around, 5-4, and 3 alone.
  const segments = Uint32Array.of(0, 1, 2, 1, 5, 4);
  assert.deepEqual([...strandsOf(segments, 6)], [0, 0, 0, NO_STRAND, 1, 1]);
  assert.deepEqual([...chains(segments, 6)], [0, 0, 1, 2, 2, 2, 1, 0, 5, 5, 4, 4]);
});

test("a branch ends the ribbons, a ring has no ends", () => {
  const star = chains(Uint32Array.of(0, 1, 0, 2, 0, 3), 4);
  assert.deepEqual([...star], [0, 0, 1, 1, 0, 0, 2, 2, 0, 0, 3, 3]);
  const ring = chains(Uint32Array.of(0, 1, 1, 2, 2, 0), 3);
  assert.deepEqual([...ring], [2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]);
  assert.deepEqual([...strandsOf(Uint32Array.of(2, 1, 0, 2), 3)], [0, 0, 0]);
});

test("vertices are not free points, and elements beyond the points are refused", () => {
  const topology = new Topology(6, new Uint32Array(6), Uint32Array.of(0, 1), Uint32Array.of(1, 2, 4));
  assert.deepEqual([...topology.freePoints], [3, 5]);
  assert.ok(topology.matches(6, Uint32Array.of(0, 1), Uint32Array.of(1, 2, 4)));
  assert.ok(!topology.matches(6, Uint32Array.of(0, 2), Uint32Array.of(1, 2, 4)));
  assert.throws(() => new Topology(2, new Uint32Array(2), Uint32Array.of(0, 2), new Uint32Array(0)), /joins point 2/);
});

test("the normals of a ball point away from its middle", () => {
  const [rows, columns] = [24, 48];
  const points: number[] = [];
  const triangles: number[] = [];
  for (let i = 0; i <= rows; i++) {
    for (let j = 0; j < columns; j++) {
      const [theta, phi] = [(Math.PI * i) / rows, (2 * Math.PI * j) / columns];
      points.push(Math.sin(theta) * Math.cos(phi), Math.cos(theta), -Math.sin(theta) * Math.sin(phi));
      const next = i * columns + ((j + 1) % columns);
      if (i < rows) triangles.push(i * columns + j, (i + 1) * columns + j, next, next, (i + 1) * columns + j, next + columns);
    }
  }
  const positions = Float32Array.from(points);
  const normals = new Float32Array(points.length);
  smoothNormals(positions, Uint32Array.from(triangles), normals);
  for (let k = columns * 3; k < points.length - columns * 3; k += 3) {
    const length = Math.hypot(normals[k], normals[k + 1], normals[k + 2]);
    const cosine = (normals[k] * positions[k] + normals[k + 1] * positions[k + 1] + normals[k + 2] * positions[k + 2]) / length;
    assert.ok(cosine > 0.99, `${k}: ${cosine}`);
  }
});

test("stretch is one over the first length", () => {
  const topology = new Topology(4, new Uint32Array(4), Uint32Array.of(0, 1, 1, 2), new Uint32Array(0));
  const first = Float32Array.of(0, 0, 0, 1, 0, 0, 2, 0, 0, 9, 9, 9);
  const now = Float32Array.of(0, 0, 0, 1.5, 0, 0, 2.5, 0, 0, 9, 9, 9);
  const values = new Float32Array(4);
  stretch(now, first, topology, values);
  assert.deepEqual([...values], [0.5, 0.25, 0, NaN]);
});

test("grains find the nearest point, as a search of all does", () => {
  let seed = 7;
  const random = () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32);
  const points = Float32Array.from({ length: 900 }, random);
  // One that is lost, and one that has flown away.
  points.set([NOWHERE, NOWHERE, NOWHERE, 1e4, -1e5, 2e4], 300);
  const grains = Float32Array.from({ length: 7 * 200 }, random);
  nearestPoints(points, grains).forEach((found, grain) => {
    const distance = (p: number) =>
      Math.hypot(...[0, 1, 2].map((axis) => points[3 * p + axis] - grains[7 * grain + axis]));
    const least = Math.min(...Array.from({ length: 300 }, (_, p) => distance(p)));
    assert.ok(distance(found) <= least + 1e-6, `grain ${grain}: ${distance(found)} against ${least}`);
  });
  assert.equal(nearestPoints(new Float32Array(0), new Float32Array(7)).length, 1);
  assert.equal(nearestPoints(new Float32Array(3).fill(NOWHERE), new Float32Array(7))[0], 0);
});

test("rows that are not finite are moved out of sight and counted", () => {
  const rows = Float32Array.of(1, 2, 3, NaN, 0, 0, 4, Infinity, 6);
  assert.equal(loseNonFinite(rows, 3), 2);
  assert.deepEqual([...rows.subarray(0, 3)], [1, 2, 3]);
  assert.ok(rows[3] > 0.9 * NOWHERE && rows[8] > 0.9 * NOWHERE);
  assert.equal(roomOf(rows, 3)!.max[0], 1);
});

test("strays do not widen the room", () => {
  const rows = new Float32Array(3003);
  for (let k = 0; k < 1000; k++) rows.set([k / 999, 0, k % 2], 3 * k);
  rows.set([500, 0, 0], 3000);
  const room = roomOf(rows, 3)!;
  assert.ok(room.max[0] < 1.001 && room.min[0] < 0.01);
  assert.equal(roomOf(new Float32Array(0), 3), null);
  assert.equal(around(room, null), room);
  assert.equal(ballOf(null).radius, 1);
});
