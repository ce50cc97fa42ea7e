// Colliders where the frame says they are, the floor, and the edges of the domain.

import { BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, DoubleSide, EdgesGeometry, FrontSide, Group } from "three";
import { LineBasicMaterial, LineSegments, Mesh, PlaneGeometry, Quaternion, SphereGeometry, Vector3 } from "three";
import type { BodyMesh, Frame } from "../data/frame";
import { NOWHERE } from "../data/frame";
import type { Room } from "../data/room";
import { smoothNormals } from "../data/normals";
import type { Appearance, BodyAppearance } from "../data/server";
import { bodyVertex, surfacesFragment } from "../shaders/surfaces";
import { FloorDrawing } from "./floor_drawing";
import { uniform, type Shared } from "./shared";

const UP = new Vector3(0, 1, 0);

/** Draws the bodies of a run. */
export class BodiesDrawing {
  readonly object = new Group();
  readonly floor: FloorDrawing;
  private readonly meshes: (Mesh | null)[];
  private readonly isVisible: boolean[];
  private floorBody: number | null = null;
  private edges: LineSegments | null = null;

  constructor(
    private readonly shared: Shared,
    private readonly appearance: Appearance,
  ) {
    this.floor = new FloorDrawing(shared);
    this.object.add(this.floor.object);
    this.meshes = appearance.bodies.map((body) => this.mesh(body));
    this.isVisible = appearance.bodies.map(() => true);
    for (const mesh of this.meshes) {
      if (mesh) this.object.add(mesh);
    }
  }

  /** Number of bodies that are drawn. */
  get count(): number {
    return this.appearance.bodies.filter(({ shape }, k) => shape.kind !== "unseen" && this.isVisible[k]).length;
  }

  setVisible(body: number, isVisible: boolean): void {
    this.isVisible[body] = isVisible;
  }

  /** Gives a body the mesh that was read for it. */
  setMesh(body: number, { positions, triangles }: BodyMesh): void {
    const mesh = this.meshes[body];
    if (!mesh) return;
    const geometry = mesh.geometry;
    const position = geometry.getAttribute("position");
    const corners = geometry.index;
    if (position?.array.length !== positions.length || corners?.array.length !== triangles.length) {
      geometry.dispose();
      mesh.geometry = new BufferGeometry();
      mesh.geometry.setIndex(new BufferAttribute(triangles.slice(), 1));
      mesh.geometry.setAttribute("position", new BufferAttribute(positions.slice(), 3));
      mesh.geometry.setAttribute("normal", new BufferAttribute(new Float32Array(positions.length), 3));
    } else {
      (position.array as Float32Array).set(positions);
      (corners.array as Uint32Array).set(triangles);
      corners.needsUpdate = true;
      geometry.boundingSphere = null;
    }
    const normal = mesh.geometry.getAttribute("normal");
    smoothNormals(positions, triangles, normal.array as Float32Array);
    normal.needsUpdate = true;
    mesh.geometry.getAttribute("position").needsUpdate = true;
  }

  /** How far the bodies that are drawn reach from a point [m], floors aside. */
  reach(from: Vector3): number {
    const reaches = this.meshes.map((mesh, index) => {
      if (!mesh?.visible || this.appearance.bodies[index].shape.kind === "plane") return 0;
      if (!mesh.geometry.boundingSphere) mesh.geometry.computeBoundingSphere();
      const ball = mesh.geometry.boundingSphere;
      return ball && ball.radius > 0 ? mesh.localToWorld(ball.center.clone()).distanceTo(from) + ball.radius : 0;
    });
    return Math.max(0, ...reaches);
  }

