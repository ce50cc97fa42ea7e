// The floor: a plane with a faint grid that dissolves into the backdrop.

import { FrontSide, Mesh, PlaneGeometry, Quaternion, Vector2, Vector3 } from "three";
import { floorFragment, floorVertex } from "../shaders/surfaces";
import { uniform, type Shared } from "./shared";

/** Reach of the floor over the size of the scene [-]. */
const REACH = 14;

const UP = new Vector3(0, 1, 0);

/** Draws the floor around the scene. */
export class FloorDrawing {
  readonly object: Mesh;
  /** The ball that the scene fits into. */
  readonly room = { center: new Vector3(), radius: 1 };
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

  /** The scene's place and size [m]; counts from the next `place` on. */
  setRoom(center: Vector3, radius: number): void {
    this.room.center.copy(center);
    this.room.radius = radius;
  }

  /** Lays the floor through a point. */
  place(point: Vector3, normal: Vector3): void {
    const { center, radius } = this.room;
    const height = new Vector3().subVectors(center, point).dot(normal);
    const reach = REACH * (radius + Math.abs(height) * 0.5);
    this.object.position.copy(center).addScaledVector(normal, -height);
    this.object.quaternion.copy(new Quaternion().setFromUnitVectors(UP, normal));
    this.object.scale.setScalar(reach);
    this.own.uNormal.value.copy(normal);
    this.own.uReach.value = reach;
    // Lines at whole powers of ten of a meter, wherever the floor's middle is.
    this.own.uGrid.value = Math.pow(10, Math.round(Math.log10(radius)));
    const middle = this.object.position.clone().applyQuaternion(this.object.quaternion.clone().invert());
    this.own.uGridShift.value.set(middle.x, middle.z);
  }
}
