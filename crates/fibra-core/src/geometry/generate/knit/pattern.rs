//! Knitting patterns: how each loop of a fabric differs from a stockinette loop.

use super::super::{GenerateError, require};
use super::center_line::Proportions;

/// A knitting pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pattern {
    /// Every loop is a knit stitch.
    #[default]
    Stockinette,
    /// Columns of knit stitches alternate with columns of purl stitches.
    Rib(Rib),
    /// Groups of knit columns cross over each other on a ground of purl columns.
    Cable(Cable),
    /// Yarn-overs and decreases leave holes.
    Lace(Lace),
}

/// Columns of knit stitches that alternate with columns of purl stitches.
///
/// The knit columns are in front of the purl columns and overlap them, as in a rib that is not stretched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rib {
    /// Number of knit columns side by side, at least 1.
    pub knit: u32,
    /// Number of purl columns side by side, at least 1.
    pub purl: u32,
}

/// Cables on a ground of purl columns: the two halves of a group of knit columns change places.
///
/// In a row, only pairs of adjacent columns cross. Two halves of n columns therefore change places over 2 n - 1 rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cable {
    /// Number of knit columns of a cable, even and at least 2.
    pub width: u32,
    /// Number of purl columns between cables, at least 1.
    pub ground: u32,
    /// Number of rows without crossings between two crossings, at least 1.
    pub rows: u32,
    /// The half that crosses in front.
    pub front: Half,
}

/// A half of a cable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The columns that start on the left.
    Left,
    /// The columns that start on the right.
    Right,
}

/// Holes in a regular arrangement.
///
/// A decrease draws the head of one loop over that of its neighbor, so that the loop above the neighbor passes through both. The other loop
/// above is a yarn-over: it passes through nothing, which leaves a hole.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lace {
    /// Arrangement of the holes.
    pub motif: Motif,
    /// Number of columns from hole to hole, at least 2.
    pub wales: u32,
    /// Number of rows from one row with holes to the next, at least 2.
    pub courses: u32,
}

/// An arrangement of holes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motif {
    /// Every second row of holes is shifted by half of the distance between holes.
    Eyelets,
    /// Holes above each other.
    Columns,
    /// Each row of holes is shifted by one column.
    Diagonal,
    /// As `Diagonal`, but the direction of the shift alternates.
    Chevron,
}

/// What a loop's head does, compared with a stockinette loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// It stays in its column.
    Stay,
    /// It changes places with the next loop on its right (1) or left (-1).
    Cross {
        /// 1 to the right, -1 to the left.
        toward: i32,
        /// Whether it passes in front.
        front: bool,
    },
    /// It lies on the head of the next loop on its right (1) or left (-1).
    Decrease {
        /// 1 to the right, -1 to the left.
        toward: i32,
    },
}

impl Pattern {
    /// Returns an error if a number is out of range. The error names the parameter by its path in a scene's shape.
    pub(super) fn check(&self) -> Result<(), GenerateError> {
        let at_least = |name, value: u32, min: u32, allowed| require(value >= min, name, f64::from(value), allowed);
        match self {
            Pattern::Stockinette => Ok(()),
            Pattern::Rib(rib) => {
                at_least("pattern.rib.knit", rib.knit, 1, "it must be at least 1")?;
                at_least("pattern.rib.purl", rib.purl, 1, "it must be at least 1")
            }
            Pattern::Cable(cable) => {
                let even = cable.width >= 2 && cable.width.is_multiple_of(2);
                require(even, "pattern.cable.width", f64::from(cable.width), "it must be even and at least 2")?;
                at_least("pattern.cable.ground", cable.ground, 1, "it must be at least 1")?;
                at_least("pattern.cable.rows", cable.rows, 1, "it must be at least 1")
            }
            Pattern::Lace(lace) => {
                at_least("pattern.lace.wales", lace.wales, 2, "the distance between holes must be at least 2")?;
                at_least(
                    "pattern.lace.courses",
                    lace.courses,
                    2,
                    "the distance between rows of holes must be at least 2",
                )
            }
        }
    }

    /// Returns the proportions of the loops.
    pub(super) fn proportions(&self) -> Proportions {
        match self {
            Pattern::Stockinette => Proportions::STOCKINETTE,
            Pattern::Rib(_) => Proportions::RIB,
            Pattern::Cable(_) => Proportions::CABLE,
            Pattern::Lace(_) => Proportions::LACE,
        }
    }

    /// Returns the side on which the loops of a column appear as Vs: 1 for knit stitches, -1 for purl stitches.
    pub(super) fn side(&self, wale: u32) -> f64 {
        let purl = match self {
            Pattern::Stockinette | Pattern::Lace(_) => false,
            Pattern::Rib(rib) => u64::from(wale) % (u64::from(rib.knit) + u64::from(rib.purl)) >= u64::from(rib.knit),
            Pattern::Cable(cable) => cable.column(wale).is_none(),
        };
        if purl { -1.0 } else { 1.0 }
    }

    /// Returns what the head of a loop does, if its neighbors exist.
    pub(super) fn head(&self, course: u32, wale: u32) -> Move {
        match self {
            Pattern::Stockinette | Pattern::Rib(_) => Move::Stay,
            Pattern::Cable(cable) => cable.head(course, wale),
            Pattern::Lace(lace) => lace.head(course, wale),
        }
    }
}

impl Cable {
    /// Returns the position of a column within its cable, from the left; `None` for a purl column.
    fn column(&self, wale: u32) -> Option<u32> {
        let repeat = u64::from(self.width) + u64::from(self.ground);
        (u64::from(wale) % repeat).checked_sub(u64::from(self.ground)).map(|column| column as u32)
    }

