// The box that material is in, but for a few strays.

import { NOWHERE } from "./frame";

const MOST_SAMPLED = 20_000;
const STRAYS = 0.005;

/** A box [m]. */
export interface Room {
  readonly min: [number, number, number];
  readonly max: [number, number, number];
}

/** The box around rows whose first three numbers are a place; none when no row is finite. */
export function roomOf(rows: Float32Array, width: number): Room | null {
  const count = rows.length / width;
  const stride = Math.max(1, Math.floor(count / MOST_SAMPLED));
  const min: Room["min"] = [0, 0, 0];
  const max: Room["max"] = [0, 0, 0];
  const sample = new Float32Array(Math.ceil(count / stride));
  for (let axis = 0; axis < 3; axis++) {
    let taken = 0;
    for (let row = 0; row < count; row += stride) {
      const value = rows[width * row + axis];
      if (Math.abs(value) < NOWHERE) sample[taken++] = value;
    }
    if (taken === 0) return null;
    const sorted = sample.subarray(0, taken).sort();
    const strays = Math.floor(STRAYS * taken);
    min[axis] = sorted[strays];
    max[axis] = sorted[taken - 1 - strays];
  }
  return { min, max };
}

/** The box around both. */
export function around(a: Room | null, b: Room | null): Room | null {
  if (!a || !b) return a ?? b;
  return {
    min: a.min.map((value, axis) => Math.min(value, b.min[axis])) as Room["min"],
    max: a.max.map((value, axis) => Math.max(value, b.max[axis])) as Room["max"],
  };
}

/** Middle and distance from there to a corner [m]; a unit ball without a box. */
export function ballOf(room: Room | null): { center: [number, number, number]; radius: number } {
  if (!room) return { center: [0, 0, 0], radius: 1 };
  const center = room.min.map((value, axis) => 0.5 * (value + room.max[axis])) as Room["min"];
  const radius = 0.5 * Math.hypot(...room.min.map((value, axis) => room.max[axis] - value));
  return { center, radius: radius > 0 ? radius : 1e-3 };
}
