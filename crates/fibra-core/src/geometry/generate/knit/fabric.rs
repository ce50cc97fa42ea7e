//! A fabric of loops, bound off at its borders so that it does not unravel.

use super::super::{GenerateError, require};
use super::stitch::Stitch;
use crate::geometry::curve_builder::CurveBuilder;
use glam::DVec3;
use std::ops::Range;

/// The layout of a fabric's loops.
///
/// Loops at a border would unravel, so straight lines bind them off. Each thread is bound separately, at its own position in the yarn. A
/// head (the top of a loop) without a course above it is bound to the next head. A left foot without a course below it is bound to a right
/// foot. The ends of a course are bound to the ends of the next course. The borders of holes are bound in the same way.
pub(super) struct Fabric {
    /// Number of courses (rows of loops).
    pub courses: u32,
    /// Number of wales (columns of loops).
    pub wales: u32,
    /// Whether the last wale is joined to the first.
    pub round: bool,
    /// Ranges of courses and wales without loops.
    pub holes: Vec<(Range<u32>, Range<u32>)>,
}

/// Indices of a fabric's loops among the points of the builder.
pub(super) struct Knitted<'a> {
    fabric: &'a Fabric,
    /// Number of points of a thread in a loop.
    points: u32,
    /// Number of threads of the yarn.
    threads: u32,
    /// For each loop, the first point of its first thread, and the index stride to its next thread; `None` in holes. Sorted by course, then
    /// wale.
    loops: Vec<Option<(u32, u32)>>,
}

impl Fabric {
    /// Returns an error if a fabric has too few loops to be bound.
    pub fn check(&self) -> Result<(), GenerateError> {
        require(self.courses >= 2, "courses", f64::from(self.courses), "it must be at least 2")?;
        let least = if self.round { 8 } else { 2 };
        let allowed = "it must be at least 2, or 8 for a tube";
        require(self.wales >= least, "wales", f64::from(self.wales), allowed)
    }

    /// Returns the number of loops, including holes.
    pub fn stitches(&self) -> f64 {
        f64::from(self.courses) * f64::from(self.wales)
    }

    fn has(&self, course: u32, wale: u32) -> bool {
        let in_hole = self.holes.iter().any(|(courses, wales)| courses.contains(&course) && wales.contains(&wale));
        course < self.courses && wale < self.wales && !in_hole
    }

    fn right_of(&self, wale: u32) -> Option<u32> {
        if wale + 1 < self.wales { Some(wale + 1) } else { self.round.then_some(0) }
    }

    fn left_of(&self, wale: u32) -> Option<u32> {
        if wale > 0 { Some(wale - 1) } else { self.round.then(|| self.wales - 1) }
    }

    /// Adds the fabric to the builder, bound off. `place` maps points [m] of the flat fabric to their positions. In the flat fabric the
    /// first left foot is at `x = 0`. Courses are one stitch height apart, starting at `y = 0`.
    pub fn knit<'a>(&'a self, stitch: &Stitch, place: impl Fn(DVec3) -> DVec3, into: &mut CurveBuilder) -> Knitted<'a> {
        let mut knitted = Knitted {
            fabric: self,
            points: stitch.points(),
            threads: stitch.threads.len() as u32,
            loops: vec![None; self.courses as usize * self.wales as usize],
        };
        for course in 0..self.courses {
            for (start, count) in self.runs(course) {
                let ring = count == self.wales && self.round;
                let at = |n: u32, p: DVec3| {
                    let (x, y) = (f64::from(start + n) * stitch.width, f64::from(course) * stitch.height);
                    place(p + DVec3::new(x, y, 0.0))
                };
                let chains = stitch.threads.iter().map(|points| {
                    let at = &at;
                    let loops = (0..count).flat_map(|n| points.iter().map(move |&p| at(n, p)));
                    let last_foot = (!ring).then(|| at(count, points[0]));
                    let added = into.chain(loops.chain(last_foot));
                    if ring {
                        into.segment(added.end - 1, added.start);
                    }
                    added
                });
                let chains: Vec<Range<u32>> = chains.collect();
                for n in 0..count {
                    let at = knitted.index(course, (start + n) % self.wales);
                    knitted.loops[at] = Some((chains[0].start + n * stitch.points(), chains[0].len() as u32));
                }
            }
        }
        knitted.bind(stitch.spacing, into);
        knitted
    }

    /// Returns the contiguous runs of a course: first wale and number of loops. A run may wrap around from the last wale to the first.
    fn runs(&self, course: u32) -> Vec<(u32, u32)> {
        let present = |wale: Option<u32>| wale.is_some_and(|wale| self.has(course, wale));
        let length = |start: u32| {
            let further = std::iter::successors(Some(start), |&wale| self.right_of(wale));
            further.take(self.wales as usize).take_while(|&wale| self.has(course, wale)).count() as u32
        };
        let starts = (0..self.wales).filter(|&wale| self.has(course, wale) && !present(self.left_of(wale)));
        let runs: Vec<_> = starts.map(|start| (start, length(start))).collect();
        // A complete ring has no start.
        if runs.is_empty() && self.has(course, 0) { vec![(0, self.wales)] } else { runs }
    }
}

