// The point nearest to each grain, from which it takes its color: grains carry no values of their own.

import { NOWHERE } from "./frame";
import { roomOf } from "./room";

/** Points in a cell of the grid, on average over all cells: most of the box is empty, so cells with points have more [-]. */
const CELL_POINTS = 0.2;

/** Cells on each side that are looked into before a grain is given up. */
const FARTHEST = 4;

/**
 * For each grain (rows of 7 numbers, the first three its place) the nearest of the points; 0 where none is near, and
 * not quite the nearest where points are sparse.
 */
export function nearestPoints(points: Float32Array, instances: Float32Array): Uint32Array {
  const pointCount = points.length / 3;
  const result = new Uint32Array(instances.length / 7);
  // Strays go to the cells at the edge: a box around all would put most points into one cell.
  const room = roomOf(points, 3);
  if (!room) return result;
  const { min: low, max: high } = room;
  const extent = low.map((value, axis) => Math.max(high[axis] - value, 1e-9));
  const cell = Math.cbrt((CELL_POINTS * extent[0] * extent[1] * extent[2]) / pointCount);
  const cells = extent.map((length) => Math.min(256, Math.max(1, Math.floor(length / cell))));
  const edge = Math.min(...extent.map((length, axis) => length / cells[axis]));
  const place = (value: number, axis: number) =>
    Math.min(cells[axis] - 1, Math.max(0, Math.floor(((value - low[axis]) / extent[axis]) * cells[axis])));
  const cellOf = (x: number, y: number, z: number) => (z * cells[1] + y) * cells[0] + x;

  // Points in the order of their cells.
  const starts = new Uint32Array(cells[0] * cells[1] * cells[2] + 2);
  const lost = starts.length - 2;
  const own = new Uint32Array(pointCount);
  for (let p = 0; p < pointCount; p++) {
    // Beyond the last cell nobody looks.
    own[p] = points[3 * p] >= NOWHERE ? lost : cellOf(place(points[3 * p], 0), place(points[3 * p + 1], 1), place(points[3 * p + 2], 2));
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
    const i = place(x, 0);
    const j = place(y, 1);
    const k = place(z, 2);
    let best = Infinity;
    // Until no point outside the cells that were looked into can be nearer.
    for (let reach = 1; reach <= FARTHEST && best > ((reach - 1) * edge) ** 2; reach++) {
      const [front, back] = [Math.max(0, k - reach), Math.min(cells[2] - 1, k + reach)];
      const [bottom, top] = [Math.max(0, j - reach), Math.min(cells[1] - 1, j + reach)];
      const [left, right] = [Math.max(0, i - reach), Math.min(cells[0] - 1, i + reach)];
      for (let zz = front; zz <= back; zz++) {
        for (let yy = bottom; yy <= top; yy++) {
          // Cells next to each other in x are next to each other in memory.
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
