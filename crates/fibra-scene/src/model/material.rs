//! What objects are made of. Every number has a default, so `material.sand = {}` is sand.

use super::elastons::ElastonMaterial;
use super::hair::{Bangs, HairMaterial};
use super::object_shape::Form;
use super::rods::{Rigid, Rod};
use super::scene::Method;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an object is made of, written as `material.NAME = { ... }`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Material {
    /// Hooke's law under large rotations: elastic, for small strains.
    CorotatedLinear(Elastic),
    /// Jelly: elastic, robust when crushed or inverted.
    FixedCorotated(Elastic),
    /// Rubber: elastic, ever stiffer towards zero volume.
    NeoHookean(Elastic),
    /// Snow: packs, hardens and breaks.
    Snow(Snow),
    /// Sand: Hencky elasticity with a Drucker-Prager yield surface.
    Sand(Sand),
    /// Water and other liquids: weakly compressible.
    Fluid(Fluid),
    /// Whipped cream, toothpaste, mud: elastic up to a yield stress, then flows.
    Goo(Goo),
    /// Flesh, felt, straw: elastic until it tears in shear.
    Tissue(Tissue),
    /// Cloth, paper, skin: an elastic surface that rubs on itself and on others. Needs a shape that is a surface.
    Cloth(Cloth),
    /// Yarns, hairs, threads: elastic curves that rub on each other. Needs a shape that is made of curves.
    Fiber(Fiber),
    /// Thin elastic rods in contact (method `rods`). Needs a shape that is made of curves without junctions.
    Rod(Rod),
    /// A rigid ball (method `rods`). Needs a sphere.
    Rigid(Rigid),
    /// Hair (method `hair`). Needs a shape that is made of curves without junctions.
    Hair(HairMaterial),
    /// Elastic rods, shells and solids (method `elastons`). Any shape will do.
    Elastic(ElastonMaterial),
}

/// An elastic solid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Elastic {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e5.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
}

impl Default for Elastic {
    fn default() -> Self {
        Elastic { density: 1000.0, youngs_modulus: 1e5, poisson_ratio: 0.3 }
    }
}

/// Snow after [Stomakhin2013].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Snow {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 400.
    pub density: f64,
    /// Young's modulus before hardening, above 0 [Pa]. Default: 1.4e5.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.2.
    pub poisson_ratio: f64,
    /// Compressive strain at which it packs, 0 or above and below 1 [-]. Default: 0.025.
    pub critical_compression: f64,
    /// Tensile strain at which it breaks, 0 or above [-]. Default: 0.0075.
    pub critical_stretch: f64,
    /// How fast it stiffens when packed and weakens when torn, 0 or above [-]. Default: 10.
    pub hardening: f64,
}

impl Default for Snow {
    fn default() -> Self {
        Snow {
            density: 400.0,
            youngs_modulus: 1.4e5,
            poisson_ratio: 0.2,
            critical_compression: 0.025,
            critical_stretch: 0.0075,
            hardening: 10.0,
        }
    }
}

/// Sand and other grains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Sand {
    /// Mass per bulk volume at rest, above 0 [kg/m^3]. Default: 1600.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e6.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// Angle of internal friction, 0 or above and below 90 [deg]. Default: 35.
    pub friction_angle: f64,
    /// Cohesion, 0 or above; a little makes it damp [Pa]. Default: 0.
    pub cohesion: f64,
    /// Whether grains that came apart close up again without gaining volume [Tampubolon2017]. Default: true.
    pub volume_correction: bool,
}

impl Default for Sand {
    fn default() -> Self {
        Sand {
            density: 1600.0,
            youngs_modulus: 1e6,
            poisson_ratio: 0.3,
            friction_angle: 35.0,
            cohesion: 0.0,
            volume_correction: true,
        }
    }
}

/// A weakly compressible liquid.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fluid {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Bulk modulus at rest, above 0 [Pa]. Real water has 2.2e9; a smaller one allows longer steps, and 100 times the
    /// largest pressure keeps the volume to about 1 %. Default: 1e5.
    pub bulk_modulus: f64,
    /// Exponent of the equation of state p = (bulk_modulus / gamma) (J^-gamma - 1), at least 1 [-]. Default: 7.
    pub gamma: f64,
    /// Dynamic viscosity, 0 or above [Pa s]. Default: 0.001.
    pub viscosity: f64,
}

