// Curves out of loose segments: which segment follows which, and which points hang together.

/** Marks points that are in no curve. */
export const NO_STRAND = 0xffffffff;

/**
 * For each segment `a b` four points: the one before `a`, `a`, `b`, and the one after `b`, so that neighboring
 * ribbons can meet without a gap. Where a curve ends or branches the segment's own end stands in for the neighbor.
 */
export function chains(segments: Uint32Array, pointCount: number): Uint32Array {
  // Sum and number of the neighbors of each point: with two of them, one follows from the other.
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

/** Numbers the connected curves from 0, in the order of their first points. */
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
      // Roots are the smallest points of their curves, so they have their number already.
      const first = root(point);
      strands[point] = first === point ? next++ : strands[first];
    }
  }
  return strands;
}
