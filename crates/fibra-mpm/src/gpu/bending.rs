//! Bending of surfaces and curves on the device: mirrors [`crate::bending`]. Hinges, joints and segments refer to vertices by id.

use super::clock::{Clock, step_length};
use super::particles::{DeviceParticles, HELD, X, kind_of, read_vec3};
use crate::bending::{Bending, LEAST_HEIGHT, NONE, RodFrames, SHORTEST};
use cubecl::prelude::*;
use fibra_gpu::colliders::{DeviceColliders, angular_velocity_of_body};
use fibra_gpu::edge_frames::{angle, atan2, nearest_turn, rotated, transport};
use fibra_gpu::launch::cubes_for;
use fibra_gpu::rod_joint::{Joint, joint_system};
use fibra_gpu::vector::Vector3;
use fibra_gpu::{Buffer, DeviceError, Gpu};

const UNITS: u32 = 128;

/// Number of indices of a hinge: its vertices, then the hinges coupled to it.
const HINGE_INDICES: usize = 4 + COUPLED;
/// Number of hinges coupled to a hinge, with itself.
const COUPLED: usize = 5;
/// Number of values of a hinge: rest angle and couplings.
const HINGE_NUMBERS: usize = 1 + COUPLED;
/// Number of indices of a joint: its vertices, then its segments.
const JOINT_INDICES: usize = 5;
/// Number of values of a joint: stiffness in bending and twisting, four rest curvatures, rest twist.
const JOINT_NUMBERS: usize = 7;
/// Number of indices of a segment: ends, joints and pin.
const SEGMENT_INDICES: usize = 5;
/// Number of values of a segment: inertia and bound on the torque per angle.
const SEGMENT_NUMBERS: usize = 2;
/// Number of values of a frame: tangent, director, spin and torque.
const FRAME_NUMBERS: usize = 8;
const DIRECTOR: usize = 3;
const SPIN: usize = 6;
const TORQUE: usize = 7;
/// Number of values of a force; see [`crate::bending::BendForce`].
pub(super) const FORCE_NUMBERS: usize = 9;

/// Everything that bends, on a device.
#[derive(Clone, Debug)]
pub(super) struct DeviceBending {
    hinges: usize,
    joints: usize,
    segments: usize,
    hinge_indices: Buffer<u32>,
    hinge_numbers: Buffer<f32>,
    joint_indices: Buffer<u32>,
    joint_numbers: Buffer<f32>,
    segment_indices: Buffer<u32>,
    segment_numbers: Buffer<f32>,
    /// Frames of the segments and twists of the joints: the part of the state.
    frames: Buffer<f32>,
    twists: Buffer<f32>,
    angles: Buffer<f32>,
    /// Forces of hinges, then of joints.
    pub(super) forces: Buffer<f32>,
}

impl DeviceBending {
    pub(super) fn upload<R: Runtime>(gpu: &Gpu<R>, bending: &Bending, frames: &RodFrames) -> DeviceBending {
        let hinge_indices = bending.hinges.iter().flat_map(|h| h.vertices.into_iter().chain(h.coupled));
        let hinge_numbers = bending.hinges.iter().flat_map(|h| [h.rest_angle].into_iter().chain(h.coupling));
        let joint_indices = bending.joints.iter().flat_map(|j| j.vertices.into_iter().chain(j.segments));
        let joint_numbers = bending
            .joints
            .iter()
            .flat_map(|j| [j.rest.bending, j.rest.twisting].into_iter().chain(j.rest.curvature).chain([j.rest_twist]));
        let segment_indices = bending.segments.iter().flat_map(|s| s.ends.into_iter().chain(s.joints).chain([s.pin]));
        let segment_numbers = bending.segments.iter().flat_map(|s| [s.inertia, s.twisting]);
        let mut device = DeviceBending {
            hinges: bending.hinges.len(),
            joints: bending.joints.len(),
            segments: bending.segments.len(),
            hinge_indices: gpu.upload(&hinge_indices.collect::<Vec<_>>()),
            hinge_numbers: gpu.upload(&hinge_numbers.collect::<Vec<_>>()),
            joint_indices: gpu.upload(&joint_indices.collect::<Vec<_>>()),
            joint_numbers: gpu.upload(&joint_numbers.collect::<Vec<_>>()),
            segment_indices: gpu.upload(&segment_indices.collect::<Vec<_>>()),
            segment_numbers: gpu.upload(&segment_numbers.collect::<Vec<_>>()),
            frames: gpu.empty(0),
            twists: gpu.empty(0),
            angles: gpu.empty(bending.hinges.len()),
            forces: gpu.zeros(FORCE_NUMBERS * bending.len()),
        };
        device.upload_frames(gpu, frames);
        device
    }

