// Reads frames from the server and validates them.

import { Frame, hideNonFinite, type BodyMesh } from "./frame";
import { RemoteFile } from "./remote_file";
import type { Header, Numbers } from "./safetensors";
import { bodyAddress, bodyFrameAddress, frameAddress } from "./server";
import { Topology } from "./topology";

/** Tensors that are read for every frame. Color values may need more. */
const DRAWN = ["points", "colliders", "segments", "triangles", "instances", "instance_object"];

/** Row width of each tensor; 1 for one-dimensional tensors. */
const WIDTHS: Record<string, number> = {
  points: 3,
  velocities: 3,
  object: 1,
  segments: 2,
  triangles: 3,
  instances: 7,
  instance_object: 1,
  colliders: 7,
};

/** Reads frames. Consecutive frames share their topology if their elements are the same. */
export class FrameReader {
  private readonly files = new WeakMap<Frame, RemoteFile>();
  private topology: Topology | undefined;

  /** `deforming`: indices of the bodies that have a mesh in each frame. */
  constructor(private readonly deforming: readonly number[]) {}

  /** Reads frame `number` with the tensors named in `extra`. */
  async read(number: number, extra: readonly string[]): Promise<Frame> {
    const file = await RemoteFile.open(frameAddress(number));
    const pointCount = checkShapes(file.header);
    const frame = new Frame(number, file.header);
    this.files.set(frame, file);
    // A point never changes its index or object, so `object` is read only when the number of points changes.
    const known = this.topology?.pointCount === pointCount ? this.topology : undefined;
    const names = [...DRAWN, ...(known ? [] : ["object"]), ...extra];
    const [tensors] = await Promise.all([file.read(names), this.readBodies(frame)]);
    store(frame, tensors);
    const object = known?.object ?? frame.integers("object");
    frame.topology = this.topologyOf(frame, pointCount, object);
    for (const name of ["segments", "triangles", "object"]) frame.tensors.delete(name);
    return frame;
  }

  /** Reads the named tensors, except those that the frame already has. */
  async readMore(frame: Frame, names: readonly string[]): Promise<void> {
    const missing = names.filter((name) => !frame.tensors.has(name));
    const file = this.files.get(frame);
    if (file && missing.length > 0) store(frame, await file.read(missing));
  }

  private topologyOf(frame: Frame, pointCount: number, object: Uint32Array): Topology {
    const segments = frame.integers("segments");
    const triangles = frame.integers("triangles");
    if (!this.topology?.matches(pointCount, segments, triangles)) {
      this.topology = new Topology(pointCount, object, segments, triangles);
    }
    return this.topology;
  }

  private async readBodies(frame: Frame): Promise<void> {
    const reads = this.deforming.map(async (body) => {
      frame.bodies.set(body, await readBodyMesh(bodyFrameAddress(body, frame.number)));
    });
    await Promise.all(reads);
  }
}

/** Reads the mesh of a rigid body. */
export const readBody = (body: number) => readBodyMesh(bodyAddress(body));

async function readBodyMesh(address: string): Promise<BodyMesh> {
  const file = await RemoteFile.open(address);
  const tensors = await file.read(["positions", "triangles"]);
  const positions = tensors.get("positions");
  const triangles = tensors.get("triangles");
  if (!(positions instanceof Float32Array) || !(triangles instanceof Uint32Array)) {
    throw new Error(`${address} contains no mesh`);
  }
  hideNonFinite(positions, 3);
  return { positions, triangles: triangles.every((corner) => 3 * corner < positions.length) ? triangles : new Uint32Array(0) };
}

/** Adds tensors to a frame and hides positions that are not finite. */
function store(frame: Frame, tensors: Map<string, Numbers>): void {
  for (const [name, tensor] of tensors) {
    if (tensor instanceof Float32Array && (name === "points" || name === "instances" || name === "colliders")) {
      frame.nonFiniteCount += hideNonFinite(tensor, WIDTHS[name]);
    }
    frame.tensors.set(name, tensor);
  }
}

/** Validates the shapes of the tensors and returns the number of points. */
function checkShapes(header: Header): number {
  for (const [name, { shape }] of header.tensors) {
    const width = name.startsWith("attributes.") ? 1 : WIDTHS[name];
    if (width !== undefined && (width === 1 ? shape.length !== 1 : shape.length !== 2 || shape[1] !== width)) {
      throw new Error(`tensor \`${name}\` has the invalid shape [${shape}]`);
    }
  }
  const rows = (name: string) => header.tensors.get(name)?.shape[0] ?? 0;
  if (!header.tensors.has("points")) {
    throw new Error("the file has no tensor `points`");
  }
  const points = rows("points");
  for (const name of header.tensors.keys()) {
    if ((name === "velocities" || name === "object" || name.startsWith("attributes.")) && rows(name) !== points) {
      throw new Error(`tensor \`${name}\` has ${rows(name)} rows for ${points} points`);
    }
  }
  if (rows("instances") !== rows("instance_object")) {
    throw new Error("`instances` and `instance_object` differ in length");
  }
  return points;
}
