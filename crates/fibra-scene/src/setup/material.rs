//! Converts the scene's materials to constitutive models.

use crate::Material;
use fibra_mpm::internals::builder::Fabric;
use fibra_mpm::internals::params::Substance;
use fibra_mpm::materials::MeshProperties;

/// Returns the constitutive model and density of a material, or `None` if the material belongs to another method.
pub(super) fn substance(material: &Material) -> Option<Substance> {
    material.mpm().as_ref().map(Substance::from)
}

/// Returns the fabric of an object's mesh. Unused for solids, which have no mesh.
pub(super) fn fabric(material: &Material) -> Fabric {
    let MeshProperties { section, follows_mesh, .. } = mesh(material);
    Fabric { density: material.density(), section, follows_mesh }
}

/// Returns the mesh properties of a material.
pub(super) fn mesh(material: &Material) -> MeshProperties {
    material.mpm().map_or(MeshProperties::NONE, |material| material.mesh())
}