impl Default for Fluid {
    fn default() -> Self {
        Fluid { density: 1000.0, bulk_modulus: 1e5, gamma: 7.0, viscosity: 0.001 }
    }
}

/// A viscoplastic paste.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Goo {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e5.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.4.
    pub poisson_ratio: f64,
    /// Shear stress above which it flows, 0 or above [Pa]. Default: 100.
    pub yield_stress: f64,
    /// Dynamic viscosity of the flow, 0 or above [Pa s]. Default: 10.
    pub viscosity: f64,
}

impl Default for Goo {
    fn default() -> Self {
        Goo { density: 1000.0, youngs_modulus: 1e5, poisson_ratio: 0.4, yield_stress: 100.0, viscosity: 10.0 }
    }
}

/// Tissue that tears: elastic strain in shear beyond a limit is lost [Ionescu2006].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tissue {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Young's modulus, above 0 [Pa]. Default: 1e5.
    pub youngs_modulus: f64,
    /// Poisson's ratio, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// Largest shear strain while whole, the largest principal strain minus the smallest, above 0 [-]. Default: 0.1.
    pub critical_shear: f64,
    /// How fast that limit falls in tearing, 0 or above: it is halved when the shear lost is the inverse of this [-]. Default: 10.
    pub softening: f64,
}

impl Default for Tissue {
    fn default() -> Self {
        Tissue { density: 1000.0, youngs_modulus: 1e5, poisson_ratio: 0.3, critical_shear: 0.1, softening: 10.0 }
    }
}

/// Cloth after [Jiang2017].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Cloth {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 400.
    pub density: f64,
    /// Thickness at rest, above 0; with the density it gives the mass per area [m]. Default: 0.0005.
    pub thickness: f64,
    /// Young's modulus within the surface, above 0 [Pa]. Default: 8e4.
    pub youngs_modulus: f64,
    /// Poisson's ratio within the surface, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// Stiffness against being pressed together, `k` of the paper, above 0 [Pa]. Default: 1.6e5.
    pub normal_stiffness: f64,
    /// Stiffness against layers sliding while pressed together, `gamma` of the paper, 0 or above [Pa]. Default: 4e4.
    pub shear_stiffness: f64,
    /// Angle of friction, 0 or above and below 90 [deg]. Default: 20.
    pub friction_angle: f64,
    /// How it meets itself and others. Default: `frictional`.
    pub contact: SelfContact,
    /// Where its deformation comes from. Default: `hybrid`.
    pub deformation: Deformation,
    /// Stiffness of springs across inner edges, which resist bending, 0 or above [N/m]. Default: 0, it bends freely.
    pub bending_stiffness: f64,
}

impl Default for Cloth {
    fn default() -> Self {
        Cloth {
            density: 400.0,
            thickness: 5e-4,
            youngs_modulus: 8e4,
            poisson_ratio: 0.3,
            normal_stiffness: 1.6e5,
            shear_stiffness: 4e4,
            friction_angle: 20.0,
            contact: SelfContact::Frictional,
            deformation: Deformation::Hybrid,
            bending_stiffness: 0.0,
        }
    }
}

/// Yarn, hair or thread after [Jiang2017].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Fiber {
    /// Mass per volume at rest, above 0 [kg/m^3]. Default: 1000.
    pub density: f64,
    /// Radius at rest, above 0 [m]. Default: 0.0005.
    pub radius: f64,
    /// Stiffness against stretching, `k` of the paper, above 0 [Pa]. Default: 5e5.
    pub stiffness: f64,
    /// Stiffness against sliding along each other while pressed together, `gamma` of the paper, 0 or above [Pa].
    /// Default: 2e4.
    pub shear_stiffness: f64,
    /// Young's modulus of the cross-section, so of the contact between fibres, above 0 [Pa]. Default: 1e5.
    pub youngs_modulus: f64,
    /// Poisson's ratio of the cross-section, above -1 and below 0.5 [-]. Default: 0.3.
    pub poisson_ratio: f64,
    /// Angle of friction, 0 or above and below 90 [deg]. Default: 20.
    pub friction_angle: f64,
    /// How fibres meet each other and others. Default: `frictional`.
    pub contact: SelfContact,
    /// Where the deformation comes from. Default: `hybrid`.
    pub deformation: Deformation,
    /// Stiffness of springs from each vertex to the next but one, which resist bending, 0 or above [N/m]. Default: 0, it
    /// bends freely.
    pub bending_stiffness: f64,
}

