//! A head of hair for strand simulation: short or long, straight, wavy or curly, combed away from the crown or from a parting.

use super::head::{Head, Root};
use super::{GenerateError, require, require_not_negative, require_particle_limit, require_positive};
use crate::geometry::StrandSet;
use crate::geometry::polyline::{length, resample};
use crate::random::CounterRng;
use glam::{DQuat, DVec3};
use std::f64::consts::TAU;

/// Strands are traced as fine polylines and then resampled. Largest step of these polylines [m].
const STEP: f64 = 1e-3;
/// Minimum number of steps per turn of a curl [-].
const STEPS_PER_TURN: f64 = 32.0;
/// Minimum number of segments per turn of a curl, to resolve it.
const SEGMENTS_PER_TURN: f64 = 4.0;
/// Minimum number of segments of a strand, so that a strand with a clamped first segment can still bend.
const MIN_SEGMENTS: u32 = 2;

/// Strands that grow on a [`Head`], lie on it and hang down. Strands from the crown are outermost. No strand penetrates the head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hairstyle {
    /// The head.
    pub head: Head,
    /// Number of strands; at least 1.
    pub strands: u32,
    /// Number of points of the strands.
    pub points: StrandPoints,
    /// Arc length of the shortest strand, including curls [m]. Strand lengths are random.
    pub shortest: f64,
    /// Mean length of strands [m].
    pub mean: f64,
    /// Length of the longest strand [m].
    pub longest: f64,
    /// Approximate length over which a strand bends down under its weight [m].
    pub bend: f64,
    /// Distance of the innermost hair from the head [m].
    pub lift: f64,
    /// Thickness of the hair layer on the head [m].
    pub volume: f64,
    /// Whether the hair is straight, wavy or curly.
    pub shape: HairShape,
    /// Position of the parting, which runs from front to back [m]: strands to the right of it (smaller x) are combed to the right, the
    /// others to the left. If `None`, strands are combed away from the crown.
    pub parting: Option<f64>,
    /// Seed of lengths, curl phases and root positions.
    pub seed: u64,
}

/// Number of points of the strands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrandPoints {
    /// Number of points of each strand; at least 3.
    PerStrand(u32),
    /// Total number of points of all strands, distributed so that segments are about equally long; at least 3 per strand.
    Total(u32),
}

/// The shape of a strand around its centerline. Amplitudes grow over the first turn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HairShape {
    /// The centerline itself.
    Straight,
    /// A wave in a random plane.
    Wavy {
        /// Amplitude [m].
        amplitude: f64,
        /// Wavelength along the centerline [m].
        wavelength: f64,
    },
    /// A helix.
    Curly {
        /// Radius of the helix [m].
        radius: f64,
        /// Length of a turn along the centerline [m].
        pitch: f64,
    },
}

impl HairShape {
    /// Typical waves.
    pub const WAVY: Self = Self::Wavy { amplitude: 0.005, wavelength: 0.05 };
    /// Typical curls.
    pub const CURLY: Self = Self::Curly { radius: 0.008, pitch: 0.03 };

    /// Returns the amplitude [m] and the length of a turn along the centerline [m].
    fn sizes(self) -> (f64, f64) {
        match self {
            Self::Straight => (0.0, f64::INFINITY),
            Self::Wavy { amplitude, wavelength } => (amplitude, wavelength),
            Self::Curly { radius, pitch } => (radius, pitch),
        }
    }

    /// Returns the length of a turn along the strand [m]; slightly underestimated for waves.
    fn turn(self) -> f64 {
        match self {
            Self::Straight => f64::INFINITY,
            Self::Wavy { amplitude, wavelength } => wavelength.hypot(4.0 * amplitude),
            Self::Curly { radius, pitch } => pitch.hypot(TAU * radius),
        }
    }

    /// Returns the offset of a fully grown turn from the centerline [m] at an angle [rad], given the line's tangent and a normal.
    fn offset(self, angle: f64, along: DVec3, across: DVec3) -> DVec3 {
        let (sine, cosine) = angle.sin_cos();
        match self {
            Self::Straight => DVec3::ZERO,
            Self::Wavy { amplitude, .. } => amplitude * sine * across,
            Self::Curly { radius, .. } => radius * (cosine * across + sine * along.cross(across)),
        }
    }

