//! Layers put together: which prims there are, and which layers say something about each, the strongest first.
//!
//! Sublayers, inherits, variants, references and payloads are followed, and value clips (`clips.rs`). What is not: lists that
//! delete from weaker ones, specializes, relocates. Instances are prims like others.

use super::clips::Clips;
use super::layer::{LONGEST_PATH, Layer, ROOT};
use super::value::{Arc, TimeMap, Value};
use crate::ImportError;
use crate::error::Fault;
use crate::file::extension;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Longest chain of references, and of sublayers.
const DEEPEST: usize = 32;

/// Most places that are looked at to put a stage together: references in references can make very many of few.
const MOST_SITES: usize = 200_000;

/// Most files that make up a stage, clips apart.
const MOST_FILES: usize = 4096;

/// A file with its sublayers.
struct Stack {
    /// The layers, strongest first, and how their times become those of the first.
    layers: Vec<(usize, TimeMap)>,
    /// Time codes per second [1/s].
    rate: f64,
}

/// All files of a scene.
pub(super) struct Stage {
    layers: Vec<Layer>,
    stacks: Vec<Stack>,
    files: HashMap<PathBuf, usize>,
    stack_of_file: HashMap<PathBuf, usize>,
    sites: usize,
}

/// Somewhere values of a prim come from.
#[derive(Clone)]
pub(super) enum Source {
    /// A prim of a file; `time` makes its times those of the stage.
    Site { stack: usize, path: String, time: TimeMap },
    /// A prim of clips.
    Clips { clips: Rc<Clips>, path: String, time: TimeMap },
}

/// A prim of the stage.
pub(super) struct Prim {
    pub path: String,
    /// Where its values come from, strongest first.
    pub sources: Vec<Source>,
}

/// What has been found of a prim so far.
#[derive(Default)]
struct Found {
    /// Where its values come from, strongest first.
    sources: Vec<Source>,
    /// The variant of each set that the strongest source chooses.
    chosen: BTreeMap<String, String>,
}

