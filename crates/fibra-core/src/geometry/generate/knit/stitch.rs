//! The yarn of a knit and its loops, with the threads twisted along them.

use super::super::{GenerateError, require, require_particle_limit, require_positive, segment_count};
use super::Pattern;
use super::center_line::{CenterLine, LoopKind, Proportions};
use glam::DVec3;
use std::f64::consts::TAU;

/// Maximum yarn diameter as a fraction of the wale width [-]. Centerlines of different loops are at least this far apart.
const MAX_DIAMETER: f64 = 0.23;

/// The yarn of a knit and its resolution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Yarn {
    /// Width of a loop, from wale to wale [m]. In stockinette, the course height is 0.764 times this width.
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

/// The dimensions of a fabric's loops.
pub(super) struct Gauge {
    /// Distance between wales of the same side [m].
    pub width: f64,
    /// Distance between courses [m].
    pub height: f64,
    /// Overlap of a knit wale with the purl wale beside it [m].
    pub overlap: f64,
    /// A loop like those of stockinette.
    pub plain: Stitch,
    yarn: Yarn,
    proportions: Proportions,
    /// Number of loops of the fabric, used to check the limit on particles.
    stitches: f64,
}

/// One loop, from its left foot over its head to just before its right foot, which is the next loop's left foot.
///
/// Loops follow each other along +x, courses along +y. The side on which legs of knit stitches appear as columns of V faces +z. The left
/// foot is at `x = 0`.
pub(super) struct Stitch {
    /// Points of each thread [m]. All threads have the same number of points.
    pub threads: Vec<Vec<DVec3>>,
    /// End of each thread, relative to the left foot of the next loop [m].
    pub ends: Vec<DVec3>,
    /// Index of the point at the head, in each thread.
    pub head: u32,
}

impl Yarn {
    /// Returns the dimensions of the loops. `stitches` is the number of loops of the fabric.
    pub(super) fn gauge(&self, pattern: &Pattern, stitches: f64) -> Result<Gauge, GenerateError> {
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
        pattern.check()?;
        let proportions = pattern.proportions();
        Ok(Gauge {
            width: self.wale_width,
            height: proportions.course_height / TAU * self.wale_width,
            overlap: proportions.overlap / TAU * self.wale_width,
            plain: Stitch::new(self, proportions, LoopKind::PLAIN, stitches)?,
            yarn: *self,
            proportions,
            stitches,
        })
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

impl Gauge {
    /// Returns a loop.
    pub fn stitch(&self, kind: LoopKind) -> Result<Stitch, GenerateError> {
        Stitch::new(&self.yarn, self.proportions, kind, self.stitches)
    }

    /// Returns the longest segment [m].
    pub fn spacing(&self) -> f64 {
        self.yarn.spacing
    }

    /// Returns the number of threads.
    pub fn threads(&self) -> u32 {
        self.yarn.threads
    }
}

impl Stitch {
    fn new(yarn: &Yarn, proportions: Proportions, kind: LoopKind, stitches: f64) -> Result<Self, GenerateError> {
        let center_line = CenterLine::new(yarn.wale_width, proportions, kind);
        let offset = yarn.thread_offset();
        let turns = if yarn.threads > 1 { f64::from(yarn.turns) } else { 0.0 };
        let phase = |thread: u32| f64::from(thread) / f64::from(yarn.threads);
        let helix = center_line.length().hypot(TAU * turns * offset);
        // An even number, so that there is a point at the head of the loop.
        let mut count = 2.0 * segment_count(helix, 2.0 * yarn.spacing).max(3.0 * turns);
        loop {
            require_particle_limit(stitches * f64::from(yarn.threads) * 2.2 * count)?;
            let threads: Vec<Vec<DVec3>> = (0..yarn.threads)
                .map(|thread| {
                    let along = (0..count as usize).map(|i| i as f64 / count);
                    along.map(|s| center_line.thread(s, offset, TAU * (turns * s + phase(thread)))).collect()
                })
                .collect();
            // A loop whose neighbors are on its side ends like it starts.
            let [left, own, right] = kind.sides;
            let ends = if left == own && right == own {
                threads.iter().map(|points| points[0]).collect()
            } else {
                let end = |thread| center_line.thread(1.0, offset, TAU * (turns + phase(thread)));
                (0..yarn.threads).map(|thread| end(thread) - center_line.width() * DVec3::X).collect()
            };
            let stitch = Self { threads, ends, head: center_line.head(count as usize) as u32 };
            // On the outside of bends, threads are longer than a helix about a straight line.
            let longest = stitch.longest_segment(center_line.width());
            if longest <= yarn.spacing {
                return Ok(stitch);
            }
            count = (count * longest / yarn.spacing).max(count + 2.0);
            count = 2.0 * (0.5 * count).ceil();
        }
    }

    /// Returns the number of points of a thread.
    pub fn points(&self) -> u32 {
        self.threads[0].len() as u32
    }

    /// Returns the length of the longest segment [m] of a loop of the given width [m].
    fn longest_segment(&self, width: f64) -> f64 {
        let gap = |thread: &Vec<DVec3>, i: usize, end: DVec3| match thread.get(i + 1) {
            Some(next) => thread[i].distance(*next),
            None => thread[i].distance(end + width * DVec3::X),
        };
        let threads = self.threads.iter().zip(&self.ends);
        threads.flat_map(|(t, &end)| (0..t.len()).map(move |i| gap(t, i, end))).fold(0.0, f64::max)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use approx::assert_relative_eq;

    pub const YARN: Yarn = Yarn { wale_width: 0.02, diameter: 0.004, threads: 3, turns: 2, spacing: 0.002 };

    #[test]
    fn threads_touch_inside_the_yarn() {
        let stitch = YARN.gauge(&Pattern::Stockinette, 1.0).unwrap().plain;
        assert_eq!(stitch.points() % 2, 0);
        assert!(stitch.longest_segment(YARN.wale_width) <= YARN.spacing);
        let line = CenterLine::new(YARN.wale_width, Proportions::STOCKINETTE, LoopKind::PLAIN);
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
            assert!(matches!(yarn.gauge(&Pattern::Stockinette, 1.0), Err(GenerateError::Parameter { .. })), "{yarn:?}");
        }
        for yarn in
            [Yarn { turns: u32::MAX, ..YARN }, Yarn { threads: u32::MAX, ..YARN }, Yarn { spacing: 1e-12, ..YARN }]
        {
            assert!(matches!(yarn.gauge(&Pattern::Stockinette, 1.0), Err(GenerateError::TooMany { .. })), "{yarn:?}");
        }
    }
}
