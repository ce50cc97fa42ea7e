//! Composition of layers: the prims of a stage, and for each prim the layers with opinions about it, strongest first.
//!
//! Sublayers, inherits, variants, references, payloads and value clips (`clips.rs`) are supported. Deleting list edits, specializes and relocates are not.
//! Instances are treated as ordinary prims.

use super::clips::Clips;
use super::layer::{Layer, MAX_PATH, ROOT};
use super::value::{Arc, TimeMap, Value};
use crate::ImportError;
use crate::error::Fault;
use crate::file::extension;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// Limit on the length of a chain of references or sublayers.
const MAX_DEPTH: usize = 32;

/// Limit on the number of sites visited during composition: nested references grow exponentially.
const MAX_SITES: usize = 200_000;

/// Limit on the number of files of a stage, not counting value clips.
const MAX_FILES: usize = 4096;

/// A layer stack: a file with its sublayers.
struct Stack {
    /// The layers, strongest first, each with the map from its times to those of the first layer.
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

/// A source of values of a prim.
#[derive(Clone)]
pub(super) enum Source {
    /// A prim of a layer stack; `time` maps its times to those of the stage.
    Site { stack: usize, path: String, time: TimeMap },
    /// A prim of value clips; `time` maps the times of their layer to those of the stage.
    Clips { clips: Rc<Clips>, path: String, time: TimeMap },
}

/// A prim of the stage.
pub(super) struct Prim {
    pub path: String,
    /// The sources of the prim's values, strongest first.
    pub sources: Vec<Source>,
}

/// The composition of a prim so far.
#[derive(Default)]
struct Found {
    /// The sources of the prim's values, strongest first.
    sources: Vec<Source>,
    /// The variant of each set that the strongest source selects.
    chosen: BTreeMap<String, String>,
}

impl Stage {
    pub fn open(path: &Path) -> Result<Self, ImportError> {
        let mut stage = Self::empty();
        stage.stack(path)?;
        Ok(stage)
    }

    /// Creates a stage from the contents of its root layer.
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

    /// Returns the root prim.
    pub fn root(&self) -> Prim {
        Prim {
            path: ROOT.to_owned(),
            sources: vec![Source::Site { stack: 0, path: ROOT.to_owned(), time: TimeMap::IDENTITY }],
        }
    }

    /// Returns the time codes per second [1/s].
    pub fn rate(&self) -> f64 {
        self.stacks[0].rate
    }

    /// Returns the file of the root layer.
    pub fn file(&self) -> &Path {
        &self.layers[0].file
    }

    /// Returns a metadata field of the root layer.
    pub fn setting(&self, name: &str) -> Result<Option<Value>, ImportError> {
        self.layers[0].field(ROOT, name)
    }

    /// Returns the layers of a stack, strongest first, each with the map from its times to those of the first layer.
    pub fn layers(&self, stack: usize) -> impl DoubleEndedIterator<Item = (&Layer, TimeMap)> {
        self.stacks[stack].layers.iter().map(|(layer, time)| (&self.layers[*layer], *time))
    }

    /// Returns a field of a prim from the strongest layer that has it.
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

