//! What a particle stands for [Jiang2017, Sec. 4.1].

/// What a particle stands for. The numbers are those of checkpoints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// A piece of a solid, of grains or of a liquid: moves and deforms with the grid (type i).
    #[default]
    Point = 0,
    /// A vertex of a mesh: moves with the grid and carries the forces of its elements (type ii).
    Vertex = 1,
    /// A pinned vertex: follows its pin and does not take part in the grid transfer.
    Held = 2,
    /// The quadrature point of a segment of a curve: lies at its middle (type iii).
    Curve = 3,
    /// The quadrature point of a triangle of a surface: lies at its barycenter (type iii).
    Surface = 4,
}

impl Kind {
    /// How many kinds there are.
    pub const COUNT: u32 = 5;
    /// All kinds, by number.
    pub const ALL: [Kind; Kind::COUNT as usize] = [Kind::Point, Kind::Vertex, Kind::Held, Kind::Curve, Kind::Surface];

    /// Whether it stands for an element of a mesh.
    pub fn is_element(self) -> bool {
        matches!(self, Kind::Curve | Kind::Surface)
    }

    /// Whether it is a vertex of a mesh, held or not.
    pub fn is_vertex(self) -> bool {
        matches!(self, Kind::Vertex | Kind::Held)
    }
}

/// Particles of one kind and one material, which are sorted and handled together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Index of the material.
    pub material: u32,
    /// The kind.
    pub kind: Kind,
}

impl Group {
    /// As one number, which orders runs.
    #[inline(always)]
    pub fn number(self) -> u32 {
        self.material * Kind::COUNT + self.kind as u32
    }

    /// From its number.
    #[inline(always)]
    pub fn of_number(number: u32) -> Group {
        Group { material: number / Kind::COUNT, kind: Kind::ALL[(number % Kind::COUNT) as usize] }
    }
}
