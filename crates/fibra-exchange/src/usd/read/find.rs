//! Search for the prims of a type in a stage.

use super::attribute::Between;
use super::stage::{Prim, Source, Stage};
use super::value::Value;
use crate::ImportError;
use crate::error::Fault;
use std::rc::Rc;

/// Limit on the nesting of prims: references can make it infinite.
const MAX_DEPTH: usize = 128;

/// Limit on the prims listed in error messages.
const MAX_LISTED: usize = 8;

/// A prim with all its ancestors below the root, from the outermost to the prim itself. Ancestors are shared between prims.
pub(super) type Line = Vec<Rc<Prim>>;

impl Stage {
    /// Returns all prims of a type at or below the prim `chosen`, or in the whole stage. The search skips prims that are inactive, undefined, invisible at the
    /// time, of purpose `guide` or `proxy`, or prototypes of a `PointInstancer`. It never skips `chosen` itself.
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
            others.truncate(MAX_LISTED);
            let there = if others.is_empty() { "nothing".to_owned() } else { others.join(", ") };
            let problem = format!("there is no visible {kind} at or below this prim; found: {there}");
            return Err(Fault::new(&here.path, problem, format!("select a {kind} or one of its ancestors"))
                .in_file(self.file()));
        }
        Ok(found)
    }

    fn missing(&self, chosen: &str, parent: &Prim, children: &[Prim]) -> ImportError {
        let names: Vec<&str> = children.iter().take(MAX_LISTED).map(|child| child.path.as_str()).collect();
        let there = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let problem = format!("there is no prim `{chosen}`; the children of {} are {there}", parent.path);
        Fault::new("prim", problem, "use a path such as /World/Shirt").in_file(self.file())
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
            // The root itself is not a prim, even if a file gives it a type.
            Some(own) if own == kind && !line.is_empty() => found.push(line.clone()),
            Some("Xform" | "Scope" | "Material" | "Shader" | "Camera") | None => {}
            Some(own) => others.push(format!("{own} {}", here.path)),
        }
        if line.len() > MAX_DEPTH {
            let problem = format!("prims are nested more than {MAX_DEPTH} deep");
            return Err(Fault::new(&here.path, problem, "flatten the scene").in_file(self.file()));
        }
        for child in self.children(&here)? {
            // The prims below are prototypes: only their instances are visible.
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

    /// Returns the strongest specifier that is not `over`: 0 for `def`, 2 for `class`.
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
