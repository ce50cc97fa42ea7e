//! Value clips: files with the samples of one time interval each.

use super::layer::{Layer, MAX_PATH};
use super::stage::{beside, check_extension};
use super::value::Value;
use crate::ImportError;
use crate::error::Fault;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;

/// Limit on the number of clips of one set.
const MAX_CLIPS: f64 = 1e6;

/// Limit on the number of consecutive `#` in a template. They stand for digits, and no frame number has more digits.
const MAX_DIGITS: usize = 32;

/// A set of clips. It caches the last two layers, because a frame may need values of the active clip and of the next one.
pub(super) struct Clips {
    /// The layer that refers to the files.
    file: PathBuf,
    list: List,
    cache: RefCell<VecDeque<(usize, Rc<Layer>)>>,
}

/// The clips of a set and their times.
enum List {
    Given {
        files: Vec<String>,
        /// Activation time [time codes] and clip index.
        active: Vec<(f64, usize)>,
        times: Vec<Pair>,
    },
    /// One clip for each time of a uniform sequence. There can be very many, so names and times are computed on demand.
    Numbered {
        template: Template,
        /// Time of the first clip, and the interval between clips [time codes].
        start: f64,
        stride: f64,
        /// Delay from the time of a clip to its activation [time codes].
        shift: f64,
        count: usize,
    },
}

/// A time of the layer, and the corresponding time of the active clip [time codes].
type Pair = (f64, f64);

/// A file name with a placeholder for a number.
struct Template {
    before: String,
    /// Number of digits before and after the decimal point.
    digits: (usize, usize),
    after: String,
}

impl Clips {
    /// Returns the clip sets of a prim. Each set comes with the path of the corresponding prim in the clips.
    pub fn read(layer: &Layer, path: &str) -> Result<Vec<(Rc<Self>, String)>, ImportError> {
        let Some(Value::Dictionary(sets)) = layer.field(path, "clips")? else { return Ok(Vec::new()) };
        let mut read = Vec::new();
        for (name, set) in &sets {
            let Value::Dictionary(set) = set else { continue };
            let error = |problem: &str, remedy: &str| {
                Fault::new(format!("{path}, clips `{name}`"), problem, remedy).in_file(&layer.file)
            };
            let prim = set.get("primPath").and_then(Value::word).filter(|prim| prim.len() <= MAX_PATH);
            let prim = prim.ok_or_else(|| {
                error("the clips have no valid `primPath`", "set it to the path of the prim in the clips")
            })?;
            let list = if set.contains_key("assetPaths") { List::given(set) } else { List::numbered(set) };
            let list = list.ok_or_else(|| {
                error(
                    "the clips need either `assetPaths`, `active` and `times`, or a template with start, end and stride",
                    "export them again",
                )
            })?;
            if !list.is_finite() {
                return Err(error("a time is not finite", "use a finite number"));
            }
            let clips = Self { file: layer.file.clone(), list, cache: RefCell::default() };
            read.push((Rc::new(clips), prim.to_owned()));
        }
        Ok(read)
    }

    /// Returns the files of all clips.
    pub fn files(self: Rc<Self>) -> impl Iterator<Item = PathBuf> {
        (0..self.list.files()).map(move |index| beside(&self.file, &self.list.name(index)))
    }

