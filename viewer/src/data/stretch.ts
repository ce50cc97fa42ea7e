// Stretch of the edges at each point, relative to the first frame.

import type { Topology } from "./topology";

/**
 * Writes the mean stretch of each point's edges into `values`: length divided by the length in the first frame, minus 1 [-].
 * Edges are curve segments and triangle sides. The result is NaN for points without edges and for points absent from the first frame.
 */
export function stretch(points: Float32Array, rest: Float32Array, topology: Topology, values: Float32Array): void {
  const count = new Uint16Array(topology.pointCount);
  values.fill(0);
  const add = (a: number, b: number) => {
    const restLength = distance(rest, a, b);
    if (restLength > 0) {
      const strain = distance(points, a, b) / restLength - 1;
      values[a] += strain;
      values[b] += strain;
      count[a] += 1;
      count[b] += 1;
    }
  };
  const { segments, triangles } = topology;
  for (let k = 0; k < segments.length; k += 2) add(segments[k], segments[k + 1]);
  for (let k = 0; k < triangles.length; k += 3) {
    add(triangles[k], triangles[k + 1]);
    add(triangles[k + 1], triangles[k + 2]);
    add(triangles[k + 2], triangles[k]);
  }
  for (let point = 0; point < topology.pointCount; point++) values[point] /= count[point];
}

/** Distance of two points; NaN if an index is beyond the end of the array. */
function distance(points: Float32Array, a: number, b: number): number {
  const x = points[3 * b] - points[3 * a];
  const y = points[3 * b + 1] - points[3 * a + 1];
  const z = points[3 * b + 2] - points[3 * a + 2];
  return Math.sqrt(x * x + y * y + z * z);
}
