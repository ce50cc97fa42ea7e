// A frame in memory: its tensors and topology.

import type { Header, Numbers } from "./safetensors";
import type { Topology } from "./topology";

/** A triangle mesh in its body's coordinates. */
export interface BodyMesh {
  readonly positions: Float32Array;
  readonly triangles: Uint32Array;
}

/** Coordinate that replaces those of positions that are not finite [m]. Shaders do not draw such positions. */
export const HIDDEN = 3e37;

/** A frame. Tensors for color values are read on demand and added later. */
export class Frame {
  readonly tensors = new Map<string, Numbers>();
  /** Meshes of deforming bodies, by body index. */
  readonly bodies = new Map<number, BodyMesh>();
  /** Number of points, grains and body poses with a value that is not finite. */
  nonFiniteCount = 0;
  topology!: Topology;

  constructor(
    readonly number: number,
    readonly header: Header,
  ) {}

  /** Simulated time [s]. */
  get time(): number {
    return Number(this.header.metadata.time ?? NaN);
  }

  /** World position of the run's origin [m]. */
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

  /** Names of the point attributes. */
  get attributes(): string[] {
    const names = [...this.header.tensors.keys()].filter((name) => name.startsWith("attributes."));
    return names.map((name) => name.slice("attributes.".length)).sort();
  }

  /** Units by tensor name. */
  get units(): Record<string, string> {
    return (parsed(this.header.metadata.units) ?? {}) as Record<string, string>;
  }

  /** Allocated memory without the topology [bytes]. */
  get bytes(): number {
    let sum = 0;
    for (const tensor of this.tensors.values()) sum += tensor.byteLength;
    for (const body of this.bodies.values()) sum += body.positions.byteLength + body.triangles.byteLength;
    return sum;
  }

  /** Values of an F32 tensor; empty if the tensor is absent. */
  reals(name: string): Float32Array {
    const tensor = this.tensors.get(name);
    return tensor instanceof Float32Array ? tensor : new Float32Array(0);
  }

  /** Values of a U32 tensor; empty if the tensor is absent. */
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

/** Replaces rows that contain a value that is not finite by `HIDDEN`, and returns the number of such rows. */
export function hideNonFinite(rows: Float32Array, width: number): number {
  // A pass without branches detects non-finite values: 0 times a value is 0 if the value is finite, and NaN otherwise.
  let sum = 0;
  for (let k = 0; k < rows.length; k++) sum += rows[k] * 0;
  if (sum === 0) return 0;
  let hidden = 0;
  for (let row = 0; row < rows.length; row += width) {
    let isFinite = true;
    for (let k = row; k < row + width; k++) isFinite &&= Number.isFinite(rows[k]);
    if (!isFinite) {
      rows.fill(HIDDEN, row, row + width);
      hidden += 1;
    }
  }
  return hidden;
}
