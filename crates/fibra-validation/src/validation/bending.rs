//! Cloth and fibers that bend under their own weight, and stiff sheets in free flight.

use super::Check;
use super::fabric::{Lines, Strip, straight};
use super::rods::heavy_elastica_shape;
use super::scenario::{G, Scenario};
use fibra_core::geometry::Motion;
use fibra_mpm::internals::builder::{Builder, Fabric, StartMotion};
use fibra_mpm::internals::diagnostics::diagnose;
use fibra_mpm::internals::params::{Substance, Transfer};
use fibra_mpm::materials::{Cloth, ClothParams, Fiber, FiberParams, Material, MaterialModel, MeshProperties};
use glam::DVec3;

/// Free length `L` of the strip or fiber [m].
const LENGTH: f64 = 1.0;
/// Ratios of weight to stiffness, `G = q L^3 / D` [-].
const WEIGHTS: [f64; 2] = [5.0, 50.0];
/// Elements along the free length.
const RESOLUTIONS: [u32; 2] = [20, 40];
/// Density [kg/m^3].
const DENSITY: f64 = 400.0;
/// Thickness of the sheet, radius of the fiber [m].
const THICKNESS: f64 = 1e-3;
/// Strain at the clamp if the strip hung vertically [-]. It is small, because an elastica does not stretch.
const STRAIN: f64 = 2e-3;
/// Error of the drop [-].
const TOLERANCE: f64 = 0.03;
/// A tip that moves less than this between two rests is at rest, relative to its drop [-].
const REST: f64 = 1e-4;

const STILL: StartMotion = StartMotion { velocity: DVec3::ZERO, spin: DVec3::ZERO, center: DVec3::ZERO, affine: true };

/// Drop of the free end of a strip of cloth that is clamped horizontally, compared with the heavy elastica, for two weights, two resolutions and two
/// directions of the mesh.
pub fn cloth() -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    for lines in [Lines::Across, Lines::Inclined] {
        for n in RESOLUTIONS {
            for weight in WEIGHTS {
                let q = DENSITY * THICKNESS * G;
                let params = ClothParams {
                    density: DENSITY,
                    thickness: THICKNESS,
                    youngs_modulus: DENSITY * G * LENGTH / STRAIN,
                    poisson_ratio: 0.0,
                    bending_stiffness: q * LENGTH.powi(3) / weight,
                    ..ClothParams::default()
                };
                let material = Material::from(Cloth::from_params(&params));
                let strip = Strip { n, across: 4, h: LENGTH / f64::from(n), lines };
                let (vertices, triangles) = strip.mesh();
                let mut builder = Builder::new(DVec3::ZERO);
                let properties = Cloth::mesh(&params);
                let ids = builder
                    .add_surface(0, &vertices, &triangles, &fabric(&properties), &STILL)
                    .map_err(|e| e.to_string())?;
                builder.bend_surface(ids.start, &vertices, &triangles, &properties, DENSITY);
                let name = format!(
                    "cloth-elastica-{weight}-{n}-{}",
                    if lines == Lines::Across { "across" } else { "inclined" }
                );
                let scene = (builder, &vertices[..], Substance { material, density: DENSITY as f32 });
                checks.push(drop_of(&name, scene, strip.h, weight)?);
            }
        }
    }
    Ok(checks)
}

/// The same for a fiber.
pub fn fiber() -> Result<Vec<Check>, String> {
    let mut checks = Vec::new();
    for n in RESOLUTIONS {
        for weight in WEIGHTS {
            let q = DENSITY * std::f64::consts::PI * THICKNESS * THICKNESS * G;
            let params = FiberParams {
                density: DENSITY,
                radius: THICKNESS,
                stiffness: DENSITY * G * LENGTH / STRAIN,
                bending_stiffness: Some(q * LENGTH.powi(3) / weight),
                ..FiberParams::default()
            };
            let h = LENGTH / f64::from(n);
            let vertices = straight(-2.0 * h * DVec3::X, DVec3::X, n + 2, h);
            let segments: Vec<[u32; 2]> = (0..n + 2).map(|i| [i, i + 1]).collect();
            let mut builder = Builder::new(DVec3::ZERO);
            let properties = Fiber::mesh(&params);
            let ids =
                builder.add_curves(0, &vertices, &segments, &fabric(&properties), &STILL).map_err(|e| e.to_string())?;
            builder.bend_curves(ids.start, &vertices, &segments, &properties, DENSITY);
            let substance =
                Substance { material: Material::from(Fiber::from_params(&params)), density: DENSITY as f32 };
            checks.push(drop_of(
                &format!("fiber-elastica-{weight}-{n}"),
                (builder, &vertices[..], substance),
                h,
                weight,
            )?);
        }
    }
    Ok(checks)
}