    fn check(self) -> Result<(), GenerateError> {
        let (names, sizes) = match self {
            Self::Straight => return Ok(()),
            Self::Wavy { .. } => (["amplitude", "wavelength"], self.sizes()),
            Self::Curly { .. } => (["radius", "pitch"], self.sizes()),
        };
        require_positive([(names[0], sizes.0), (names[1], sizes.1)])?;
        let gentle = sizes.0 <= sizes.1;
        require(gentle, names[0], sizes.0, "it must be no larger than the length of a turn")
    }
}

impl Hairstyle {
    /// Returns short straight hair, 3 to 25 cm: 2,076 strands with 27,114 points [Huang2023, Table 1].
    pub fn short() -> Self {
        Self {
            head: Head::ADULT,
            strands: 2076,
            points: StrandPoints::Total(27_114),
            shortest: 0.03,
            mean: 0.1,
            longest: 0.25,
            bend: 0.02,
            lift: 0.003,
            volume: 0.02,
            shape: HairShape::Straight,
            parting: None,
            seed: 0,
        }
    }

    /// Returns long straight hair, 15 to 50 cm, with a parting: 1,053 strands with 43,262 points [Huang2023, Table 1].
    pub fn long() -> Self {
        let points = StrandPoints::Total(43_262);
        let parting = Some(0.0);
        Self { strands: 1053, points, shortest: 0.15, mean: 0.325, longest: 0.5, parting, ..Self::short() }
    }

    /// Builds the strands, from the crown outward, each from root to tip with segments of equal arc length.
    pub fn build(&self) -> Result<StrandSet, GenerateError> {
        self.check()?;
        let random = CounterRng::new(self.seed);
        let lengths: Vec<f64> = (0..self.strands).map(|i| self.length(random.uniform(&[u64::from(i), 2]))).collect();
        let segments = self.segments(&lengths);
        let longest = lengths.iter().zip(&segments).map(|(l, &n)| l / f64::from(n)).fold(0.0, f64::max);
        let fine = longest * SEGMENTS_PER_TURN <= self.shape.turn();
        require(
            fine,
            "points",
            longest,
            "segments of this length [m] exceed a quarter of a wave or curl; use more points",
        )?;

        let mut points = Vec::with_capacity(segments.iter().map(|&n| n as usize + 1).sum());
        for (i, root) in self.head.roots(self.strands, &random).enumerate() {
            let angles = [3, 4].map(|k| TAU * random.uniform(&[i as u64, k]));
            // Sagitta of a straight segment on the curved head.
            let sagitta = self.head.curvature() * (lengths[i] / f64::from(segments[i])).powi(2) / 8.0;
            let clearance = self.lift + self.volume * (1.0 - root.share) + sagitta;
            let traced = self.traced(&root, lengths[i], clearance, angles);
            let cut = resample(&traced, length(&traced), segments[i] as usize);
            points.extend(cut.into_iter().map(|point| self.head.outside(point, 0.0)));
        }
        let counts: Vec<u32> = segments.iter().map(|n| n + 1).collect();
        Ok(StrandSet::new(points, &counts)?)
    }

    fn check(&self) -> Result<(), GenerateError> {
        self.head.check()?;
        self.shape.check()?;
        require_positive([("shortest", self.shortest), ("longest", self.longest), ("bend", self.bend)])?;
        require_not_negative([("lift", self.lift), ("volume", self.volume)])?;
        let between = self.shortest <= self.mean && self.mean <= self.longest;
        require(between, "mean", self.mean, "it must be between shortest and longest")?;
        let parting = self.parting.unwrap_or(0.0);
        let width = self.head.half_axes.x;
        require(
            parting.abs() < width,
            "parting",
            parting,
            "its distance from the middle must be below half the width of the head",
        )?;
        require(self.strands > 0, "strands", 0.0, "it must be at least 1")?;
        let fewest = MIN_SEGMENTS + 1;
        let (enough, value) = match self.points {
            StrandPoints::PerStrand(points) => (points >= fewest, points),
            StrandPoints::Total(points) => (u64::from(points) >= u64::from(fewest) * u64::from(self.strands), points),
        };
        require(enough, "points", f64::from(value), "at least 3 are needed for each strand")?;
        require_particle_limit(match self.points {
            StrandPoints::PerStrand(points) => 2.0 * f64::from(points) * f64::from(self.strands),
            StrandPoints::Total(points) => 2.0 * f64::from(points),
        })?;
        require_particle_limit(self.longest / self.step())
    }

    /// Returns the length of a strand [m] for a uniform random number: `a + (b - a) u^k` has the mean `a + (b - a)/(k + 1)`.
    fn length(&self, u: f64) -> f64 {
        if self.longest == self.shortest {
            return self.longest;
        }
        let k = (self.longest - self.mean) / (self.mean - self.shortest);
        self.shortest + (self.longest - self.shortest) * u.powf(k)
    }

