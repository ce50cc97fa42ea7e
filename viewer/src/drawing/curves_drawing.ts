// Curves: hair, rods and yarns.

import { DoubleSide, InstancedBufferAttribute, InstancedBufferGeometry, Mesh, Vector4 } from "three";
import type { Topology } from "../data/topology";
import { curvesVertex, ribbonsFragment } from "../shaders/ribbons";
import { uniform, type Shared } from "./shared";

/** Indices of the two triangles of a ribbon with the corners 0 to 3. */
export const RIBBON_CORNERS = [0, 1, 2, 2, 1, 3];

/** Draws each segment as a ribbon. */
export class CurvesDrawing {
  readonly object: Mesh;
  private topology: Topology | undefined;

  constructor(shared: Shared) {
    const own = { uKind: uniform(new Vector4(0, 1, 0, 1)) };
    const options = { side: DoubleSide };
    this.object = new Mesh(new InstancedBufferGeometry(), shared.material(curvesVertex, ribbonsFragment, own, options));
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  update(topology: Topology): void {
    if (this.topology === topology) return;
    this.topology = topology;
    const geometry = new InstancedBufferGeometry();
    geometry.setIndex(RIBBON_CORNERS);
    geometry.setAttribute("chain", new InstancedBufferAttribute(topology.chains, 4));
    geometry.instanceCount = topology.segments.length / 2;
    this.object.geometry.dispose();
    this.object.geometry = geometry;
    this.object.visible = topology.segments.length > 0;
  }
}