    /// Returns the times of the layer at which the clips change [time codes].
    pub fn times(&self) -> Vec<f64> {
        let list = &self.list;
        let pairs = (0..list.pairs()).map(|place| list.pair(place).0);
        let mut times: Vec<f64> = pairs.chain((0..list.starts()).map(|place| list.start(place).0)).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// Returns the first time of [`Clips::times`] [time codes] without listing all times.
    pub fn first_time(&self) -> f64 {
        let start = self.list.start(0).0;
        if self.list.pairs() > 0 { start.min(self.list.pair(0).0) } else { start }
    }

    /// Returns the clip that is active at a time of the layer, and the corresponding time in the clip.
    pub fn at(&self, t: f64) -> Result<(Rc<Layer>, f64), ImportError> {
        let (_, index) = self.list.start(self.list.starts_until(t).saturating_sub(1));
        let mut cache = self.cache.borrow_mut();
        if let Some((_, layer)) = cache.iter().find(|(known, _)| *known == index) {
            return Ok((layer.clone(), self.time_in_clip(t)));
        }
        // Evict before loading: three layers may not fit into memory.
        cache.truncate(1);
        let file = beside(&self.file, &self.list.name(index));
        check_extension(&file)?;
        let layer = Rc::new(Layer::open(&file)?);
        cache.push_front((index, layer.clone()));
        Ok((layer, self.time_in_clip(t)))
    }

    /// Returns the time at which the next clip becomes active after a time of the layer [time codes].
    pub fn next_start(&self, t: f64) -> Option<f64> {
        let next = self.list.starts_until(t);
        (next < self.list.starts()).then(|| self.list.start(next).0)
    }

    /// Returns the time of the layer, at or before `t`, that corresponds to the time `in_clip` of the clip active at `t` [time codes].
    pub fn time_of(&self, t: f64, in_clip: f64) -> f64 {
        match self.list.pairs_around(t) {
            (Some((t0, a)), Some((t1, b))) if a != b => t0 + (t1 - t0) * (in_clip - a) / (b - a),
            (Some((t0, _)), _) => t0,
            _ => in_clip,
        }
        .min(t)
    }

    fn time_in_clip(&self, t: f64) -> f64 {
        match self.list.pairs_around(t) {
            (None, None) => t,
            (Some((_, at)), None) | (None, Some((_, at))) => at,
            (Some((t0, a)), Some((t1, b))) => a + (b - a) * (t - t0) / (t1 - t0),
        }
    }
}

impl List {
    fn given(set: &BTreeMap<String, Value>) -> Option<Self> {
        let Some(Value::Words(files)) = set.get("assetPaths") else { return None };
        let pairs = |name: &str| {
            let mut pairs: Vec<Pair> = match set.get(name) {
                Some(Value::Numbers(numbers)) => numbers.as_chunks().0.iter().map(|&[a, b]| (a, b)).collect(),
                _ => Vec::new(),
            };
            // The sort is stable: pairs with the same time represent a jump and keep their order.
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
            pairs
        };
        let active: Vec<(f64, usize)> = pairs("active").into_iter().map(|(t, clip)| (t, clip as usize)).collect();
        let valid = !active.is_empty() && active.iter().all(|(_, clip)| *clip < files.len());
        valid.then(|| Self::Given { files: files.clone(), active, times: pairs("times") })
    }

    /// Creates clips whose names have the time in place of the `#` of the template.
    fn numbered(set: &BTreeMap<String, Value>) -> Option<Self> {
        let template = Template::new(set.get("templateAssetPath")?.word()?)?;
        let number = |name: &str| set.get(name).and_then(Value::number);
        let (start, end) = (number("templateStartTime")?, number("templateEndTime")?);
        let stride = number("templateStride").unwrap_or(1.0);
        let steps = ((end - start) / stride + 1e-9).floor();
        if !(stride > 0.0 && (0.0..MAX_CLIPS).contains(&steps)) {
            return None;
        }
        let shift = number("templateActiveOffset").unwrap_or(0.0);
        Some(Self::Numbered { template, start, stride, shift, count: steps as usize + 1 })
    }

    fn is_finite(&self) -> bool {
        match self {
            Self::Given { active, times, .. } => {
                active.iter().all(|start| start.0.is_finite())
                    && times.iter().all(|pair| pair.0.is_finite() && pair.1.is_finite())
            }
            Self::Numbered { count, .. } => [0, count - 1].iter().all(|&place| self.start(place).0.is_finite()),
        }
    }

    /// Returns the number of files.
    fn files(&self) -> usize {
        match self {
            Self::Given { files, .. } => files.len(),
            Self::Numbered { count, .. } => *count,
        }
    }

    /// Returns the file name of a clip.
    fn name(&self, index: usize) -> String {
        match self {
            Self::Given { files, .. } => files[index].clone(),
            Self::Numbered { template, .. } => template.name(self.pair(index).0),
        }
    }

    /// Returns the number of activation times.
    fn starts(&self) -> usize {
        match self {
            Self::Given { active, .. } => active.len(),
            Self::Numbered { count, .. } => *count,
        }
    }

    /// Returns an activation time [time codes] and the index of the clip, in order of time.
    fn start(&self, place: usize) -> (f64, usize) {
        match self {
            Self::Given { active, .. } => active[place],
            Self::Numbered { shift, .. } => (self.pair(place).0 + shift, place),
        }
    }

    /// Returns the number of activations at or before a time.
    fn starts_until(&self, t: f64) -> usize {
        partition_point(self.starts(), |place| self.start(place).0 <= t)
    }

    /// Returns the number of pairs of layer time and clip time.
    fn pairs(&self) -> usize {
        match self {
            Self::Given { times, .. } => times.len(),
            Self::Numbered { count, .. } => *count,
        }
    }