impl Default for Fiber {
    fn default() -> Self {
        Fiber {
            density: 1000.0,
            radius: 5e-4,
            stiffness: 5e5,
            shear_stiffness: 2e4,
            youngs_modulus: 1e5,
            poisson_ratio: 0.3,
            friction_angle: 20.0,
            contact: SelfContact::Frictional,
            deformation: Deformation::Hybrid,
            bending_stiffness: 0.0,
        }
    }
}

/// How cloth and fibres meet themselves and others: the comparison of [Jiang2017, Fig. 10].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SelfContact {
    /// Pushes when pressed, slides against Coulomb friction, comes apart freely.
    #[default]
    Frictional,
    /// Elastic in every direction: what touches sticks.
    Elastic,
    /// Resists nothing but its own stretching: what touches clumps together.
    Absent,
}

/// Where the deformation of cloth and fibres comes from: the comparison of [Jiang2017, Fig. 10].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Deformation {
    /// Stretching from the mesh, contact from the grid: never breaks.
    #[default]
    Hybrid,
    /// All from the grid, as in plain MPM: breaks when stretched past a cell.
    Mpm,
}

impl Material {
    /// Its name in scenes.
    pub fn name(&self) -> &'static str {
        match self {
            Material::CorotatedLinear(_) => "corotated-linear",
            Material::FixedCorotated(_) => "fixed-corotated",
            Material::NeoHookean(_) => "neo-hookean",
            Material::Snow(_) => "snow",
            Material::Sand(_) => "sand",
            Material::Fluid(_) => "fluid",
            Material::Goo(_) => "goo",
            Material::Tissue(_) => "tissue",
            Material::Cloth(_) => "cloth",
            Material::Fiber(_) => "fiber",
            Material::Rod(_) => "rod",
            Material::Rigid(_) => "rigid",
            Material::Hair(_) => "hair",
            Material::Elastic(_) => "elastic",
        }
    }

    /// What the shape of an object made of it must be; none if any will do.
    pub fn form(&self) -> Option<Form> {
        match self {
            Material::Cloth(_) => Some(Form::Surface),
            Material::Fiber(_) | Material::Rod(_) | Material::Hair(_) => Some(Form::Curves),
            Material::Elastic(_) => None,
            _ => Some(Form::Solid),
        }
    }

    /// The method that simulates it.
    pub fn method(&self) -> Method {
        match self {
            Material::Rod(_) | Material::Rigid(_) => Method::Rods,
            Material::Hair(_) => Method::Hair,
            Material::Elastic(_) => Method::Elastons,
            _ => Method::Mpm,
        }
    }

    /// Mass per volume at rest [kg/m^3].
    pub fn density(&self) -> f64 {
        match self {
            Material::CorotatedLinear(elastic) | Material::FixedCorotated(elastic) | Material::NeoHookean(elastic) => {
                elastic.density
            }
            Material::Snow(snow) => snow.density,
            Material::Sand(sand) => sand.density,
            Material::Fluid(fluid) => fluid.density,
            Material::Goo(goo) => goo.density,
            Material::Tissue(tissue) => tissue.density,
            Material::Cloth(cloth) => cloth.density,
            Material::Fiber(fiber) => fiber.density,
            Material::Rod(rod) => rod.density,
            Material::Rigid(rigid) => rigid.density,
            Material::Elastic(elastic) => elastic.density,
            // One for all strands: `hair.strand.density`.
            Material::Hair(_) => f64::NAN,
        }
    }

    /// What more of it is held, if it is hair.
    pub(crate) fn bangs_mut(&mut self) -> Option<&mut Bangs> {
        match self {
            Material::Hair(hair) => hair.bangs.as_mut(),
            _ => None,
        }
    }
}
