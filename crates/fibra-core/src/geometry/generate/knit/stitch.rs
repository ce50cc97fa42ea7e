//! The shape of one stockinette loop, and of the threads twisted along it.

use super::super::{GenerateError, require, require_particle_limit, require_positive, segment_count};
use glam::DVec3;
use std::f64::consts::TAU;

/// Maximum yarn diameter as a fraction of the wale width [-]. Centerlines of different loops are at least this far apart.
const MAX_DIAMETER: f64 = 0.23;

/// Number of straight segments used to measure the centerline of a loop.
const MEASURE: usize = 1024;

/// The yarn of a knit and its resolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yarn {
    /// Width of a loop, from wale to wale [m]. The course height is 0.764 times this width.
    pub wale_width: f64,
    /// Diameter of the yarn [m], at most 0.23 of the wale width. It encloses all threads.
    pub diameter: f64,
    /// Number of threads twisted around each other in the yarn; at least 1.
    pub threads: u32,
    /// Number of turns of the threads along one loop. Unused for a single thread.
    pub turns: u32,
    /// Longest segment of a thread [m], at most a quarter of the wale width.
    pub spacing: f64,
}

/// One loop, from its left foot over its head to just before its right foot, which is the next loop's left foot.
///
/// Loops follow each other along +x, courses along +y. The side on which legs appear as columns of V faces +z. The left foot is at `x = 0`.
pub(super) struct Stitch {
    /// Distance between wales [m].
    pub width: f64,
    /// Distance between courses [m].
    pub height: f64,
    /// Longest segment [m].
    pub spacing: f64,
    /// Points of each thread [m]. All threads have the same number of points.
    pub threads: Vec<Vec<DVec3>>,
}

impl Yarn {
    /// Returns the shape of one loop. `stitches`, the number of loops of the fabric, serves only to check the limit on particles.
    pub(super) fn stitch(&self, stitches: f64) -> Result<Stitch, GenerateError> {
        let sizes = [("wale_width", self.wale_width), ("diameter", self.diameter), ("spacing", self.spacing)];
        require_positive(sizes)?;
        require(self.threads > 0, "threads", 0.0, "it must be at least 1")?;
        let thin = self.diameter <= MAX_DIAMETER * self.wale_width;
        require(
            thin,
            "diameter",
            self.diameter,
            "it must be at most 0.23 of wale_width, so that loops do not overlap",
        )?;
        let fine = self.spacing <= 0.25 * self.wale_width;
        require(fine, "spacing", self.spacing, "it must be at most a quarter of wale_width to resolve the loops")?;

        let center_line = CenterLine::new(self.wale_width);
        let offset = self.thread_offset();
        let turns = if self.threads > 1 { f64::from(self.turns) } else { 0.0 };
        let helix = center_line.length().hypot(TAU * turns * offset);
        // An even number, so that there is a point at the head of the loop.
        let mut count = 2.0 * segment_count(helix, 2.0 * self.spacing).max(3.0 * turns);
        loop {
            require_particle_limit(stitches * f64::from(self.threads) * 2.2 * count)?;
            let threads: Vec<Vec<DVec3>> = (0..self.threads)
                .map(|thread| {
                    let phase = f64::from(thread) / f64::from(self.threads);
                    let along = (0..count as usize).map(|i| i as f64 / count);
                    along.map(|s| center_line.thread(s, offset, TAU * (turns * s + phase))).collect()
                })
                .collect();
            let stitch = Stitch {
                width: self.wale_width,
                height: COURSE_HEIGHT / TAU * self.wale_width,
                spacing: self.spacing,
                threads,
            };
            // On the outside of bends, threads are longer than a helix about a straight line.
            if stitch.longest_segment() <= self.spacing {
                return Ok(stitch);
            }
            count = (count * stitch.longest_segment() / self.spacing).max(count + 2.0);
            count = 2.0 * (0.5 * count).ceil();
        }
    }

    /// Returns the distance between the centerlines of a thread and of the yarn [m]. The threads form a ring, in which they touch each other
    /// and the outside of the yarn.
    fn thread_offset(&self) -> f64 {
        if self.threads == 1 {
            return 0.0;
        }
        let half_angle = (0.5 * TAU / f64::from(self.threads)).sin();
        0.5 * self.diameter / (1.0 + half_angle)
    }
}

