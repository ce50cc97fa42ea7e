//! A strip of cloth and a bundle of fibers that hang from their upper ends and stretch under their own weight.

use super::Check;
use super::fabric::{add_sheet, add_strands, straight};
use super::scenario::{G, Scenario};
use fibra_core::geometry::Motion;
use fibra_mpm::internals::builder::{Builder, Fabric};
use fibra_mpm::internals::params::{Substance, Transfer};
use fibra_mpm::law::ContactModel;
use fibra_mpm::materials::{Cloth, Fiber, Lame, Material};
use glam::DVec3;
use std::ops::Range;

/// Length `L` [m].
const LENGTH: f64 = 1.0;
/// Cells along the length.
const CELLS: u32 = 32;
/// Mesh elements per grid cell along the length. The mesh is finer than the grid, as self-contact requires.
const ELEMENTS_PER_CELL: u32 = 2;
/// Density [kg/m^3].
const DENSITY: f64 = 2.0;
/// Young's modulus of the cloth and stiffness of the fibers [Pa]. The strain at the upper end is `rho g L / E = 5 %`.
const STIFFNESS: f64 = DENSITY * G * LENGTH / 0.05;

/// Elongation of cloth with Poisson's ratio 0, compared with `rho g L^2 / (2 E)`.
///
/// The closed form is also exact for large stretch: the stress per rest area is `E (s - 1)` for the stretch `s`, and
/// the weight below a material point does not change with stretch.
pub fn cloth() -> Result<Vec<Check>, String> {
    let law = Cloth::new(Lame::new(STIFFNESS, 0.0), 100.0, 0.0, 0.0, ContactModel::Frictional);
    let substance = Substance { material: Material::Cloth(law), density: DENSITY as f32 };
    let fabric = Fabric { density: DENSITY, section: 1e-3, follows_mesh: true };
    let (n, h) = mesh();
    let mut builder = Builder::new(DVec3::ZERO);
    // The strip is two cells wide. Lines of vertices run along the strip.
    let width = 2 * ELEMENTS_PER_CELL;
    let strip = add_sheet(&mut builder, &fabric, DVec3::ZERO, [DVec3::X, DVec3::NEG_Y], [width, n], h)?;
    elongation("cloth-hang", builder, substance, strip)
}

/// Elongation of a bundle of fibers, compared with `rho g L^2 / (2 k)`.
pub fn fiber() -> Result<Vec<Check>, String> {
    let law = Fiber::new(STIFFNESS as f32, 0.0, Lame::new(100.0, 0.0), 0.0, ContactModel::Frictional);
    let substance = Substance { material: Material::Fiber(law), density: DENSITY as f32 };
    let fabric = Fabric { density: DENSITY, section: 1e-6, follows_mesh: true };
    let (n, h) = mesh();
    let places = (0..9).map(|i| h * DVec3::new(f64::from(i % 3), 0.0, f64::from(i / 3)));
    let strands: Vec<_> = places.map(|from| straight(from, DVec3::NEG_Y, n, h)).collect();
    let mut builder = Builder::new(DVec3::ZERO);
    let bundle = add_strands(&mut builder, &fabric, &strands)?;
    elongation("fiber-hang", builder, substance, bundle)
}

/// Number of elements along the length, and the length of each element [m].
fn mesh() -> (u32, f64) {
    let n = CELLS * ELEMENTS_PER_CELL;
    (n, LENGTH / f64::from(n))
}

/// Holds the upper end of every line of vertices and relaxes the rest to equilibrium. The measured elongation is the
/// mean over the lower ends.
fn elongation(
    name: &str,
    mut builder: Builder,
    substance: Substance,
    vertices: Range<u32>,
) -> Result<Vec<Check>, String> {
    let line = mesh().0 as usize + 1;
    let upper: Vec<u32> = vertices.clone().step_by(line).collect();
    builder.add_pin(&upper, Motion::Still, DVec3::ZERO, f64::INFINITY);
    let mut hanging = Scenario::of_meshes(LENGTH / f64::from(CELLS), substance, builder);
    // APIC damping acts on deformation only.
    hanging.params.transfer = Transfer::RIGID;
    let mut before = 0.0;
    for _ in 0..20 {
        // Relax until the oscillation has been stopped ten times.
        for _ in 0..10 {
            while !hanging.relax()? {}
        }
        let lines = hanging.positions_of(vertices.clone());
        let longer = lines.chunks(line).map(|line| -line[line.len() - 1].y - LENGTH).sum::<f64>();
        let now = longer / (vertices.len() / line) as f64;
        if (now - before).abs() < 1e-4 * now {
            let expected = DENSITY * G * LENGTH * LENGTH / (2.0 * STIFFNESS);
            return Ok(vec![Check::relative(name, now, expected, 0.02)]);
        }
        before = now;
    }
    Err("the mesh does not come to rest".to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn cloth_and_fibers_stretch_by_the_closed_form() {
        for check in super::cloth().unwrap().into_iter().chain(super::fiber().unwrap()) {
            assert!(check.error < 1e-3, "{check:?}");
        }
    }
}