    /// Replaces the frames and twists by those of a state.
    pub(super) fn upload_frames<R: Runtime>(&mut self, gpu: &Gpu<R>, frames: &RodFrames) {
        let RodFrames { tangent, director, spin, torque, twist } = frames;
        let rows = tangent.iter().zip(director).zip(spin.iter().zip(torque));
        let numbers = rows.flat_map(|((t, d), (spin, torque))| t.iter().chain(d).chain([spin, torque]).copied());
        self.frames = gpu.upload(&numbers.collect::<Vec<_>>());
        self.twists = gpu.upload(twist);
    }

    /// Downloads the frames and twists.
    pub(super) fn download<R: Runtime>(&self, gpu: &Gpu<R>, frames: &mut RodFrames) -> Result<(), DeviceError> {
        if self.segments == 0 {
            return Ok(());
        }
        for (s, numbers) in self.frames.read(gpu)?.chunks(FRAME_NUMBERS).enumerate() {
            frames.tangent[s].copy_from_slice(&numbers[..DIRECTOR]);
            frames.director[s].copy_from_slice(&numbers[DIRECTOR..SPIN]);
            (frames.spin[s], frames.torque[s]) = (numbers[SPIN], numbers[TORQUE]);
        }
        frames.twist = self.twists.read(gpu)?;
        Ok(())
    }

    /// Advances the frames of segments, and evaluates all hinges and joints at the current positions.
    pub(super) fn bend<R: Runtime>(
        &self,
        gpu: &Gpu<R>,
        particles: &DeviceParticles,
        pins: &DeviceColliders,
        clock: &Clock,
    ) {
        let (client, dim) = (&gpu.client, CubeDim::new_1d(UNITS));
        let (fields, place) = (|| particles.fields.arg(), || particles.place.arg());
        let n = particles.n as u32;
        if self.segments > 0 {
            advance_frames::launch::<R>(
                client,
                cubes_for(self.segments, UNITS),
                dim,
                fields(),
                particles.group.arg(),
                place(),
                pins.placed(),
                self.segment_indices.arg(),
                self.segment_numbers.arg(),
                self.frames.arg(),
                clock.buffer.arg(),
                self.segments as u32,
                n,
            );
            let first_joint = self.hinges as u32;
            if self.joints > 0 {
                respond_joints::launch::<R>(
                    client,
                    cubes_for(self.joints, UNITS),
                    dim,
                    fields(),
                    place(),
                    self.joint_indices.arg(),
                    self.joint_numbers.arg(),
                    self.frames.arg(),
                    self.twists.arg(),
                    self.forces.arg(),
                    clock.buffer.arg(),
                    first_joint,
                    self.joints as u32,
                    n,
                );
            }
            sum_torques::launch::<R>(
                client,
                cubes_for(self.segments, UNITS),
                dim,
                self.segment_indices.arg(),
                self.forces.arg(),
                self.frames.arg(),
                clock.buffer.arg(),
                first_joint,
                self.segments as u32,
            );
        }
        if self.hinges > 0 {
            find_angles::launch::<R>(
                client,
                cubes_for(self.hinges, UNITS),
                dim,
                fields(),
                place(),
                self.hinge_indices.arg(),
                self.hinge_numbers.arg(),
                self.angles.arg(),
                clock.buffer.arg(),
                self.hinges as u32,
                n,
            );
            respond_hinges::launch::<R>(
                client,
                cubes_for(self.hinges, UNITS),
                dim,
                fields(),
                place(),
                self.hinge_indices.arg(),
                self.hinge_numbers.arg(),
                self.angles.arg(),
                self.forces.arg(),
                clock.buffer.arg(),
                self.hinges as u32,
                n,
            );
        }
    }
}

/// Returns the position of a vertex, by id [m].
#[cube]
fn position(fields: &Array<f32>, place: &Array<u32>, id: u32, n: u32) -> Vector3 {
    read_vec3(fields, X, n as usize, place[id as usize] as usize)
}

