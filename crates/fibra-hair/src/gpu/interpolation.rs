//! Interpolates render strands on the device: [`GuidedStrands::place`].

use crate::gpu::strands::{GpuStrands, POSITION};
use crate::gpu::vector::{Turn, get, turn, turn_arg};
use cubecl::prelude::*;
use fibra_core::geometry::GuidedStrands;
use fibra_gpu::launch::cubes_for;
use fibra_gpu::vector::{Vector3, pick};
use fibra_gpu::{Buffer, DeviceError, Gpu};
use glam::{Mat3, Quat, Vec3};

const UNITS: u32 = 128;
/// Values per guide vertex at rest: position and direction.
const REST: usize = 6;
/// Values per affine frame of a guide vertex: three rows of the rotation, each with its component of the translation.
const FRAME: usize = 12;
/// Rows of a frame, four values each, read in one access.
const ROWS: u32 = 3;
/// Values per point: rest position, and the weights of the vertices of the three segments.
const POINT: usize = 9;
const GUIDES: usize = 3;
/// Flags of a guide's first and last vertex.
const FIRST: u32 = 1;
const LAST: u32 = 2;
/// Squared length of the sum of two directions below which they count as opposite: see [`GuidedStrands`].
const OPPOSITE: f32 = f32::EPSILON;

/// Render strands on a device, interpolated from guides.
pub struct GpuGuidedStrands {
    /// Position [m] and direction of each guide vertex at rest. [6, guide vertices]
    rest: Buffer<f32>,
    /// Flags of each guide vertex: a combination of `FIRST` and `LAST`. [guide vertices]
    ends: Buffer<u32>,
    /// Rest position [m] and weights of each point. [9, points]
    points: Buffer<f32>,
    /// First vertices of the segments. [3, points]
    segments: Buffer<u32>,
    /// Workspace: affine frame of each guide vertex. [guide vertices, 12]
    frames: Buffer<f32>,
    /// Interpolated position of each point [m]. [points, 3]
    placed: Buffer<f32>,
}

impl GpuGuidedStrands {
    /// Uploads strands to a device.
    pub fn upload<R: Runtime>(gpu: &Gpu<R>, strands: &GuidedStrands) -> GpuGuidedStrands {
        let guides = strands.guide_points().len();
        let mut rest = vec![0.0; REST * guides];
        for (i, (x, direction)) in strands.guide_points().iter().zip(strands.guide_directions()).enumerate() {
            for c in 0..3 {
                (rest[c * guides + i], rest[(3 + c) * guides + i]) = (x[c], direction[c]);
            }
        }
        let mut ends = vec![0; guides];
        for guide in strands.guide_offsets().windows(2) {
            ends[guide[0] as usize] |= FIRST;
            ends[guide[1] as usize - 1] |= LAST;
        }
        let n = strands.points().len();
        let (mut points, mut segments) = (vec![0.0; POINT * n], vec![0; GUIDES * n]);
        for (i, point) in strands.points().iter().enumerate() {
            (0..3).for_each(|c| points[c * n + i] = point.rest[c]);
            for (k, on) in point.guides.iter().enumerate() {
                segments[k * n + i] = on.vertex;
                (points[(3 + 2 * k) * n + i], points[(4 + 2 * k) * n + i]) = (on.shares[0], on.shares[1]);
            }
        }
        GpuGuidedStrands {
            rest: gpu.upload(&rest),
            ends: gpu.upload(&ends),
            points: gpu.upload(&points),
            segments: gpu.upload(&segments),
            frames: gpu.empty(FRAME * guides),
            placed: gpu.empty(3 * n),
        }
    }

    /// Interpolates all points. The guides are the vertices of strands on the device starting at `first`; `head` is the rotation of the head since
    /// rest.
    pub fn place<R: Runtime>(&self, gpu: &Gpu<R>, guides: &GpuStrands, first: usize, head: Quat) {
        let (vertices, points) = (self.ends.len(), self.placed.len() / 3);
        if first + vertices > guides.vertex_count() {
            return;
        }
        find_frames::launch::<R>(
            &gpu.client,
            cubes_for(vertices, UNITS),
            CubeDim::new_1d(UNITS),
            guides.state.arg(),
            self.rest.arg(),
            self.ends.arg(),
            self.frames.arg(),
            turn_arg(Mat3::from_quat(head)),
            guides.vertex_count() as u32,
            first as u32,
        );
        // SAFETY: threads beyond the points do nothing, and segments index guide vertices.
        unsafe {
            place_points::launch_unchecked::<R>(
                &gpu.client,
                cubes_for(points, UNITS),
                CubeDim::new_1d(UNITS),
                self.points.arg(),
                self.segments.arg(),
                self.frames.arg(),
                self.placed.arg(),
                points as u32,
            );
        }
    }

    /// Returns the positions of the points on the device, three values each [m].
    pub fn placed(&self) -> &Buffer<f32> {
        &self.placed
    }

    /// Downloads the positions of the points [m].
    pub fn read<R: Runtime>(&self, gpu: &Gpu<R>) -> Result<Vec<Vec3>, DeviceError> {
        let placed = self.placed.read(gpu)?;
        Ok(placed.chunks_exact(3).map(Vec3::from_slice).collect())
    }
}