    /// Returns the number of segments of each strand.
    fn segments(&self, lengths: &[f64]) -> Vec<u32> {
        let total = match self.points {
            StrandPoints::PerStrand(points) => return vec![points - 1; lengths.len()],
            StrandPoints::Total(points) => points,
        };
        // Distribute segments beyond the minimum in proportion to length. Rounding the cumulative sums makes the total exact.
        let shared = f64::from(total - self.strands * (MIN_SEGMENTS + 1));
        let all: f64 = lengths.iter().sum();
        let (mut passed, mut given) = (0.0, 0);
        let own = |length: &f64| {
            passed += length;
            let due = (shared * (passed / all)).round() as u32;
            let own = due - given;
            given = due;
            MIN_SEGMENTS + own
        };
        lengths.iter().map(own).collect()
    }

    /// Returns the step of the traced polyline [m].
    fn step(&self) -> f64 {
        let (_, turn) = self.shape.sizes();
        STEP.min(turn / STEPS_PER_TURN)
    }

    /// Traces a strand of a length [m] as a fine polyline. Gravity bends its centerline down, and the head, enlarged by the clearance [m],
    /// supports it. The angles [rad] are the phase of the turns and the rotation of the wave plane.
    fn traced(&self, root: &Root, length: f64, clearance: f64, [phase, plane]: [f64; 2]) -> Vec<DVec3> {
        let (step, (size, turn)) = (self.step(), self.shape.sizes());
        let mut line = root.position;
        let mut along = (root.normal + self.combed(root)).normalize();
        let mut across = DQuat::from_axis_angle(along, plane) * along.any_orthonormal_vector();
        let (mut passed, mut traced_length) = (0.0, 0.0);
        let mut traced = vec![root.position];
        // Projecting out of the head shortens only a few steps, so the loop usually ends far earlier. The limit guarantees termination.
        let most = 8 * (length / step).ceil() as usize;
        for _ in 0..most {
            along = (along - step / self.bend * DVec3::Y).normalize();
            let grown = smooth(passed / turn);
            // The clearance grows along the strand, slowly enough for a smooth transition.
            let distance = clearance * smooth(passed / (4.0 * clearance)) + size * grown;
            let next = self.head.outside(line + step * along, distance);
            passed += next.distance(line);
            along = (next - line).normalize_or(along);
            across = across.reject_from_normalized(along).normalize_or(along.any_orthonormal_vector());
            line = next;

            let point = line + grown * self.shape.offset(TAU * passed / turn + phase, along, across);
            let last = traced[traced.len() - 1];
            let piece = last.distance(point);
            if traced_length + piece >= length {
                traced.push(last.lerp(point, (length - traced_length) / piece));
                break;
            }
            traced_length += piece;
            traced.push(point);
        }
        traced
    }

    /// Returns the unit direction along the skin in which a strand is combed.
    fn combed(&self, root: &Root) -> DVec3 {
        let from_crown = (root.position - self.head.crown()).normalize_or_zero();
        let direction = match self.parting {
            None => from_crown,
            // Combed mainly to the side, and slightly away from the crown.
            Some(parting) => DVec3::X * (root.position.x - parting).signum() + 0.5 * from_crown,
        };
        let along_skin = direction.reject_from_normalized(root.normal);
        along_skin.normalize_or(root.normal.any_orthonormal_vector())
    }
}

