// The nearest point of each grain. Grains have no values of their own and take the color of that point.

import { HIDDEN } from "./frame";
import { boundsOf } from "./bounds";

/** Points per grid cell, averaged over all cells [-]. Most cells are empty, so the occupied ones hold more. */
const POINTS_PER_CELL = 0.2;

/** Maximum search distance around a grain's cell, in cells. */
const MAX_REACH = 4;

/**
 * The index of the nearest point for each grain. `instances` has rows of 7 numbers that start with the position. The result
 * is 0 if no point is within the search distance. Where points are sparse, the point found may not be exactly the nearest.
 */
export function nearestPoints(points: Float32Array, instances: Float32Array): Uint32Array {
  const pointCount = points.length / 3;
  const result = new Uint32Array(instances.length / 7);
  // `boundsOf` ignores outliers, which are assigned to the edge cells. If the bounds included them, most
  // points would share one cell.
  const bounds = boundsOf(points, 3);
  if (!bounds) return result;
  const { min: low, max: high } = bounds;
  const extent = low.map((value, axis) => Math.max(high[axis] - value, 1e-9));
  const cell = Math.cbrt((POINTS_PER_CELL * extent[0] * extent[1] * extent[2]) / pointCount);
  const cells = extent.map((length) => Math.min(256, Math.max(1, Math.floor(length / cell))));
  const edge = Math.min(...extent.map((length, axis) => length / cells[axis]));
  const cellIndex = (value: number, axis: number) =>
    Math.min(cells[axis] - 1, Math.max(0, Math.floor(((value - low[axis]) / extent[axis]) * cells[axis])));
  const cellOf = (x: number, y: number, z: number) => (z * cells[1] + y) * cells[0] + x;

  // Sort the points by cell (counting sort).
  const starts = new Uint32Array(cells[0] * cells[1] * cells[2] + 2);
  const hiddenCell = starts.length - 2;
  const own = new Uint32Array(pointCount);
  for (let p = 0; p < pointCount; p++) {
    // Hidden points go to an extra cell that is never searched.
    own[p] =
      points[3 * p] >= HIDDEN
        ? hiddenCell
        : cellOf(cellIndex(points[3 * p], 0), cellIndex(points[3 * p + 1], 1), cellIndex(points[3 * p + 2], 2));
    starts[own[p] + 1] += 1;
  }
  for (let c = 1; c < starts.length; c++) starts[c] += starts[c - 1];
  const next = starts.slice();
  const order = new Uint32Array(pointCount);
  for (let p = 0; p < pointCount; p++) order[next[own[p]]++] = p;

  for (let grain = 0; grain < result.length; grain++) {
    const x = instances[7 * grain];
    const y = instances[7 * grain + 1];
    const z = instances[7 * grain + 2];
    const i = cellIndex(x, 0);
    const j = cellIndex(y, 1);
    const k = cellIndex(z, 2);
    let best = Infinity;
    // Widen the search until no point outside the searched cells can be nearer.
    for (let reach = 1; reach <= MAX_REACH && best > ((reach - 1) * edge) ** 2; reach++) {
      const [front, back] = [Math.max(0, k - reach), Math.min(cells[2] - 1, k + reach)];
      const [bottom, top] = [Math.max(0, j - reach), Math.min(cells[1] - 1, j + reach)];
      const [left, right] = [Math.max(0, i - reach), Math.min(cells[0] - 1, i + reach)];
      for (let zz = front; zz <= back; zz++) {
        for (let yy = bottom; yy <= top; yy++) {
          // Cells that are adjacent in x are adjacent in memory.
          const end = starts[cellOf(right, yy, zz) + 1];
          for (let at = starts[cellOf(left, yy, zz)]; at < end; at++) {
            const p = order[at];
            const dx = points[3 * p] - x;
            const dy = points[3 * p + 1] - y;
            const dz = points[3 * p + 2] - z;
            const square = dx * dx + dy * dy + dz * dz;
            if (square < best) {
              best = square;
              result[grain] = p;
            }
          }
        }
      }
    }
  }
  return result;
}
