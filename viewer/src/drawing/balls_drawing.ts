// Rigid balls with a visible rotation: points that are drawn as patterned spheres.

import { DoubleSide, Group, Mesh, SphereGeometry, Vector3 } from "three";
import { HIDDEN, type Frame } from "../data/frame";
import type { ObjectAppearance } from "../data/server";
import { bodyVertex, surfacesFragment } from "../shaders/surfaces";
import { uniform, type Shared } from "./shared";

/** Tensors with the rotations of the balls (quaternions). */
export const ROTATION = ["x", "y", "z", "w"].map((part) => `attributes.rotation_${part}`);

/** Maximum number of balls drawn; typical scenes have one or two. */
const MAX_BALLS = 256;

/** Draws balls with a visible rotation. */
export class BallsDrawing {
  readonly object = new Group();
  private readonly meshes = new Map<number, Mesh>();

  constructor(
    private readonly shared: Shared,
    private readonly objects: readonly ObjectAppearance[],
  ) {}

  update(frame: Frame, isVisible: readonly boolean[]): void {
    if (!this.objects.some(({ turns }) => turns)) return;
    const { object, freePoints } = frame.topology;
    const parts = ROTATION.map((name) => frame.reals(name));
    for (const mesh of this.meshes.values()) mesh.visible = false;
    for (const point of freePoints) {
      const appearance = this.objects[object[point]];
      if (!appearance?.turns) continue;
      const mesh = this.meshes.get(point) ?? this.createMesh(point, appearance);
      if (!mesh) continue;
      const [x, y, z] = frame.points.subarray(3 * point, 3 * point + 3);
      mesh.visible = isVisible[object[point]] && Math.abs(x) < HIDDEN;
      mesh.position.set(x, y, z);
      const [i, j, k, w] = parts.map((part) => part[point] ?? NaN);
      if (Number.isFinite(i + j + k + w)) mesh.quaternion.set(i, j, k, w).normalize();
    }
  }

  private createMesh(point: number, { color, point_radius: radius }: ObjectAppearance): Mesh | null {
    if (this.meshes.size >= MAX_BALLS) return null;
    const own = { uColor: uniform(new Vector3(...color)), uIsPatterned: uniform(true) };
    const material = this.shared.material(bodyVertex, surfacesFragment, own, { side: DoubleSide });
    material.uniforms.uKind.value.set(1, 0, 0, 1);
    material.defines = { PATTERN: "" };
    const mesh = new Mesh(new SphereGeometry(radius, 64, 40), material);
    mesh.frustumCulled = false;
    this.meshes.set(point, mesh);
    this.object.add(mesh);
    return mesh;
  }
}