/// Evaluates the C1 smoothstep: 0 for `t` <= 0, 1 for `t` >= 1.
fn smooth(t: f64) -> f64 {
    let t = t.clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn styles() -> Vec<Hairstyle> {
        let shapes = [HairShape::Straight, HairShape::WAVY, HairShape::CURLY];
        let both = |shape| [Hairstyle::short(), Hairstyle::long()].map(|style| Hairstyle { shape, ..style });
        shapes.into_iter().flat_map(both).collect()
    }

    #[test]
    fn counts_are_as_requested() {
        for style in styles() {
            let hair = style.build().unwrap();
            let total = if style.strands == 2076 { 27_114 } else { 43_262 };
            assert_eq!((hair.len(), hair.points().len()), (style.strands as usize, total));
        }
        let each = Hairstyle { strands: 10, points: StrandPoints::PerStrand(16), ..Hairstyle::short() };
        assert_eq!(each.build().unwrap().offsets(), (0..=10).map(|i| 16 * i).collect::<Vec<_>>());
    }

    #[test]
    fn lengths_are_in_range_and_segments_nearly_equal() {
        for style in styles() {
            let hair = style.build().unwrap();
            let lengths: Vec<f64> = hair.lengths().collect();
            let [least, most] = [f64::min, f64::max].map(|f| lengths.iter().copied().reduce(f).unwrap());
            // Straight segments shorten curved strands.
            let cut = if style.shape == HairShape::Straight { 0.99 } else { 0.85 };
            assert!(least > cut * style.shortest && least < 1.1 * style.shortest, "{least}");
            assert!(most < style.longest && most > 0.85 * style.longest, "{most}");
            let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
            assert!(mean > 0.98 * cut * style.mean && mean < 1.05 * style.mean, "{mean}");
            // The segments of the paper's models are 0.6 to 1 cm long.
            for strand in hair.iter() {
                for pair in strand.windows(2) {
                    let segment = pair[0].distance(pair[1]);
                    assert!((0.0035..0.01).contains(&segment), "{segment}");
                }
            }
        }
    }

    #[test]
    fn strands_start_on_the_head_and_stay_outside() {
        for style in styles() {
            for strand in style.build().unwrap().iter() {
                assert!((1.0..1.003).contains(&style.head.level(strand[0])));
                for pair in strand.windows(2) {
                    for share in [0.25, 0.5, 0.75, 1.0] {
                        let level = style.head.level(pair[0].lerp(pair[1], share));
                        assert!(level > 1.0, "{level} {style:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn straight_hair_hangs_down() {
        for strand in Hairstyle::long().build().unwrap().iter() {
            let [before, tip] = [strand[strand.len() - 2], strand[strand.len() - 1]];
            if tip.y < -0.12 {
                assert!((tip - before).angle_between(-DVec3::Y) < 0.15);
            }
        }
    }

    #[test]
    fn strands_do_not_cross_the_parting() {
        for parting in [0.0, 0.02] {
            let style = Hairstyle { parting: Some(parting), ..Hairstyle::long() };
            for strand in style.build().unwrap().iter() {
                let side = (strand[0].x - parting).signum();
                assert!(strand.iter().all(|p| side * (p.x - parting) > 0.0), "{:?}", strand);
            }
        }
    }

    #[test]
    fn result_depends_only_on_parameters_and_seed() {
        let style = Hairstyle { strands: 50, points: StrandPoints::Total(700), ..Hairstyle::short() };
        assert_eq!(style.build().unwrap(), style.build().unwrap());
        assert_ne!(style.build().unwrap(), Hairstyle { seed: 1, ..style }.build().unwrap());
    }

    #[test]
    fn invalid_hairstyles_are_errors() {
        let good = Hairstyle { strands: 10, points: StrandPoints::Total(200), ..Hairstyle::short() };
        good.build().unwrap();
        let flat = Head { half_axes: DVec3::new(0.1, 0.01, 0.1), ..Head::ADULT };
        let cases = [
            Hairstyle { strands: 0, ..good },
            Hairstyle { points: StrandPoints::Total(29), ..good },
            Hairstyle { points: StrandPoints::PerStrand(2), ..good },
            Hairstyle { points: StrandPoints::PerStrand(5), shape: HairShape::CURLY, ..good },
            Hairstyle { shape: HairShape::Curly { radius: 0.1, pitch: 0.01 }, ..good },
            Hairstyle { shape: HairShape::Wavy { amplitude: f64::NAN, wavelength: 0.01 }, ..good },
            Hairstyle { shortest: 0.0, ..good },
            Hairstyle { mean: 0.01, ..good },
            Hairstyle { mean: f64::NAN, ..good },
            Hairstyle { longest: f64::INFINITY, ..good },
            Hairstyle { bend: 0.0, ..good },
            Hairstyle { lift: -1.0, ..good },
            Hairstyle { parting: Some(0.2), ..good },
            Hairstyle { parting: Some(f64::NAN), ..good },
            Hairstyle { head: flat, ..good },
            Hairstyle { head: Head { cap: 3.0, ..Head::ADULT }, ..good },
            Hairstyle { head: Head { tilt: -1.0, ..Head::ADULT }, ..good },
        ];
        for style in cases {
            assert!(matches!(style.build(), Err(GenerateError::Parameter { .. })), "{style:?}");
        }
        let many = Hairstyle { points: StrandPoints::PerStrand(u32::MAX), ..good };
        assert!(matches!(many.build().unwrap_err(), GenerateError::TooMany { .. }));
        let flush = Hairstyle { lift: 0.0, volume: 0.0, ..good };
        flush.build().unwrap();
    }
}
