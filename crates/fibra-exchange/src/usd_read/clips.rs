//! Value clips: files that each hold the samples of some stretch of time.

use super::layer::Layer;
use super::stage::{beside, check_extension};
use super::value::Value;
use crate::ImportError;
use crate::error::Fault;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::rc::Rc;

/// Most clips of one set.
const MOST_CLIPS: f64 = 1e6;

/// A set of clips. Two of them are kept in memory: whoever plays a scene needs all of a frame, perhaps of the next, then goes on.
pub(super) struct Clips {
    files: Vec<PathBuf>,
    /// From which time on each clip counts [time codes].
    active: Vec<(f64, usize)>,
    /// Times of the layer, and times of the clip that is active then [time codes].
    times: Vec<(f64, f64)>,
    last: RefCell<VecDeque<(usize, Rc<Layer>)>>,
}

impl Clips {
    /// The sets of clips at a prim, and which prim each is about.
    pub fn read(layer: &Layer, path: &str) -> Result<Vec<(Rc<Self>, String)>, ImportError> {
        let Some(Value::Dictionary(sets)) = layer.field(path, "clips")? else { return Ok(Vec::new()) };
        let mut read = Vec::new();
        for (name, set) in &sets {
            let Value::Dictionary(set) = set else { continue };
            let refuse = |problem: &str, remedy: &str| {
                Fault::new(format!("{path}, clips `{name}`"), problem, remedy).in_file(&layer.file)
            };
            let prim = set.get("primPath").and_then(Value::word);
            let prim = prim.ok_or_else(|| refuse("they have no `primPath`", "name the prim of the clips"))?;
            let clips =
                if set.contains_key("assetPaths") { Self::listed(layer, set) } else { Self::numbered(layer, set) };
            let mut clips = clips.ok_or_else(|| {
                refuse(
                    "they are not described by `assetPaths`, `active` and `times`, nor by a template with start, end and stride",
                    "write them anew",
                )
            })?;
            clips.active.sort_by(|a, b| a.0.total_cmp(&b.0));
            let finite =
                clips.times.iter().flat_map(|pair| [pair.0, pair.1]).chain(clips.active.iter().map(|pair| pair.0));
            if finite.into_iter().any(|t| !t.is_finite()) {
                return Err(refuse("a time is not finite", "write another number"));
            }
            read.push((Rc::new(clips), prim.to_owned()));
        }
        Ok(read)
    }

    fn listed(layer: &Layer, set: &BTreeMap<String, Value>) -> Option<Self> {
        let Some(Value::Words(names)) = set.get("assetPaths") else { return None };
        let pairs = |name: &str| match set.get(name) {
            Some(Value::Numbers(numbers)) => numbers.as_chunks().0.iter().map(|&[a, b]| (a, b)).collect(),
            _ => Vec::new(),
        };
        let files: Vec<PathBuf> = names.iter().map(|name| beside(&layer.file, name)).collect();
        let active: Vec<(f64, usize)> = pairs("active").into_iter().map(|(t, clip)| (t, clip as usize)).collect();
        let sound = !active.is_empty() && active.iter().all(|(_, clip)| *clip < files.len());
        sound.then(|| Self { files, active, times: pairs("times"), last: RefCell::default() })
    }

    /// Clips whose names have the time where the template has `#`.
    fn numbered(layer: &Layer, set: &BTreeMap<String, Value>) -> Option<Self> {
        let template = set.get("templateAssetPath")?.word()?;
        let number = |name: &str| set.get(name).and_then(Value::number);
        let (start, end) = (number("templateStartTime")?, number("templateEndTime")?);
        let stride = number("templateStride").unwrap_or(1.0);
        let steps = ((end - start) / stride + 1e-9).floor();
        if !(stride > 0.0 && (0.0..MOST_CLIPS).contains(&steps)) {
            return None;
        }
        let shift = number("templateActiveOffset").unwrap_or(0.0);
        let mut clips = Self { files: Vec::new(), active: Vec::new(), times: Vec::new(), last: RefCell::default() };
        for step in 0..=steps as usize {
            let time = start + step as f64 * stride;
            clips.files.push(beside(&layer.file, &numbered_name(template, time)?));
            clips.active.push((time + shift, step));
            clips.times.push((time, time));
        }
        Some(clips)
    }

    /// The times of the layer at which something changes [time codes].
    pub fn times(&self) -> Vec<f64> {
        let mut times: Vec<f64> =
            self.times.iter().map(|pair| pair.0).chain(self.active.iter().map(|pair| pair.0)).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        times
    }

    /// The file that counts at a time of the layer, and the time in it.
    pub fn at(&self, t: f64) -> Result<(Rc<Layer>, f64), ImportError> {
        let place = self.active.partition_point(|(start, _)| *start <= t).saturating_sub(1);
        let index = self.active[place].1;
        let mut last = self.last.borrow_mut();
        if let Some((_, layer)) = last.iter().find(|(known, _)| *known == index) {
            return Ok((layer.clone(), self.time_in_clip(t)));
        }
        // One goes first: three may not fit into memory.
        last.truncate(1);
        let file = &self.files[index];
        check_extension(file)?;
        let layer = Rc::new(Layer::open(file)?);
        last.push_front((index, layer.clone()));
        Ok((layer, self.time_in_clip(t)))
    }

    /// When the next clip begins to count after a time of the layer [time codes].
    pub fn next_start(&self, t: f64) -> Option<f64> {
        self.active.get(self.active.partition_point(|(start, _)| *start <= t)).map(|(start, _)| *start)
    }

    /// The time of the layer, at or before `t`, at which the clip that counts at `t` is at a time of its own [time codes].
    pub fn time_of(&self, t: f64, in_clip: f64) -> f64 {
        let after = self.times.partition_point(|pair| pair.0 <= t);
        match (after.checked_sub(1).map(|before| self.times[before]), self.times.get(after)) {
            (Some((t0, a)), Some(&(t1, b))) if a != b => t0 + (t1 - t0) * (in_clip - a) / (b - a),
            (Some((t0, _)), _) => t0,
            _ => in_clip,
        }
        .min(t)
    }

    fn time_in_clip(&self, t: f64) -> f64 {
        let after = self.times.partition_point(|pair| pair.0 <= t);
        match (after.checked_sub(1).map(|before| self.times[before]), self.times.get(after)) {
            (None, None) => t,
            (Some((_, at)), None) | (None, Some(&(_, at))) => at,
            (Some((t0, a)), Some(&(t1, b))) => a + (b - a) * (t - t0) / (t1 - t0),
        }
    }
}

/// The name of the clip of a time: `walk.####.usd`, or `walk.###.##.usd` with hundredths.
fn numbered_name(template: &str, time: f64) -> Option<String> {
    let from = template.find('#')?;
    let whole = template[from..].bytes().take_while(|&byte| byte == b'#').count();
    let rest = &template[from + whole..];
    let parts = rest.strip_prefix('.').map_or(0, |rest| rest.bytes().take_while(|&byte| byte == b'#').count());
    let (width, rest) = if parts > 0 { (whole + 1 + parts, &rest[1 + parts..]) } else { (whole, rest) };
    Some(format!("{}{time:0width$.parts$}{rest}", &template[..from]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_clips_have_their_time() {
        assert_eq!(numbered_name("./a.#.usd", 12.0).unwrap(), "./a.12.usd");
        assert_eq!(numbered_name("a.####.usdc", 12.0).unwrap(), "a.0012.usdc");
        assert_eq!(numbered_name("a.###.##.usd", 7.5).unwrap(), "a.007.50.usd");
        assert_eq!(numbered_name("a.usd", 7.5), None);
    }
}
