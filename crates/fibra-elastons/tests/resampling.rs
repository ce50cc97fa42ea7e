//! Resampling conserves mass, momentum and energy.

mod common;

use common::{BODIES, params};
use fibra_core::geometry::RigidPose;
use fibra_elastons::internals::fill::cuboid;
use fibra_elastons::internals::matter::Body;
use fibra_elastons::internals::measures::Totals;
use fibra_elastons::internals::resampling::resample;
use fibra_elastons::internals::table::linear_field;
use fibra_elastons::internals::workspace::Workspace;
use fibra_elastons::internals::world::{Matter, Params, State};
use glam::{DMat3, DQuat, DVec3};

fn with_counts(samples: usize, elastons: usize) -> Params {
    let mut params = Params { gravity: DVec3::ZERO, ..params() };
    params.objects[0].samples = samples;
    params.objects[0].elastons = elastons;
    params
}

/// Rotates, shifts and bends a body about its x axis, and gives it an angular velocity.
fn disturb(params: &Params, state: &mut State, bend: f64) {
    let turn = DMat3::from_quat(DQuat::from_axis_angle(DVec3::new(0.0, 0.6, 0.8), 1.3));
    state.displacements =
        linear_field(params.order, &state.matter.samples, DVec3::new(0.4, 0.1, -0.2), turn - DMat3::IDENTITY);
    let spin = DMat3::from_cols(DVec3::new(0.0, 0.0, -2.0), DVec3::new(0.5, 0.0, 0.0), DVec3::new(2.0, 0.1, 0.0));
    state.velocities = linear_field(params.order, &state.matter.samples, DVec3::new(1.0, 2.0, 3.0), spin);
    let n = params.order.functions();
    for (sample, unknowns) in state.matter.samples.iter().zip(state.displacements.chunks_exact_mut(3 * n)) {
        let x = sample.position.x - 0.3;
        // y += bend x^2 / 2.
        unknowns[n] += 0.5 * bend * x * x;
        unknowns[n + 1] += sample.scale() * bend * x;
        unknowns[n + 4] += sample.scale().powi(2) * bend;
    }
}

#[test]
fn resampling_conserves_mass_momentum_and_elastic_energy() {
    for (which, (.., samples, elastons)) in BODIES.into_iter().enumerate() {
        let params = with_counts(samples + 2, elastons + 3);
        let mut state = common::body(which, &params);
        disturb(&params, &mut state, 0.02);
        let work = Workspace::new(&params, &state).unwrap();
        let before = Totals::new(&params, &state, &work.discretization, |_| true);
        let new = resample(&params, &state, &work.discretization, false).unwrap();
        let fresh = Workspace::new(&params, &new).unwrap();
        let after = Totals::new(&params, &new, &fresh.discretization, |_| true);
        assert!((after.mass / before.mass - 1.0).abs() < 1e-12);
        assert!(after.center().distance(before.center()) < 1e-4, "{} {}", after.center(), before.center());
        assert!(after.momentum.distance(before.momentum) < 1e-12 * before.momentum.length());
        assert!(after.angular_momentum.distance(before.angular_momentum) < 1e-9 * before.angular_momentum.length());
        assert!((after.kinetic / before.kinetic - 1.0).abs() < 1e-3, "{} {}", after.kinetic, before.kinetic);
        assert!(before.elastic > 0.0);
        assert!(
            (after.elastic / before.elastic - 1.0).abs() < 0.1,
            "body {which}: {} {}",
            after.elastic,
            before.elastic
        );
        assert_eq!(new.matter.samples.len(), samples + 2);
    }
}

#[test]
fn resampling_after_a_rigid_motion_gives_no_strain() {
    for (which, (.., samples, elastons)) in BODIES.into_iter().enumerate() {
        let params = with_counts(samples, elastons);
        let mut state = common::body(which, &params);
        disturb(&params, &mut state, 0.0);
        let work = Workspace::new(&params, &state).unwrap();
        let new = resample(&params, &state, &work.discretization, true).unwrap();
        let fresh = Workspace::new(&params, &new).unwrap();
        let after = Totals::new(&params, &new, &fresh.discretization, |_| true);
        assert!(after.elastic < 1e-20 * params.objects[0].elasticity.young, "body {which}: {} J", after.elastic);
    }
}

