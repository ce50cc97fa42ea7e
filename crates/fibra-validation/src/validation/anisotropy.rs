//! Isotropic laws with anisotropic maps: identity maps, prescribed moduli, rotated axes, and grains that rotate with
//! the flow.

mod flow;
mod frame;
mod identity;
mod moduli;
mod orientation;
mod repose;
mod tear;

pub use flow::run as flow;
pub use frame::run as frame;
pub use identity::run as identity;
pub use moduli::run as moduli;
pub use orientation::run as orientation;
pub use repose::run as repose;
pub use tear::run as tear;

use super::scenario::{Scenario, block};
use fibra_core::geometry::RigidPose;
use fibra_core::mat3::Mat3;
use fibra_mpm::internals::params::Substance;
use fibra_mpm::materials::anisotropy::{Anisotropy, AxisParameters, Elasticity, Orientation, Orthotropic, StressMap};
use fibra_mpm::materials::{
    Anisotropic, CorotatedLinear, FixedCorotated, Goo, Lame, Material, NeoHookean, Sand, Snow, Tissue,
};
use glam::{DMat3, Vec3};

/// Young's modulus [Pa] and Poisson's ratio [-] of the isotropic laws.
const YOUNGS: f64 = 1e5;
const POISSON: f64 = 0.3;
/// Density of all materials [kg/m^3].
const DENSITY: f32 = 1000.0;

/// Strength of the laws.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strength {
    /// The materials yield in the test.
    Weak,
    /// The materials stay elastic in the test.
    Endless,
}

/// Every isotropic law that supports anisotropic maps, by name.
fn laws(strength: Strength) -> [(&'static str, Material); 7] {
    let lame = Lame::new(YOUNGS, POISSON);
    let weak = strength == Strength::Weak;
    let pick = |when_weak: f32, otherwise: f32| if weak { when_weak } else { otherwise };
    let snow = Snow {
        lame,
        critical_compression: pick(0.025, 0.9),
        critical_stretch: pick(0.0075, 20.0),
        hardening: pick(10.0, 0.0),
    };
    let cohesion = if weak { 0.0 } else { 1e8 };
    [
        ("corotated-linear", Material::CorotatedLinear(CorotatedLinear { lame })),
        ("fixed-corotated", Material::FixedCorotated(FixedCorotated { lame })),
        ("neo-hookean", Material::NeoHookean(NeoHookean { lame })),
        ("snow", Material::Snow(snow)),
        ("sand", Material::Sand(Sand::new(lame, 35f64.to_radians(), cohesion, true))),
        ("goo", Material::Goo(Goo { lame, yield_stress: pick(500.0, 1e9), viscosity: 5.0 })),
        ("tissue", Material::Tissue(Tissue { lame, critical_shear: pick(0.02, 1e3), softening: 1.0 })),
    ]
}

/// Moduli of a material that is stiff along its third axis and soft along its second.
fn hay() -> Orthotropic {
    Orthotropic {
        youngs_moduli: [YOUNGS, 0.5 * YOUNGS, 2.0 * YOUNGS],
        poisson_ratios: [0.1, 0.15, POISSON],
        reverse_poisson_ratios: None,
        shear_moduli: Some([0.2 * YOUNGS, 0.5 * YOUNGS, 0.3 * YOUNGS]),
    }
}

/// The moduli of [`hay`] with a stress map that makes the third axis weak.
fn hay_map() -> Anisotropy {
    Anisotropy { elasticity: Elasticity::Orthotropic(hay()), stress_map: StressMap::Scales([0.8, 0.9, 1.4]) }
}

/// Grains of an elongation, with the initial eigenvalues `start` of the orientation tensor.
fn needles(elongation: f64, start: [f64; 3]) -> Orientation {
    let axis = |stiffer, scale| AxisParameters { youngs_modulus: stiffer * YOUNGS, poisson_ratio: POISSON, scale };
    Orientation { elongation, along: axis(2.0, 1.4), across: axis(0.5, 0.8), mixed: axis(1.0, 1.0), start }
}

fn wrap(law: &Material, wanted: &Anisotropy) -> Result<Material, String> {
    let wrapped = Anisotropic::new(law, wanted).map_err(|e| e.to_string())?;
    Ok(Material::Anisotropic(wrapped.into()))
}

/// A matrix rounded to the precision of particles.
fn to_f32(m: DMat3) -> Mat3 {
    Mat3::from_rows(m.transpose().to_cols_array().map(|x| x as f32))
}

/// A box of one material, without gravity, on a grid of cell width `dx` [m]. The half edge lengths [m] are multiples of
/// `dx`. `turn` rotates the box and its material axes. The velocity is linear in the position, with the gradient
/// `velocity_gradient` in the box's own axes [1/s].
fn moving_box(
    dx: f64,
    half_extents: Vec3,
    material: Material,
    turn: DMat3,
    velocity_gradient: DMat3,
) -> Result<Scenario, String> {
    let substance = Substance { material, density: DENSITY };
    let mut body = Scenario::new(dx, block(half_extents, RigidPose::IDENTITY, substance)?)?;
    body.params.gravity = [0.0; 3];
    let gradient = turn * velocity_gradient * turn.transpose();
    for i in 0..body.state.particles.len() {
        let x = turn * body.position(i);
        let p = &mut body.state.particles;
        p.x[i] = x.as_vec3().to_array();
        p.v[i] = (gradient * x).as_vec3().to_array();
        p.c[i] = to_f32(gradient);
        p.f[i] = to_f32(turn);
    }
    Ok(body)
}