    /// Returns the children of a prim.
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
            // A listed name or clips alone do not define a prim.
            if !found.sources.iter().any(|source| matches!(source, Source::Site { .. })) {
                continue;
            }
            let path = join(&prim.path, &name);
            if path.len() > MAX_PATH {
                let problem = format!("the path of one of its children has {} bytes", path.len());
                return Err(self.fault(0, &prim.path, &problem, &format!("at most {MAX_PATH} are allowed")));
            }
            children.push(Prim { path, sources: found.sources });
        }
        Ok(children)
    }

    /// Adds the sources of a child's values.
    fn add_child(&mut self, parent: &[Source], name: &str, depth: usize, found: &mut Found) -> Result<(), ImportError> {
        for source in parent {
            match source {
                Source::Site { stack, path, time } => {
                    let path = join(path, name);
                    if self.layers(*stack).any(|(layer, _)| layer.has(&path)) {
                        self.follow(*stack, path, *time, depth, found)?;
                    }
                }
                // No layer has longer paths.
                Source::Clips { path, .. } if path.len() + name.len() >= MAX_PATH => {}
                Source::Clips { clips, path, time } => {
                    self.count_site(0, path, depth)?;
                    found.sources.push(Source::Clips { clips: clips.clone(), path: join(path, name), time: *time });
                }
            }
        }
        Ok(())
    }

    /// Adds the sources of a prim of a stack, including everything it refers to. Sources found earlier are stronger, and their variant selections apply
    /// here too.
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

    /// Counts a visited site, and rejects cycles and excessive composition.
    fn count_site(&mut self, stack: usize, path: &str, depth: usize) -> Result<(), ImportError> {
        self.sites += 1;
        if self.sites > MAX_SITES || depth > MAX_DEPTH {
            let problem = "references form a cycle or create too many prims";
            return Err(self.fault(stack, path, problem, "remove some references"));
        }
        Ok(())
    }

    /// Adds a prim of a stack and everything it refers to.
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
        self.add_selections(stack, &path, &mut found.chosen)?;
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

    /// Adds the variant selections of a site, unless a stronger site selects a variant of the same set.
    fn add_selections(
        &self,
        stack: usize,
        path: &str,
        chosen: &mut BTreeMap<String, String>,
    ) -> Result<(), ImportError> {
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

    /// Adds the clips of the strongest layer that has clips at a site.
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

    /// Returns the stack and prim that an arc refers to, and the map from times of the target to times of this stack.
    fn target(
        &mut self,
        stack: usize,
        (layer, own_time): (usize, TimeMap),
        path: &str,
        arc: &Arc,
    ) -> Result<(usize, String, TimeMap), ImportError> {
        if !arc.time.is_valid() {
            return Err(self.fault(
                stack,
                path,
                "a reference has an invalid time offset or scale",
                "use finite numbers and a scale other than 0",
            ));
        }
        let (target, time) = match arc.asset.as_str() {
            // An internal reference applies to all layers of this stack and needs no time map.
            "" => (stack, arc.time),
            asset => {
                let target = self.stack(&beside(&self.layers[layer].file, asset))?;
                // The layer, which may be a sublayer, and the target can have different time codes per second.
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
                let problem = format!("it refers to {}, which has no `defaultPrim`", first.file.display());
                Err(self.fault(stack, path, &problem, "add the path of a prim, as in @file@</Prim>"))
            }
        }
    }

    /// Returns the layer stack of a file, and opens it if necessary.
    fn stack(&mut self, path: &Path) -> Result<usize, ImportError> {
        if let Some(&stack) = self.stack_of_file.get(path) {
            return Ok(stack);
        }
        let mut layers = Vec::new();
        self.add_layers(path, (TimeMap::IDENTITY, None), 0, &mut layers)?;
        let rate = self.layers[layers[0].0].rate()?;
        self.stacks.push(Stack { layers, rate });
        self.stack_of_file.insert(path.to_owned(), self.stacks.len() - 1);
        Ok(self.stacks.len() - 1)
    }

    /// Adds a layer and its sublayers. `above` holds two properties of the parent layer: the map from its times to those of the first
    /// layer, and its rate [time codes/s].
    fn add_layers(
        &mut self,
        path: &Path,
        above: (TimeMap, Option<f64>),
        depth: usize,
        layers: &mut Vec<(usize, TimeMap)>,
    ) -> Result<(), ImportError> {
        let layer = self.layer(path)?;
        // A repeated layer adds nothing.
        if layers.iter().any(|(known, _)| *known == layer) {
            return Ok(());
        }
        if depth > MAX_DEPTH {
            return Err(Fault::new("layer metadata", "sublayers are nested too deeply", "flatten them").in_file(path));
        }
        let rate = self.layers[layer].rate()?;
        // Layers can have different time codes per second.
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
                    None => TimeMap::IDENTITY,
                },
                _ => TimeMap::IDENTITY,
            };
            if !own.is_valid() {
                let problem = format!("the sublayer {file} has an invalid time offset or scale");
                return Err(
                    Fault::new("layer metadata", problem, "use finite numbers and a scale other than 0").in_file(path)
                );
            }
            self.add_layers(&beside(path, file), (time.after(own), Some(rate)), depth + 1, layers)?;
        }
        Ok(())
    }

    fn layer(&mut self, path: &Path) -> Result<usize, ImportError> {
        if let Some(&layer) = self.files.get(path) {
            return Ok(layer);
        }
        if self.layers.len() >= MAX_FILES {
            return Err(Fault::new("layer metadata", "the stage has too many files", "flatten it").in_file(path));
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

/// Rejects files that are not USD: a layer can refer to any file.
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

/// Returns the path of a file that another file refers to by `name`.
pub(super) fn beside(file: &Path, name: &str) -> PathBuf {
    file.parent().unwrap_or(Path::new("")).join(name.strip_prefix("./").unwrap_or(name))
}

/// Returns the path of a child.
fn join(parent: &str, name: &str) -> String {
    let between = if parent.ends_with(['/', '}']) { "" } else { "/" };
    [parent, between, name].concat()
}
