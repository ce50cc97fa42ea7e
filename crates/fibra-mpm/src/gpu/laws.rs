use crate::law::{ElementResponse, Response, Trial};
use crate::materials::{FixedCorotated, Lame};
use cubecl::prelude::*;
use fibra_core::mat3::{Diag3, Mat3, Sym3};
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LawSet(pub u32);
#[derive(CubeType, Clone, Copy)]
pub struct Answer { pub response: Response, pub alignment: Diag3 }
#[cube]
pub fn respond(trial: &Trial, alignment: &Diag3, _material: u32, table: &Array<f32>, #[comptime] _laws: LawSet) -> Answer {
    let law = FixedCorotated { lame: Lame { mu: table[1], lambda: table[2] } };
    Answer { response: law.answer(trial), alignment: Diag3 { x: alignment.x, y: alignment.y, z: alignment.z } }
}
#[derive(CubeType, Clone, Copy)]
pub struct EA { pub d: Mat3, pub tau: Sym3, pub piola: Mat3, pub modulus: f32 }
#[cube]
pub fn respond_element(d: &Mat3, _material: u32, table: &Array<f32>, #[comptime] _laws: LawSet) -> EA {
    EA { d: d.scale(1.0f32), tau: Sym3 { xx: table[0], yy: table[0], zz: table[0], yz: table[0], xz: table[0], xy: table[0] }, piola: d.scale(0.0f32), modulus: table[0] }
}
