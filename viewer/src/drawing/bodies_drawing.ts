// Colliders at the poses of the frame, the floor, and the edges of the domain.

import { BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, DoubleSide, EdgesGeometry, FrontSide, Group } from "three";
import { LineBasicMaterial, LineSegments, Mesh, PlaneGeometry, Quaternion, SphereGeometry, Vector3 } from "three";
import type { BodyMesh, Frame } from "../data/frame";
import { HIDDEN } from "../data/frame";
import type { Bounds } from "../data/bounds";
import { smoothNormals } from "../data/normals";
import type { Appearance, BodyAppearance } from "../data/server";
import { bodyVertex, surfacesFragment } from "../shaders/surfaces";
import { FloorDrawing } from "./floor_drawing";
import { uniform, type Shared } from "./shared";

const UP = new Vector3(0, 1, 0);

/** Draws the colliders of a run. */
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

  /** Number of visible bodies. */
  get count(): number {
    return this.appearance.bodies.filter(({ shape }, k) => shape.kind !== "unseen" && this.isVisible[k]).length;
  }

  setVisible(body: number, isVisible: boolean): void {
    this.isVisible[body] = isVisible;
  }

  /** Replaces the mesh of a body. */
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

  /** Largest distance of the visible bodies from a point [m]; planes are ignored. */
  reach(from: Vector3): number {
    const reaches = this.meshes.map((mesh, index) => {
      if (!mesh?.visible || this.appearance.bodies[index].shape.kind === "plane") return 0;
      if (!mesh.geometry.boundingSphere) mesh.geometry.computeBoundingSphere();
      const ball = mesh.geometry.boundingSphere;
      return ball && ball.radius > 0 ? mesh.localToWorld(ball.center.clone()).distanceTo(from) + ball.radius : 0;
    });
    return Math.max(0, ...reaches);
  }

  /** Moves the bodies to their poses in the frame. */
  update(frame: Frame): void {
    const poses = frame.colliders;
    const rotation = new Quaternion();
    let flattest = 0.1;
    this.floorBody = null;
    const normal = new Vector3();
    this.appearance.bodies.forEach(({ shape }, index) => {
      const pose = poses.subarray(7 * index, 7 * index + 7);
      const mesh = this.meshes[index];
      const hasPose = pose.length === 7 && Math.abs(pose[0]) < HIDDEN;
      if (mesh) mesh.visible = hasPose && this.isVisible[index];
      if (!hasPose) return;
      rotation.set(pose[3], pose[4], pose[5], pose[6]).normalize();
      mesh?.position.set(pose[0], pose[1], pose[2]);
      if (shape.kind === "plane") {
        normal.set(...shape.normal).normalize().applyQuaternion(rotation);
        if (normal.y > flattest && this.isVisible[index]) {
          flattest = normal.y;
          this.floorBody = index;
          this.floor.place(mesh!.position, normal);
        }
        mesh!.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), normal);
        this.center(mesh!, normal);
      } else {
        mesh?.quaternion.copy(rotation);
      }
      const deformed = frame.bodies.get(index);
      if (deformed) this.setMesh(index, deformed);
    });
    this.placeFloor(frame);
  }

  /** Places the floor at the most horizontal plane, or at the bottom of the domain if there is no plane. */
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

  /** Moves the square that represents a plane within the plane, to the point closest to the center of the scene. */
  private center(mesh: Mesh, normal: Vector3): void {
    const { center, radius } = this.floor.sceneSphere;
    const distance = new Vector3().subVectors(center, mesh.position).dot(normal);
    mesh.position.copy(center).addScaledVector(normal, -distance);
    mesh.scale.setScalar(3 * radius);
  }

  private mesh({ color, shape }: BodyAppearance): Mesh | null {
    if (shape.kind === "unseen") return null;
    const turns = shape.kind === "ball" && (shape.turns ?? false);
    const own = { uColor: uniform(new Vector3(...color)), uIsPatterned: uniform(turns) };
    // Planes other than the floor are drawn from the front only, because they would hide the scene otherwise.
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

function relative({ min, max }: Bounds, origin: readonly number[]): Bounds {
  const subtract = (corner: Bounds["min"]) => corner.map((value, axis) => value - origin[axis]) as Bounds["min"];
  return { min: subtract(min), max: subtract(max) };
}

function edges({ min, max }: Bounds): LineSegments {
  const size = max.map((value, axis) => value - min[axis]) as [number, number, number];
  const box = new EdgesGeometry(new BoxGeometry(...size));
  box.translate(min[0] + 0.5 * size[0], min[1] + 0.5 * size[1], min[2] + 0.5 * size[2]);
  const lines = new LineSegments(box, new LineBasicMaterial({ color: 0x777c84, transparent: true, opacity: 0.6 }));
  // Layer 1 is visible to the camera but not to the sun, so that the lines cast no shadows.
  lines.layers.set(1);
  return lines;
}
