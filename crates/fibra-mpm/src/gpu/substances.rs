use super::laws::LawSet;
use crate::materials::Material;
use crate::params::Substance;
use cubecl::prelude::*;
use fibra_gpu::{Buffer, Gpu};
#[derive(Clone, Debug)]
pub struct DeviceSubstances { pub table: Buffer<f32>, pub laws: LawSet }
impl DeviceSubstances {
    pub fn upload<R: Runtime>(gpu: &Gpu<R>, s: &[Substance]) -> Self {
        let Material::FixedCorotated(l) = &s[0].material else { panic!() };
        DeviceSubstances { table: gpu.upload(&[1.0 / s[0].density, l.lame.mu, l.lame.lambda]), laws: LawSet(1) }
    }
}
#[cube]
pub(super) fn inverse_density(table: &Array<f32>, _material: u32) -> f32 { table[0] }
