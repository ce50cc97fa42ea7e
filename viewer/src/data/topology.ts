// What joins the points of a frame, and what follows from it. Frames with the same elements share one, so that
// all of this is found once, not once a frame.

import { chains, strandsOf } from "./strands";

/** The elements of one or more frames. */
export class Topology {
  private madeFree: Uint32Array | undefined;
  private madeChains: Uint32Array | undefined;
  private madeStrands: Uint32Array | undefined;

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

  /** Memory held [bytes]. */
  get bytes(): number {
    const { object, segments, triangles, madeFree, madeChains, madeStrands } = this;
    const lists = [object, segments, triangles, madeFree, madeChains, madeStrands];
    return lists.reduce((sum, list) => sum + (list?.byteLength ?? 0), 0);
  }

  /** Whether these elements are the ones of this topology. */
  matches(pointCount: number, segments: Uint32Array, triangles: Uint32Array): boolean {
    return this.pointCount === pointCount && equal(this.segments, segments) && equal(this.triangles, triangles);
  }

  /** Points that are no vertex of a curve or a surface. */
  get freePoints(): Uint32Array {
    return (this.madeFree ??= freePoints(this.pointCount, this.segments, this.triangles));
  }

  /** For each segment: the point before it, its two ends, the point after it. */
  get chains(): Uint32Array {
    return (this.madeChains ??= chains(this.segments, this.pointCount));
  }

  /** Number of the connected curve that each point is in; `NO_STRAND` for points in none. */
  get strands(): Uint32Array {
    return (this.madeStrands ??= strandsOf(this.segments, this.pointCount));
  }
}

/** The points that no element uses. */
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
      throw new Error(`\`${name}\` joins point ${indices[k]}, but there are only ${pointCount} points`);
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
