//! Materials of the scene, in the numbers users know, as laws in the numbers that are computed with.

use crate::Material;
use fibra_mpm::internals::builder::Fabric;
use fibra_mpm::internals::params::Substance;
use fibra_mpm::materials::MeshProperties;

/// The law and density of a material; none where it is of another method.
pub(super) fn substance(material: &Material) -> Option<Substance> {
    material.mpm().as_ref().map(Substance::from)
}

/// What the mesh of an object is made of. Solids have none, so that what is said of them means nothing.
pub(super) fn fabric(material: &Material) -> Fabric {
    let MeshProperties { section, follows_mesh, .. } = mesh(material);
    Fabric { density: material.density(), section, follows_mesh }
}

/// What meshes of a material are like.
pub(super) fn mesh(material: &Material) -> MeshProperties {
    material.mpm().map_or(MeshProperties::NONE, |material| material.mesh())
}