    /// Returns one pair of layer time and clip time. Pairs are in order of layer time.
    fn pair(&self, place: usize) -> Pair {
        match self {
            Self::Given { times, .. } => times[place],
            Self::Numbered { start, stride, .. } => {
                let time = start + place as f64 * stride;
                (time, time)
            }
        }
    }

    /// Returns the last pair at or before a time of the layer, and the first pair after it.
    fn pairs_around(&self, t: f64) -> (Option<Pair>, Option<Pair>) {
        let after = partition_point(self.pairs(), |place| self.pair(place).0 <= t);
        (after.checked_sub(1).map(|before| self.pair(before)), (after < self.pairs()).then(|| self.pair(after)))
    }
}

/// Returns the partition point: the first index below `count` for which the predicate is false, or `count`.
fn partition_point(count: usize, predicate: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = (low + high) / 2;
        if predicate(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

impl Template {
    /// Parses a template: `walk.####.usd`, or `walk.###.##.usd` with hundredths.
    fn new(name: &str) -> Option<Self> {
        let marks = |text: &str| text.bytes().take_while(|&byte| byte == b'#').count();
        let (before, rest) = name.split_at(name.find('#')?);
        let whole = marks(rest);
        let rest = &rest[whole..];
        let parts = rest.strip_prefix('.').map_or(0, marks);
        let after = if parts > 0 { &rest[1 + parts..] } else { rest };
        let valid = whole <= MAX_DIGITS && parts <= MAX_DIGITS;
        valid.then(|| Self { before: before.to_owned(), digits: (whole, parts), after: after.to_owned() })
    }

    /// Returns the name of the clip for a time.
    fn name(&self, time: f64) -> String {
        let (whole, parts) = self.digits;
        let width = if parts > 0 { whole + 1 + parts } else { whole };
        format!("{}{time:0width$.parts$}{}", self.before, self.after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clip_names_contain_their_time() {
        let name = |template: &str, time: f64| Template::new(template).map(|template| template.name(time));
        assert_eq!(name("./a.#.usd", 12.0).unwrap(), "./a.12.usd");
        assert_eq!(name("a.####.usdc", 12.0).unwrap(), "a.0012.usdc");
        assert_eq!(name("a.###.##.usd", 7.5).unwrap(), "a.007.50.usd");
        assert_eq!(name("a.usd", 7.5), None);
    }

    #[test]
    fn templates_with_too_many_digits_are_rejected() {
        let many = "#".repeat(65_536);
        for template in [format!("a.{many}.usd"), format!("a.#.{many}.usd"), format!("a.{}.usd", &many[..33])] {
            assert!(Template::new(&template).is_none());
        }
        let most = &many[..MAX_DIGITS];
        assert_eq!(Template::new(&format!("{most}.{most}")).unwrap().name(1.0).len(), 2 * MAX_DIGITS + 1);
    }

    #[test]
    fn numbered_clips_are_computed_on_demand() {
        let numbers = [("templateStartTime", 10.0), ("templateEndTime", 900_010.0), ("templateActiveOffset", 0.25)];
        let mut set: BTreeMap<String, Value> =
            numbers.map(|(name, number)| (name.to_owned(), Value::Numbers(vec![number]))).into();
        set.insert("templateAssetPath".into(), Value::Words(vec!["a.#.usd".into()]));
        let list = List::numbered(&set).unwrap();
        assert!(list.is_finite());
        assert_eq!((list.starts(), list.pairs()), (900_001, 900_001));
        assert_eq!((list.start(5), list.pair(5), list.name(5)), ((15.25, 5), (15.0, 15.0), "a.15.usd".to_owned()));
        assert_eq!([9.0, 10.25, 15.0, 1e9].map(|t| list.starts_until(t)), [0, 1, 5, 900_001]);
        assert_eq!(list.pairs_around(15.5), (Some((15.0, 15.0)), Some((16.0, 16.0))));
    }

    #[test]
    fn clip_times_are_sorted_and_jumps_keep_their_order() {
        let set = BTreeMap::from([
            ("assetPaths".to_owned(), Value::Words(vec!["a.usd".into()])),
            ("active".to_owned(), Value::Numbers(vec![0.0, 0.0])),
            ("times".to_owned(), Value::Numbers(vec![4.0, 8.0, 4.0, 0.0, 0.0, 5.0, 9.0, 1.0])),
        ]);
        let list = List::given(&set).unwrap();
        let pairs: Vec<_> = (0..list.pairs()).map(|place| list.pair(place)).collect();
        assert_eq!(pairs, [(0.0, 5.0), (4.0, 8.0), (4.0, 0.0), (9.0, 1.0)]);
    }
}
