import assert from "node:assert/strict";
import { test } from "node:test";
import { hideNonFinite, HIDDEN } from "../../src/data/frame";
import { nearestPoints } from "../../src/data/nearest";
import { smoothNormals } from "../../src/data/normals";
import { union, boundingSphere, boundsOf } from "../../src/data/bounds";
import { chains, NO_STRAND, strandsOf } from "../../src/data/strands";
import { stretch } from "../../src/data/stretch";
import { Topology } from "../../src/data/topology";

test("curves are connected regardless of the direction of their segments", () => {
  // Curve 0-1-2 with the second segment reversed, curve 5-4, and the single point 3.
  const segments = Uint32Array.of(0, 1, 2, 1, 5, 4);
  assert.deepEqual([...strandsOf(segments, 6)], [0, 0, 0, NO_STRAND, 1, 1]);
  assert.deepEqual([...chains(segments, 6)], [0, 0, 1, 2, 2, 2, 1, 0, 5, 5, 4, 4]);
});

test("curves end at a branch, and closed curves have no ends", () => {
  const star = chains(Uint32Array.of(0, 1, 0, 2, 0, 3), 4);
  assert.deepEqual([...star], [0, 0, 1, 1, 0, 0, 2, 2, 0, 0, 3, 3]);
  const ring = chains(Uint32Array.of(0, 1, 1, 2, 2, 0), 3);
  assert.deepEqual([...ring], [2, 0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1]);
  assert.deepEqual([...strandsOf(Uint32Array.of(2, 1, 0, 2), 3)], [0, 0, 0]);
});

test("vertices are not free points, and elements with invalid indices are rejected", () => {
  const topology = new Topology(6, new Uint32Array(6), Uint32Array.of(0, 1), Uint32Array.of(1, 2, 4));
  assert.deepEqual([...topology.freePoints], [3, 5]);
  assert.ok(topology.matches(6, Uint32Array.of(0, 1), Uint32Array.of(1, 2, 4)));
  assert.ok(!topology.matches(6, Uint32Array.of(0, 2), Uint32Array.of(1, 2, 4)));
  assert.throws(() => new Topology(2, new Uint32Array(2), Uint32Array.of(0, 2), new Uint32Array(0)), /refers to point 2/);
});

test("the normals of a sphere point away from its center", () => {
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

test("stretch is relative to the length in the first frame", () => {
  const topology = new Topology(4, new Uint32Array(4), Uint32Array.of(0, 1, 1, 2), new Uint32Array(0));
  const first = Float32Array.of(0, 0, 0, 1, 0, 0, 2, 0, 0, 9, 9, 9);
  const now = Float32Array.of(0, 0, 0, 1.5, 0, 0, 2.5, 0, 0, 9, 9, 9);
  const values = new Float32Array(4);
  stretch(now, first, topology, values);
  assert.deepEqual([...values], [0.5, 0.25, 0, NaN]);
});

test("the nearest points of grains agree with a brute-force search", () => {
  let seed = 7;
  const random = () => ((seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32);
  const points = Float32Array.from({ length: 900 }, random);
  // A hidden point and an outlier.
  points.set([HIDDEN, HIDDEN, HIDDEN, 1e4, -1e5, 2e4], 300);
  const grains = Float32Array.from({ length: 7 * 200 }, random);
  nearestPoints(points, grains).forEach((found, grain) => {
    const distance = (p: number) =>
      Math.hypot(...[0, 1, 2].map((axis) => points[3 * p + axis] - grains[7 * grain + axis]));
    const least = Math.min(...Array.from({ length: 300 }, (_, p) => distance(p)));
    assert.ok(distance(found) <= least + 1e-6, `grain ${grain}: distance ${distance(found)}, brute force ${least}`);
  });
  assert.equal(nearestPoints(new Float32Array(0), new Float32Array(7)).length, 1);
  assert.equal(nearestPoints(new Float32Array(3).fill(HIDDEN), new Float32Array(7))[0], 0);
});

test("rows that are not finite are hidden and counted", () => {
  const rows = Float32Array.of(1, 2, 3, NaN, 0, 0, 4, Infinity, 6);
  assert.equal(hideNonFinite(rows, 3), 2);
  assert.deepEqual([...rows.subarray(0, 3)], [1, 2, 3]);
  assert.ok(rows[3] > 0.9 * HIDDEN && rows[8] > 0.9 * HIDDEN);
  assert.equal(boundsOf(rows, 3)!.max[0], 1);
});

test("outliers do not enlarge the bounds", () => {
  const rows = new Float32Array(3003);
  for (let k = 0; k < 1000; k++) rows.set([k / 999, 0, k % 2], 3 * k);
  rows.set([500, 0, 0], 3000);
  const bounds = boundsOf(rows, 3)!;
  assert.ok(bounds.max[0] < 1.001 && bounds.min[0] < 0.01);
  assert.equal(boundsOf(new Float32Array(0), 3), null);
  assert.equal(union(bounds, null), bounds);
  assert.equal(boundingSphere(null).radius, 1);
});
