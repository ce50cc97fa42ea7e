// Segments and triangles of a frame, and the connectivity derived from them. Frames with the same elements share one
// topology, so that the connectivity is computed only once.

import { chains, strandsOf } from "./strands";

/** The elements of one or more frames. */
export class Topology {
  private cachedFreePoints: Uint32Array | undefined;
  private cachedChains: Uint32Array | undefined;
  private cachedStrands: Uint32Array | undefined;

  constructor(
    readonly pointCount: number,
    /** Object of each point. */
    readonly object: Uint32Array,
    /** Two points for each segment of a curve. */
    readonly segments: Uint32Array,
    /** Three points for each triangle of a surface. */
    readonly triangles: Uint32Array,
  ) {
    checkIndices("segments", segments, pointCount);
    checkIndices("triangles", triangles, pointCount);
  }

  /** Allocated memory [bytes]. */
  get bytes(): number {
    const { object, segments, triangles, cachedFreePoints, cachedChains, cachedStrands } = this;
    const lists = [object, segments, triangles, cachedFreePoints, cachedChains, cachedStrands];
    return lists.reduce((sum, list) => sum + (list?.byteLength ?? 0), 0);
  }

  /** Whether the topology has exactly these elements. */
  matches(pointCount: number, segments: Uint32Array, triangles: Uint32Array): boolean {
    return this.pointCount === pointCount && equal(this.segments, segments) && equal(this.triangles, triangles);
  }

  /** Points that are not vertices of a curve or surface. */
  get freePoints(): Uint32Array {
    return (this.cachedFreePoints ??= freePoints(this.pointCount, this.segments, this.triangles));
  }

  /** Four points for each segment: the point before it, its two ends, and the point after it. */
  get chains(): Uint32Array {
    return (this.cachedChains ??= chains(this.segments, this.pointCount));
  }

  /** Index of each point's connected curve; `NO_STRAND` for points without one. */
  get strands(): Uint32Array {
    return (this.cachedStrands ??= strandsOf(this.segments, this.pointCount));
  }
}

/** The points that are not used by any element. */
export function freePoints(pointCount: number, segments: Uint32Array, triangles: Uint32Array): Uint32Array {
  const used = new Uint8Array(pointCount);
  for (let k = 0; k < segments.length; k++) used[segments[k]] = 1;
  for (let k = 0; k < triangles.length; k++) used[triangles[k]] = 1;
  const free = new Uint32Array(pointCount);
  let count = 0;
  for (let point = 0; point < pointCount; point++) {
    if (used[point] === 0) free[count++] = point;
  }
  return free.slice(0, count);
}

function checkIndices(name: string, indices: Uint32Array, pointCount: number): void {
  for (let k = 0; k < indices.length; k++) {
    if (indices[k] >= pointCount) {
      throw new Error(`\`${name}\` refers to point ${indices[k]}, but there are only ${pointCount} points`);
    }
  }
}

function equal(a: Uint32Array, b: Uint32Array): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let k = 0; k < a.length; k++) {
    if (a[k] !== b[k]) return false;
  }
  return true;
}
