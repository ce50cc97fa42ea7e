//! Colliders, drawn by their shape where the frame says they are, and the edges of the domain.

use super::PictureError;
use super::view::Room;
use crate::assembly::{deforming_mesh, read_mesh};
use crate::render::{Capsule, Finish, Ground, Mesh, Picture, Sphere};
use crate::scene::{Collider, Domain, Motion, Scene, Shape};
use fibra_core::frame::{Frame, Pose};
use fibra_core::geometry::DeformingMesh;
use glam::{DVec3, Quat, Vec3};
use std::f32::consts::{PI, TAU};

/// Colour of colliders that the scene gives none, linear RGB.
const STONE: Vec3 = Vec3::new(0.36, 0.36, 0.38);

/// Thickness of the domain's drawn edges over the length of the domain [-].
const EDGE: f32 = 0.0025;

/// How a scene's colliders look.
pub(super) struct CollidersLook {
    /// One for each body among the scene's colliders.
    solids: Vec<Solid>,
    domain: Option<Domain>,
}

/// A collider in its own frame.
enum Solid {
    Unseen,
    Plane { normal: Vec3, colour: Option<Vec3> },
    Ball { radius: f32, colour: Vec3 },
    Capsule { half_height: f32, radius: f32, colour: Vec3 },
    Mesh(Mesh),
    Deforming { mesh: Box<DeformingMesh>, colour: Vec3 },
}

impl CollidersLook {
    pub(super) fn new(scene: &Scene) -> Result<CollidersLook, PictureError> {
        let solids = scene.bodies().iter().map(solid).collect::<Result<_, _>>()?;
        Ok(CollidersLook { solids, domain: scene.domain.clone() })
    }

    /// Adds the colliders, as they are in `frame`, to a picture.
    pub(super) fn draw(&self, frame: &Frame, room: Room, picture: &mut Picture) {
        let mut planes = Vec::new();
        for (solid, pose) in self.solids.iter().zip(&frame.colliders) {
            let (at, turn) = placed(pose);
            match solid {
                Solid::Unseen => {}
                Solid::Plane { normal, colour } => planes.push((at, turn * *normal, *colour)),
                Solid::Ball { radius, colour } => {
                    picture.spheres.push(Sphere { centre: at, radius: *radius, colour: *colour, finish: Finish::Matte })
                }
                Solid::Capsule { half_height, radius, colour } => picture.capsules.push(Capsule {
                    ends: [-1.0, 1.0].map(|end| at + turn * (end * *half_height * Vec3::Y)),
                    radii: [*radius; 2],
                    colour: *colour,
                    finish: Finish::Matte,
                }),
                Solid::Mesh(mesh) => picture.meshes.push(mesh.clone().placed(turn, at)),
                Solid::Deforming { mesh, colour } => {
                    picture.meshes.push(deformed(mesh, frame.time, *colour).placed(turn, at));
                }
            }
        }
        if let Some(domain) = &self.domain {
            let corner = |corner: [f64; 3]| (DVec3::from_array(corner) - DVec3::from_array(frame.origin)).as_vec3();
            let (low, high) = (corner(domain.min), corner(domain.max));
            draw_edges(low, high, picture);
            if planes.is_empty() {
                planes.push((low, Vec3::Y, None));
            }
        }
        draw_planes(planes, room, picture);
    }
}

fn solid(collider: &Collider) -> Result<Solid, PictureError> {
    let given = collider.color.map(|color| Vec3::from_array(color.map(|c| c as f32)));
    let colour = given.unwrap_or(STONE);
    let painted = |mesh: Mesh| Solid::Mesh(mesh.painted(colour, Finish::Matte));
    Ok(match &collider.shape {
        _ if !collider.visible => Solid::Unseen,
        Shape::Plane(plane) => {
            Solid::Plane { normal: DVec3::from_array(plane.normal).normalize_or(DVec3::Y).as_vec3(), colour: given }
        }
        // Its parts are drawn.
        Shape::Figure(_) => Solid::Unseen,
        Shape::Shawl(_) | Shape::DeformingMesh(_) => {
            let made = deforming_mesh(&collider.shape, &collider.motion).map_err(|source| PictureError::Deforming {
                collider: collider.name.clone(),
                source: Box::new(source),
            })?;
            made.map_or(Solid::Unseen, |mesh| Solid::Deforming { mesh: Box::new(mesh), colour })
        }
        Shape::Sphere(sphere) => {
            let radius = sphere.radius as f32;
            match collider.motion {
                Motion::Still => Solid::Ball { radius, colour },
                _ => Solid::Mesh(patterned_ball(radius, colour)),
            }
        }
        Shape::Box(cuboid) => painted(Mesh::cuboid(0.5 * DVec3::from_array(cuboid.size).as_vec3())),
        Shape::Cylinder(cylinder) => painted(Mesh::cylinder(cylinder.radius as f32, 0.5 * cylinder.height as f32)),
        Shape::Capsule(capsule) => Solid::Capsule {
            half_height: 0.5 * DVec3::from_array(capsule.start).distance(DVec3::from_array(capsule.end)) as f32,
            radius: capsule.radius as f32,
            colour,
        },
        Shape::Mesh(mesh) => {
            let read = read_mesh(mesh)
                .map_err(|source| PictureError::Mesh { collider: collider.name.clone(), source: source.into() })?;
            painted(Mesh {
                positions: read.vertices().iter().map(|vertex| vertex.as_vec3()).collect(),
                triangles: read.triangles().to_vec(),
                ..Mesh::default()
            })
        }
    })
}

