// Points that are not part of a curve or surface: sand, fluids and single elastons.

import { BufferAttribute, BufferGeometry, Points, Vector4 } from "three";
import type { Topology } from "../data/topology";
import { pointsFragment, pointsVertex } from "../shaders/points";
import { uniform, type Shared } from "./shared";

/** Above this number of points, spheres have the depth of flat disks, so that the graphics card can reject hidden fragments early. */
const MAX_POINTS_WITH_DEPTH = 300_000;

/** Draws the free points of a topology. */
export class PointsDrawing {
  readonly object: Points;
  private topology: Topology | undefined;

  constructor(shared: Shared) {
    const own = { uKind: uniform(new Vector4(1, 0, 0, 1)) };
    // Alpha to coverage smooths edges without sorting the points.
    const material = shared.material(pointsVertex, pointsFragment, own, { alphaToCoverage: true });
    this.object = new Points(new BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  update(topology: Topology): void {
    if (this.topology === topology) return;
    this.topology = topology;
    const free = topology.freePoints;
    this.object.geometry.dispose();
    this.object.geometry = new BufferGeometry();
    this.object.geometry.setIndex(new BufferAttribute(free, 1));
    this.object.visible = free.length > 0;
    this.setTrueDepth(free.length <= MAX_POINTS_WITH_DEPTH);
  }

  /** Sets whether fragments write the depth of a sphere instead of a disk. */
  private setTrueDepth(isEnabled: boolean): void {
    const material = this.object.material as ReturnType<Shared["material"]>;
    if ("TRUE_DEPTH" in material.defines !== isEnabled) {
      material.defines = isEnabled ? { TRUE_DEPTH: "" } : {};
      material.needsUpdate = true;
    }
  }
}
