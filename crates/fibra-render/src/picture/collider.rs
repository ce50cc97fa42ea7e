//! Draws colliders at their poses in the frame, and the edges of the domain.

use super::view::Bounds;
use crate::ray_caster::{Capsule, Finish, Ground, Mesh, Picture, Sphere};
use fibra_core::appearance::{BodyAppearance, BodyShape};
use fibra_core::frame::{Frame, Pose};
use fibra_scene::Domain;
use glam::{DVec3, Quat, Vec3};
use std::f32::consts::{PI, TAU};

/// Color of the domain's edges, linear RGB.
const EDGE_COLOR: Vec3 = Vec3::new(0.36, 0.36, 0.38);

/// Radius of the domain's drawn edges, relative to the length of the domain [-].
const EDGE_RADIUS: f32 = 0.0025;

/// Appearance of a scene's colliders.
pub(super) struct CollidersLook {
    /// One entry for each body of the scene's colliders, and one for the head.
    bodies: Vec<BodyAppearance>,
    domain: Option<Domain>,
}

impl CollidersLook {
    pub(super) fn new(bodies: Vec<BodyAppearance>, domain: Option<Domain>) -> CollidersLook {
        CollidersLook { bodies, domain }
    }

    /// Adds the colliders at their poses in `frame` to a picture.
    pub(super) fn draw(&self, frame: &Frame, bounds: Bounds, picture: &mut Picture) {
        let mut planes = Vec::new();
        for (body, pose) in self.bodies.iter().zip(&frame.colliders) {
            let (at, turn) = placed(pose);
            let (color, finish) = (body.color, Finish::Matte);
            match &body.shape {
                BodyShape::Unseen => {}
                BodyShape::Plane { normal } => planes.push((at, turn * *normal, color)),
                BodyShape::Ball { radius, turns: false } => {
                    picture.spheres.push(Sphere { center: at, radius: *radius, color, finish });
                }
                BodyShape::Ball { radius, turns: true } => {
                    picture.meshes.push(patterned_ball(*radius, color).placed(turn, at));
                }
                BodyShape::Capsule { half_height, radius } => picture.capsules.push(Capsule {
                    ends: [-1.0, 1.0].map(|end| at + turn * (end * *half_height * Vec3::Y)),
                    radii: [*radius; 2],
                    color,
                    finish,
                }),
                BodyShape::Mesh { positions, triangles } => {
                    picture.meshes.push(matte(positions.clone(), triangles, color).placed(turn, at));
                }
                BodyShape::Deforming(mesh) => {
                    picture.meshes.push(matte(mesh.places(frame.time), mesh.triangles(), color).placed(turn, at));
                }
            }
        }
        if let Some(domain) = &self.domain {
            let corner = |corner: [f64; 3]| (DVec3::from_array(corner) - DVec3::from_array(frame.origin)).as_vec3();
            let (low, high) = (corner(domain.min), corner(domain.max));
            draw_edges(low, high, picture);
            if planes.is_empty() {
                planes.push((low, Vec3::Y, Ground::default().color));
            }
        }
        draw_planes(planes, bounds, picture);
    }
}

fn matte(positions: Vec<Vec3>, triangles: &[[u32; 3]], color: Vec3) -> Mesh {
    Mesh { positions, triangles: triangles.to_vec(), ..Mesh::default() }.painted(color, Finish::Matte)
}

fn placed(pose: &Pose) -> (Vec3, Quat) {
    (Vec3::from_array(pose.translation), Quat::from_array(pose.rotation))
}

/// Returns a ball with a pattern of light and dark fields, which makes its rotation visible.
pub(super) fn patterned_ball(radius: f32, color: Vec3) -> Mesh {
    const MERIDIANS: u32 = 160;
    const PARALLELS: u32 = 80;
    const FIELDS: u32 = 8;
    let mut mesh = Mesh { finish: Finish::Matte, color, ..Mesh::default() };
    for parallel in 0..=PARALLELS {
        let (ring, height) = (PI * parallel as f32 / PARALLELS as f32).sin_cos();
        for meridian in 0..MERIDIANS {
            let (sine, cosine) = (TAU * meridian as f32 / MERIDIANS as f32).sin_cos();
            let normal = Vec3::new(ring * sine, height, ring * cosine);
            mesh.positions.push(radius * normal);
            mesh.normals.push(normal);
            let field = meridian * FIELDS / MERIDIANS + 4 * parallel / (PARALLELS + 1);
            mesh.vertex_colors.push(if field.is_multiple_of(2) { color } else { 0.55 * color });
        }
    }
    for parallel in 0..PARALLELS {
        for meridian in 0..MERIDIANS {
            let next = (meridian + 1) % MERIDIANS;
            let [a, b] = [meridian, next].map(|m| parallel * MERIDIANS + m);
            let [d, c] = [a, b].map(|above| above + MERIDIANS);
            // At the poles, one of the two triangles is degenerate.
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

/// Draws the most horizontal plane as the ground. Other planes are drawn as squares if the camera is in front of them.
fn draw_planes(mut planes: Vec<(Vec3, Vec3, Vec3)>, bounds: Bounds, picture: &mut Picture) {
    planes.sort_by(|a, b| b.1.y.total_cmp(&a.1.y));
    let (middle, reach) = bounds.bounding_sphere();
    for (index, (point, normal, color)) in planes.into_iter().enumerate() {
        if index == 0 && normal.y > 0.1 {
            picture.ground = Some(Ground { point, normal, color, ..Ground::default() });
        } else if (picture.camera.eye - point).dot(normal) > 0.0 {
            let center = middle - (middle - point).dot(normal) * normal;
            let (u, v) = normal.any_orthonormal_pair();
            let corners = [-u - v, u - v, u + v, v - u].map(|corner| center + 1.5 * reach * corner);
            picture.meshes.push(Mesh {
                positions: corners.to_vec(),
                triangles: vec![[0, 1, 2], [0, 2, 3]],
                color,
                ..Mesh::default()
            });
        }
    }
}

/// Draws the twelve edges of a box as thin capsules.
fn draw_edges(low: Vec3, high: Vec3, picture: &mut Picture) {
    let radius = EDGE_RADIUS * (high - low).max_element();
    let corner = |bits: u32| Vec3::select(glam::BVec3::new(bits & 1 > 0, bits & 2 > 0, bits & 4 > 0), high, low);
    for axis in 0..3 {
        for bits in (0..8).filter(|bits| bits >> axis & 1 == 0) {
            let ends = [corner(bits), corner(bits | 1 << axis)];
            picture.capsules.push(Capsule { ends, radii: [radius; 2], color: EDGE_COLOR, finish: Finish::Matte });
        }
    }
}
