//! The paths of a binary file: a tree in depth-first order, each path with its last token.

use super::bytes::Reader;
use super::integers;
use crate::error::Fault;
use crate::usd::read::layer::{MAX_PATH, ROOT};
use std::ops::Range;

/// Approximate overhead of a path besides its text [bytes].
const OVERHEAD: usize = 48;

/// Limit on the nesting of paths.
const MAX_DEPTH: usize = 256;

/// Reads all paths. Their text may have at most `max_text` bytes.
pub(super) fn read(
    mut section: Reader,
    text: &str,
    tokens: &[Range<usize>],
    max_text: usize,
) -> Result<Vec<String>, Fault> {
    let total = section.u64()?;
    let count = section.u64()?;
    let count = integers::check_count(&section, count, &integers::TABLE)?;
    if total > max_text as u64 / OVERHEAD as u64 || total < count as u64 {
        return Err(section.fault(format!("the number of paths, {total}, is invalid for {count} entries")));
    }
    let places = integers::read_32(&mut section, count, |place| place as u32)?;
    let words = integers::read_32(&mut section, count, |word| word)?;
    let jumps = integers::read_32(&mut section, count, |jump| jump)?;
    let end = section;
    let mut paths = vec![String::new(); total as usize];
    let mut used = total as usize * OVERHEAD;
    // Subtrees still to visit: first entry, parent and depth.
    let mut pending = vec![(0, None::<usize>, 0)];
    let mut visited = 0;
    while let Some((mut entry, mut parent, mut depth)) = pending.pop() {
        loop {
            visited += 1;
            if visited > count || depth > MAX_DEPTH {
                return Err(end.fault("the tree of paths has a cycle or is too deep"));
            }
            let (Some(&place), Some(&word), Some(&jump)) = (places.get(entry), words.get(entry), jumps.get(entry))
            else {
                return Err(end.fault("the tree of paths refers to an entry that does not exist"));
            };
            let place = place as usize;
            let path = match parent {
                None => ROOT.to_owned(),
                Some(parent) => {
                    let token = tokens.get(word.unsigned_abs() as usize).and_then(|range| text.get(range.clone()));
                    let token = token.ok_or_else(|| end.fault("a path has a token that does not exist"))?;
                    let length = paths[parent].len() + token.len();
                    if length >= MAX_PATH {
                        let problem = format!("a path has {length} bytes; at most {MAX_PATH} are allowed");
                        return Err(end.fault(problem));
                    }
                    joined(&paths[parent], token, word < 0)
                }
            };
            used += path.len();
            if used > max_text {
                return Err(end.fault("the text of all paths together is much larger than the file"));
            }
            *paths.get_mut(place).ok_or_else(|| end.fault("a path has an index that does not exist"))? = path;
            let (has_child, has_sibling) = (jump > 0 || jump == -1, jump >= 0);
            if has_child && has_sibling {
                pending.push((entry + jump as usize, parent, depth));
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

/// Appends a token to a path: a property, a variant or a prim.
fn joined(parent: &str, word: &str, property: bool) -> String {
    let between = match parent {
        _ if property => ".",
        _ if word.starts_with(['{', '[', '.']) || parent.ends_with(['/', '}']) => "",
        _ => "/",
    };
    [parent, between, word].concat()
}
