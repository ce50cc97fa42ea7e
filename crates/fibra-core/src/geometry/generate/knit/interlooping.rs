//! Tests of the patterns: loops pass through those of the row below, and yarns do not penetrate each other.

use super::center_line::{CenterLine, LoopKind};
use super::fabric::Fabric;
use super::{Cable, Half, Lace, Motif, Pattern, Rib};
use glam::{DVec2, DVec3};
use std::f64::consts::{PI, TAU};

const SAMPLES: usize = 96;
/// Largest diameter of a yarn [wale widths].
const DIAMETER: f64 = 0.23;

/// A fabric of wale width 1 as centerlines.
struct Curves {
    fabric: Fabric,
    kinds: Vec<Vec<LoopKind>>,
    /// Points of each loop of each course, including both feet.
    loops: Vec<Vec<Vec<DVec3>>>,
}

impl Curves {
    fn new(pattern: Pattern, courses: u32, wales: u32) -> Self {
        let fabric = Fabric { pattern, courses, wales, round: false, holes: Vec::new() };
        let height = pattern.proportions().course_height / TAU;
        let kinds: Vec<Vec<LoopKind>> =
            (0..courses).map(|course| (0..wales).map(|wale| fabric.kind(course, wale)).collect()).collect();
        let row = |course: usize| {
            let mut start = 0.0;
            let mut row = Vec::new();
            for &kind in &kinds[course] {
                let line = CenterLine::new(1.0, pattern.proportions(), kind);
                let at = DVec3::new(start, course as f64 * height, 0.0);
                let points = (0..=SAMPLES).map(|i| at + line.position(TAU * i as f64 / SAMPLES as f64));
                row.push(points.collect());
                start += line.width();
            }
            row
        };
        let loops = (0..courses as usize).map(row).collect();
        Self { fabric, kinds, loops }
    }

    fn course(&self, course: usize) -> Vec<DVec3> {
        let mut points: Vec<DVec3> = self.loops[course].iter().flat_map(|l| l[..SAMPLES].iter().copied()).collect();
        points.push(*self.loops[course].last().unwrap().last().unwrap());
        points
    }

    /// Returns a loop with the adjacent parts of its neighbors' feet. In a rib, its feet cross the loop below there.
    fn extended(&self, course: usize, wale: usize) -> Vec<DVec3> {
        let row = &self.loops[course];
        let before = wale.checked_sub(1).map_or(&[][..], |left| &row[left][SAMPLES - 8..SAMPLES]);
        let after = row.get(wale + 1).map_or(&[][..], |right| &right[1..9]);
        [before, &row[wale], after].concat()
    }

    /// Returns the wale below whose head each loop of the next course is.
    fn head_wale(&self, course: usize, wale: usize) -> usize {
        (wale as i64 + self.kinds[course][wale].lean as i64) as usize
    }
}

fn patterns() -> Vec<Pattern> {
    let rib = |knit, purl| Pattern::Rib(Rib { knit, purl });
    let cable = |width, front| Pattern::Cable(Cable { width, ground: 2, rows: 1, front });
    let lace = |motif, wales, courses| Pattern::Lace(Lace { motif, wales, courses });
    vec![
        Pattern::Stockinette,
        rib(1, 1),
        rib(2, 2),
        rib(3, 1),
        cable(2, Half::Left),
        cable(4, Half::Right),
        cable(6, Half::Left),
        lace(Motif::Columns, 2, 2),
        lace(Motif::Eyelets, 4, 2),
        lace(Motif::Diagonal, 3, 2),
        lace(Motif::Chevron, 6, 2),
    ]
}

fn distance(p: DVec3, [a, b]: [DVec3; 2]) -> f64 {
    let along = b - a;
    let t = ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
    p.distance(a + t * along)
}

/// Returns the smallest distance between two polylines.
fn clearance(first: &[DVec3], second: &[DVec3]) -> f64 {
    let mut least = f64::INFINITY;
    for &p in first {
        for pair in second.windows(2).filter(|pair| (pair[0].x - p.x).abs() < 0.5) {
            least = least.min(distance(p, [pair[0], pair[1]]));
        }
    }
    least
}

/// Returns, for each crossing of `first` with `second` in the front view, in order along `first`, whether `first` is in front.
fn crossings(first: &[DVec3], second: &[DVec3]) -> Vec<bool> {
    let mut crossings = Vec::new();
    for a in first.windows(2) {
        for b in second.windows(2) {
            let (p, r): (DVec2, DVec2) = (a[0].truncate(), (a[1] - a[0]).truncate());
            let (q, s): (DVec2, DVec2) = (b[0].truncate(), (b[1] - b[0]).truncate());
            let (t, u) = ((q - p).perp_dot(s) / r.perp_dot(s), (q - p).perp_dot(r) / r.perp_dot(s));
            if (0.0..1.0).contains(&t) && (0.0..1.0).contains(&u) {
                crossings.push(a[0].lerp(a[1], t).z > b[0].lerp(b[1], u).z);
            }
        }
    }
    crossings
}

#[test]
fn yarns_are_separated_by_their_diameter() {
    for pattern in patterns() {
        let curves = Curves::new(pattern, 8, 10);
        for course in 0..8 {
            let middle = curves.course(course);
            for other in course + 1..8.min(course + 3) {
                let gap = clearance(&middle, &curves.course(other));
                assert!(gap > DIAMETER, "{pattern:?}: courses {course} and {other}: {gap}");
            }
            // Points of the same yarn must keep this distance too, unless they are close to each other along the yarn. Close means
            // within 1.5 times the length of a half circle of that diameter.
            let reach = 0.75 * PI * DIAMETER;
            for i in 0..middle.len() {
                let mut along = 0.0;
                for j in i + 1..middle.len().min(i + 4 * SAMPLES) {
                    along += middle[j - 1].distance(middle[j]);
                    let gap = middle[i].distance(middle[j]);
                    assert!(along < reach || gap > DIAMETER, "{pattern:?}: course {course}: {i} {j}: {gap}");
                }
            }
        }
    }
}

