//! Triangle meshes that deform over time: recorded as frames, or following a motion with a delay.

use super::mesh::check_coordinates;
use super::{Bounds, DeformedMesh, MeshFlaw, Motion, RigidState, TriangleMesh};
use glam::{DVec3, Vec3};
use std::fmt;
use thiserror::Error;

/// A triangle mesh as a function of time, in its body's frame.
#[derive(Clone)]
pub struct DeformingMesh {
    start: DeformedMesh,
    center: DVec3,
    bounds: Bounds,
    triangles: Vec<[u32; 3]>,
    vertex_motion: VertexMotion,
}

/// Vertex positions [m] as a function of time.
#[derive(Clone)]
enum VertexMotion {
    /// Linear interpolation between frames, constant before the first and after the last.
    Recorded { frames: Vec<Vec<DVec3>>, fps: f64 },
    /// Each vertex follows the motion about the pivot [m] with a delay [s].
    Trailing { rest: Vec<DVec3>, motion: Box<Motion>, pivot: DVec3, delays: Vec<f64> },
}

/// Error from creating a deforming mesh.
#[derive(Debug, Error)]
pub enum DeformationError {
    /// A frame is not a valid mesh.
    #[error("{frame}: {flaw}")]
    Flaw {
        /// The frame.
        frame: String,
        /// What is wrong with the frame.
        flaw: MeshFlaw,
    },
    /// There are no frames.
    #[error("{name}: there are no frames; at least one is needed")]
    NoFrames {
        /// The recording.
        name: String,
    },
    /// Two frames differ in more than vertex positions.
    #[error(
        "{frame} differs from {first} in its triangles or number of vertices; all frames must have the same topology"
    )]
    OtherMesh {
        /// The frame that differs.
        frame: String,
        /// The first frame.
        first: String,
    },
    /// A number is out of range.
    #[error("{what} is {value}; it must be {allowed}")]
    Number {
        /// Name of the number.
        what: &'static str,
        /// The value.
        value: f64,
        /// The allowed range.
        allowed: &'static str,
    },
    /// The number of delays is not the number of vertices.
    #[error("a mesh with {vertices} vertices was given {delays} delays; one is needed per vertex")]
    Delays {
        /// Number of vertices.
        vertices: usize,
        /// Number of delays given.
        delays: usize,
    },
}

impl DeformingMesh {
    /// Creates a mesh from frames recorded at a constant rate `fps` [1/s] from time 0. There must be at least one frame, and all must have
    /// the same triangles. `thickness` [m] is as in [`DeformedMesh::new`].
    pub fn recorded(frames: &[TriangleMesh], fps: f64, thickness: f32) -> Result<Self, DeformationError> {
        let Some(first) = frames.first() else {
            return Err(DeformationError::NoFrames { name: "recorded".to_owned() });
        };
        let same = |mesh: &TriangleMesh| mesh.triangles() == first.triangles();
        if let Some(index) = frames.iter().position(|mesh| !same(mesh)) {
            return Err(DeformationError::OtherMesh { frame: format!("frame {index}"), first: "frame 0".to_owned() });
        }
        let places = frames.iter().map(|mesh| mesh.vertices().to_vec()).collect();
        Self::of_places(first.triangles().to_vec(), places, fps, thickness, "recorded")
    }

    /// Creates a recorded mesh from triangles and the vertex positions of each frame [m]. The first frame must be a valid mesh; in later
    /// frames triangles may be degenerate. `name` is the file name in error messages.
    pub fn of_places(
        triangles: Vec<[u32; 3]>,
        frames: Vec<Vec<DVec3>>,
        fps: f64,
        thickness: f32,
        name: &str,
    ) -> Result<Self, DeformationError> {
        let Some(first) = frames.first() else {
            return Err(DeformationError::NoFrames { name: name.to_owned() });
        };
        positive("the number of frames per second", fps)?;
        let named = |index: usize| format!("{name}, frame {index}");
        for (index, places) in frames.iter().enumerate() {
            if places.len() != first.len() {
                return Err(DeformationError::OtherMesh { frame: named(index), first: named(0) });
            }
            check_coordinates(places).map_err(|flaw| DeformationError::Flaw { frame: named(index), flaw })?;
        }
        let mesh = TriangleMesh::new(first.clone(), triangles);
        let mesh = mesh.map_err(|flaw| DeformationError::Flaw { frame: named(0), flaw })?;
        Self::new(&mesh, thickness, VertexMotion::Recorded { frames, fps })
    }

