// One moment of a run as it was read: its points and what is drawn of them.

import type { Header, Numbers } from "./safetensors";
import type { Topology } from "./topology";

/** A mesh in the frame of its body. */
export interface BodyMesh {
  readonly positions: Float32Array;
  readonly triangles: Uint32Array;
}

/** Positions that are not finite are put here, where shaders leave them out [m]. */
export const NOWHERE = 3e37;

/** A frame; color values are read when they are wanted, so tensors may be added later. */
export class Frame {
  readonly tensors = new Map<string, Numbers>();
  /** Meshes of the bodies that deform. */
  readonly bodies = new Map<number, BodyMesh>();
  /** Points and grains that are not finite. */
  lost = 0;
  topology!: Topology;

  constructor(
    readonly number: number,
    readonly header: Header,
  ) {}

  /** Simulated time [s]. */
  get time(): number {
    return Number(this.header.metadata.time ?? NaN);
  }

  /** Where the run's origin is in the world [m]. */
  get origin(): readonly number[] {
    const origin = parsed(this.header.metadata.origin);
    return Array.isArray(origin) && origin.length === 3 ? origin.map(Number) : [0, 0, 0];
  }

  get points(): Float32Array {
    return this.reals("points");
  }

  get instances(): Float32Array {
    return this.reals("instances");
  }

  get colliders(): Float32Array {
    return this.reals("colliders");
  }

  get instanceObject(): Uint32Array {
    return this.integers("instance_object");
  }

  /** Names of the values that points can be colored by. */
  get attributes(): string[] {
    const names = [...this.header.tensors.keys()].filter((name) => name.startsWith("attributes."));
    return names.map((name) => name.slice("attributes.".length)).sort();
  }

  /** Units by tensor. */
  get units(): Record<string, string> {
    return (parsed(this.header.metadata.units) ?? {}) as Record<string, string>;
  }

  /** Memory held [bytes]. */
  get bytes(): number {
    let sum = 0;
    for (const tensor of this.tensors.values()) sum += tensor.byteLength;
    for (const body of this.bodies.values()) sum += body.positions.byteLength + body.triangles.byteLength;
    return sum;
  }

  /** Real numbers of a tensor; none when it is absent. */
  reals(name: string): Float32Array {
    const tensor = this.tensors.get(name);
    return tensor instanceof Float32Array ? tensor : new Float32Array(0);
  }

  integers(name: string): Uint32Array {
    const tensor = this.tensors.get(name);
    return tensor instanceof Uint32Array ? tensor : new Uint32Array(0);
  }
}

function parsed(json: string | undefined): unknown {
  try {
    return JSON.parse(json ?? "null");
  } catch {
    return null;
  }
}

/** Moves rows with a number that is not finite out of sight, and counts them. */
export function loseNonFinite(rows: Float32Array, width: number): number {
  // One pass without branches tells whether there is anything to do: 0 times a finite number is 0.
  let sum = 0;
  for (let k = 0; k < rows.length; k++) sum += rows[k] * 0;
  if (sum === 0) return 0;
  let lost = 0;
  for (let row = 0; row < rows.length; row += width) {
    let isFinite = true;
    for (let k = row; k < row + width; k++) isFinite &&= Number.isFinite(rows[k]);
    if (!isFinite) {
      rows.fill(NOWHERE, row, row + width);
      lost += 1;
    }
  }
  return lost;
}
