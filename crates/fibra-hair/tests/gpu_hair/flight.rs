//! Compares frames of hair on every available device with the CPU. The grid moves particles freely, so strands collide with bodies but not with each
//! other.

use cubecl::prelude::*;
use fibra_core::geometry::{PlacedCollider, RigidPose, RigidVelocity, Shape};
use fibra_gpu::colliders::DeviceColliders;
use fibra_gpu::launch::cubes_for;
use fibra_gpu::{Buffer, DeviceError, Gpu, on_every_device};
use fibra_hair::internals::gpu::grid::Vertices;
use fibra_hair::internals::gpu::sim::{DeviceHair, GpuHairError, HairGrid};
use fibra_hair::internals::predict::{apply_change, predict};
use fibra_hair::internals::settle::{Bodies as HostBodies, SKIN, settle};
use fibra_hair::internals::strands::StrandState;
use fibra_hair::{HairCollider, HairSettings, HairSim, HeadLimits, StrandInput, Strands};
use fibra_mpm::internals::params::Params as GridParams;
use fibra_mpm::internals::state::State as GridState;
use glam::{DQuat, DVec3, Vec3};

const FRAME: f32 = 1.0 / 60.0;

#[cube(launch)]
fn fly(fields: &mut Array<f32>, n: u32, dt: f32) {
    let n = n as usize;
    if ABSOLUTE_POS < n {
        #[unroll]
        for c in 0..3usize {
            let v = fields[(c + 3) * n + ABSOLUTE_POS];
            fields[c * n + ABSOLUTE_POS] = fields[c * n + ABSOLUTE_POS] + dt * v;
        }
    }
}

/// A grid that moves particles freely.
struct Flight {
    fields: Buffer<f32>,
    place: Buffer<u32>,
}

impl Flight {
    fn new<R: Runtime>(gpu: &Gpu<R>, n: usize) -> Flight {
        let place: Vec<u32> = (0..n as u32).rev().collect();
        Flight { fields: gpu.upload(&vec![0.0; 33 * n]), place: gpu.upload(&place) }
    }
}

impl<R: Runtime> HairGrid<R> for Flight {
    type Error = ();

    fn vertices(&self) -> Vertices<'_> {
        Vertices { fields: &self.fields, place: &self.place }
    }

    fn moved(&mut self, _: bool) {}

    fn step(&mut self, gpu: &Gpu<R>, _: &DeviceColliders, dt: f32) -> Result<(), ()> {
        let n = self.place.len();
        fly::launch::<R>(&gpu.client, cubes_for(n, 64), CubeDim::new_1d(64), self.fields.arg(), n as u32, dt);
        Ok(())
    }

    fn check(&mut self, _: &Gpu<R>, _: &Strands) -> Result<(), GpuHairError<()>> {
        Ok(())
    }

    // Particles that move freely have no history, so there is nothing to download.
    fn download(&self, _: &Gpu<R>, _: &mut GridState) -> Result<(), DeviceError> {
        Ok(())
    }

    fn upload(&mut self, _: &Gpu<R>, _: &GridState) {}
}

fn curtain() -> Vec<StrandInput> {
    let strand = |k: usize| {
        let point = |i: usize| Vec3::new(0.005 * k as f32, 0.5 - 0.01 * i as f32, 0.002 * (i as f32).sin());
        StrandInput { points: (0..12 + k % 9).map(point).collect(), pinned: 2, ..StrandInput::default() }
    };
    (0..21).map(strand).collect()
}

fn ball() -> HairCollider {
    let pose = RigidPose::at(DVec3::new(0.05, 0.4, -0.041));
    HairCollider { pose, ..HairCollider::new(Shape::sphere(0.04).unwrap()) }
}

fn head(frame: u32) -> RigidPose {
    let t = f64::from(frame);
    RigidPose { translation: DVec3::new(0.004 * t, 0.0, -0.002 * t), rotation: DQuat::from_rotation_y(0.02 * t) }
}

/// Computes the same frames on the CPU, stage by stage.
fn on_cpu(settings: &HairSettings, frames: u32) -> (Strands, StrandState) {
    let strands = Strands::new(&settings.material, RigidPose::IDENTITY, &curtain()).unwrap();
    let (mut state, mut workspace) = (strands.initial_state(), strands.workspace());
    let HairCollider { shape, pose, contact, friction, .. } = ball();
    for frame in 1..=frames {
        let (steps, dt) = settings.steps_within(FRAME);
        let (h, start) = (dt * settings.substeps as f32, state.head);
        for k in 1..=steps as u64 {
            let to = start.towards(&head(frame), k as f64 / steps);
            predict(&strands, &settings.strands, &mut state, &mut workspace, &to, h).unwrap();
            for _ in 0..settings.substeps {
                apply_change(&mut state, &workspace, 1.0 / settings.substeps as f32);
                let before = state.clone();
                strands.write(&mut state, |vertex| {
                    let (x, v) = strands.vertex(&before, vertex);
                    (x + dt * v, v)
                });
            }
            // The ball is at rest, also while the head jumps.
            let velocity = RigidVelocity::between(&pose, &pose, h.into());
            let placed = PlacedCollider::new(&shape, &pose, &velocity, DVec3::ZERO, contact, friction);
            let bodies = HostBodies { placed: &[placed], skin: SKIN * settings.grid.cell };
            settle(&strands, &settings.strands, &mut state, bodies, h);
        }
    }
    (strands, state)
}

/// Rounding errors of stiff systems grow from step to step; after twelve steps the difference is still tiny.
#[test]
fn frames_agree() {
    let mut settings = HairSettings::default();
    for limits in [HeadLimits::default(), HeadLimits { displacement: 0.001, rotation: 0.005 }] {
        settings.strands.limits = limits;
        let (strands, right) = on_cpu(&settings, 6);
        let mut expected = vec![Vec3::ZERO; strands.vertex_count()];
        strands.read_positions(&right, &mut expected);
        on_every_device!(gpu => {
            let grid = |gpu: &Gpu<_>, _: &GridParams, state: &GridState| Ok(Flight::new(gpu, state.particles.len()));
            let mut host = HairSim::new(settings, RigidPose::IDENTITY, &curtain(), vec![ball()]).unwrap();
            let mut hair = DeviceHair::with_grid(gpu, &host, grid).unwrap();
            for frame in 1..=6 {
                hair.advance(&mut host, &head(frame), FRAME.into()).unwrap();
            }
            let apart = hair.positions().unwrap().iter().zip(&expected).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            println!("{limits:?} on {}: {apart} m", hair.gpu().name());
            assert!(apart < 1e-5, "{apart}");
            assert_eq!(*hair.head(), right.head);
            assert!(hair.advance(&mut host, &RigidPose::at(DVec3::NAN), FRAME.into()).is_err());
            assert!(hair.advance(&mut host, &head(7), 0.0).is_err());
        });
    }
}
