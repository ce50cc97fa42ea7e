// How much longer the edges at each point are than they were in the first frame.

import type { Topology } from "./topology";

/**
 * Mean over a point's edges of length over length in the first frame, minus 1 [-], into `values`. Edges are segments of
 * curves and sides of triangles. Not a number for points without edges or that were not there at first.
 */
export function stretch(points: Float32Array, rest: Float32Array, topology: Topology, values: Float32Array): void {
  const count = new Uint16Array(topology.pointCount);
  values.fill(0);
  const add = (a: number, b: number) => {
    const then = distance(rest, a, b);
    if (then > 0) {
      const strain = distance(points, a, b) / then - 1;
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

/** Not a number beyond the end of the points. */
function distance(points: Float32Array, a: number, b: number): number {
  const x = points[3 * b] - points[3 * a];
  const y = points[3 * b + 1] - points[3 * a + 1];
  const z = points[3 * b + 2] - points[3 * a + 2];
  return Math.sqrt(x * x + y * y + z * z);
}
