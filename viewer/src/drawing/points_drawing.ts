// Points that no curve or surface uses: sand, fluids and loose elastons.

import { BufferAttribute, BufferGeometry, Points, Vector4 } from "three";
import type { Topology } from "../data/topology";
import { pointsFragment, pointsVertex } from "../shaders/points";
import { uniform, type Shared } from "./shared";

/** With more points than this, balls are drawn without their true depth: the card can then skip those behind. */
const MOST_WITH_DEPTH = 300_000;

/** Draws the free points of a topology. */
export class PointsDrawing {
  readonly object: Points;
  private topology: Topology | undefined;

  constructor(shared: Shared) {
    const own = { uKind: uniform(new Vector4(1, 0, 0, 1)) };
    // Edges are smoothed by covering a share of a pixel's samples: no order of drawing is needed.
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
    this.setTrueDepth(free.length <= MOST_WITH_DEPTH);
  }

  private setTrueDepth(isTrue: boolean): void {
    const material = this.object.material as ReturnType<Shared["material"]>;
    if ("TRUE_DEPTH" in material.defines !== isTrue) {
      material.defines = isTrue ? { TRUE_DEPTH: "" } : {};
      material.needsUpdate = true;
    }
  }
}