#[test]
fn merging_connects_touching_bodies_and_conserves_momentum() {
    let mut params = with_counts(4, 12);
    params.objects.push(params.objects[0]);
    let bar = |object: u32, place: f64| {
        let pose = RigidPose::at(DVec3::new(place, 0.0, 0.0));
        let cloud = cuboid(DVec3::new(1.0, 0.2, 0.2), [20, 4, 4], &pose).unwrap();
        let objects = vec![object; cloud.points.len()];
        Body { cloud, objects, samples: 4, elastons: 12, grading: None }
    };
    // The bars touch, but are separate bodies.
    let matter = Matter::sample(&[bar(0, 0.0), bar(1, 1.0)], params.support).unwrap();
    let mut state = State::new(params.order, matter);
    let n = 3 * params.order.functions();
    let spin = DMat3::from_cols(DVec3::new(0.0, 1.0, 0.0), DVec3::new(-1.0, 0.0, 0.0), DVec3::ZERO);
    let all = linear_field(params.order, &state.matter.samples, DVec3::new(1.0, -2.0, 0.5), spin);
    let still = linear_field(params.order, &state.matter.samples, DVec3::new(-0.5, 0.0, 0.0), DMat3::ZERO);
    state.velocities = all[..4 * n].iter().chain(&still[4 * n..]).copied().collect();
    let work = Workspace::new(&params, &state).unwrap();
    let parts = |matter: &Matter| matter.links.components().iter().max().map_or(0, |last| last + 1);
    assert_eq!(parts(&state.matter), 2);
    let before = Totals::new(&params, &state, &work.discretization, |_| true);
    for merge in [false, true] {
        let new = resample(&params, &state, &work.discretization, merge).unwrap();
        let fresh = Workspace::new(&params, &new).unwrap();
        let after = Totals::new(&params, &new, &fresh.discretization, |_| true);
        assert_eq!(parts(&new.matter), if merge { 1 } else { 2 });
        assert!(after.momentum.distance(before.momentum) < 1e-12 * before.momentum.length());
        assert!(after.angular_momentum.distance(before.angular_momentum) < 1e-9 * before.angular_momentum.length());
    }
}

/// Resampling made all samples equally dense, and reset the plastic strain that determines the hardening of bent sections.
#[test]
fn resampling_keeps_grading_and_hardening() {
    let params = with_counts(20, 60);
    let cloud = cuboid(DVec3::new(1.0, 0.02, 0.02), [200, 1, 1], &RigidPose::IDENTITY).unwrap();
    let objects = vec![0; cloud.points.len()];
    let grading = Some(cloud.points.iter().map(|point| if point.x < 0.0 { 1.0 } else { 3.0 }).collect());
    let body = Body { cloud, objects, samples: 20, elastons: 60, grading };
    let mut state = State::new(params.order, Matter::sample(&[body], params.support).unwrap());
    let bent = DMat3::from_diagonal(DVec3::new(1.0, -0.5, -0.5));
    state.flowed.iter_mut().for_each(|strains| strains.bending[1] = bent);
    let turn = DMat3::from_quat(DQuat::from_rotation_z(0.5)) - DMat3::IDENTITY;
    state.displacements = linear_field(params.order, &state.matter.samples, DVec3::ZERO, turn);
    let work = Workspace::new(&params, &state).unwrap();
    let new = resample(&params, &state, &work.discretization, false).unwrap();
    let dense = |matter: &Matter| matter.anchors.iter().filter(|&&anchor| anchor < 100).count();
    assert_eq!([dense(&state.matter), dense(&new.matter)], [15, 15]);
    let size = |bending: &[DMat3; 3]| -> f64 {
        bending.iter().flat_map(DMat3::to_cols_array).map(|entry| entry * entry).sum::<f64>().sqrt()
    };
    for strains in &new.flowed {
        assert!((size(&strains.bending) - size(&state.flowed[0].bending)).abs() < 1e-6);
    }
}
