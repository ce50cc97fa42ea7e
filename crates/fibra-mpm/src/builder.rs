//! Builds the state and the meshes of a run, object by object.

use crate::bending::{Bending, NONE, Plate, Rod, RodFrames};
use crate::mesh::{Meshes, Pin, RestShape};
use crate::state::{Particles, State, UNSET_ALIGNMENT};
use fibra_core::geometry::Motion;
use fibra_core::mat3::{Mat3, Sym3};
use fibra_materials::MeshProperties;
use fibra_materials::kind::Kind;
use glam::{DMat3, DVec3};
use std::ops::Range;

/// Initial motion of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StartMotion {
    /// Velocity of the center [m/s].
    pub velocity: DVec3,
    /// Angular velocity about the center [rad/s].
    pub spin: DVec3,
    /// Center of the object [m].
    pub center: DVec3,
    /// Whether the transfer is affine, so that particles store the rotation in their affine velocity.
    pub affine: bool,
}

impl StartMotion {
    fn velocity_at(&self, x: DVec3) -> [f32; 3] {
        (self.velocity + self.spin.cross(x - self.center)).as_vec3().to_array()
    }

    /// Returns the velocity gradient of a rigid rotation: `C r = spin x r` [1/s].
    fn affine_velocity(&self) -> Mat3 {
        let [x, y, z] = self.spin.as_vec3().to_array();
        if self.affine { Mat3::from_rows([0.0, -z, y, z, 0.0, -x, -y, x, 0.0]) } else { Mat3::ZERO }
    }
}

/// Properties of a mesh: density, cross-section, and source of the elements' deformation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// Rest density [kg/m^3].
    pub density: f64,
    /// Thickness of a surface [m], or cross-sectional area of a curve [m^2]: the rest volume per area or per length.
    pub section: f64,
    /// Whether elements compute their deformation from the mesh. If not, they are ordinary particles that the grid deforms [Jiang2017, Fig. 10 a].
    pub follows_mesh: bool,
}

/// An element that cannot be simulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadElement {
    /// The element has zero length or zero area.
    #[error("element {element} has zero length or area")]
    Flat {
        /// Index of the element.
        element: usize,
    },
    /// The element refers to a vertex that does not exist.
    #[error("element {element} refers to vertex {vertex}, which does not exist")]
    NoVertex {
        /// Index of the element.
        element: usize,
        /// The vertex.
        vertex: u32,
    },
}

/// Builds a state. Points and vertices are numbered in the order they are added, elements after all of them.
#[derive(Debug)]
pub struct Builder {
    /// Origin of the stored coordinates [m].
    origin: DVec3,
    points: Particles,
    elements: Particles,
    meshes: Meshes,
    element_ranges: Vec<(Range<u32>, Kind)>,
    plates: Vec<Plate>,
    rods: Vec<Rod>,
}

impl Builder {
    /// Creates an empty builder; positions are stored relative to `origin` [m].
    pub fn new(origin: DVec3) -> Builder {
        Builder {
            origin,
            points: Particles::default(),
            elements: Particles::default(),
            meshes: Meshes::default(),
            element_ranges: Vec::new(),
            plates: Vec::new(),
            rods: Vec::new(),
        }
    }

    /// Adds particles of a solid, granular material or liquid, each of `volume` [m^3]; returns their ids.
    pub fn add_points(
        &mut self,
        object: u32,
        points: &[DVec3],
        volume: f64,
        density: f64,
        motion: &StartMotion,
    ) -> Range<u32> {
        let p = &mut self.points;
        let first = p.len();
        reserve(p, points.len());
        for &x in points {
            push(p, self.origin, x, motion, Kind::Point, object);
        }
        p.mass[first..].fill((density * volume) as f32);
        p.volume[first..].fill(volume as f32);
        first as u32..p.len() as u32
    }

    /// Sets the material axes of points, by id: `axes` maps a position [m] to the rotation whose columns are the axes. Affects only
    /// anisotropic materials.
    pub fn orient(&mut self, points: Range<u32>, axes: impl Fn(DVec3) -> DMat3) {
        let p = &mut self.points;
        for i in points.start as usize..points.end as usize {
            let x = self.origin + DVec3::from_array(p.x[i].map(f64::from));
            let DMat3 { x_axis, y_axis, z_axis } = axes(x);
            p.f[i] = frame(x_axis, y_axis, z_axis);
        }
    }

