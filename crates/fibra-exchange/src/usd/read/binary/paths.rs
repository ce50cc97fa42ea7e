//! The paths of a binary file: a tree that is written down parents first, each with the word it ends in.

use super::bytes::Reader;
use super::integers;
use crate::error::Fault;
use crate::usd::read::layer::{LONGEST_PATH, ROOT};
use std::ops::Range;

/// Bytes that a path takes besides its text, about.
const SIZE: usize = 48;

/// Deepest nesting of paths.
const DEEPEST: usize = 256;

/// Reads all paths; their text may have `most_text` bytes.
pub(super) fn read(
    mut section: Reader,
    text: &str,
    tokens: &[Range<usize>],
    most_text: usize,
) -> Result<Vec<String>, Fault> {
    let total = section.u64()?;
    let count = section.u64()?;
    let count = integers::check_count(&section, count, &integers::TABLE)?;
    if total > most_text as u64 / SIZE as u64 || total < count as u64 {
        return Err(section.fault(format!("{total} paths for {count} entries cannot be")));
    }
    let places = integers::read_32(&mut section, count, |place| place as u32)?;
    let words = integers::read_32(&mut section, count, |word| word)?;
    let jumps = integers::read_32(&mut section, count, |jump| jump)?;
    let end = section;
    let mut paths = vec![String::new(); total as usize];
    let mut used = total as usize * SIZE;
    // Subtrees to go on with: their first entry, their parent, how deep it is.
    let mut waiting = vec![(0, None::<usize>, 0)];
    let mut visited = 0;
    while let Some((mut entry, mut parent, mut depth)) = waiting.pop() {
        loop {
            visited += 1;
            if visited > count || depth > DEEPEST {
                return Err(end.fault("the tree of paths goes round in a circle or is too deep"));
            }
            let (Some(&place), Some(&word), Some(&jump)) = (places.get(entry), words.get(entry), jumps.get(entry))
            else {
                return Err(end.fault("the tree of paths leads out of itself"));
            };
            let place = place as usize;
            let path = match parent {
                None => ROOT.to_owned(),
                Some(parent) => {
                    let token = tokens.get(word.unsigned_abs() as usize).and_then(|range| text.get(range.clone()));
                    let token = token.ok_or_else(|| end.fault("a path has a word that does not exist"))?;
                    let length = paths[parent].len() + token.len();
                    if length >= LONGEST_PATH {
                        let problem = format!("a path has {length} bytes; at most {LONGEST_PATH} can be");
                        return Err(end.fault(problem));
                    }
                    joined(&paths[parent], token, word < 0)
                }
            };
            used += path.len();
            if used > most_text {
                return Err(end.fault("the paths are far longer than the file"));
            }
            *paths.get_mut(place).ok_or_else(|| end.fault("a path has a number that does not exist"))? = path;
            let (has_child, has_sibling) = (jump > 0 || jump == -1, jump >= 0);
            if has_child && has_sibling {
                waiting.push((entry + jump as usize, parent, depth));
            }
            if has_child {
                parent = Some(place);
                depth += 1;
            }
            if !has_child && !has_sibling {
                break;
            }
            entry += 1;
        }
    }
    Ok(paths)
}

/// A path with one more word: a property, a variant or a prim.
fn joined(parent: &str, word: &str, property: bool) -> String {
    let between = match parent {
        _ if property => ".",
        _ if word.starts_with(['{', '[', '.']) || parent.ends_with(['/', '}']) => "",
        _ => "/",
    };
    [parent, between, word].concat()
}
