//! Finding the prims of a kind in a stage.

use super::attribute::Between;
use super::stage::{Prim, Source, Stage};
use super::value::Value;
use crate::ImportError;
use crate::error::Fault;
use std::rc::Rc;

/// Deepest nesting of prims: references can make it endless.
const DEEPEST: usize = 128;

/// Kinds of prims that are named when nothing fits.
const MOST_NAMED: usize = 8;

/// A prim with all prims it is in, from below the root to itself. Many prims are in the same ones, which are kept once.
pub(super) type Line = Vec<Rc<Prim>>;

impl Stage {
    /// All prims of a kind at or below the prim `chosen`, or in the whole stage. Of the stage, or below what was chosen, those
    /// that are not active, not defined, not visible at the time, meant as guides or stand-ins, or only models for instances are
    /// left out.
    pub fn find(&mut self, kind: &str, chosen: Option<&str>, t: f64) -> Result<Vec<Line>, ImportError> {
        let mut line = Vec::new();
        let mut here = Rc::new(self.root());
        for name in chosen.unwrap_or_default().split('/').filter(|name| !name.is_empty()) {
            let mut children = self.children(&here)?;
            let Some(place) = children.iter().position(|child| child.path.rsplit('/').next() == Some(name)) else {
                return Err(self.missing(chosen.unwrap_or_default(), &here, &children));
            };
            here = Rc::new(children.swap_remove(place));
            line.push(here.clone());
        }
        let mut found = Vec::new();
        let mut others = Vec::new();
        self.collect(kind, line, t, &mut found, &mut others)?;
        if found.is_empty() {
            others.sort();
            others.dedup();
            others.truncate(MOST_NAMED);
            let there = if others.is_empty() { "nothing".to_owned() } else { others.join(", ") };
            let problem = format!("there is no visible {kind} at or below it, but {there}");
            return Err(
                Fault::new(&here.path, problem, format!("name a {kind} or a prim above one")).in_file(self.file())
            );
        }
        Ok(found)
    }

    fn missing(&self, chosen: &str, parent: &Prim, children: &[Prim]) -> ImportError {
        let names: Vec<&str> = children.iter().take(MOST_NAMED).map(|child| child.path.as_str()).collect();
        let there = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
        let problem = format!("there is no prim `{chosen}`; in {} there is {there}", parent.path);
        Fault::new("prim", problem, "write a path such as /World/Shirt").in_file(self.file())
    }

    fn collect(
        &mut self,
        kind: &str,
        line: Line,
        t: f64,
        found: &mut Vec<Line>,
        others: &mut Vec<String>,
    ) -> Result<(), ImportError> {
        let here = line.last().cloned().unwrap_or_else(|| Rc::new(self.root()));
        match self.field(&here, "typeName")?.as_ref().and_then(Value::word) {
            // The root itself is no prim, whatever a file says.
            Some(own) if own == kind && !line.is_empty() => found.push(line.clone()),
            Some("Xform" | "Scope" | "Material" | "Shader" | "Camera") | None => {}
            Some(own) => others.push(format!("{own} {}", here.path)),
        }
        if line.len() > DEEPEST {
            let problem = format!("prims are more than {DEEPEST} deep");
            return Err(Fault::new(&here.path, problem, "flatten the scene").in_file(self.file()));
        }
        for child in self.children(&here)? {
            // What is below is not seen where it is, but where its instances are.
            if self.field(&child, "typeName")?.as_ref().and_then(Value::word) == Some("PointInstancer") {
                others.push(format!("PointInstancer {}", child.path));
            } else if self.is_shown(&child, t)? {
                let mut line = line.clone();
                line.push(Rc::new(child));
                self.collect(kind, line, t, found, others)?;
            }
        }
        Ok(())
    }

    fn is_shown(&self, prim: &Prim, t: f64) -> Result<bool, ImportError> {
        if self.specifier(prim)? != Some(0.0)
            || self.field(prim, "active")?.and_then(|value| value.number()) == Some(0.0)
        {
            return Ok(false);
        }
        let is = |name: &str, hidden: &[&str]| -> Result<bool, ImportError> {
            let value = self.value(prim, name, t, Between::Held)?;
            Ok(value.as_ref().and_then(Value::word).is_some_and(|word| hidden.contains(&word)))
        };
        Ok(!is("visibility", &["invisible"])? && !is("purpose", &["guide", "proxy"])?)
    }

    /// What the strongest layer says that not only adds to weaker ones: 0 for a prim that is there, 2 for a class.
    fn specifier(&self, prim: &Prim) -> Result<Option<f64>, ImportError> {
        for source in &prim.sources {
            let Source::Site { stack, path, .. } = source else { continue };
            for (layer, _) in self.layers(*stack) {
                match layer.field(path, "specifier")?.as_ref().and_then(Value::number) {
                    Some(specifier) if specifier != 1.0 => return Ok(Some(specifier)),
                    _ => {}
                }
            }
        }
        Ok(None)
    }
}