    /// Sets the initial alignment of the grains of points, by id: eigenvalues of the orientation tensor along the material
    /// axes, which sum to 1 [-]. Other points start with the initial alignment of their material.
    pub fn align(&mut self, points: Range<u32>, alignment: [f64; 3]) {
        let p = &mut self.points;
        p.alignment.resize(p.x.len(), UNSET_ALIGNMENT);
        p.alignment[points.start as usize..points.end as usize].fill(alignment.map(|w| w as f32));
    }

    /// Adds a surface; returns the ids of its vertices.
    pub fn add_surface(
        &mut self,
        object: u32,
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        fabric: &Fabric,
        motion: &StartMotion,
    ) -> Result<Range<u32>, BadElement> {
        let vertex =
            |element, v: u32| vertices.get(v as usize).copied().ok_or(BadElement::NoVertex { element, vertex: v });
        let mut mesh = NewMesh::of(vertices.len(), triangles.len());
        for (element, &[a, b, c]) in triangles.iter().enumerate() {
            let [xa, xb, xc] = [vertex(element, a)?, vertex(element, b)?, vertex(element, c)?];
            let (e1, e2) = (xb - xa, xc - xa);
            let (length, normal) = (e1.length(), e1.cross(e2));
            let height = normal.length() / length;
            let (d1, d3) = (e1 / length, normal.normalize_or_zero());
            // For thinner triangles, rounding errors of the vertex positions dominate the height.
            if !(length > 0.0 && height > 1e-6 * length && height.is_finite()) {
                return Err(BadElement::Flat { element });
            }
            mesh.elements.push(NewElement {
                corners: [a, b, c],
                rest: RestShape {
                    along: (1.0 / length) as f32,
                    shear: (-e1.dot(e2) / (length * length * height)) as f32,
                    across: (1.0 / height) as f32,
                },
                frame: frame(d1, d3.cross(d1), d3),
                center: (xa + xb + xc) / 3.0,
                volume: 0.5 * normal.length() * fabric.section,
            });
        }
        Ok(self.add_mesh(object, vertices, Kind::Surface, mesh, fabric, motion))
    }

    /// Adds curves, which may be any graph of segments; returns the ids of their vertices.
    pub fn add_curves(
        &mut self,
        object: u32,
        vertices: &[DVec3],
        segments: &[[u32; 2]],
        fabric: &Fabric,
        motion: &StartMotion,
    ) -> Result<Range<u32>, BadElement> {
        let vertex =
            |element, v: u32| vertices.get(v as usize).copied().ok_or(BadElement::NoVertex { element, vertex: v });
        let mut mesh = NewMesh::of(vertices.len(), segments.len());
        for (element, &[a, b]) in segments.iter().enumerate() {
            let [xa, xb] = [vertex(element, a)?, vertex(element, b)?];
            let edge = xb - xa;
            let length = edge.length();
            if !(length > 0.0 && length.is_finite()) {
                return Err(BadElement::Flat { element });
            }
            let d1 = edge / length;
            let d2 = d1.any_orthonormal_vector();
            mesh.elements.push(NewElement {
                corners: [a, b, b],
                rest: RestShape { along: (1.0 / length) as f32, shear: 0.0, across: 0.0 },
                frame: frame(d1, d2, d1.cross(d2)),
                center: 0.5 * (xa + xb),
                volume: length * fabric.section,
            });
        }
        Ok(self.add_mesh(object, vertices, Kind::Curve, mesh, fabric, motion))
    }

    fn add_mesh(
        &mut self,
        object: u32,
        vertices: &[DVec3],
        kind: Kind,
        mut mesh: NewMesh,
        fabric: &Fabric,
        motion: &StartMotion,
    ) -> Range<u32> {
        let first = self.points.len() as u32;
        let first_element = self.elements.len() as u32;
        let stands_for = if fabric.follows_mesh { kind } else { Kind::Point };
        reserve(&mut self.elements, mesh.elements.len());
        self.meshes.corners.reserve_exact(mesh.elements.len());
        if stands_for != Kind::Curve {
            self.meshes.rest.resize(first_element as usize, RestShape::default());
            self.meshes.rest.extend(mesh.elements.iter().map(|element| element.rest));
        }
        for element in &mesh.elements {
            let corners = if kind == Kind::Curve { &element.corners[..2] } else { &element.corners[..] };
            // The mass of an element is shared by its vertices and its quadrature point [Jiang2017, Sec. 4.1].
            let share = fabric.density * element.volume / (corners.len() + 1) as f64;
            corners.iter().for_each(|&vertex| mesh.vertex_masses[vertex as usize] += share);
            let p = &mut self.elements;
            push(p, self.origin, element.center, motion, stands_for, object);
            let last = p.len() - 1;
            p.f[last] = element.frame;
            p.mass[last] = share as f32;
            p.volume[last] = element.volume as f32;
            p.memory[last] = element.rest.along;
            self.meshes.corners.push(element.corners.map(|corner| first + corner));
        }
        let p = &mut self.points;
        reserve(p, vertices.len());
        for (&x, mass) in vertices.iter().zip(mesh.vertex_masses) {
            push(p, self.origin, x, motion, Kind::Vertex, object);
            let last = p.len() - 1;
            p.mass[last] = mass as f32;
        }
        let numbers = first..p.len() as u32;
        self.meshes.ranges.push((numbers.clone(), Kind::Vertex));
        if fabric.follows_mesh {
            self.element_ranges.push((first_element..self.elements.len() as u32, kind));
        }
        numbers
    }

