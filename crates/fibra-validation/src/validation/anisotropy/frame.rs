//! Frame invariance: rotating scene and material axes together rotates the result.

use super::super::Check;
use super::super::scenario::Scenario;
use super::{Strength, hay_map, laws, moving_box, needles, to_f32, wrap};
use fibra_mpm::materials::{Anisotropic, Material};
use glam::{DMat3, DVec3, Vec3};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_6};

/// Half edge lengths of the box [m].
const HALF: [f32; 3] = [0.2, 0.15, 0.1];

/// For each law, compares the result of a scene with the results of rotated scenes.
///
/// A quarter turn maps the grid onto itself, so results must agree, with constant maps and with rotating grains. A
/// rotation by 30 degrees about an oblique axis does not map the grid onto itself, so the difference of its results
/// includes the discretization error of the grid. If the scene makes a quarter turn but the material axes do not, the
/// difference must be more than ten times that of the oblique rotation. This shows that the axes matter.
pub fn run() -> Result<Vec<Check>, String> {
    let quarter = DMat3::from_rotation_z(FRAC_PI_2);
    let oblique = DMat3::from_axis_angle(DVec3::new(2.0, -1.0, 2.0) / 3.0, FRAC_PI_6);
    let mut rows = Vec::new();
    for (name, law) in laws(Strength::Weak) {
        let wrapped = wrap(&law, &hay_map())?;
        let grains = Anisotropic::of_grains(&law, &needles(0.9, [0.1, 0.2, 0.7])).map_err(|e| e.to_string())?;
        let grains = Material::Anisotropic(grains.into());
        rows.push(check(&format!("aniso-frame-quarter-{name}"), &wrapped, quarter, 0.05)?);
        rows.push(check(&format!("aniso-frame-quarter-grains-{name}"), &grains, quarter, 0.05)?);
        let across = check(&format!("aniso-frame-oblique-{name}"), &wrapped, oblique, 0.025)?;
        let grid_error = across.measured;
        rows.push(across);
        let straight = fly(&wrapped, DMat3::IDENTITY, DMat3::IDENTITY, 0.05)?;
        let left_behind = fly(&wrapped, quarter, DMat3::IDENTITY, 0.05)?;
        let apart = apart(&straight, &left_behind, quarter);
        rows.push(Check::above(&format!("aniso-frame-left-behind-{name}"), apart, 10.0 * grid_error));
    }
    Ok(rows)
}

fn check(name: &str, material: &Material, turn: DMat3, dx: f64) -> Result<Check, String> {
    let straight = fly(material, DMat3::IDENTITY, DMat3::IDENTITY, dx)?;
    let measured = apart(&straight, &fly(material, turn, turn, dx)?, turn);
    Ok(Check { name: name.to_owned(), measured, expected: 0.0, error: measured, tolerance: 1e-3 })
}

/// Largest distance between the rotated position of a particle in one run and its position in the other run, relative
/// to the size of the box [-].
fn apart(straight: &Scenario, turned: &Scenario, turn: DMat3) -> f64 {
    let all = 0..straight.state.particles.len() as u32;
    let (a, b) = (straight.positions_of(all.clone()), turned.positions_of(all));
    let size = 2.0 * f64::from(Vec3::from(HALF).max_element());
    a.iter().zip(&b).map(|(a, b)| (turn * *a - *b).length() / size).fold(0.0, f64::max)
}

/// A free flight in which the box is sheared and squeezed. `turn` rotates positions and velocities, and `axes` rotates
/// the material axes.
fn fly(material: &Material, turn: DMat3, axes: DMat3, dx: f64) -> Result<Scenario, String> {
    let gradient = DMat3::from_cols_array(&[-1.0, -0.8, 0.9, 2.5, -0.5, -1.2, 0.4, 1.5, -0.7]);
    let mut body = moving_box(dx, Vec3::from(HALF), material.clone(), turn, gradient)?;
    body.state.particles.f.fill(to_f32(axes));
    body.params.limits.max_dt = 4e-4;
    body.advance(0.04)?;
    Ok(body)
}
