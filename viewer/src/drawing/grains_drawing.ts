// Grains: round grains are drawn as ribbons shaded like capsules, others as boxes.

import { BoxGeometry, DoubleSide, Group, InstancedBufferAttribute, InstancedBufferGeometry, InstancedInterleavedBuffer } from "three";
import { DynamicDrawUsage, InterleavedBufferAttribute, Mesh, Vector4 } from "three";
import type { Frame } from "../data/frame";
import { nearestPoints } from "../data/nearest";
import type { ObjectAppearance } from "../data/server";
import { boxGrainsVertex, surfacesFragment } from "../shaders/surfaces";
import { roundGrainsVertex, ribbonsFragment } from "../shaders/ribbons";
import { RIBBON_CORNERS } from "./curves_drawing";
import { uniform, type Shared } from "./shared";

const KIND = new Vector4(1, 1, 0, 1);

/** Draws the grains (tensor `instances`) of a frame. */
export class GrainsDrawing {
  readonly object = new Group();
  private readonly meshes: Mesh<InstancedBufferGeometry>[] = [];
  private count = -1;
  private nearest: { frame: Frame; points: Uint32Array } | undefined;

  constructor(shared: Shared, objects: readonly ObjectAppearance[]) {
    const own = { uKind: uniform(KIND) };
    const shapes = new Set(objects.flatMap((object) => (object.grain ? [object.grain.is_round] : [])));
    if (shapes.has(true)) {
      const material = shared.material(roundGrainsVertex, ribbonsFragment, own, { side: DoubleSide });
      material.defines = { TRUE_DEPTH: "" };
      this.meshes.push(new Mesh(new InstancedBufferGeometry().setIndex(RIBBON_CORNERS), material));
    }
    if (shapes.has(false)) {
      const cube = new BoxGeometry();
      const box = new InstancedBufferGeometry().setIndex(cube.index);
      for (const name of ["position", "normal"]) box.setAttribute(name, cube.getAttribute(name));
      this.meshes.push(new Mesh(box, shared.material(boxGrainsVertex, surfacesFragment, own)));
    }
    this.object.visible = false;
    for (const mesh of this.meshes) {
      mesh.frustumCulled = false;
      this.object.add(mesh);
    }
  }

  /** `needsValues`: whether each grain takes its color from the nearest point. */
  update(frame: Frame, needsValues: boolean): void {
    const instances = frame.instances;
    const count = instances.length / 7;
    this.object.visible = count > 0;
    if (count === 0) return;
    const nearest = needsValues ? this.nearestPoints(frame) : new Uint32Array(count);
    for (const { geometry } of this.meshes) {
      if (count !== this.count) allocate(geometry, count);
      fill(geometry, "nearestPoint", nearest);
      fill(geometry, "grainObject", frame.instanceObject);
      const poses = (geometry.getAttribute("translation") as InterleavedBufferAttribute).data;
      (poses.array as Float32Array).set(instances);
      poses.needsUpdate = true;
    }
    this.count = count;
  }

  private nearestPoints(frame: Frame): Uint32Array {
    if (this.nearest?.frame !== frame) {
      this.nearest = { frame, points: nearestPoints(frame.points, frame.instances) };
    }
    return this.nearest.points;
  }
}

function allocate(geometry: InstancedBufferGeometry, count: number): void {
  // Frees the buffers on the graphics card that fit the old number of grains.
  geometry.dispose();
  const poses = new InstancedInterleavedBuffer(new Float32Array(7 * count), 7);
  poses.setUsage(DynamicDrawUsage);
  geometry.setAttribute("translation", new InterleavedBufferAttribute(poses, 3, 0));
  geometry.setAttribute("rotation", new InterleavedBufferAttribute(poses, 4, 3));
  geometry.setAttribute("nearestPoint", new InstancedBufferAttribute(new Uint32Array(count), 1));
  geometry.setAttribute("grainObject", new InstancedBufferAttribute(new Uint32Array(count), 1));
  geometry.instanceCount = count;
}

function fill(geometry: InstancedBufferGeometry, name: string, values: Uint32Array): void {
  const attribute = geometry.getAttribute(name) as InstancedBufferAttribute;
  (attribute.array as Uint32Array).set(values);
  attribute.needsUpdate = true;
}