/// See [`RodFrames`].
#[cube(launch)]
fn advance_frames(
    fields: &Array<f32>,
    group: &Array<u32>,
    place: &Array<u32>,
    pins: &Array<f32>,
    indices: &Array<u32>,
    numbers: &Array<f32>,
    frames: &mut Array<f32>,
    clock: &Array<u32>,
    segments: u32,
    n: u32,
) {
    let dt = step_length(clock);
    if dt > 0.0f32 && ABSOLUTE_POS < segments as usize {
        let at = ABSOLUTE_POS * comptime!(SEGMENT_INDICES);
        let frame = ABSOLUTE_POS * comptime!(FRAME_NUMBERS);
        let (a, b, pin) = (indices[at], indices[at + 1], indices[at + 4]);
        let edge = position(fields, place, b, n).minus(position(fields, place, a, n));
        let t = edge.times(1.0f32 / f32::max(edge.length(), SHORTEST));
        let carried = transport(Vector3::read(frames, frame + DIRECTOR), Vector3::read(frames, frame), t);
        let inertia = numbers[ABSOLUTE_POS * comptime!(SEGMENT_NUMBERS)];
        let twisting = numbers[ABSOLUTE_POS * comptime!(SEGMENT_NUMBERS) + 1];
        let mut spin = frames[frame + SPIN] + dt * frames[frame + TORQUE] / (inertia + 0.5f32 * dt * dt * twisting);
        let first = kind_of(group[place[a as usize] as usize]);
        let second = kind_of(group[place[b as usize] as usize]);
        if pin != comptime!(NONE) && first == HELD && second == HELD {
            spin = angular_velocity_of_body(pins, pin).dot(t);
        }
        t.write(frames, frame);
        rotated(carried, t, dt * spin).write(frames, frame + DIRECTOR);
        frames[frame + SPIN] = spin;
    }
}

/// Updates the twists of joints, and evaluates them.
#[cube(launch)]
fn respond_joints(
    fields: &Array<f32>,
    place: &Array<u32>,
    indices: &Array<u32>,
    numbers: &Array<f32>,
    frames: &Array<f32>,
    twists: &mut Array<f32>,
    forces: &mut Array<f32>,
    clock: &Array<u32>,
    first_joint: u32,
    joints: u32,
    n: u32,
) {
    let dt = step_length(clock);
    if dt > 0.0f32 && ABSOLUTE_POS < joints as usize {
        let at = ABSOLUTE_POS * comptime!(JOINT_INDICES);
        let rest = ABSOLUTE_POS * comptime!(JOINT_NUMBERS);
        let before = indices[at + 3] as usize * comptime!(FRAME_NUMBERS);
        let after = indices[at + 4] as usize * comptime!(FRAME_NUMBERS);
        let middle = position(fields, place, indices[at + 1], n);
        let e = middle.minus(position(fields, place, indices[at], n));
        let f = position(fields, place, indices[at + 2], n).minus(middle);
        let to = Vector3::read(frames, after);
        let director_e = Vector3::read(frames, before + DIRECTOR);
        let director_f = Vector3::read(frames, after + DIRECTOR);
        let carried = transport(director_e, Vector3::read(frames, before), to);
        let expected = twists[ABSOLUTE_POS] + dt * (frames[after + SPIN] - frames[before + SPIN]);
        let twist = nearest_turn(angle(carried, director_f, to), expected);
        twists[ABSOLUTE_POS] = twist;
        let still = e.times(0.0f32);
        let joint = Joint {
            e,
            f,
            director_e,
            director_f,
            twist: twist - numbers[rest + 6],
            rate_e: still,
            rate_f: still,
            spin_e: 0.0f32,
            spin_f: 0.0f32,
            bending: numbers[rest],
            twisting: numbers[rest + 1],
            rest_0: numbers[rest + 2],
            rest_1: numbers[rest + 3],
            rest_2: numbers[rest + 4],
            rest_3: numbers[rest + 5],
        };
        // For a step of length 1 from rest, impulses are forces. They act on edges: on the vertices before and after with opposite signs.
        let system = joint_system(&joint, 1.0f32);
        let to = (first_joint as usize + ABSOLUTE_POS) * comptime!(FORCE_NUMBERS);
        system.impulse_e.negative().write(forces, to);
        system.impulse_f.write(forces, to + 3);
        forces[to + 6] = system.impulse_first;
        forces[to + 7] = system.impulse_second;
        forces[to + 8] = 0.0f32;
    }
}

/// Sums the torques of joints on segments.
#[cube(launch)]
fn sum_torques(
    indices: &Array<u32>,
    forces: &Array<f32>,
    frames: &mut Array<f32>,
    clock: &Array<u32>,
    first_joint: u32,
    segments: u32,
) {
    if step_length(clock) > 0.0f32 && ABSOLUTE_POS < segments as usize {
        let at = ABSOLUTE_POS * comptime!(SEGMENT_INDICES);
        let mut torque = 0.0f32;
        #[unroll]
        for end in 0..2usize {
            let joint = indices[at + 2 + end];
            if joint != comptime!(NONE) {
                let force = (first_joint + joint) as usize * comptime!(FORCE_NUMBERS);
                // The segment is the second one of the joint at its first vertex.
                torque += forces[force + 7 - end];
            }
        }
        frames[ABSOLUTE_POS * comptime!(FRAME_NUMBERS) + TORQUE] = torque;
    }
}