  /** Puts the bodies where the frame has them. */
  update(frame: Frame): void {
    const poses = frame.colliders;
    const turn = new Quaternion();
    let flattest = 0.1;
    this.floorBody = null;
    const normal = new Vector3();
    this.appearance.bodies.forEach(({ shape }, index) => {
      const pose = poses.subarray(7 * index, 7 * index + 7);
      const mesh = this.meshes[index];
      const isThere = pose.length === 7 && Math.abs(pose[0]) < NOWHERE;
      if (mesh) mesh.visible = isThere && this.isVisible[index];
      if (!isThere) return;
      turn.set(pose[3], pose[4], pose[5], pose[6]).normalize();
      mesh?.position.set(pose[0], pose[1], pose[2]);
      if (shape.kind === "plane") {
        normal.set(...shape.normal).normalize().applyQuaternion(turn);
        if (normal.y > flattest && this.isVisible[index]) {
          flattest = normal.y;
          this.floorBody = index;
          this.floor.place(mesh!.position, normal);
        }
        mesh!.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
        this.center(mesh!, normal);
      } else {
        mesh?.quaternion.copy(turn);
      }
      const deformed = frame.bodies.get(index);
      if (deformed) this.setMesh(index, deformed);
    });
    this.placeFloor(frame);
  }

  /** The floor is the flattest plane, or else the bottom of the domain. */
  private placeFloor(frame: Frame): void {
    const { bodies } = this.appearance;
    const domain = this.appearance.domain && relative(this.appearance.domain, frame.origin);
    if (domain && !this.edges) {
      this.edges = edges(domain);
      this.object.add(this.edges);
    }
    const hasPlane = bodies.some(({ shape }) => shape.kind === "plane");
    if (this.floorBody !== null) {
      this.meshes[this.floorBody]!.visible = false;
    } else if (domain && !hasPlane) {
      this.floor.place(new Vector3(...domain.min), UP);
    }
    this.floor.object.visible = this.floorBody !== null || (!!domain && !hasPlane);
  }

  /** Slides a plane's square to where the material is. */
  private center(mesh: Mesh, normal: Vector3): void {
    const { center, radius } = this.floor.room;
    const distance = new Vector3().subVectors(center, mesh.position).dot(normal);
    mesh.position.copy(center).addScaledVector(normal, -distance);
    mesh.scale.setScalar(3 * radius);
  }

  private mesh({ color, shape }: BodyAppearance): Mesh | null {
    if (shape.kind === "unseen") return null;
    const turns = shape.kind === "ball" && (shape.turns ?? false);
    const own = { uColor: uniform(new Vector3(...color)), uIsPatterned: uniform(turns) };
    // A plane that is no floor is seen from its open side alone; it would hide the scene otherwise.
    const side = shape.kind === "plane" ? FrontSide : DoubleSide;
    const material = this.shared.material(bodyVertex, surfacesFragment, own, { side });
    material.defines = { PATTERN: "" };
    const mesh = new Mesh(geometry(shape), material);
    mesh.frustumCulled = false;
    return mesh;
  }
}

function geometry(shape: BodyAppearance["shape"]): BufferGeometry {
  switch (shape.kind) {
    case "ball":
      return new SphereGeometry(shape.radius, 64, 40);
    case "capsule":
      return new CapsuleGeometry(shape.radius, 2 * shape.half_height, 16, 48);
    case "plane":
      return new PlaneGeometry(1, 1);
    default:
      return new BufferGeometry().setIndex([]);
  }
}

function relative({ min, max }: Room, origin: readonly number[]): Room {
  const near = (corner: Room["min"]) => corner.map((value, axis) => value - origin[axis]) as Room["min"];
  return { min: near(min), max: near(max) };
}

function edges({ min, max }: Room): LineSegments {
  const size = max.map((value, axis) => value - min[axis]) as [number, number, number];
  const box = new EdgesGeometry(new BoxGeometry(...size));
  box.translate(min[0] + 0.5 * size[0], min[1] + 0.5 * size[1], min[2] + 0.5 * size[2]);
  const lines = new LineSegments(box, new LineBasicMaterial({ color: 0x777c84, transparent: true, opacity: 0.6 }));
  // Lines have no thickness and cast no shadow.
  lines.layers.set(1);
  return lines;
}