    /// Creates a mesh that follows a motion about `pivot` [m], each vertex with its own delay [s]: for example, a garment that lags behind
    /// the body that wears it.
    pub fn trailing(
        mesh: &TriangleMesh,
        motion: Motion,
        pivot: DVec3,
        delays: Vec<f64>,
        thickness: f32,
    ) -> Result<Self, DeformationError> {
        if delays.len() != mesh.vertices().len() {
            return Err(DeformationError::Delays { vertices: mesh.vertices().len(), delays: delays.len() });
        }
        if let Some(&value) = delays.iter().find(|delay| !delay.is_finite()) {
            return Err(DeformationError::Number { what: "a delay", value, allowed: "finite" });
        }
        let pivot = motion.pivot(pivot);
        let (rest, motion) = (mesh.vertices().to_vec(), Box::new(motion));
        Self::new(mesh, thickness, VertexMotion::Trailing { rest, motion, pivot, delays })
    }

    fn new(mesh: &TriangleMesh, thickness: f32, vertex_motion: VertexMotion) -> Result<Self, DeformationError> {
        positive("the thickness of a deforming mesh", thickness.into())?;
        let bounds = mesh.bounds();
        let center = bounds.center();
        let mut start = DeformedMesh::new(mesh, center, thickness);
        let made = Self { start: start.clone(), center, bounds, triangles: mesh.triangles().to_vec(), vertex_motion };
        made.move_to(0.0, &mut start, &mut Vec::new(), &mut Vec::new());
        Ok(Self { start, ..made })
    }

    /// Returns the center [m], in the body's frame. Queries and positions are relative to this point.
    pub fn center(&self) -> DVec3 {
        self.center
    }

    /// Returns the bounding box of the mesh at the start, in the body's frame.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Returns the vertex indices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the mesh at the start, to be updated with [`DeformingMesh::move_to`].
    pub fn start(&self) -> &DeformedMesh {
        &self.start
    }

    /// Returns the positions of the vertices at time `t` [s], in the body's frame [m].
    pub fn places(&self, t: f64) -> Vec<Vec3> {
        self.places_and_velocities(t).0
    }

    /// Returns the positions [m] and velocities [m/s] of the vertices at time `t` [s], in the body's frame.
    pub fn places_and_velocities(&self, t: f64) -> (Vec<Vec3>, Vec<Vec3>) {
        let (mut positions, mut velocities) = (Vec::new(), Vec::new());
        self.vertices(t, &mut positions, &mut velocities);
        let center = self.center.as_vec3();
        positions.iter_mut().for_each(|x| *x += center);
        (positions, velocities)
    }

    /// Computes the positions [m, relative to the center] and velocities [m/s] of the vertices at time `t` [s]. Allocates nothing if both
    /// vectors have enough capacity.
    pub fn vertices(&self, t: f64, positions: &mut Vec<Vec3>, velocities: &mut Vec<Vec3>) {
        positions.clear();
        velocities.clear();
        let local = |x: DVec3| (x - self.center).as_vec3();
        match &self.vertex_motion {
            VertexMotion::Recorded { frames, fps } => {
                let moment = Moment::new(frames, *fps, t);
                for (a, b) in moment.from.iter().zip(moment.to) {
                    let [x, v] = moment.vertex(*a, *b);
                    positions.push(local(x));
                    velocities.push(v.as_vec3());
                }
            }
            VertexMotion::Trailing { rest, motion, pivot, delays } => {
                let mut before = (f64::NAN, motion.at(t));
                for (x, delay) in rest.iter().zip(delays) {
                    // Consecutive vertices in a row share the same delay: reuse the state.
                    if *delay != before.0 {
                        before = (*delay, motion.at(t - delay));
                    }
                    let [x, v] = displaced(*x, *pivot, &before.1);
                    positions.push(local(x));
                    velocities.push(v.as_vec3());
                }
            }
        }
    }

    /// Returns the positions [m] and velocities [m/s] of three vertices at time `t` [s], in the body's frame.
    pub(super) fn corners_at(&self, corners: [u32; 3], t: f64) -> ([DVec3; 3], [DVec3; 3]) {
        let corners = corners.map(|vertex| vertex as usize);
        let states = match &self.vertex_motion {
            VertexMotion::Recorded { frames, fps } => {
                let moment = Moment::new(frames, *fps, t);
                corners.map(|v| moment.vertex(moment.from[v], moment.to[v]))
            }
            VertexMotion::Trailing { rest, motion, pivot, delays } => {
                corners.map(|v| displaced(rest[v], *pivot, &motion.at(t - delays[v])))
            }
        };
        (states.map(|[x, _]| x), states.map(|[_, v]| v))
    }