    fn head(&self, course: u32, wale: u32) -> Move {
        let Some(column) = self.column(wale) else { return Move::Stay };
        // In the k-th crossing row the pairs (i, i + 1) change places whose distance from the middle pair is at most min(k, n - 1 - k),
        // and of the same parity as k: first the middle pair, then the two beside it, and so on, and back.
        let (half, crossing_rows) = (i64::from(self.width / 2), i64::from(self.width) - 1);
        let row = i64::from(course) % (crossing_rows + i64::from(self.rows)) - i64::from(self.rows);
        let crosses = |left: i64| {
            let off = (left - (half - 1)).abs();
            row >= 0 && off <= row.min(crossing_rows - 1 - row) && (off - row) % 2 == 0
        };
        let column = i64::from(column);
        // Columns that move to the right come from the left half.
        if crosses(column) {
            Move::Cross { toward: 1, front: self.front == Half::Left }
        } else if crosses(column - 1) {
            Move::Cross { toward: -1, front: self.front == Half::Right }
        } else {
            Move::Stay
        }
    }
}

impl Lace {
    fn head(&self, course: u32, wale: u32) -> Move {
        if course % self.courses != 1 {
            return Move::Stay;
        }
        let row = course / self.courses;
        let up = |row: u32| row % self.wales;
        // A chevron's shift goes up and down between 0 and half of the distance.
        let swing = (self.wales / 2).max(1);
        let rising = row % (2 * swing) < swing;
        let shift = match self.motif {
            Motif::Columns => 0,
            Motif::Eyelets => row % 2 * (self.wales / 2),
            Motif::Diagonal => up(row),
            Motif::Chevron => (row % (2 * swing)).min(2 * swing - row % (2 * swing)),
        };
        let toward = if self.motif == Motif::Chevron && !rising { -1 } else { 1 };
        if wale % self.wales == shift % self.wales { Move::Decrease { toward } } else { Move::Stay }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the columns of a cable from left to right after some courses, named by their initial position.
    fn order(cable: &Cable, courses: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..cable.width).collect();
        for course in 0..courses {
            let before = order.clone();
            for column in 0..cable.width {
                if let Move::Cross { toward, front } = cable.head(course, cable.ground + column) {
                    let to = column.checked_add_signed(toward).unwrap();
                    let partner = cable.head(course, cable.ground + to);
                    assert_eq!(partner, Move::Cross { toward: -toward, front: !front });
                    order[to as usize] = before[column as usize];
                }
            }
        }
        order
    }

    #[test]
    fn halves_of_a_cable_change_places() {
        for width in [2, 4, 6, 8] {
            let cable = Cable { width, ground: 2, rows: 5, front: Half::Left };
            let repeat = width - 1 + 5;
            let swapped: Vec<u32> = (width / 2..width).chain(0..width / 2).collect();
            assert_eq!(order(&cable, 5), (0..width).collect::<Vec<_>>());
            assert_eq!(order(&cable, repeat), swapped);
            assert_eq!(order(&cable, 2 * repeat), (0..width).collect::<Vec<_>>());
            // The columns that start on the left cross in front.
            let cable = Pattern::Cable(cable);
            let heads = (0..repeat).flat_map(|course| (0..width + 2).map(move |wale| cable.head(course, wale)));
            assert!(heads.into_iter().all(|head| match head {
                Move::Cross { toward, front } => front == (toward == 1),
                head => head == Move::Stay,
            }));
        }
    }

    #[test]
    fn rib_alternates() {
        let rib = Pattern::Rib(Rib { knit: 2, purl: 1 });
        let sides: Vec<f64> = (0..7).map(|wale| rib.side(wale)).collect();
        assert_eq!(sides, [1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0]);
    }

    #[test]
    fn decreases_of_a_row_do_not_meet() {
        for motif in [Motif::Eyelets, Motif::Columns, Motif::Diagonal, Motif::Chevron] {
            for (wales, courses) in [(2, 2), (3, 2), (4, 3), (7, 4)] {
                let lace = Lace { motif, wales, courses };
                for course in 0..40 {
                    let leaning: Vec<u32> = (1..30).filter(|&w| lace.head(course, w) != Move::Stay).collect();
                    assert_eq!(leaning.is_empty(), course % courses != 1);
                    assert!(leaning.windows(2).all(|pair| pair[1] - pair[0] == wales), "{motif:?} {wales} {course}");
                }
            }
        }
    }

    #[test]
    fn numbers_out_of_range_are_errors() {
        let cable = Cable { width: 4, ground: 2, rows: 4, front: Half::Left };
        let lace = Lace { motif: Motif::Eyelets, wales: 4, courses: 4 };
        for pattern in [
            Pattern::Rib(Rib { knit: 0, purl: 1 }),
            Pattern::Rib(Rib { knit: 1, purl: 0 }),
            Pattern::Cable(Cable { width: 3, ..cable }),
            Pattern::Cable(Cable { width: 0, ..cable }),
            Pattern::Cable(Cable { ground: 0, ..cable }),
            Pattern::Cable(Cable { rows: 0, ..cable }),
            Pattern::Lace(Lace { wales: 1, ..lace }),
            Pattern::Lace(Lace { courses: 1, ..lace }),
        ] {
            assert!(matches!(pattern.check(), Err(GenerateError::Parameter { .. })), "{pattern:?}");
        }
        let largest = Rib { knit: u32::MAX, purl: u32::MAX };
        assert!(Pattern::Rib(largest).check().is_ok() && Pattern::Rib(largest).side(u32::MAX) == -1.0);
    }
}