impl Stage {
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let mut stage = Self::empty();
        stage.stack(path)?;
        Ok(stage)
    }

    /// A stage whose root layer is given by its contents.
    pub fn of_bytes(bytes: Vec<u8>, path: &Path) -> Result<Self, ImportError> {
        let mut stage = Self::empty();
        stage.files.insert(path.to_owned(), 0);
        stage.layers.push(Layer::parse(bytes, path)?);
        stage.stack(path)?;
        Ok(stage)
    }

    fn empty() -> Self {
        Self { layers: Vec::new(), stacks: Vec::new(), files: HashMap::new(), stack_of_file: HashMap::new(), sites: 0 }
    }

    /// The prim above all others.
    pub fn root(&self) -> Prim {
        Prim {
            path: ROOT.to_owned(),
            sources: vec![Source::Site { stack: 0, path: ROOT.to_owned(), time: TimeMap::SAME }],
        }
    }

    /// Time codes per second [1/s].
    pub fn rate(&self) -> f64 {
        self.stacks[0].rate
    }

    /// The file that was opened.
    pub fn file(&self) -> &Path {
        &self.layers[0].file
    }

    /// A field of the root layer itself.
    pub fn setting(&self, name: &str) -> Result<Option<Value>, ImportError> {
        self.layers[0].field(ROOT, name)
    }

    /// The layers of a stack, strongest first, and how their times become those of the first.
    pub fn layers(&self, stack: usize) -> impl DoubleEndedIterator<Item = (&Layer, TimeMap)> {
        self.stacks[stack].layers.iter().map(|(layer, time)| (&self.layers[*layer], *time))
    }

    /// A field of a prim, as the strongest layer that has it says.
    pub fn field(&self, prim: &Prim, name: &str) -> Result<Option<Value>, ImportError> {
        for source in &prim.sources {
            if let Source::Site { stack, path, .. } = source
                && let Some(value) = self.site_field(*stack, path, name)?
            {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn site_field(&self, stack: usize, path: &str, name: &str) -> Result<Option<Value>, ImportError> {
        for (layer, _) in self.layers(stack) {
            if let Some(value) = layer.field(path, name)? {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// The prims right below one.
    pub fn children(&mut self, prim: &Prim) -> Result<Vec<Prim>, ImportError> {
        let mut names: Vec<String> = Vec::new();
        let mut known = HashSet::new();
        for source in prim.sources.iter().rev() {
            let Source::Site { stack, path, .. } = source else { continue };
            for (layer, _) in self.layers(*stack).rev() {
                if let Some(Value::Words(more)) = layer.field(path, "primChildren")? {
                    names.extend(more.into_iter().filter(|name| known.insert(name.clone())));
                }
            }
        }
        let mut children = Vec::with_capacity(names.len());
        for name in names {
            let mut found = Found::default();
            self.add_child(&prim.sources, &name, 0, &mut found)?;
            // A name alone makes no prim, nor do clips.
            if !found.sources.iter().any(|source| matches!(source, Source::Site { .. })) {
                continue;
            }
            let path = join(&prim.path, &name);
            if path.len() > LONGEST_PATH {
                let problem = format!("the path of a prim in it has {} bytes", path.len());
                return Err(self.fault(0, &prim.path, &problem, &format!("at most {LONGEST_PATH} can be")));
            }
            children.push(Prim { path, sources: found.sources });
        }
        Ok(children)
    }

    /// Adds where the values of a child come from.
    fn add_child(&mut self, parent: &[Source], name: &str, depth: usize, found: &mut Found) -> Result<(), ImportError> {
        for source in parent {
            match source {
                Source::Site { stack, path, time } => {
                    let path = join(path, name);
                    if self.layers(*stack).any(|(layer, _)| layer.has(&path)) {
                        self.follow(*stack, path, *time, depth, found)?;
                    }
                }
                // No file has longer paths.
                Source::Clips { path, .. } if path.len() + name.len() >= LONGEST_PATH => {}
                Source::Clips { clips, path, time } => {
                    self.count_site(0, path, depth)?;
                    found.sources.push(Source::Clips { clips: clips.clone(), path: join(path, name), time: *time });
                }
            }
        }
        Ok(())
    }

    /// Adds where the values of a prim of a stack come from, with all it refers to. What has been found already is stronger:
    /// its choice of variants counts there too.
    fn add_target(
        &mut self,
        stack: usize,
        path: &str,
        time: TimeMap,
        depth: usize,
        found: &mut Found,
    ) -> Result<(), ImportError> {
        let (above, name) = path.rsplit_once('/').unwrap_or(("", path));
        let mut parent = vec![Source::Site { stack, path: ROOT.to_owned(), time }];
        for name in above.split('/').filter(|name| !name.is_empty()) {
            let mut child = Found::default();
            self.add_child(&parent, name, depth, &mut child)?;
            parent = child.sources;
        }
        self.add_child(&parent, name, depth, found)
    }

    /// Counts one more place that is looked at.
    fn count_site(&mut self, stack: usize, path: &str, depth: usize) -> Result<(), ImportError> {
        self.sites += 1;
        if self.sites > MOST_SITES || depth > DEEPEST {
            let problem = "references lead round in a circle or make too many prims";
            return Err(self.fault(stack, path, problem, "remove some"));
        }
        Ok(())
    }

    /// Adds a prim of a stack and what it refers to.
    fn follow(
        &mut self,
        stack: usize,
        path: String,
        time: TimeMap,
        depth: usize,
        found: &mut Found,
    ) -> Result<(), ImportError> {
        self.count_site(stack, &path, depth)?;
        found.sources.push(Source::Site { stack, path: path.clone(), time });
        self.add_choices(stack, &path, &mut found.chosen)?;
        self.add_clips(stack, &path, time, depth, found)?;
        if let Some(Value::Words(targets)) = self.site_field(stack, &path, "inheritPaths")? {
            for target in targets {
                self.add_target(stack, &target, time, depth + 1, found)?;
            }
        }
        if let Some(Value::Words(sets)) = self.site_field(stack, &path, "variantSetNames")? {
            let mut known = HashSet::new();
            for set in sets.iter().filter(|set| known.insert(*set)) {
                let Some(variant) = found.chosen.get(set) else { continue };
                let chosen = format!("{path}{{{set}={variant}}}");
                if self.layers(stack).any(|(layer, _)| layer.has(&chosen)) {
                    self.follow(stack, chosen, time, depth + 1, found)?;
                }
            }
        }
        for name in ["references", "payload"] {
            let indices: Vec<(usize, TimeMap)> = self.stacks[stack].layers.clone();
            for (layer, own_time) in indices {
                if let Some(Value::Arcs(arcs)) = self.layers[layer].field(&path, name)? {
                    for arc in arcs {
                        let (target, prim, arc_time) = self.target(stack, (layer, own_time), &path, &arc)?;
                        self.add_target(target, &prim, time.after(arc_time), depth + 1, found)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the variants that a place chooses of sets of which nothing stronger does.
    fn add_choices(&self, stack: usize, path: &str, chosen: &mut BTreeMap<String, String>) -> Result<(), ImportError> {
        for (layer, _) in self.layers(stack) {
            let Some(Value::Dictionary(own)) = layer.field(path, "variantSelection")? else { continue };
            for (set, variant) in own {
                if let Some(variant) = variant.word() {
                    chosen.entry(set).or_insert_with(|| variant.to_owned());
                }
            }
        }
        Ok(())
    }

    /// Adds the clips of the strongest layer that has some at a place.
    fn add_clips(
        &mut self,
        stack: usize,
        path: &str,
        time: TimeMap,
        depth: usize,
        found: &mut Found,
    ) -> Result<(), ImportError> {
        let Some((layer, own_time)) = self.layers(stack).find(|(layer, _)| layer.has_field(path, "clips")) else {
            return Ok(());
        };
        let time = time.after(own_time);
        for (clips, prim) in Clips::read(layer, path)? {
            self.count_site(stack, path, depth)?;
            found.sources.push(Source::Clips { clips, path: prim, time });
        }
        Ok(())
    }

    /// The stack and prim that an arc at a path of a layer leads to, and how times there become times of this stack.
    fn target(
        &mut self,
        stack: usize,
        (layer, own_time): (usize, TimeMap),
        path: &str,
        arc: &Arc,
    ) -> Result<(usize, String, TimeMap), ImportError> {
        if !arc.time.is_sound() {
            return Err(self.fault(stack, path, "a reference has an impossible offset or scale of time", "correct it"));
        }
        let (target, time) = match arc.asset.as_str() {
            // It leads to all layers of this stack, whose times need no map.
            "" => (stack, arc.time),
            asset => {
                let target = self.stack(&beside(&self.layers[layer].file, asset))?;
                // The same second is at other time codes of the layer, which may be a sublayer, and of the target.
                let scale = self.layers[layer].rate()? / self.stacks[target].rate;
                (target, own_time.after(arc.time).after(TimeMap { offset: 0.0, scale }))
            }
        };
        if !(arc.prim.is_empty() || arc.prim == ROOT) {
            return Ok((target, arc.prim.clone(), time));
        }
        let first = &self.layers[self.stacks[target].layers[0].0];
        match first.field(ROOT, "defaultPrim")?.as_ref().and_then(Value::word) {
            Some(name) => Ok((target, format!("/{}", name.trim_start_matches('/')), time)),
            None => {
                let problem = format!("it refers to {}, which has no default prim", first.file.display());
                Err(self.fault(stack, path, &problem, "name a prim, as in @file@</Prim>"))
            }
        }
    }

    /// The stack of a file, opened if it is not yet.
    fn stack(&mut self, path: &Path) -> Result<usize, ImportError> {
        if let Some(&stack) = self.stack_of_file.get(path) {
            return Ok(stack);
        }
        let mut layers = Vec::new();
        self.add_layers(path, (TimeMap::SAME, None), 0, &mut layers)?;
        let rate = self.layers[layers[0].0].rate()?;
        self.stacks.push(Stack { layers, rate });
        self.stack_of_file.insert(path.to_owned(), self.stacks.len() - 1);
        Ok(self.stacks.len() - 1)
    }

    /// Adds a layer and its sublayers; `above` tells how its times become those of the first, and the rate of the layer it is a
    /// sublayer of [time codes/s].
    fn add_layers(
        &mut self,
        path: &Path,
        above: (TimeMap, Option<f64>),
        depth: usize,
        layers: &mut Vec<(usize, TimeMap)>,
    ) -> Result<(), ImportError> {
        let layer = self.layer(path)?;
        // A layer that comes up again says nothing new.
        if layers.iter().any(|(known, _)| *known == layer) {
            return Ok(());
        }
        if depth > DEEPEST {
            return Err(Fault::new("the layer", "sublayers are too deep in each other", "flatten them").in_file(path));
        }
        let rate = self.layers[layer].rate()?;
        // The same second is at other time codes.
        let scale = above.1.map_or(1.0, |above| above / rate);
        let time = above.0.after(TimeMap { offset: 0.0, scale });
        layers.push((layer, time));
        let files = self.layers[layer].field(ROOT, "subLayers")?;
        let times = self.layers[layer].field(ROOT, "subLayerOffsets")?;
        let Some(Value::Words(files)) = files else { return Ok(()) };
        for (index, file) in files.iter().enumerate() {
            let own = match &times {
                Some(Value::Numbers(numbers)) => match numbers.get(2 * index..2 * index + 2) {
                    Some(pair) => TimeMap { offset: pair[0], scale: pair[1] },
                    None => TimeMap::SAME,
                },
                _ => TimeMap::SAME,
            };
            if !own.is_sound() {
                let problem = format!("the sublayer {file} has an impossible offset or scale of time");
                return Err(Fault::new("the layer", problem, "correct it").in_file(path));
            }
            self.add_layers(&beside(path, file), (time.after(own), Some(rate)), depth + 1, layers)?;
        }
        Ok(())
    }

    fn layer(&mut self, path: &Path) -> Result<usize, ImportError> {
        if let Some(&layer) = self.files.get(path) {
            return Ok(layer);
        }
        if self.layers.len() >= MOST_FILES {
            return Err(Fault::new("the layer", "the scene has too many files", "flatten it").in_file(path));
        }
        check_extension(path)?;
        self.layers.push(Layer::open(path)?);
        self.files.insert(path.to_owned(), self.layers.len() - 1);
        Ok(self.layers.len() - 1)
    }

    fn fault(&self, stack: usize, path: &str, problem: &str, remedy: &str) -> ImportError {
        Fault::new(path, problem, remedy).in_file(&self.layers[self.stacks[stack].layers[0].0].file)
    }
}

/// Refuses files that are no USD: a scene can refer to anything.
pub(super) fn check_extension(path: &Path) -> Result<(), ImportError> {
    match extension(path).as_str() {
        "usd" | "usda" | "usdc" => Ok(()),
        _ => Err(ImportError::UnknownFormat {
            file: path.display().to_string(),
            wanted: "USD",
            allowed: ".usd, .usda and .usdc".to_owned(),
        }),
    }
}

/// A file as another names it.
pub(super) fn beside(file: &Path, name: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(name.strip_prefix("./").unwrap_or(name))
}

/// The path of a child.
fn join(parent: &str, name: &str) -> String {
    let between = if parent.ends_with(['/', '}']) { "" } else { "/" };
    [parent, between, name].concat()
}