    /// Moves `mesh`, a copy of [`DeformingMesh::start`], to time `t` [s]. `positions` and `velocities` are workspace; nothing is allocated
    /// if they have enough capacity.
    pub fn move_to(&self, t: f64, mesh: &mut DeformedMesh, positions: &mut Vec<Vec3>, velocities: &mut Vec<Vec3>) {
        self.vertices(t, positions, velocities);
        // The counts match unless `mesh` is a different mesh, which is then left unchanged.
        let _ = mesh.set_vertices(positions, velocities);
    }

    /// Returns the mesh at time `t` [s].
    pub fn at(&self, t: f64) -> DeformedMesh {
        let mut mesh = self.start.clone();
        self.move_to(t, &mut mesh, &mut Vec::new(), &mut Vec::new());
        mesh
    }
}

/// A time between two recorded frames.
struct Moment<'a> {
    from: &'a [DVec3],
    to: &'a [DVec3],
    /// Relative position between the two frames [-].
    share: f64,
    /// Frames per second; 0 outside the recording [1/s].
    rate: f64,
}

impl Moment<'_> {
    fn new(frames: &[Vec<DVec3>], fps: f64, t: f64) -> Moment<'_> {
        let last = frames.len() - 1;
        let place = (t * fps).clamp(0.0, last as f64);
        let from = place.floor() as usize;
        let to = (from + 1).min(last);
        // Constant before the first frame and after the last.
        let rate = if t < 0.0 { 0.0 } else { fps };
        Moment { from: &frames[from], to: &frames[to], share: place.fract(), rate }
    }

    /// Returns the position and the velocity of a vertex, from its positions in the two frames.
    fn vertex(&self, a: DVec3, b: DVec3) -> [DVec3; 2] {
        [a.lerp(b, self.share), self.rate * (b - a)]
    }
}

/// Returns the position and the velocity of a point that a motion displaces about a pivot.
fn displaced(x: DVec3, pivot: DVec3, state: &RigidState) -> [DVec3; 2] {
    let arm = state.rotation * (x - pivot);
    [pivot + state.translation + arm, state.linear_velocity + state.angular_velocity.cross(arm)]
}

impl fmt::Debug for DeformingMesh {
    /// Prints a summary without the vertices.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let vertex_motion = match &self.vertex_motion {
            VertexMotion::Recorded { frames, fps } => format!("{} frames at {fps}/s", frames.len()),
            VertexMotion::Trailing { .. } => "trailing".to_owned(),
        };
        write!(f, "DeformingMesh {{ {:?}, {vertex_motion} }}", self.start)
    }
}

