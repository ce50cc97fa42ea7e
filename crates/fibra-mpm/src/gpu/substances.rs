//! The materials of a run on the device: law, parameters and density of each, in one array.

use super::laws::{LawSet, LawTable, NoKernel};
use crate::params::Params;
use crate::state::State;
use cubecl::prelude::*;
use fibra_gpu::{Buffer, Gpu};
use fibra_materials::kind::Kind;

/// Number of values per material in the header, which precedes the parameters of all materials: the number of the law, the start of its parameters,
/// and the inverse density [m^3/kg].
const HEADER: usize = 3;

/// The materials on a device.
#[derive(Clone, Debug)]
pub struct DeviceSubstances {
    /// All numbers; integers are stored as `f32` values.
    pub table: Buffer<f32>,
    /// Laws of particles without a mesh.
    pub points: LawSet,
    /// Laws of elements.
    pub elements: LawSet,
}

impl DeviceSubstances {
    /// Uploads the materials of a run with the particles of a state.
    pub fn upload<R: Runtime>(gpu: &Gpu<R>, params: &Params, state: &State) -> Result<DeviceSubstances, NoKernel> {
        let laws = LawTable::new(&params.substances)?;
        let headers = HEADER * params.substances.len();
        let mut numbers = Vec::new();
        for (material, substance) in params.substances.iter().enumerate() {
            let first = headers as u32 + laws.first[material];
            numbers.extend([laws.law[material] as f32, first as f32, 1.0 / substance.density]);
        }
        numbers.extend(&laws.numbers);
        let mut substances =
            DeviceSubstances { table: gpu.upload(&numbers), points: LawSet::default(), elements: LawSet::default() };
        for (&object, kind) in state.particles.object.iter().zip(&state.particles.kind) {
            let law = laws.law[params.objects[object as usize].material as usize];
            match kind {
                Kind::Point => substances.points = substances.points.with(law),
                Kind::Curve | Kind::Surface => substances.elements = substances.elements.with(law),
                Kind::Vertex | Kind::Held => {}
            }
        }
        Ok(substances)
    }
}

/// Returns the number of a material's law.
#[cube]
pub(super) fn law_of(table: &Array<f32>, material: u32) -> u32 {
    u32::cast_from(table[material as usize * HEADER])
}

/// Returns the start of a material's parameters.
#[cube]
pub(super) fn first_of(table: &Array<f32>, material: u32) -> usize {
    usize::cast_from(table[material as usize * HEADER + 1])
}

/// Returns the inverse density of a material [m^3/kg].
#[cube]
pub(super) fn inverse_density(table: &Array<f32>, material: u32) -> f32 {
    table[material as usize * HEADER + 2]
}
