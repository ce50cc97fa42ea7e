// The floor: a plane with a faint grid that fades into the background.

import { FrontSide, Mesh, PlaneGeometry, Quaternion, Vector2, Vector3 } from "three";
import { floorFragment, floorVertex } from "../shaders/surfaces";
import { uniform, type Shared } from "./shared";

/** Half the floor's width, relative to the radius of the scene [-]. */
const REACH = 14;

const UP = new Vector3(0, 1, 0);

/** Draws the floor around the scene. */
export class FloorDrawing {
  readonly object: Mesh;
  /** Bounding sphere of the scene [m]. */
  readonly sceneSphere = { center: new Vector3(), radius: 1 };
  private readonly own = {
    uColor: uniform(new Vector3(0.5, 0.49, 0.47)),
    uNormal: uniform(new Vector3(0, 1, 0)),
    uGrid: uniform(1),
    uReach: uniform(1),
    uGridShift: uniform(new Vector2()),
  };

  constructor(shared: Shared) {
    const square = new PlaneGeometry(2, 2).rotateX(-Math.PI / 2);
    this.object = new Mesh(square, shared.material(floorVertex, floorFragment, this.own, { side: FrontSide }));
    this.object.frustumCulled = false;
    this.object.visible = false;
  }

  setColor(color: Vector3): void {
    this.own.uColor.value.copy(color);
  }

  /** Sets the bounding sphere of the scene [m]. Takes effect with the next call of `place`. */
  setBounds(center: Vector3, radius: number): void {
    this.sceneSphere.center.copy(center);
    this.sceneSphere.radius = radius;
  }

  /** Places the floor through a point. */
  place(point: Vector3, normal: Vector3): void {
    const { center, radius } = this.sceneSphere;
    const height = new Vector3().subVectors(center, point).dot(normal);
    const reach = REACH * (radius + Math.abs(height) * 0.5);
    this.object.position.copy(center).addScaledVector(normal, -height);
    this.object.quaternion.copy(new Quaternion().setFromUnitVectors(UP, normal));
    this.object.scale.setScalar(reach);
    this.own.uNormal.value.copy(normal);
    this.own.uReach.value = reach;
    // The grid spacing is a power of ten in meters. Lines are at whole multiples of the spacing, wherever the center of the floor is.
    this.own.uGrid.value = Math.pow(10, Math.round(Math.log10(radius)));
    const middle = this.object.position.clone().applyQuaternion(this.object.quaternion.clone().invert());
    this.own.uGridShift.value.set(middle.x, middle.z);
  }
}