    /// Makes a surface resist bending, if its material does. `first` is the id of its first vertex.
    pub fn bend_surface(
        &mut self,
        first: u32,
        vertices: &[DVec3],
        triangles: &[[u32; 3]],
        material: &MeshProperties,
        density: f64,
    ) {
        if material.bending_stiffness > 0.0 {
            self.plates.push(Plate {
                first,
                vertices: vertices.to_vec(),
                triangles: triangles.to_vec(),
                stiffness: material.bending_stiffness,
                poisson_ratio: material.poisson_ratio,
                area_density: density * material.section,
            });
        }
    }

    /// Makes curves resist bending and twisting, if their material does. `first` is the id of their first vertex.
    pub fn bend_curves(
        &mut self,
        first: u32,
        vertices: &[DVec3],
        segments: &[[u32; 2]],
        material: &MeshProperties,
        density: f64,
    ) {
        if material.bending_stiffness > 0.0 || material.twisting_stiffness > 0.0 {
            self.rods.push(Rod {
                first,
                vertices: vertices.to_vec(),
                segments: segments.to_vec(),
                bending: material.bending_stiffness,
                twisting: material.twisting_stiffness,
                line_density: density * material.section,
                section: material.section,
            });
        }
    }

    /// Creates the hinges, joints and segments of everything that bends.
    fn bending(&self) -> (Bending, RodFrames) {
        let (mut bending, mut frames) = (Bending::default(), RodFrames::default());
        let mut pin_of = vec![NONE; self.points.len()];
        for (index, pin) in self.meshes.pins.iter().enumerate() {
            pin.vertices.iter().for_each(|(vertex, _)| pin_of[*vertex as usize] = index as u32);
        }
        let pins = &self.meshes.pins;
        let forever = |vertex: u32| match pin_of[vertex as usize] {
            NONE => false,
            pin => pins[pin as usize].release == f64::INFINITY,
        };
        self.plates.iter().for_each(|plate| plate.build(forever, &self.points.mass, &mut bending));
        self.rods.iter().for_each(|rod| rod.build(forever, &self.points.mass, &mut bending, &mut frames));
        for segment in &mut bending.segments {
            let [a, b] = segment.ends.map(|vertex| pin_of[vertex as usize]);
            let on_surface = |pin: u32| pin != NONE && matches!(pins[pin as usize].motion, Motion::Attached(_));
            // Vertices on a deforming surface have a pin each; the segment between two of them twists with the first.
            segment.pin = if a == b || on_surface(a) && on_surface(b) { a } else { NONE };
        }
        (bending, frames)
    }

    /// Pins vertices, by id, and prescribes their motion from their current positions. Has no effect if the release time is 0 s
    /// or earlier.
    pub fn add_pin(&mut self, vertices: &[u32], motion: Motion, pivot: DVec3, release: f64) {
        if release <= 0.0 {
            return;
        }
        let p = &mut self.points;
        let start = |&vertex: &u32| {
            let x = DVec3::from_array(p.x[vertex as usize].map(f64::from));
            (vertex, self.origin + x)
        };
        let pin = Pin { vertices: vertices.iter().map(start).collect(), motion, pivot, release };
        for &(vertex, start) in &pin.vertices {
            p.kind[vertex as usize] = Kind::Held;
            let (x, v) = pin.at(start, 0.0);
            p.x[vertex as usize] = (x - self.origin).as_vec3().to_array();
            p.v[vertex as usize] = v.as_vec3().to_array();
        }
        self.meshes.pins.push(pin);
    }

