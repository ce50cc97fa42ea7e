//! Kinds of particles [Jiang2017, Sec. 4.1].

/// The kind of a particle. The discriminants are stored in checkpoints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A particle of a solid, granular material or liquid: moves and deforms with the grid (type i).
    #[default]
    Point = 0,
    /// A vertex of a mesh: moves with the grid and receives the forces of its elements (type ii).
    Vertex = 1,
    /// A pinned vertex: moves as prescribed and does not interact with the grid.
    Held = 2,
    /// The quadrature particle of a segment of a curve, at its midpoint (type iii).
    Curve = 3,
    /// The quadrature particle of a triangle of a surface, at its barycenter (type iii).
    Surface = 4,
}

impl Kind {
    /// Number of kinds.
    pub const COUNT: u32 = 5;
    /// All kinds, by number.
    pub const ALL: [Kind; Kind::COUNT as usize] = [Kind::Point, Kind::Vertex, Kind::Held, Kind::Curve, Kind::Surface];

    /// Returns whether this is the quadrature particle of a mesh element.
    pub fn is_element(self) -> bool {
        matches!(self, Kind::Curve | Kind::Surface)
    }

    /// Returns whether this is a vertex of a mesh, pinned or not.
    pub fn is_vertex(self) -> bool {
        matches!(self, Kind::Vertex | Kind::Held)
    }
}

/// Particles of one kind and one material, which are sorted and processed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Index of the material.
    pub material: u32,
    /// The kind.
    pub kind: Kind,
}

impl Group {
    /// Encodes the group as a number. Particle runs are ordered by it.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.material * Kind::COUNT + self.kind as u32
    }

    /// Decodes a group from its number.
    #[inline(always)]
    pub fn of_number(number: u32) -> Group {
        Group { material: number / Kind::COUNT, kind: Kind::ALL[(number % Kind::COUNT) as usize] }
    }
}