impl Stitch {
    /// Returns the number of points of a thread in one loop.
    pub fn points(&self) -> u32 {
        self.threads[0].len() as u32
    }

    fn longest_segment(&self) -> f64 {
        let gap = |thread: &Vec<DVec3>, i: usize| match thread.get(i + 1) {
            Some(next) => thread[i].distance(*next),
            None => thread[i].distance(thread[0] + self.width * DVec3::X),
        };
        self.threads.iter().flat_map(|t| (0..t.len()).map(move |i| gap(t, i))).fold(0.0, f64::max)
    }
}

// Lengths in units of wale width / (2 pi): bulge of the loops, half their height, half their depth, and the course height. They maximize
// the distance between loops at a typical ratio of wale width to course height, 1.31.
const BULGE: f64 = 1.5;
const HALF_HEIGHT: f64 = 4.0;
const HALF_DEPTH: f64 = 1.0;
const COURSE_HEIGHT: f64 = 4.8;

/// The centerline of the yarn: `x = t + B sin 2t`, `y = -H cos t`, `z = -D cos 2t`. Legs are in front; feet and heads are behind. The
/// feet of a loop therefore pass behind the legs of the loop below, and its legs pass in front of the head of the loop below.
struct CenterLine {
    /// Meters per unit.
    unit: f64,
    /// Arc length up to each of `MEASURE + 1` equidistant parameters [m].
    length: Vec<f64>,
}

impl CenterLine {
    fn new(wale_width: f64) -> Self {
        let unit = wale_width / TAU;
        let mut line = Self { unit, length: vec![0.0] };
        let at = |i: usize| line.position(TAU * i as f64 / MEASURE as f64);
        let mut sum = 0.0;
        let lengths: Vec<f64> = (0..MEASURE)
            .map(|i| {
                sum += at(i).distance(at(i + 1));
                sum
            })
            .collect();
        line.length.extend(lengths);
        line
    }

    fn length(&self) -> f64 {
        self.length[MEASURE]
    }

    fn position(&self, t: f64) -> DVec3 {
        self.unit * DVec3::new(t + BULGE * (2.0 * t).sin(), -HALF_HEIGHT * t.cos(), -HALF_DEPTH * (2.0 * t).cos())
    }

    fn tangent(&self, t: f64) -> DVec3 {
        let along = 1.0 + 2.0 * BULGE * (2.0 * t).cos();
        DVec3::new(along, HALF_HEIGHT * t.sin(), 2.0 * HALF_DEPTH * (2.0 * t).sin()).normalize()
    }

