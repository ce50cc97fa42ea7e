//! Anisotropic materials of the scene as linear maps around isotropic constitutive models.

use super::material::substance;
use crate::{Anisotropy, AxisParameters, Material, model};
use fibra_mpm::materials::anisotropy::{
    self, Anisotropic, BadAnisotropy, Elasticity, FlowRule, Orientation, Orthotropic, StressMap,
};

/// Returns a material together with the linear maps that make it anisotropic.
pub fn anisotropic(material: &Material, wanted: &Anisotropy) -> Result<Anisotropic, BadAnisotropy> {
    let rule = match wanted.flow {
        Some(model::FlowRule::Paper) => FlowRule::Paper,
        Some(model::FlowRule::Conjugate) | None => FlowRule::Conjugate,
    };
    mapped(material, wanted).map(|law| law.with_flow_rule(rule))
}

fn mapped(material: &Material, wanted: &Anisotropy) -> Result<Anisotropic, BadAnisotropy> {
    let no_law = || BadAnisotropy::Law { law: material.name() };
    let law = substance(material).ok_or_else(no_law)?.material;
    if let Some(grains) = &wanted.orientation {
        return Anisotropic::of_grains(&law, &orientation(material.elasticity().ok_or_else(no_law)?, grains));
    }
    let stress_map = match (&wanted.stress_map, wanted.scales) {
        (Some(map), _) => StressMap::General(*map),
        (None, scales) => StressMap::Scales(scales.unwrap_or([1.0; 3])),
    };
    Anisotropic::new(&law, &anisotropy::Anisotropy { elasticity: elasticity(wanted), stress_map })
}

fn elasticity(wanted: &Anisotropy) -> Elasticity {
    match (&wanted.stiffness, &wanted.transverse, wanted.youngs_moduli.zip(wanted.poisson_ratios)) {
        (Some(stiffness), ..) => Elasticity::General(*stiffness),
        (_, Some(fibers), _) => Elasticity::Orthotropic(Orthotropic::transverse(
            fibers.youngs_modulus_along,
            fibers.youngs_modulus_across,
            fibers.poisson_ratio_along,
            fibers.poisson_ratio_across,
            fibers.shear_modulus_along,
        )),
        (.., Some((youngs_moduli, poisson_ratios))) => Elasticity::Orthotropic(Orthotropic {
            youngs_moduli,
            poisson_ratios: pairs(poisson_ratios),
            reverse_poisson_ratios: wanted.reverse_poisson_ratios.map(pairs),
            shear_moduli: wanted.shear_moduli.map(pairs),
        }),
        _ => Elasticity::Same,
    }
}

/// Reorders the values of the pairs of axes: from 12, 23, 13, as in the paper and in scene files, to 23, 13, 12, as in the linear maps.
fn pairs([of_12, of_23, of_13]: [f64; 3]) -> [f64; 3] {
    [of_23, of_13, of_12]
}

/// Converts the orientation of grains. The initial alignment is set per particle.
fn orientation([youngs_modulus, poisson_ratio]: [f64; 2], grains: &model::Orientation) -> Orientation {
    let parameters = |axis: &AxisParameters| anisotropy::AxisParameters {
        youngs_modulus: axis.youngs_modulus.unwrap_or(youngs_modulus),
        poisson_ratio: axis.poisson_ratio.unwrap_or(poisson_ratio),
        scale: axis.scale,
    };
    Orientation {
        // Spheres (elongation 0) keep their orientation in any flow.
        elongation: if grains.turning { grains.elongation } else { 0.0 },
        along: parameters(&grains.along),
        across: parameters(&grains.across),
        mixed: parameters(&grains.mixed),
        start: [1.0 / 3.0; 3],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::anisotropy::Transverse;
    use fibra_mpm::materials::SandParams;
    use fibra_mpm::materials::anisotropy::Matrix6;

    fn stiffness(wanted: &Anisotropy) -> Matrix6 {
        match elasticity(wanted) {
            Elasticity::Orthotropic(moduli) => moduli.stiffness().unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn pairs_of_axes_have_the_order_of_scenes() {
        let wanted = Anisotropy {
            youngs_moduli: Some([1e9, 5e8, 1e10]),
            poisson_ratios: Some([0.4, 0.02, 0.03]),
            reverse_poisson_ratios: Some([0.2, 0.4, 0.3]),
            shear_moduli: Some([1e8, 2e8, 3e8]),
            ..Anisotropy::default()
        };
        // Compliance in Mandel notation: strain (11, 22, 33, sqrt2 23, sqrt2 13, sqrt2 12) per unit stress.
        let compliance = stiffness(&wanted).inverse().0;
        for (i, j, ratio) in [(0, 1, 0.4), (1, 2, 0.02), (0, 2, 0.03), (1, 0, 0.2), (2, 1, 0.4), (2, 0, 0.3)] {
            assert!((-compliance[i][j] / compliance[i][i] - ratio).abs() < 1e-9, "nu of {i} and {j}");
        }
        for (shear, modulus) in [(5, 1e8), (3, 2e8), (4, 3e8)] {
            assert!((0.5 / compliance[shear][shear] / modulus - 1.0).abs() < 1e-9, "mu in row {shear}");
        }
    }

    #[test]
    fn fibers_run_along_the_third_axis() {
        let fibers = Transverse {
            youngs_modulus_along: 1e6,
            youngs_modulus_across: 1e5,
            poisson_ratio_along: 0.3,
            poisson_ratio_across: 0.2,
            shear_modulus_along: 3e4,
        };
        let compliance = stiffness(&Anisotropy { transverse: Some(fibers), ..Anisotropy::default() }).inverse().0;
        assert!((compliance[2][2] * 1e6 - 1.0).abs() < 1e-9 && (compliance[0][0] * 1e5 - 1.0).abs() < 1e-9);
        assert!((-compliance[0][2] / compliance[2][2] - 0.3).abs() < 1e-9);
        assert!((-compliance[0][1] / compliance[0][0] - 0.2).abs() < 1e-9);
    }

    #[test]
    fn equal_parameters_are_shared_and_grains_default_to_their_material() {
        let sand = Material::Sand(SandParams::default());
        let wanted = Anisotropy { scales: Some([0.8, 0.8, 1.4]), ..Anisotropy::default() };
        assert_eq!(anisotropic(&sand, &wanted).unwrap(), anisotropic(&sand, &wanted.clone()).unwrap());
        let grains = model::Orientation { turning: false, ..model::Orientation::default() };
        let still = orientation([1e6, 0.3], &grains);
        assert_eq!((still.elongation, still.mixed.youngs_modulus, still.along.poisson_ratio), (0.0, 1e6, 0.3));
        assert_eq!(orientation([1e6, 0.3], &model::Orientation::default()).elongation, 1.0);
    }
}
