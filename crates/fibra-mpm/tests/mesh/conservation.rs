//! Forces of meshes have zero sum and zero torque.

use crate::scene::*;
use fibra_mpm::internals::builder::Builder;
use fibra_mpm::internals::diagnostics::diagnose;
use fibra_mpm::internals::kind::Kind;
use fibra_mpm::internals::step::start;
use fibra_mpm::internals::workspace::Workspace;
use glam::DVec3;

/// A deformed cloth and a deformed thread that resist bending: the forces on their vertices sum to zero.
#[test]
fn forces_on_vertices_sum_to_zero() {
    let mut params = params();
    let mut b = Builder::new(DVec3::ZERO);
    let still = moving(DVec3::ZERO, DVec3::ZERO);
    add_cloth(&mut b, 8, 0.4, &still, |x| x);
    add_thread(&mut b, 10, DVec3::new(0.0, 0.2, 0.0), DVec3::new(0.3, 0.3, 0.1), &still);
    let (mut state, meshes) = b.finish();
    params.meshes = meshes;
    let p = &mut state.particles;
    for (n, x) in p.x.iter_mut().enumerate() {
        let shake = |k: f32| 0.01 * (n as f32 * k).sin();
        *x = [x[0] * 1.2 + shake(1.0), x[1] + shake(2.0), x[2] * 0.9 + shake(3.0)];
    }
    start(&params, &mut state);
    let p = &state.particles;
    let (mut sum, mut torque, mut size) = (DVec3::ZERO, DVec3::ZERO, 0.0f64);
    let vector = |x: [f32; 3]| DVec3::from_array(x.map(f64::from));
    for i in (0..p.len()).filter(|&i| p.kind[i] == Kind::Vertex) {
        sum += vector(p.pull[i]);
        torque += vector(p.x[i]).cross(vector(p.pull[i]));
        size += vector(p.pull[i]).length();
    }
    assert!(size > 1e-2, "forces must not be zero: {size} N");
    assert!(sum.length() < 1e-6 * size, "{sum} N of {size} N");
    // The torque of the elements' own stress balances the torque of the vertex forces, so only their sum is zero.
    for i in (0..p.len()).filter(|&i| p.kind[i].is_element()) {
        let tau = p.tau[i].to_mat3().scale(p.volume[i]);
        let rest = match p.kind[i] {
            Kind::Curve => tau.sub(&fibra_core::mat3::Mat3::outer(p.pull[i], p.f[i].column_x())),
            _ => fibra_core::mat3::Mat3::outer(p.pull[i], p.f[i].column_z()),
        };
        torque -= vector([rest.zy - rest.yz, rest.xz - rest.zx, rest.yx - rest.xy]);
    }
    for (t, by) in state.rods.tangent.iter().zip(&state.rods.torque) {
        torque += f64::from(*by) * vector(*t);
    }
    assert!(torque.length() < 1e-5 * size * 0.4, "{torque} N m");
}

/// Sand thrown onto a free cloth, both rotating: momenta are conserved over a thousand steps.
#[test]
fn cloth_and_sand_conserve_momenta() {
    let mut params = params();
    let mut b = Builder::new(DVec3::ZERO);
    let spin = DVec3::new(0.3, 1.0, -0.2);
    add_cloth(&mut b, 16, 0.6, &moving(DVec3::new(0.1, 0.0, 0.05), spin), |x| x);
    add_sand(
        &mut b,
        DVec3::new(-0.1, 0.06, -0.1),
        DVec3::new(0.1, 0.16, 0.1),
        &moving(DVec3::new(0.0, -1.0, 0.2), spin),
    );
    let (mut state, meshes) = b.finish();
    params.meshes = meshes;
    start(&params, &mut state);
    let before = diagnose(&params, &state, None);
    let scale = before.mass * (2.0 * before.kinetic_energy / before.mass).sqrt();
    advance(&params, &mut state, &mut Workspace::default(), 1000).unwrap();
    let after = diagnose(&params, &state, None);
    let linear = (after.momentum - before.momentum).length() / scale;
    let angular = (after.angular_momentum - before.angular_momentum).length() / (scale * 0.3);
    assert!(linear < 1e-4, "linear momentum changed by {linear}");
    assert!(angular < 1e-3, "angular momentum changed by {angular}");
    let cloth = diagnose(&params, &state, Some(CLOTH));
    assert!(cloth.momentum.y < -0.1 * scale, "the sand must push the cloth: {}", cloth.momentum);
}