/// See [`crate::bending::HingeShape`].
#[derive(CubeType, Clone, Copy)]
struct HingeShape {
    angle: f32,
    left: Vector3,
    right: Vector3,
    foot_left: f32,
    foot_right: f32,
}

#[cube]
fn shape_of(fields: &Array<f32>, place: &Array<u32>, indices: &Array<u32>, at: usize, n: u32) -> HingeShape {
    let start = position(fields, place, indices[at], n);
    let e = position(fields, place, indices[at + 1], n).minus(start);
    let a = position(fields, place, indices[at + 2], n).minus(start);
    let b = position(fields, place, indices[at + 3], n).minus(start);
    let square = f32::max(e.dot(e), 1e-30f32);
    let length = f32::sqrt(square);
    let n_l = e.cross(a);
    let n_r = b.cross(e);
    let least = comptime!(LEAST_HEIGHT * LEAST_HEIGHT) * square * square;
    HingeShape {
        angle: atan2(n_r.cross(n_l).dot(e) / length, n_r.dot(n_l)),
        left: n_l.times(length / f32::max(n_l.dot(n_l), least)),
        right: n_r.times(length / f32::max(n_r.dot(n_r), least)),
        foot_left: a.dot(e) / square,
        foot_right: b.dot(e) / square,
    }
}

/// Computes the angles of hinges minus their rest angles.
#[cube(launch)]
fn find_angles(
    fields: &Array<f32>,
    place: &Array<u32>,
    indices: &Array<u32>,
    numbers: &Array<f32>,
    angles: &mut Array<f32>,
    clock: &Array<u32>,
    hinges: u32,
    n: u32,
) {
    if step_length(clock) > 0.0f32 && ABSOLUTE_POS < hinges as usize {
        let shape = shape_of(fields, place, indices, ABSOLUTE_POS * comptime!(HINGE_INDICES), n);
        angles[ABSOLUTE_POS] = shape.angle - numbers[ABSOLUTE_POS * comptime!(HINGE_NUMBERS)];
    }
}

/// Evaluates hinges from their angles.
#[cube(launch)]
fn respond_hinges(
    fields: &Array<f32>,
    place: &Array<u32>,
    indices: &Array<u32>,
    numbers: &Array<f32>,
    angles: &Array<f32>,
    forces: &mut Array<f32>,
    clock: &Array<u32>,
    hinges: u32,
    n: u32,
) {
    if step_length(clock) > 0.0f32 && ABSOLUTE_POS < hinges as usize {
        let at = ABSOLUTE_POS * comptime!(HINGE_INDICES);
        let shape = shape_of(fields, place, indices, at, n);
        let mut moment = 0.0f32;
        #[unroll]
        for k in 0..comptime!(COUPLED) {
            let angle = angles[indices[at + 4 + k] as usize];
            moment += numbers[ABSOLUTE_POS * comptime!(HINGE_NUMBERS) + 1 + k] * angle;
        }
        let to = ABSOLUTE_POS * comptime!(FORCE_NUMBERS);
        let end = shape.left.times(shape.foot_left).plus(shape.right.times(shape.foot_right));
        end.times(moment).write(forces, to);
        shape.left.times(-moment).write(forces, to + 3);
        shape.right.times(-moment).write(forces, to + 6);
    }
}

/// Returns the force of a hinge or joint on one of its vertices, by the code of [`crate::bending::Bends`].
#[cube]
pub(super) fn force_on(forces: &Array<f32>, code: u32) -> Vector3 {
    let at = (code >> 3u32) as usize * comptime!(FORCE_NUMBERS);
    let corner = code & 7u32;
    let a = Vector3::read(forces, at);
    let b = Vector3::read(forces, at + 3);
    let c = Vector3::read(forces, at + 6);
    // The corners are those of `crate::bending::Corner`: start, end, left, right; before, middle, after.
    let opposite = corner == 0u32 || corner == 5u32;
    let of_a = select(opposite, -1.0f32, select(corner == 1u32 || corner == 4u32, 1.0f32, 0.0f32));
    let of_b = select(opposite, -1.0f32, select(corner == 2u32 || corner == 6u32, 1.0f32, 0.0f32));
    let of_c = select(corner == 0u32, -1.0f32, select(corner == 3u32, 1.0f32, 0.0f32));
    a.times(of_a).plus(b.times(of_b)).plus(c.times(of_c))
}