impl Knitted<'_> {
    fn index(&self, course: u32, wale: u32) -> usize {
        course as usize * self.fabric.wales as usize + wale as usize
    }

    /// Returns the first point of an existing loop.
    fn first_point(&self, course: u32, wale: u32, thread: u32) -> u32 {
        let (first, stride) = self.loops[self.index(course, wale)].expect("the loop exists");
        first + thread * stride
    }

    /// Returns the start point of a loop.
    pub fn left_foot(&self, course: u32, wale: u32, thread: u32) -> u32 {
        self.first_point(course, wale, thread)
    }

    /// Returns the start points of the loops of the first course.
    pub fn first_feet(&self, thread: u32) -> impl Iterator<Item = u32> + '_ {
        (0..self.fabric.wales).filter(|&wale| self.fabric.has(0, wale)).map(move |wale| self.left_foot(0, wale, thread))
    }

    /// Returns the highest point of a loop.
    pub fn head(&self, course: u32, wale: u32, thread: u32) -> u32 {
        self.first_point(course, wale, thread) + self.points / 2
    }

    /// Returns the end point of a loop.
    pub fn right_foot(&self, course: u32, wale: u32, thread: u32) -> u32 {
        match self.fabric.right_of(wale).filter(|&right| self.fabric.has(course, right)) {
            Some(right) => self.left_foot(course, right, thread),
            None => self.first_point(course, wale, thread) + self.points,
        }
    }

    fn bind(&self, spacing: f64, into: &mut CurveBuilder) {
        let fabric = self.fabric;
        let is_there = |course: Option<u32>, wale: Option<u32>| match (course, wale) {
            (Some(course), Some(wale)) => fabric.has(course, wale),
            _ => false,
        };
        let there = (0..fabric.courses).flat_map(|course| (0..fabric.wales).map(move |wale| (course, wale)));
        for (course, wale) in there.filter(|&(course, wale)| fabric.has(course, wale)) {
            let (above, below) = (course + 1, course.checked_sub(1));
            let (left, right) = (fabric.left_of(wale), fabric.right_of(wale));
            for thread in 0..self.threads {
                let foot = |course, wale| self.left_foot(course, wale, thread);
                let end = |course, wale| self.right_foot(course, wale, thread);
                let head = |course, wale| self.head(course, wale, thread);
                let mut join = |from, to| into.line(from, to, spacing);
                if fabric.has(above, wale) {
                    if !is_there(Some(course), left) && !is_there(Some(above), left) {
                        join(foot(course, wale), foot(above, wale));
                    }
                    if !is_there(Some(course), right) && !is_there(Some(above), right) {
                        join(end(course, wale), end(above, wale));
                    }
                } else {
                    if let Some(right) = right.filter(|&r| fabric.has(course, r) && !fabric.has(above, r)) {
                        join(head(course, wale), head(course, right));
                    }
                    if let Some(left) = left.filter(|&l| fabric.has(above, l)) {
                        join(head(course, wale), end(above, left));
                    }
                    if let Some(right) = right.filter(|&r| fabric.has(above, r)) {
                        join(head(course, wale), foot(above, right));
                    }
                }
                if !is_there(below, Some(wale)) {
                    join(foot(course, wale), end(course, wale));
                    if let (Some(below), Some(left)) = (below, left.filter(|_| is_there(below, left))) {
                        join(foot(course, wale), end(below, left));
                    }
                    if let (Some(below), Some(right)) = (below, right.filter(|_| is_there(below, right))) {
                        join(end(course, wale), foot(below, right));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::stitch::tests::YARN;
    use super::*;
    use crate::geometry::CurveMesh;

    fn build(fabric: &Fabric) -> (CurveMesh, u32) {
        let stitch = YARN.stitch(fabric.stitches()).unwrap();
        let mut curves = CurveBuilder::default();
        let circumference = f64::from(fabric.wales) * stitch.width;
        let around = |p: DVec3| {
            let angle = std::f64::consts::TAU * p.x / circumference;
            let radius = circumference / std::f64::consts::TAU + p.z;
            DVec3::new(radius * angle.sin(), p.y, radius * angle.cos())
        };
        fabric.knit(&stitch, |p| if fabric.round { around(p) } else { p }, &mut curves);
        (curves.finish().unwrap(), stitch.points())
    }

    /// Returns the number of segments that meet at each point.
    fn degrees(mesh: &CurveMesh) -> Vec<u32> {
        let mut degrees = vec![0; mesh.points().len()];
        mesh.segments().iter().flatten().for_each(|&i| degrees[i as usize] += 1);
        degrees
    }

    /// Returns the sum of (number of segments - 2) over all points. Each binding line adds 2 to this sum.
    fn branching(mesh: &CurveMesh) -> i64 {
        degrees(mesh).into_iter().map(|d| i64::from(d) - 2).sum()
    }

    #[test]
    fn every_border_is_bound() {
        let hole = vec![(2..4, 3..6)];
        let cases = [
            (Fabric { courses: 6, wales: 9, round: false, holes: vec![] }, 6, 8 + 9 + 2 * 5),
            // Around the hole: 2 + 3 lines along it, 2 up the sides, 2 corners below and 2 above.
            (Fabric { courses: 6, wales: 9, round: false, holes: hole.clone() }, 8, 27 + 11),
            (Fabric { courses: 6, wales: 9, round: true, holes: vec![] }, 0, 9 + 9),
            (Fabric { courses: 6, wales: 9, round: true, holes: hole }, 2, 18 + 11),
        ];
        for (case, (fabric, open_courses, lines)) in cases.into_iter().enumerate() {
            let (mesh, points) = build(&fabric);
            assert!(degrees(&mesh).iter().all(|&d| d >= 2), "case {case}: a loose end");
            assert_eq!(branching(&mesh), 3 * (2 * lines - 2 * open_courses), "case {case}");
            let loops = fabric.stitches() as usize - if fabric.holes.is_empty() { 0 } else { 6 };
            assert!(mesh.segments().len() > 3 * loops * points as usize);
            let longest = mesh.lengths().fold(0.0, f64::max);
            assert!(longest <= 1.2 * YARN.spacing, "case {case}: {longest}");
        }
    }

    #[test]
    fn run_wraps_around_the_seam() {
        let fabric = Fabric { courses: 4, wales: 9, round: true, holes: vec![(1..2, 3..6)] };
        assert_eq!(fabric.runs(0), [(0, 9)]);
        assert_eq!(fabric.runs(1), [(6, 6)]);
        let flat = Fabric { round: false, ..fabric };
        assert_eq!(flat.runs(1), [(0, 3), (6, 3)]);
    }
}
