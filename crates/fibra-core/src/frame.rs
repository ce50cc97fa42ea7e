//! One moment of a run as the outside sees it: what is written to `frames/`, drawn, viewed and exported.

/// A moment of a run. Points keep their index from frame to frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Frame number, counted from 0 (the start).
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
    /// Ends of each segment of a curve, as indices into `points`. [segments]
    pub segments: Vec<[u32; 2]>,
    /// Corners of each triangle of a surface, as indices into `points`. [triangles]
    pub triangles: Vec<[u32; 3]>,
    /// Bodies that are drawn in place of points: the grains of the scene's objects, each shaped and sized as its object says. [instances]
    pub instances: Vec<Pose>,
    /// Object of each instance, as an index into the scene's objects. [instances]
    pub instance_object: Vec<u32>,
    /// Pose of each of the scene's colliders, and then of the head where hair grows on one. [colliders]
    pub colliders: Vec<Pose>,
}

impl Frame {
    /// Index of the first point whose position or velocity is infinite or not a number.
    pub fn first_non_finite(&self) -> Option<usize> {
        let finite = |vector: &[f32; 3]| vector.iter().all(|x| x.is_finite());
        let points = self.points.iter().position(|x| !finite(x));
        let velocities = self.velocities.iter().position(|v| !finite(v));
        points.into_iter().chain(velocities).min()
    }

    /// For each point, whether it is the vertex of a segment or a triangle. The others stand for themselves.
    pub fn vertices(&self) -> Vec<bool> {
        let mut is_vertex = vec![false; self.points.len()];
        for &corner in self.segments.as_flattened().iter().chain(self.triangles.as_flattened()) {
            is_vertex[corner as usize] = true;
        }
        is_vertex
    }

    /// Position of a point in the world [m].
    pub fn world_point(&self, point: usize) -> [f64; 3] {
        self.in_world(self.points[point])
    }

    /// A place given relative to the origin [m], in the world [m].
    pub fn in_world(&self, place: [f32; 3]) -> [f64; 3] {
        std::array::from_fn(|axis| self.origin[axis] + f64::from(place[axis]))
    }
}

/// A named scalar per point.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// Name, lower case with underscores.
    pub name: String,
    /// Unit as written in the frame file's metadata, e.g. `Pa`, or `-` for a pure number.
    pub unit: String,
    /// One value per point.
    pub values: Vec<f32>,
}

/// Where a rigid body is: rotate by `rotation`, then translate, then add the run origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Translation relative to the run origin [m].
    pub translation: [f32; 3],
    /// Unit quaternion x, y, z, w.
    pub rotation: [f32; 4],
}
