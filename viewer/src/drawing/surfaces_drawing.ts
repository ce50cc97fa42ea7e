// Triangle surfaces: cloth and the surfaces of volumes.

import { BufferAttribute, BufferGeometry, DoubleSide, Mesh, Vector4 } from "three";
import type { Frame } from "../data/frame";
import { smoothNormals } from "../data/normals";
import type { Topology } from "../data/topology";
import { surfacesFragment, surfacesVertex } from "../shaders/surfaces";
import { uniform, type Shared } from "./shared";

/** Draws all triangles of a frame. */
export class SurfacesDrawing {
  readonly object: Mesh;
  private topology: Topology | undefined;

  constructor(private readonly shared: Shared) {
    const own = { uKind: uniform(new Vector4(0, 0, 1, 1)) };
    const material = shared.material(surfacesVertex, surfacesFragment, own, { side: DoubleSide });
    this.object = new Mesh(new BufferGeometry(), material);
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  update(frame: Frame): void {
    const { topology } = frame;
    if (this.topology !== topology) {
      this.topology = topology;
      this.object.geometry.dispose();
      this.object.geometry = new BufferGeometry();
      this.object.geometry.setIndex(new BufferAttribute(topology.triangles, 1));
      this.object.visible = topology.triangles.length > 0;
    }
    if (topology.triangles.length > 0) {
      smoothNormals(frame.points, topology.triangles, this.shared.normals.reserve(topology.pointCount));
      this.shared.normals.upload();
    }
  }
}
