//! Reads the files of a folder.

use std::collections::BTreeMap;
use std::path::Path;

/// Returns the bytes of every file below `folder`, except `run.json`, which contains wall-clock times.
pub fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(path) = pending.pop() {
        if path.is_dir() {
            pending.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if !path.ends_with("run.json") {
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            found.insert(name, std::fs::read(path).unwrap());
        }
    }
    found
}
