//! The output of a run at one time: written to `frames/`, rendered, viewed and exported.

/// The output of a run at one time. Points keep their index from frame to frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Frame number, starting at 0 for the initial state.
    pub index: u32,
    /// Simulated time [s].
    pub time: f64,
    /// Run origin [m]: add it to every point for world coordinates. Zero unless the scene is far from the origin.
    pub origin: [f64; 3],
    /// Object of each point, as an index into the scene's objects. [points]
    pub object: Vec<u32>,
    /// Positions relative to `origin` [m]. [points]
    pub points: Vec<[f32; 3]>,
    /// Velocities [m/s]. [points]
    pub velocities: Vec<[f32; 3]>,
    /// Named scalars per point, in SI units, e.g. `volume_ratio` [-], `pressure` [Pa]. [attributes][points]
    pub attributes: Vec<Attribute>,
    /// End points of each curve segment, as indices into `points`. [segments]
    pub segments: Vec<[u32; 2]>,
    /// Vertices of each surface triangle, as indices into `points`. [triangles]
    pub triangles: Vec<[u32; 3]>,
    /// Poses of the grains drawn in place of points. Shape and size come from the grain's object. [instances]
    pub instances: Vec<Pose>,
    /// Object of each instance, as an index into the scene's objects. [instances]
    pub instance_object: Vec<u32>,
    /// Pose of each scene collider, followed by the pose of the head that hair grows on, if the scene has one.
    /// [colliders]
    pub colliders: Vec<Pose>,
}

impl Frame {
    /// Returns the index of the first point with a non-finite position or velocity.
    pub fn first_non_finite(&self) -> Option<usize> {
        let finite = |vector: &[f32; 3]| vector.iter().all(|x| x.is_finite());
        let points = self.points.iter().position(|x| !finite(x));
        let velocities = self.velocities.iter().position(|v| !finite(v));
        points.into_iter().chain(velocities).min()
    }

    /// Returns for each point whether it is a vertex of a segment or a triangle. The others are free points.
    pub fn vertices(&self) -> Vec<bool> {
        let mut is_vertex = vec![false; self.points.len()];
        for &corner in self.segments.as_flattened().iter().chain(self.triangles.as_flattened()) {
            is_vertex[corner as usize] = true;
        }
        is_vertex
    }

    /// Returns the world position of a point [m].
    pub fn world_point(&self, point: usize) -> [f64; 3] {
        self.in_world(self.points[point])
    }

    /// Converts a position relative to the origin [m] to world coordinates [m].
    pub fn in_world(&self, position: [f32; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| self.origin[axis] + f64::from(position[axis]))
    }
}

/// Name of the attribute with the width of curves at each point [m], for curves whose width is known.
pub const WIDTH: &str = "width";

/// A named scalar per point.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Name, lower case with underscores.
    pub name: String,
    /// Unit as written in the frame file's metadata, e.g. `Pa`, or `-` if dimensionless.
    pub unit: String,
    /// One value per point.
    pub values: Vec<f32>,
}

/// Pose of a rigid body: rotate by `rotation`, then translate, then add the run origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Translation relative to the run origin [m].
    pub translation: [f32; 3],
    /// Unit quaternion x, y, z, w.
    pub rotation: [f32; 4],
}
