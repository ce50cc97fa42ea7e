//! A fabric of loops, bound off at its borders so that it does not unravel.

use super::super::{GenerateError, require};
use super::center_line::LoopKind;
use super::pattern::{Move, Pattern};
use super::stitch::{Gauge, Stitch};
use crate::geometry::curve_builder::CurveBuilder;
use glam::DVec3;
use std::ops::Range;

/// The layout of a fabric's loops.
///
/// Loops at a border would unravel, so half circles bind them off. They are longer than a straight line, so that a border stretches like the fabric. Each thread is bound separately, at its own position in the yarn. A
/// head (the top of a loop) without a course above it is bound to the next head. A left foot without a course below it is bound to a right
/// foot. The ends of a course are bound to the ends of the next course. The borders of holes are bound in the same way.
pub(super) struct Fabric {
    /// The pattern.
    pub pattern: Pattern,
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
    /// Number of threads of the yarn.
    threads: u32,
    /// All loops, sorted by course, then wale; `None` in holes.
    loops: Vec<Option<KnittedLoop>>,
}

/// Indices of a loop among the points of the builder.
#[derive(Clone, Copy)]
struct KnittedLoop {
    /// First point of the first thread.
    first: u32,
    /// Index stride to the next thread.
    stride: u32,
    /// Number of points of a thread.
    points: u32,
    /// Index of the head among the points of a thread.
    head: u32,
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

    /// Returns how the pattern changes a loop.
    ///
    /// Loops whose neighbors are missing are plain, so that no head is left without a loop above it.
    pub fn kind(&self, course: u32, wale: u32) -> LoopKind {
        let own = self.pattern.side(wale);
        let side = |neighbor: Option<u32>| neighbor.map_or(own, |wale| self.pattern.side(wale));
        let sides = [side(self.left_of(wale)), own, side(self.right_of(wale))];
        let plain = LoopKind { sides, ..LoopKind::PLAIN };
        let toward = |head: Move| match head {
            Move::Stay => 0.0,
            Move::Cross { toward, .. } | Move::Decrease { toward } => f64::from(toward),
        };
        match self.head(course, wale) {
            head @ Move::Cross { front, .. } => {
                LoopKind { lean: toward(head), crossing: if front { 1.0 } else { -1.0 }, ..plain }
            }
            head @ Move::Decrease { .. } => LoopKind { lean: toward(head), stacked: true, ..plain },
            Move::Stay => {
                let below = |wale: u32| course.checked_sub(1).map_or(Move::Stay, |below| self.head(below, wale));
                let drawn = |from: Option<u32>, sign: i32| {
                    from.is_some_and(|from| below(from) == Move::Decrease { toward: sign })
                };
                LoopKind {
                    yarn_over: matches!(below(wale), Move::Decrease { .. }),
                    through_two: drawn(self.left_of(wale), 1) || drawn(self.right_of(wale), -1),
                    ..plain
                }
            }
        }
    }

    /// Returns what the head of a loop does, as far as the loops around it exist.
    fn head(&self, course: u32, wale: u32) -> Move {
        let head = self.pattern.head(course, wale);
        let (Move::Cross { toward, .. } | Move::Decrease { toward }) = head else { return Move::Stay };
        let partner = if toward > 0 { self.right_of(wale) } else { self.left_of(wale) };
        let Some(partner) = partner else { return Move::Stay };
        let complete = [wale, partner].into_iter().all(|wale| self.has(course, wale) && self.has(course + 1, wale));
        // At the seam of a tube the pattern may break off.
        let matches = match (head, self.pattern.head(course, partner)) {
            (Move::Cross { front, .. }, Move::Cross { toward: back, front: partner_front }) => {
                back == -toward && partner_front != front
            }
            (Move::Decrease { .. }, other) => other == Move::Stay,
            _ => false,
        };
        if complete && matches { head } else { Move::Stay }
    }

    /// Returns how much narrower the fabric is up to each wale than that number of wale widths [m], and in total, because knit and purl
    /// wales overlap.
    fn overlaps(&self, gauge: &Gauge) -> Vec<f64> {
        let differs = |wale: u32, neighbor: Option<u32>| {
            f64::from(u8::from(neighbor.is_some_and(|n| self.pattern.side(n) != self.pattern.side(wale))))
        };
        let mut sum = 0.0;
        let sums = (0..self.wales).map(|wale| {
            sum += 0.5 * gauge.overlap * (differs(wale, self.left_of(wale)) + differs(wale, self.right_of(wale)));
            sum
        });
        std::iter::once(0.0).chain(sums).collect()
    }

    /// Returns the width of the fabric, or its circumference [m].
    pub fn width(&self, gauge: &Gauge) -> f64 {
        f64::from(self.wales) * gauge.width - self.overlaps(gauge)[self.wales as usize]
    }