    /// Returns the state at time 0, and the meshes.
    pub fn finish(self) -> (State, Meshes) {
        let (bending, rods) = self.bending();
        let Builder { mut points, elements, mut meshes, element_ranges, .. } = self;
        meshes.bending = bending;
        meshes.first_element = points.len() as u32;
        let shift = |range: Range<u32>| range.start + meshes.first_element..range.end + meshes.first_element;
        let ranges: Vec<_> = element_ranges.into_iter().map(|(range, kind)| (shift(range), kind)).collect();
        meshes.ranges.extend(ranges);
        if !meshes.corners.is_empty() {
            append(&mut points, elements);
            points.pull = vec![[0.0; 3]; points.len()];
        }
        if !points.alignment.is_empty() {
            points.alignment.resize(points.x.len(), UNSET_ALIGNMENT);
        }
        points.id = (0..points.len() as u32).collect();
        (State { particles: points, rods, ..State::default() }, meshes)
    }
}

/// The mesh of one object.
struct NewMesh {
    elements: Vec<NewElement>,
    vertex_masses: Vec<f64>,
}

impl NewMesh {
    fn of(vertices: usize, elements: usize) -> NewMesh {
        NewMesh { elements: Vec::with_capacity(elements), vertex_masses: vec![0.0; vertices] }
    }
}

struct NewElement {
    corners: [u32; 3],
    rest: RestShape,
    frame: Mat3,
    center: DVec3,
    volume: f64,
}

/// Returns the matrix with the given columns.
fn frame(d1: DVec3, d2: DVec3, d3: DVec3) -> Mat3 {
    let [a, b, c] = [d1, d2, d3].map(|d| d.as_vec3());
    Mat3::from_rows([a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z])
}

/// Adds a particle at the world position `x`; `origin` is the origin of the stored coordinates [m].
fn push(p: &mut Particles, origin: DVec3, x: DVec3, motion: &StartMotion, kind: Kind, object: u32) {
    p.x.push((x - origin).as_vec3().to_array());
    p.v.push(motion.velocity_at(x));
    p.c.push(motion.affine_velocity());
    p.f.push(Mat3::IDENTITY);
    p.tau.push(Sym3::ZERO);
    p.memory.push(0.0);
    p.mass.push(0.0);
    p.volume.push(0.0);
    p.kind.push(kind);
    p.object.push(object);
}

/// Reserves memory for exactly `more` further particles, because doubling would waste up to half of the memory.
fn reserve(p: &mut Particles, more: usize) {
    p.x.reserve_exact(more);
    p.v.reserve_exact(more);
    p.c.reserve_exact(more);
    p.f.reserve_exact(more);
    p.tau.reserve_exact(more);
    p.memory.reserve_exact(more);
    p.mass.reserve_exact(more);
    p.volume.reserve_exact(more);
    p.kind.reserve_exact(more);
    p.object.reserve_exact(more);
}

/// Appends `more` to the particles, freeing each of its fields as soon as it is copied.
fn append(p: &mut Particles, more: Particles) {
    fn extend<T: Copy>(to: &mut Vec<T>, from: Vec<T>) {
        to.reserve_exact(from.len());
        to.extend_from_slice(&from);
    }
    extend(&mut p.x, more.x);
    extend(&mut p.v, more.v);
    extend(&mut p.c, more.c);
    extend(&mut p.f, more.f);
    extend(&mut p.tau, more.tau);
    extend(&mut p.memory, more.memory);
    extend(&mut p.mass, more.mass);
    extend(&mut p.volume, more.volume);
    extend(&mut p.kind, more.kind);
    extend(&mut p.object, more.object);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alignment_is_set_for_a_range_of_points_only() {
        let mut builder = Builder::new(DVec3::ZERO);
        let points = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let motion = StartMotion::default();
        builder.add_points(0, &points, 1.0, 1.0, &motion);
        let ids = builder.add_points(1, &points, 1.0, 1.0, &motion);
        builder.align(ids.start..ids.start + 2, [0.25, 0.25, 0.5]);
        builder.add_points(2, &points, 1.0, 1.0, &motion);
        let (state, _) = builder.finish();
        let expected: Vec<_> =
            (0..9).map(|i| if i == 3 || i == 4 { [0.25, 0.25, 0.5] } else { UNSET_ALIGNMENT }).collect();
        assert_eq!(state.particles.alignment, expected);
    }
}
