//! Stretched cloth: Young's modulus and Poisson's ratio.

use super::Check;
use super::fabric::{Lines, Strip};
use super::scenario::{G, Scenario};
use fibra_core::geometry::Motion;
use fibra_mpm::internals::builder::{Builder, Fabric, StartMotion};
use fibra_mpm::internals::params::{Substance, Transfer};
use fibra_mpm::materials::{Cloth, ClothParams, Material, MaterialModel};
use glam::DVec3;

/// Length [m].
const LENGTH: f64 = 1.0;
/// Elements along the length and across.
const ELEMENTS: [u32; 2] = [48, 8];
/// Strain at the upper end, `rho g L / E` [-]. It is small, because Poisson's ratio of a nonlinear energy is that of small strains.
const STRAIN: f64 = 4e-3;

/// Lateral contraction and modulus of a strip that hangs from one end, for three Poisson's ratios and two directions of the mesh. Both are measured
/// in the middle half, far from the clamp, which prevents contraction.
pub fn run() -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    for lines in [Lines::Across, Lines::Inclined] {
        for poisson_ratio in [0.1, 0.3, 0.45] {
            checks.extend(hang(lines, poisson_ratio)?);
        }
    }
    Ok(checks)
}

fn hang(lines: Lines, poisson_ratio: f64) -> Result<[Check; 2], String> {
    let density = 400.0;
    let youngs_modulus = density * G * LENGTH / STRAIN;
    let params = ClothParams { density, youngs_modulus, poisson_ratio, ..ClothParams::default() };
    let h = LENGTH / f64::from(ELEMENTS[0]);
    let (vertices, triangles) = Strip { n: ELEMENTS[0], across: ELEMENTS[1], h, lines }.mesh();
    let mut builder = Builder::new(DVec3::ZERO);
    let fabric = Fabric { density, section: params.thickness, follows_mesh: true };
    builder.add_surface(0, &vertices, &triangles, &fabric, &StartMotion::default()).map_err(|e| e.to_string())?;
    let clamped: Vec<u32> = (0..vertices.len() as u32).filter(|&v| vertices[v as usize].x < 0.01 * h).collect();
    builder.add_pin(&clamped, Motion::Still, DVec3::ZERO, f64::INFINITY);
    let substance = Substance { material: Material::from(Cloth::from_params(&params)), density: density as f32 };
    let mut strip = Scenario::of_meshes(2.0 * h, substance, builder);
    strip.params.gravity = [G as f32, 0.0, 0.0];
    strip.params.transfer = Transfer::RIGID;
    let mut before = 0.0;
    for _ in 0..60 {
        for _ in 0..10 {
            while !strip.relax()? {}
        }
        let moved = strip.positions_of(0..vertices.len() as u32);
        let [along, across] = strains(&vertices, &moved);
        if (along - before).abs() < 1e-4 * along {
            let name = |what: &str| {
                let lines = if lines == Lines::Across { "across" } else { "inclined" };
                format!("cloth-poisson-{what}-{poisson_ratio}-{lines}")
            };
            // In the middle half the mean distance to the lower end is L / 2.
            let modulus = 0.5 * density * G * LENGTH / along;
            return Ok([
                Check::relative(&name("contraction"), -across / along, poisson_ratio, 0.01),
                Check::relative(&name("modulus"), modulus, youngs_modulus, 0.01),
            ]);
        }
        before = along;
    }
    Err("the strip does not come to rest".to_owned())
}

/// Mean strains along and across the strip in its middle half: fits of the displacements to the positions.
fn strains(rest: &[DVec3], moved: &[DVec3]) -> [f64; 2] {
    let middle: Vec<(DVec3, DVec3)> = rest
        .iter()
        .zip(moved)
        .filter(|(x, _)| (x.x - 0.5 * LENGTH).abs() < 0.25 * LENGTH)
        .map(|(x, y)| (*x, *y - *x))
        .collect();
    let slope = |axis: usize| {
        let mean = middle.iter().map(|(x, u)| [x[axis], u[axis]]).fold([0.0, 0.0], |a, b| [a[0] + b[0], a[1] + b[1]]);
        let [x0, u0] = mean.map(|sum| sum / middle.len() as f64);
        let products = middle.iter().map(|(x, u)| ((x[axis] - x0) * (u[axis] - u0), (x[axis] - x0).powi(2)));
        let (above, below) = products.fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
        above / below
    };
    [slope(0), slope(2)]
}