    /// Adds the fabric to the builder, bound off. `place` maps points [m] of the flat fabric to their positions. In the flat fabric the
    /// first left foot is at `x = 0`. Courses are one loop height apart, starting at `y = 0`.
    pub fn knit<'a>(
        &'a self,
        gauge: &Gauge,
        place: impl Fn(DVec3) -> DVec3,
        into: &mut CurveBuilder,
    ) -> Result<Knitted<'a>, GenerateError> {
        let mut knitted = Knitted {
            fabric: self,
            threads: gauge.threads(),
            loops: vec![None; self.courses as usize * self.wales as usize],
        };
        let overlaps = self.overlaps(gauge);
        let foot = |wale: u32| {
            let (turns, rest) = (f64::from(wale / self.wales), (wale % self.wales) as usize);
            f64::from(wale) * gauge.width - (turns * overlaps[self.wales as usize] + overlaps[rest])
        };
        let mut stitches: Vec<(LoopKind, Stitch)> = Vec::new();
        for course in 0..self.courses {
            for (start, count) in self.runs(course) {
                let ring = count == self.wales && self.round;
                let kinds: Vec<LoopKind> = (0..count).map(|n| self.kind(course, (start + n) % self.wales)).collect();
                for &kind in &kinds {
                    if !stitches.iter().any(|(known, _)| *known == kind) {
                        stitches.push((kind, gauge.stitch(kind)?));
                    }
                }
                let run: Vec<&Stitch> = kinds
                    .iter()
                    .map(|kind| match stitches.iter().find(|(known, _)| known == kind) {
                        Some((_, stitch)) => stitch,
                        None => &gauge.plain,
                    })
                    .collect();
                let at =
                    |n: u32, p: DVec3| place(p + DVec3::new(foot(start + n), f64::from(course) * gauge.height, 0.0));
                let chains = (0..gauge.threads() as usize).map(|thread| {
                    let (at, run) = (&at, &run);
                    let loops = (0..count).flat_map(|n| run[n as usize].threads[thread].iter().map(move |&p| at(n, p)));
                    let last_foot = (!ring).then(|| at(count, run[count as usize - 1].ends[thread]));
                    let added = into.chain(loops.chain(last_foot));
                    if ring {
                        into.segment(added.end - 1, added.start);
                    }
                    added
                });
                let chains: Vec<Range<u32>> = chains.collect();
                let mut first = chains[0].start;
                for (n, stitch) in (0..count).zip(&run) {
                    let at = knitted.index(course, (start + n) % self.wales);
                    let (stride, points) = (chains[0].len() as u32, stitch.points());
                    knitted.loops[at] = Some(KnittedLoop { first, stride, points, head: stitch.head });
                    first += points;
                }
            }
        }
        knitted.bind(gauge.spacing(), into);
        Ok(knitted)
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
        let knitted = self.knitted_loop(course, wale);
        knitted.first + thread * knitted.stride
    }

    fn knitted_loop(&self, course: u32, wale: u32) -> KnittedLoop {
        self.loops[self.index(course, wale)].expect("the loop exists")
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
        self.first_point(course, wale, thread) + self.knitted_loop(course, wale).head
    }

    /// Returns the end point of a loop.
    pub fn right_foot(&self, course: u32, wale: u32, thread: u32) -> u32 {
        match self.fabric.right_of(wale).filter(|&right| self.fabric.has(course, right)) {
            Some(right) => self.left_foot(course, right, thread),
            None => self.first_point(course, wale, thread) + self.knitted_loop(course, wale).points,
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
                // Half circles bulge away from the middle of the loop.
                let [left_foot, right_foot, top] =
                    [foot(course, wale), end(course, wale), head(course, wale)].map(|point| into.position(point));
                let middle = 0.25 * (left_foot + right_foot) + 0.5 * top;
                let mut join = |from, to| {
                    let outward = 0.5 * (into.position(from) + into.position(to)) - middle;
                    into.half_circle(from, to, outward, spacing);
                };
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
        let gauge = YARN.gauge(&fabric.pattern, fabric.stitches()).unwrap();
        let mut curves = CurveBuilder::default();
        let circumference = fabric.width(&gauge);
        let around = |p: DVec3| {
            let angle = std::f64::consts::TAU * p.x / circumference;
            let radius = circumference / std::f64::consts::TAU + p.z;
            DVec3::new(radius * angle.sin(), p.y, radius * angle.cos())
        };
        fabric.knit(&gauge, |p| if fabric.round { around(p) } else { p }, &mut curves).unwrap();
        (curves.finish().unwrap(), gauge.plain.points())
    }

    /// Returns the number of segments that meet at each point.
    fn degrees(mesh: &CurveMesh) -> Vec<u32> {
        let mut degrees = vec![0; mesh.points().len()];
        mesh.segments().iter().flatten().for_each(|&i| degrees[i as usize] += 1);
        degrees
    }

    /// Returns the sum of (number of segments - 2) over all points. Each binding adds 2 to this sum.
    fn branching(mesh: &CurveMesh) -> i64 {
        degrees(mesh).into_iter().map(|d| i64::from(d) - 2).sum()
    }

    #[test]
    fn every_border_is_bound() {
        let hole = vec![(2..4, 3..6)];
        let cases = [
            (
                Fabric { pattern: Pattern::Stockinette, courses: 6, wales: 9, round: false, holes: vec![] },
                6,
                8 + 9 + 2 * 5,
            ),
            // Around the hole: 2 + 3 lines along it, 2 up the sides, 2 corners below and 2 above.
            (
                Fabric { pattern: Pattern::Stockinette, courses: 6, wales: 9, round: false, holes: hole.clone() },
                8,
                27 + 11,
            ),
            (Fabric { pattern: Pattern::Stockinette, courses: 6, wales: 9, round: true, holes: vec![] }, 0, 9 + 9),
            (Fabric { pattern: Pattern::Stockinette, courses: 6, wales: 9, round: true, holes: hole }, 2, 18 + 11),
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
        let fabric =
            Fabric { pattern: Pattern::Stockinette, courses: 4, wales: 9, round: true, holes: vec![(1..2, 3..6)] };
        assert_eq!(fabric.runs(0), [(0, 9)]);
        assert_eq!(fabric.runs(1), [(6, 6)]);
        let flat = Fabric { round: false, ..fabric };
        assert_eq!(flat.runs(1), [(0, 3), (6, 3)]);
    }
}
