// Connectivity of curve segments: the neighbors of each segment, and the connected curves.

/** Marks points that are not part of a curve. */
export const NO_STRAND = 0xffffffff;

/**
 * Four points for each segment `a b`: the point before `a`, `a`, `b`, and the point after `b`, so that neighboring
 * ribbons meet without a gap. Where a curve ends or branches, the segment's own end point replaces the neighbor.
 */
export function chains(segments: Uint32Array, pointCount: number): Uint32Array {
  // Sum and number of the neighbor indices of each point. If there are two neighbors, the sum minus one
  // index is the other index.
  const neighbors = new Float64Array(pointCount);
  const count = new Uint32Array(pointCount);
  for (let k = 0; k < segments.length; k += 2) {
    const a = segments[k];
    const b = segments[k + 1];
    neighbors[a] += b;
    neighbors[b] += a;
    count[a] += 1;
    count[b] += 1;
  }
  const result = new Uint32Array(2 * segments.length);
  for (let k = 0; k < segments.length; k += 2) {
    const a = segments[k];
    const b = segments[k + 1];
    result[2 * k] = count[a] === 2 ? neighbors[a] - b : a;
    result[2 * k + 1] = a;
    result[2 * k + 2] = b;
    result[2 * k + 3] = count[b] === 2 ? neighbors[b] - a : b;
  }
  return result;
}

/** Assigns an index to each connected curve, in the order of their first points, and returns the index for each point. */
export function strandsOf(segments: Uint32Array, pointCount: number): Uint32Array {
  const parent = new Uint32Array(pointCount);
  for (let point = 0; point < pointCount; point++) parent[point] = point;
  const root = (point: number): number => {
    while (parent[point] !== point) {
      parent[point] = parent[parent[point]];
      point = parent[point];
    }
    return point;
  };
  const strands = new Uint32Array(pointCount).fill(NO_STRAND);
  for (let k = 0; k < segments.length; k += 2) {
    const a = root(segments[k]);
    const b = root(segments[k + 1]);
    parent[Math.max(a, b)] = Math.min(a, b);
    strands[segments[k]] = strands[segments[k + 1]] = 0;
  }
  let next = 0;
  for (let point = 0; point < pointCount; point++) {
    if (strands[point] !== NO_STRAND) {
      // The root is the point with the smallest index in its curve, so its curve index is already assigned.
      const first = root(point);
      strands[point] = first === point ? next++ : strands[first];
    }
  }
  return strands;
}
