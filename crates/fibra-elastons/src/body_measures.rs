//! Positions, strains, volumes and parts of bodies, computed from a state on request.

use crate::discretization::Discretization;
use crate::law::{Strains, frame, strains};
use crate::measures::Totals;
use crate::plasticity::equivalent_strain;
use crate::symmetric_eigen::symmetric_eigen;
use crate::table::Table;
use crate::workspace::Account;
use crate::world::{Params, State};
use fibra_core::Quantities;
use fibra_core::geometry::PlacedCollider;
use glam::{DMat3, DVec3};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// A view of a simulation that computes positions, strains, volumes and counts.
#[derive(Clone, Copy)]
pub struct Measures<'a> {
    /// User settings.
    pub params: &'a Params,
    /// Current state.
    pub state: &'a State,
    /// Tables of the rest shape.
    pub tables: &'a Discretization,
}

impl Measures<'_> {
    /// Current positions of a table's evaluation points, relative to the simulation origin [m]. `places` are their rest
    /// positions.
    fn moved(&self, table: &Table, places: &[DVec3]) -> Vec<DVec3> {
        let at = |(site, &place): (usize, &DVec3)| place + table.read(site, &self.state.displacements)[0];
        places.par_iter().enumerate().with_min_len(256).map(at).collect()
    }

    fn rates(&self, table: &Table) -> Vec<DVec3> {
        let rate = |site: usize| table.read(site, &self.state.velocities)[0];
        (0..table.len()).into_par_iter().with_min_len(256).map(rate).collect()
    }

    /// Positions of the material points relative to the simulation origin [m].
    pub fn piece_positions(&self) -> Vec<DVec3> {
        self.moved(&self.tables.pieces, &self.state.matter.cloud.points)
    }

    /// Velocities of the material points [m/s].
    pub fn piece_velocities(&self) -> Vec<DVec3> {
        self.rates(&self.tables.pieces)
    }

    /// Positions of the render surface's vertices relative to the simulation origin [m].
    pub fn surface_positions(&self) -> Vec<DVec3> {
        self.moved(&self.tables.surface, &self.state.matter.surface.vertices)
    }

    /// Velocities of the render surface's vertices [m/s].
    pub fn surface_velocities(&self) -> Vec<DVec3> {
        self.rates(&self.tables.surface)
    }

    /// Elastons of an object, or of all objects.
    pub fn elastons(&self, object: Option<u32>) -> impl Iterator<Item = usize> + '_ {
        let own = move |&elaston: &usize| object.is_none_or(|object| self.tables.substances[elaston] == object);
        (0..self.state.matter.elastons.len()).filter(own)
    }

    /// Material points of an object, or of all objects.
    pub fn pieces(&self, object: Option<u32>) -> impl Iterator<Item = usize> + '_ {
        let objects = &self.state.matter.objects;
        (0..objects.len()).filter(move |&piece| object.is_none_or(|object| objects[piece] == object))
    }

    /// Total strains of an elaston, plastic strains included.
    pub fn strains(&self, elaston: usize) -> Strains {
        let field = self.tables.elastons.read(elaston, &self.state.displacements);
        let this = &self.state.matter.elastons[elaston];
        strains(&field, this, &frame(&field, this))
    }

    /// Von Mises strain of an elaston [-]: total and plastic.
    pub fn mises_strains(&self, elaston: usize) -> [f64; 2] {
        let elasticity = &self.params.objects[self.tables.substances[elaston] as usize].elasticity;
        let section = self.params.objects[self.tables.substances[elaston] as usize].section;
        let distances = section.surface_distances(self.state.matter.elastons[elaston].sides);
        // The bending strain at the surface of the elaston is included.
        let largest = |strains: &Strains| {
            let bent = |axis: usize| distances[axis] * equivalent_strain(elasticity, &strains.bending[axis]);
            let bending: f64 = (0..3).map(bent).fold(0.0, f64::max);
            equivalent_strain(elasticity, &strains.membrane) + bending
        };
        [largest(&self.strains(elaston)), largest(&self.state.flowed[elaston])]
    }

    /// Deformation gradient of an elaston, multiplied by the matrix of its rest axes [-].
    fn gradient(&self, elaston: usize) -> DMat3 {
        let field = self.tables.elastons.read(elaston, &self.state.displacements);
        self.state.matter.elastons[elaston].axes + DMat3::from_cols(field[1], field[2], field[3])
    }

    /// Largest principal stretch of an elaston [-].
    pub fn stretch(&self, elaston: usize) -> f64 {
        let gradient = self.gradient(elaston);
        symmetric_eigen(&(gradient.transpose() * gradient)).0.max_element().max(0.0).sqrt()
    }

    /// Mass, momenta and energies of an object, or of all objects.
    pub fn totals(&self, object: Option<u32>) -> Totals {
        let own = |elaston: usize| object.is_none_or(|object| self.tables.substances[elaston] == object);
        Totals::new(self.params, self.state, self.tables, own)
    }

    /// Rest volume and current volume of an object, or of all objects [m^3].
    pub fn volumes(&self, object: Option<u32>) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for elaston in self.elastons(object) {
            let volume = self.state.matter.elastons[elaston].volume;
            sums[0] += volume;
            sums[1] += volume * self.gradient(elaston).determinant();
        }
        sums
    }

    /// Number of connected parts of an object, or of all objects.
    pub fn parts(&self, object: Option<u32>) -> usize {
        let numbers: BTreeSet<u32> = self.pieces(object).map(|piece| self.tables.components[piece]).collect();
        numbers.len()
    }

    /// Number of material points whose center is inside a collider, except those in holds.
    pub fn inside_colliders(&self, object: Option<u32>) -> usize {
        let (params, time) = (self.params, self.state.time);
        let placed: Vec<PlacedCollider> =
            params.colliders.iter().map(|collider| collider.place(time, params.origin)).collect();
        let mut held = vec![false; self.state.matter.objects.len()];
        for hold in params.holds.iter().filter(|hold| time <= hold.until) {
            hold.pieces.iter().for_each(|&piece| held[piece as usize] = true);
        }
        let positions = self.piece_positions();
        let deep = |x: DVec3| placed.iter().any(|collider| collider.signed_distance(x.as_vec3()) < 0.0);
        self.pieces(object).filter(|&piece| !held[piece] && deep(positions[piece])).count()
    }

    /// Conserved and diagnostic quantities by name, in SI units. Momenta and energies are relative to the simulation origin.
    pub fn quantities(&self, account: &Account) -> Quantities {
        let totals = self.totals(None);
        Quantities::from([
            ("mass", totals.mass),
            ("momentum_x", totals.momentum.x),
            ("momentum_y", totals.momentum.y),
            ("momentum_z", totals.momentum.z),
            ("angular_momentum_x", totals.angular_momentum.x),
            ("angular_momentum_y", totals.angular_momentum.y),
            ("angular_momentum_z", totals.angular_momentum.z),
            ("kinetic_energy", totals.kinetic),
            ("elastic_energy", totals.elastic),
            ("gravitational_energy", totals.gravitational),
            ("volume", self.volumes(None)[1]),
            ("parts", self.parts(None) as f64),
            ("samples", self.state.matter.samples.len() as f64),
            ("elastons", self.state.matter.elastons.len() as f64),
            ("contacts", account.contacts as f64),
            ("most_contacts", account.most_contacts as f64),
            ("iterations", account.iterations as f64),
            ("factors", account.factors as f64),
        ])
    }
}