#[test]
fn loops_pass_through_the_heads_below() {
    for pattern in patterns() {
        let curves = Curves::new(pattern, 8, 10);
        let mut yarn_overs = 0;
        for course in 1..8 {
            for wale in 0..10 {
                let upper = &curves.extended(course, wale);
                let through: Vec<usize> = (0..10).filter(|&w| curves.head_wale(course - 1, w) == wale).collect();
                let kind = &curves.kinds[course][wale];
                let expected = if kind.yarn_over { 0 } else { 1 + usize::from(kind.through_two) };
                assert_eq!(through.len(), expected, "{pattern:?}: {course} {wale}");
                yarn_overs += usize::from(kind.yarn_over);
                for below in 0..10 {
                    let found = crossings(upper, &curves.loops[course - 1][below]);
                    if through.contains(&below) {
                        // Seen from the front, a knit stitch crosses the loop below four times: behind its left leg, twice over
                        // its head, and behind its right leg. A purl stitch does so as seen from behind.
                        let knit = kind.sides[1] > 0.0;
                        assert_eq!(found, [!knit, knit, knit, !knit], "{pattern:?}: {course} {wale} {below}");
                    } else {
                        // All crossings on the same side: the loops can be pulled apart.
                        let apart = found.iter().all(|&front| front == found[0]);
                        assert!(apart, "{pattern:?}: {course} {wale} {below}: {found:?}");
                    }
                }
            }
        }
        assert_eq!(yarn_overs > 0, matches!(pattern, Pattern::Lace(_)));
    }
}

#[test]
fn loops_of_a_course_are_not_entangled() {
    for pattern in patterns() {
        let curves = Curves::new(pattern, 8, 10);
        let mut crossed = 0;
        for course in 0..8 {
            for first in 0..10 {
                for second in first + 1..10 {
                    let (a, b) = (&curves.kinds[course][first], &curves.kinds[course][second]);
                    let loops = &curves.loops[course];
                    // Without the common foot of neighbors.
                    let found = crossings(&loops[first][8..SAMPLES - 8], &loops[second][8..SAMPLES - 8]);
                    let front = match pattern {
                        Pattern::Rib(_) => a.sides[1] > b.sides[1],
                        Pattern::Cable(_) => a.crossing > b.crossing,
                        _ => a.stacked,
                    };
                    assert!(found.iter().all(|&f| f == front), "{pattern:?}: {course} {first} {second} {found:?}");
                    crossed += usize::from(!found.is_empty());
                    if a.crossing * b.crossing < 0.0 && curves.head_wale(course, first) == second {
                        assert!(found.len() >= 4, "{pattern:?}: {course} {first} {second} {found:?}");
                    }
                }
            }
        }
        assert_eq!(crossed > 0, pattern != Pattern::Stockinette, "{pattern:?}");
    }
}

#[test]
fn knit_columns_of_a_rib_are_in_front() {
    for (knit, purl) in [(1, 1), (2, 2), (1, 3)] {
        let pattern = Pattern::Rib(Rib { knit, purl });
        let curves = Curves::new(pattern, 2, 12);
        for wale in 1..11 {
            // Legs, without the change to the neighbor.
            let legs = &curves.loops[0][wale][SAMPLES / 4..3 * SAMPLES / 4];
            let depth = legs.iter().map(|p| p.z).sum::<f64>() / legs.len() as f64;
            let side = curves.fabric.pattern.side(wale as u32);
            assert!(depth * side > DIAMETER, "{pattern:?} {wale}: {depth}");
        }
        // A knit and a purl column overlap by 0.4 wale widths.
        let changes = (1..12).filter(|&w| pattern.side(w) != pattern.side(w - 1)).count() as f64;
        let width = curves.loops[0][11][SAMPLES].x;
        assert!((width - (12.0 - 0.4 * changes)).abs() < 1e-9, "{pattern:?}: {width}");
    }
}

/// Returns the radius of the thickest needle that passes through a fabric between the yarns [wale widths]. Borders are excluded.
fn largest_hole(curves: &Curves) -> f64 {
    let all: Vec<DVec2> = curves.loops.iter().flatten().flatten().map(|p| p.truncate()).collect();
    let size = all.iter().fold(DVec2::ZERO, |max, p| max.max(*p));
    let mut largest = 0.0f64;
    for i in 0..200 {
        for j in 0..200 {
            let share = DVec2::new(f64::from(i), f64::from(j)) / 200.0;
            if share.min_element() > 0.2 && share.max_element() < 0.8 {
                let from = share * size;
                largest = largest.max(all.iter().map(|p| p.distance(from)).fold(f64::INFINITY, f64::min));
            }
        }
    }
    largest - 0.5 * DIAMETER
}

#[test]
fn lace_has_holes() {
    let plain = largest_hole(&Curves::new(Pattern::Stockinette, 10, 10));
    for motif in [Motif::Eyelets, Motif::Columns, Motif::Diagonal, Motif::Chevron] {
        let lace = Pattern::Lace(Lace { motif, wales: 4, courses: 4 });
        let hole = largest_hole(&Curves::new(lace, 10, 10));
        assert!(hole > 1.4 * plain, "{motif:?}: {hole} instead of {plain}");
    }
}