    /// Returns the point [m] at the fraction `s` of the stitch's length, at the distance `offset` [m] from the centerline in the direction `angle` [rad]
    /// around it.
    fn thread(&self, s: f64, offset: f64, angle: f64) -> DVec3 {
        let wanted = s * self.length();
        let cell = self.length.partition_point(|&l| l <= wanted).clamp(1, MEASURE) - 1;
        let fraction = (wanted - self.length[cell]) / (self.length[cell + 1] - self.length[cell]);
        let t = TAU * (cell as f64 + fraction) / MEASURE as f64;
        // The tangent is never along z: at the turning points (t = 0, pi) it is along x.
        let tangent = self.tangent(t);
        let normal = DVec3::Z.cross(tangent).normalize();
        let binormal = tangent.cross(normal);
        self.position(t) + offset * (angle.cos() * normal + angle.sin() * binormal)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use approx::assert_relative_eq;

    pub const YARN: Yarn = Yarn { wale_width: 0.02, diameter: 0.004, threads: 3, turns: 2, spacing: 0.002 };

    /// Returns the centerline over three wales, raised by `course` courses.
    fn row(line: &CenterLine, course: f64) -> Vec<DVec3> {
        let lift = course * COURSE_HEIGHT * line.unit * DVec3::Y;
        (-200..400).map(|i| line.position(TAU * f64::from(i) / 200.0) + lift).collect()
    }

    #[test]
    fn loops_are_separated_by_a_yarn_diameter() {
        let line = CenterLine::new(1.0);
        let middle = row(&line, 0.0);
        for other in [row(&line, 1.0), row(&line, 2.0)] {
            for a in &middle[200..400] {
                for b in &other {
                    assert!(a.distance(*b) > MAX_DIAMETER, "{}", a.distance(*b));
                }
            }
        }
        // Points of the same yarn must keep this distance too, unless they are close to each other along the yarn. Close means
        // within 1.5 times the length of a half circle of that diameter.
        let reach = 0.5 * std::f64::consts::PI * MAX_DIAMETER * 1.5;
        for i in 200..400 {
            let mut along = 0.0;
            for j in i + 1..600 {
                along += middle[j - 1].distance(middle[j]);
                assert!(along < reach || middle[i].distance(middle[j]) > MAX_DIAMETER, "{i} {j}");
            }
        }
    }

    #[test]
    fn each_loop_passes_through_the_one_below() {
        // Seen from the front, a loop crosses the loop below four times: behind its left leg, twice over its head, and behind its right
        // leg.
        let line = CenterLine::new(1.0);
        let (below, above) = (row(&line, 0.0), row(&line, 1.0));
        let mut crossings = Vec::new();
        for upper in above[200..=400].windows(2) {
            for lower in below.windows(2) {
                let (p, r) = (upper[0].truncate(), (upper[1] - upper[0]).truncate());
                let (q, s) = (lower[0].truncate(), (lower[1] - lower[0]).truncate());
                let (t, u) = ((q - p).perp_dot(s) / r.perp_dot(s), (q - p).perp_dot(r) / r.perp_dot(s));
                if (0.0..1.0).contains(&t) && (0.0..1.0).contains(&u) {
                    crossings.push(upper[0].lerp(upper[1], t).z > lower[0].lerp(lower[1], u).z);
                }
            }
        }
        assert_eq!(crossings, [false, true, true, false]);
    }

    #[test]
    fn tangent_is_the_derivative_of_position() {
        let line = CenterLine::new(1.0);
        for i in 0..100 {
            let t = TAU * f64::from(i) / 100.0;
            let slope = (line.position(t + 1e-5) - line.position(t - 1e-5)).normalize();
            assert_relative_eq!(line.tangent(t), slope, epsilon = 1e-8);
        }
    }

    #[test]
    fn threads_touch_inside_the_yarn() {
        let stitch = YARN.stitch(1.0).unwrap();
        assert_eq!(stitch.points() % 2, 0);
        assert!(stitch.longest_segment() <= YARN.spacing);
        let line = CenterLine::new(YARN.wale_width);
        let n = stitch.points() as usize;
        // Three touching circles of radius r fit into a circle of radius R = r (1 + sin 60) / sin 60. Their centers are 2 r apart.
        let sine = (TAU / 6.0).sin();
        let radius = 0.5 * YARN.diameter * sine / (1.0 + sine);
        for i in 0..n {
            let [a, b, c] = [0, 1, 2].map(|k| stitch.threads[k][i]);
            let center = line.thread(i as f64 / n as f64, 0.0, 0.0);
            assert_relative_eq!((a + b + c) / 3.0, center, epsilon = 1e-12);
            assert_relative_eq!(a.distance(b), 2.0 * radius, epsilon = 1e-12);
            assert_relative_eq!(a.distance(center) + radius, 0.5 * YARN.diameter, epsilon = 1e-12);
        }
        // The threads continue in the next loop.
        for thread in 0..3 {
            let phase = TAU * f64::from(thread) / 3.0;
            let end = line.thread(1.0, YARN.thread_offset(), phase + TAU * f64::from(YARN.turns));
            assert_relative_eq!(end, stitch.threads[thread as usize][0] + 0.02 * DVec3::X, epsilon = 1e-12);
        }
    }

    #[test]
    fn invalid_yarns_are_errors() {
        let cases = [
            Yarn { diameter: 0.005, ..YARN },
            Yarn { threads: 0, ..YARN },
            Yarn { spacing: 0.006, ..YARN },
            Yarn { wale_width: f64::NAN, ..YARN },
            Yarn { diameter: 0.0, ..YARN },
        ];
        for yarn in cases {
            assert!(matches!(yarn.stitch(1.0), Err(GenerateError::Parameter { .. })), "{yarn:?}");
        }
        for yarn in
            [Yarn { turns: u32::MAX, ..YARN }, Yarn { threads: u32::MAX, ..YARN }, Yarn { spacing: 1e-12, ..YARN }]
        {
            assert!(matches!(yarn.stitch(1.0), Err(GenerateError::TooMany { .. })), "{yarn:?}");
        }
    }
}