/// Returns the unit direction of a guide segment; downward for a degenerate segment.
#[cube]
fn segment(guides: &Array<f32>, n: usize, i: usize) -> Vector3 {
    let along = get(guides, n, POSITION, i + 1).minus(get(guides, n, POSITION, i));
    unit_or(along, Vector3::new(0.0f32, -1.0f32, 0.0f32))
}

#[cube]
fn unit_or(v: Vector3, other: Vector3) -> Vector3 {
    let long = v.length();
    pick(long > 0.0f32, v.times(1.0f32 / long), other)
}

/// Computes the affine frames of the guide vertices.
#[cube(launch)]
fn find_frames(
    guides: &Array<f32>,
    rest: &Array<f32>,
    ends: &Array<u32>,
    frames: &mut Array<f32>,
    head: &Turn,
    n: u32,
    first: u32,
) {
    let count = ends.len();
    let n = n as usize;
    let i = ABSOLUTE_POS;
    if i < count {
        let at = first as usize + i;
        let is_first = ends[i] & FIRST > 0;
        let is_last = ends[i] & LAST > 0;
        let before = segment(guides, n, select(is_first, at, at - 1));
        let after = segment(guides, n, select(is_last, at - 1, at));
        let to = unit_or(before.plus(after), after);
        let x = get(rest, count, 0usize, i);
        let from = get(rest, count, 3usize, i);

        // The head's rotation, then the smallest rotation to the current direction: see `GuidedStrands`.
        let a = turn(head, from);
        let sum = a.plus(to);
        let h = pick(sum.dot(sum) > OPPOSITE, sum, any_perpendicular(a));
        let twice = 2.0f32 / h.dot(h);
        let head_x = Vector3::new(head.xx, head.yx, head.zx);
        let head_y = Vector3::new(head.xy, head.yy, head.zy);
        let head_z = Vector3::new(head.xz, head.yz, head.zz);
        let turn_x = head_x.plus(to.times(2.0f32 * from.x)).minus(h.times(twice * head_x.dot(h)));
        let turn_y = head_y.plus(to.times(2.0f32 * from.y)).minus(h.times(twice * head_y.dot(h)));
        let turn_z = head_z.plus(to.times(2.0f32 * from.z)).minus(h.times(twice * head_z.dot(h)));
        let rotated = turn_x.times(x.x).plus(turn_y.times(x.y)).plus(turn_z.times(x.z));
        let shift = get(guides, n, POSITION, at).minus(rotated);
        let place = i * FRAME;
        put_row(frames, place, turn_x.x, turn_y.x, turn_z.x, shift.x);
        put_row(frames, place + 4, turn_x.y, turn_y.y, turn_z.y, shift.y);
        put_row(frames, place + 8, turn_x.z, turn_y.z, turn_z.z, shift.z);
    }
}

#[cube]
fn put_row(frames: &mut Array<f32>, at: usize, x: f32, y: f32, z: f32, shift: f32) {
    frames[at] = x;
    frames[at + 1] = y;
    frames[at + 2] = z;
    frames[at + 3] = shift;
}

/// Returns a direction perpendicular to `v`.
#[cube]
fn any_perpendicular(v: Vector3) -> Vector3 {
    let sign = select(v.z < 0.0f32, -1.0f32, 1.0f32);
    let a = -1.0f32 / (sign + v.z);
    Vector3::new(v.x * v.y * a, sign + v.y * v.y * a, -v.y)
}

/// Interpolates the points: blends the frames, then transforms each point.
#[cube(launch_unchecked)]
fn place_points(
    points: &Array<f32>,
    segments: &Array<u32>,
    frames: &Array<Vector<f32, Const<4>>>,
    placed: &mut Array<f32>,
    n: u32,
) {
    let n = n as usize;
    let i = ABSOLUTE_POS;
    if i < n {
        let mut row_x = Vector::<f32, Const<4>>::new(0.0f32);
        let mut row_y = Vector::<f32, Const<4>>::new(0.0f32);
        let mut row_z = Vector::<f32, Const<4>>::new(0.0f32);
        #[unroll]
        for k in 0..3usize {
            let vertex = segments[k * n + i];
            #[unroll]
            for end in 0..2u32 {
                let share = Vector::<f32, Const<4>>::new(points[comptime!(3 + 2 * k + end as usize) * n + i]);
                let at = ((vertex + end) * ROWS) as usize;
                row_x += share * frames[at];
                row_y += share * frames[at + 1];
                row_z += share * frames[at + 2];
            }
        }
        let x = get(points, n, 0usize, i);
        placed[3 * i] = carried(row_x, x);
        placed[3 * i + 1] = carried(row_y, x);
        placed[3 * i + 2] = carried(row_z, x);
    }
}

/// Applies a row of a frame to a point.
#[cube]
fn carried(row: Vector<f32, Const<4>>, x: Vector3) -> f32 {
    row[0] * x.x + row[1] * x.y + row[2] * x.z + row[3]
}