fn fabric(properties: &MeshProperties) -> Fabric {
    Fabric { density: DENSITY, section: properties.section, follows_mesh: properties.follows_mesh }
}

/// Clamps all vertices at `x <= 0`, relaxes the rest to equilibrium, and compares the mean drop of the vertices at the free end.
fn drop_of(
    name: &str,
    (mut builder, vertices, substance): (Builder, &[DVec3], Substance),
    h: f64,
    weight: f64,
) -> Result<Check, String> {
    let chosen = |inside: &dyn Fn(f64) -> bool| -> Vec<u32> {
        (0..vertices.len() as u32).filter(|&v| inside(vertices[v as usize].x)).collect()
    };
    builder.add_pin(&chosen(&|x| x < 0.01 * h), Motion::Still, DVec3::ZERO, f64::INFINITY);
    let ends = chosen(&|x| x > LENGTH - 0.01 * h);
    let mut bent = Scenario::of_meshes(h, substance, builder);
    bent.params.transfer = Transfer::Apic { damping: 0.0 };
    let mut before = 0.0;
    for _ in 0..200 {
        while !bent.relax()? {}
        let positions = bent.positions_of(0..vertices.len() as u32);
        let drop = -ends.iter().map(|&v| positions[v as usize].y).sum::<f64>() / ends.len() as f64;
        if (drop - before).abs() < REST * drop {
            return Ok(Check::relative(name, drop, LENGTH * heavy_elastica_shape(weight)[0], TOLERANCE));
        }
        before = drop;
    }
    Err(format!("{name} does not come to rest"))
}

/// Energy of a rotating sheet in free fall, for bending stiffnesses over seven orders of magnitude: the change relative to the kinetic energy.
pub fn flight() -> Result<Vec<Check>, String> {
    [2e-4, 2.0, 2e3].into_iter().map(fly).collect()
}

fn fly(stiffness: f64) -> Result<Check, String> {
    let params = ClothParams { bending_stiffness: stiffness, ..ClothParams::default() };
    let (n, h) = (16, 0.02);
    let (vertices, triangles) = Strip { n, across: n, h, lines: Lines::Across }.mesh();
    let mut builder = Builder::new(DVec3::ZERO);
    let properties = Cloth::mesh(&params);
    let fabric = Fabric { density: params.density, section: properties.section, follows_mesh: true };
    let motion = StartMotion {
        velocity: DVec3::new(0.3, 0.0, 0.1),
        spin: DVec3::new(0.4, 0.7, -0.3),
        center: vertices.iter().sum::<DVec3>() / vertices.len() as f64,
        affine: true,
    };
    let ids = builder.add_surface(0, &vertices, &triangles, &fabric, &motion).map_err(|e| e.to_string())?;
    builder.bend_surface(ids.start, &vertices, &triangles, &properties, params.density);
    let substance = Substance { material: Material::from(Cloth::from_params(&params)), density: params.density as f32 };
    let mut sheet = Scenario::of_meshes(h, substance, builder);
    sheet.step(f64::INFINITY)?;
    let energy = |sheet: &Scenario| {
        let d = diagnose(&sheet.params, &sheet.state, None);
        (d.kinetic_energy + d.elastic_energy + d.gravitational_energy, d.kinetic_energy)
    };
    let (before, _) = energy(&sheet);
    for _ in 0..4000 {
        sheet.step(0.5)?;
        if sheet.state.time >= 0.5 {
            break;
        }
    }
    let (after, kinetic) = energy(&sheet);
    Ok(Check::absolute(&format!("cloth-flight-{stiffness}"), (after - before) / kinetic, 0.0, 0.01))
}
