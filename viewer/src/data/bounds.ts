// Bounding box of points without outliers.

import { HIDDEN } from "./frame";

/** Fewer than twice this number of rows are sampled per axis. */
const MAX_SAMPLES = 20_000;
/** Fraction of the rows that may lie outside the box at each end of an axis [-]. */
const OUTLIER_FRACTION = 0.005;

/** An axis-aligned bounding box [m]. */
export interface Bounds {
  readonly min: [number, number, number];
  readonly max: [number, number, number];
}

/** The bounding box of rows that start with a position; null if no row is finite. */
export function boundsOf(rows: Float32Array, width: number): Bounds | null {
  const count = rows.length / width;
  const stride = Math.max(1, Math.floor(count / MAX_SAMPLES));
  const min: Bounds["min"] = [0, 0, 0];
  const max: Bounds["max"] = [0, 0, 0];
  const sample = new Float32Array(Math.ceil(count / stride));
  for (let axis = 0; axis < 3; axis++) {
    let taken = 0;
    for (let row = 0; row < count; row += stride) {
      const value = rows[width * row + axis];
      if (Math.abs(value) < HIDDEN) sample[taken++] = value;
    }
    if (taken === 0) return null;
    const sorted = sample.subarray(0, taken).sort();
    const outliers = Math.floor(OUTLIER_FRACTION * taken);
    min[axis] = sorted[outliers];
    max[axis] = sorted[taken - 1 - outliers];
  }
  return { min, max };
}

/** The smallest box that contains both boxes. */
export function union(a: Bounds | null, b: Bounds | null): Bounds | null {
  if (!a || !b) return a ?? b;
  return {
    min: a.min.map((value, axis) => Math.min(value, b.min[axis])) as Bounds["min"],
    max: a.max.map((value, axis) => Math.max(value, b.max[axis])) as Bounds["max"],
  };
}

/** The sphere around a box [m]; the unit sphere if there is no box. */
export function boundingSphere(bounds: Bounds | null): { center: [number, number, number]; radius: number } {
  if (!bounds) return { center: [0, 0, 0], radius: 1 };
  const center = bounds.min.map((value, axis) => 0.5 * (value + bounds.max[axis])) as Bounds["min"];
  const radius = 0.5 * Math.hypot(...bounds.min.map((value, axis) => bounds.max[axis] - value));
  return { center, radius: radius > 0 ? radius : 1e-3 };
}