/// What a mesh that deforms looks like at time `t` [s].
fn deformed(mesh: &DeformingMesh, t: f64, colour: Vec3) -> Mesh {
    let (mut positions, mut velocities) = (Vec::new(), Vec::new());
    mesh.vertices(t, &mut positions, &mut velocities);
    let centre = mesh.centre().as_vec3();
    positions.iter_mut().for_each(|x| *x += centre);
    Mesh { positions, triangles: mesh.triangles().to_vec(), ..Mesh::default() }.painted(colour, Finish::Matte)
}

fn placed(pose: &Pose) -> (Vec3, Quat) {
    (Vec3::from_array(pose.translation), Quat::from_array(pose.rotation))
}

/// A ball with light and dark fields, so that one can see it turn.
pub(super) fn patterned_ball(radius: f32, colour: Vec3) -> Mesh {
    const MERIDIANS: u32 = 160;
    const PARALLELS: u32 = 80;
    const FIELDS: u32 = 8;
    let mut mesh = Mesh { finish: Finish::Matte, colour, ..Mesh::default() };
    for parallel in 0..=PARALLELS {
        let (ring, height) = (PI * parallel as f32 / PARALLELS as f32).sin_cos();
        for meridian in 0..MERIDIANS {
            let (sine, cosine) = (TAU * meridian as f32 / MERIDIANS as f32).sin_cos();
            let normal = Vec3::new(ring * sine, height, ring * cosine);
            mesh.positions.push(radius * normal);
            mesh.normals.push(normal);
            let field = meridian * FIELDS / MERIDIANS + 4 * parallel / (PARALLELS + 1);
            mesh.vertex_colours.push(if field.is_multiple_of(2) { colour } else { 0.55 * colour });
        }
    }
    for parallel in 0..PARALLELS {
        for meridian in 0..MERIDIANS {
            let next = (meridian + 1) % MERIDIANS;
            let [a, b] = [meridian, next].map(|m| parallel * MERIDIANS + m);
            let [d, c] = [a, b].map(|above| above + MERIDIANS);
            // At the poles one of the two has no area.
            if parallel + 1 < PARALLELS {
                mesh.triangles.push([a, d, c]);
            }
            if parallel > 0 {
                mesh.triangles.push([a, c, b]);
            }
        }
    }
    mesh
}

/// The flattest plane is the ground; of the others one sees a square, when one is on their open side.
fn draw_planes(mut planes: Vec<(Vec3, Vec3, Option<Vec3>)>, room: Room, picture: &mut Picture) {
    planes.sort_by(|a, b| b.1.y.total_cmp(&a.1.y));
    let (middle, reach) = room.ball();
    for (index, (point, normal, colour)) in planes.into_iter().enumerate() {
        if index == 0 && normal.y > 0.1 {
            let ground = Ground::default();
            picture.ground = Some(Ground { point, normal, colour: colour.unwrap_or(ground.colour), ..ground });
        } else if (picture.camera.eye - point).dot(normal) > 0.0 {
            let centre = middle - (middle - point).dot(normal) * normal;
            let (u, v) = normal.any_orthonormal_pair();
            let corners = [-u - v, u - v, u + v, v - u].map(|corner| centre + 1.5 * reach * corner);
            picture.meshes.push(Mesh {
                positions: corners.to_vec(),
                triangles: vec![[0, 1, 2], [0, 2, 3]],
                colour: colour.unwrap_or(STONE),
                ..Mesh::default()
            });
        }
    }
}

/// The twelve edges of a box as thin rods.
fn draw_edges(low: Vec3, high: Vec3, picture: &mut Picture) {
    let radius = EDGE * (high - low).max_element();
    let corner = |bits: u32| Vec3::select(glam::BVec3::new(bits & 1 > 0, bits & 2 > 0, bits & 4 > 0), high, low);
    for axis in 0..3 {
        for bits in (0..8).filter(|bits| bits >> axis & 1 == 0) {
            let ends = [corner(bits), corner(bits | 1 << axis)];
            picture.capsules.push(Capsule { ends, radii: [radius; 2], colour: STONE, finish: Finish::Matte });
        }
    }
}