fn positive(what: &'static str, value: f64) -> Result<(), DeformationError> {
    let allowed = "positive and finite";
    if value > 0.0 && value.is_finite() { Ok(()) } else { Err(DeformationError::Number { what, value, allowed }) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::test_meshes::icosphere;
    use crate::geometry::{BodyPart, Dance};

    fn moved(mesh: &TriangleMesh, f: impl Fn(DVec3) -> DVec3) -> TriangleMesh {
        let vertices = mesh.vertices().iter().map(|x| f(*x)).collect();
        TriangleMesh::new(vertices, mesh.triangles().to_vec()).unwrap()
    }

    #[test]
    fn recorded_frames_are_interpolated_linearly() {
        let ball = icosphere(3, 1.0);
        let frames = [ball.clone(), moved(&ball, |x| 2.0 * x), moved(&ball, |x| 2.0 * x + DVec3::X)];
        let mesh = DeformingMesh::recorded(&frames, 10.0, 0.01).unwrap();
        let at = |t: f64, x: Vec3| mesh.at(t).within(x - mesh.center().as_vec3(), 9.0).unwrap();
        for (t, radius, growth) in [(-1.0, 1.0, 0.0), (0.05, 1.5, 10.0), (0.09, 1.9, 10.0)] {
            let point = at(t, Vec3::new(0.0, 3.0, 0.0));
            assert!((point.distance - (3.0 - radius)).abs() < 0.02 * radius, "{t}: {point:?}");
            assert!(point.velocity.distance(growth * Vec3::Y) < 0.3, "{t}: {point:?}");
        }
        assert!(at(0.15, Vec3::new(4.0, 0.0, 0.0)).velocity.distance(10.0 * Vec3::X) < 1e-4);
        let end = at(7.0, Vec3::new(4.0, 0.0, 0.0));
        assert!((end.distance - 1.0).abs() < 0.02 && end.velocity == Vec3::ZERO);
    }

    #[test]
    fn triangles_may_degenerate_after_the_first_frame() {
        let ball = icosphere(2, 1.0);
        let [a, b, c] = ball.triangles()[7].map(|vertex| vertex as usize);
        let (mut doubled, mut on_a_line) = (ball.vertices().to_vec(), ball.vertices().to_vec());
        doubled[a] = doubled[b];
        on_a_line[c] = 0.5 * (on_a_line[a] + on_a_line[b]);
        let middle = ball.vertices()[b].as_vec3();
        for flat in [doubled, on_a_line] {
            let frames = vec![ball.vertices().to_vec(), flat];
            let mesh = DeformingMesh::of_places(ball.triangles().to_vec(), frames, 1.0, 0.01, "ball").unwrap();
            let end = mesh.at(1.0);
            let places = mesh.places(1.0);
            // Query points around the flat triangles, exactly at their corners, and far away.
            let around = (0..9i32.pow(3)).map(|i| {
                let grid = [i % 9, i / 9 % 9, i / 81].map(|n| (n - 4) as f32);
                middle + 0.15 * Vec3::from_array(grid)
            });
            for x in around.chain([a, b, c].map(|v| places[v])).chain([Vec3::splat(9.0), Vec3::ZERO]) {
                let point = end.within(x - mesh.center().as_vec3(), f32::INFINITY).unwrap();
                assert!(point.distance.is_finite() && point.velocity.is_finite(), "{x}: {point:?}");
                assert!(point.normal.is_normalized(), "{x}: {point:?}");
                // The dents in the ball are about as deep as its triangles are long.
                assert!((point.distance - (x.length() - 1.0)).abs() < 0.1, "{x}: {point:?}");
            }
        }
        let error_of = |frame: Vec<DVec3>| {
            let frames = vec![ball.vertices().to_vec(), frame];
            DeformingMesh::of_places(ball.triangles().to_vec(), frames, 1.0, 0.01, "ball").unwrap_err().to_string()
        };
        let mut broken = ball.vertices().to_vec();
        broken[3].y = f64::NAN;
        assert!(error_of(broken).contains("ball, frame 1: vertex 3 is at"));
        assert!(error_of(ball.vertices()[1..].to_vec()).contains("ball, frame 1 differs from ball, frame 0"));
    }

    #[test]
    fn trailing_velocities_are_derivatives_of_positions() {
        let ball = icosphere(2, 0.2);
        let motion = Motion::Dance(Dance::new(BodyPart::Chest, 1.0).unwrap());
        let delays = ball.vertices().iter().map(|x| 0.2 - x.y).collect();
        let mesh = DeformingMesh::trailing(&ball, motion, DVec3::ZERO, delays, 0.01).unwrap();
        let at = |t: f64| {
            let (mut positions, mut velocities) = (Vec::new(), Vec::new());
            mesh.vertices(t, &mut positions, &mut velocities);
            (positions, velocities)
        };
        let h = 2e-3;
        let (before, now, after) = (at(1.7 - h), at(1.7), at(1.7 + h));
        for (v, velocity) in now.1.iter().enumerate() {
            let slope = (after.0[v] - before.0[v]) / (2.0 * h as f32);
            assert!(slope.distance(*velocity) < 1e-3, "{slope} {velocity}");
        }
        assert_eq!(at(0.0).1, vec![Vec3::ZERO; ball.vertices().len()]);
    }

    #[test]
    fn invalid_deformations_are_errors() {
        let ball = icosphere(0, 1.0);
        for (fps, thickness) in [(0.0, 0.1), (f64::NAN, 0.1), (1.0, 0.0), (1.0, f32::NAN)] {
            assert!(DeformingMesh::recorded(std::slice::from_ref(&ball), fps, thickness).is_err());
        }
        assert!(DeformingMesh::recorded(&[], 1.0, 0.1).is_err());
        assert!(DeformingMesh::trailing(&ball, Motion::Still, DVec3::ZERO, vec![0.0], 0.1).is_err());
    }
}
