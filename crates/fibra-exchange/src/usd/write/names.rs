//! Valid names of prims: ASCII letters, digits and underscores, not starting with a digit, unique among siblings.

use std::collections::HashSet;

/// Returns a valid name: invalid characters of `wanted` become underscores, and a leading digit gets an underscore before it.
pub(super) fn valid_name(wanted: &str) -> String {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut name: String = wanted.chars().map(|c| if is_allowed(c) { c } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    name
}

/// Returns valid names for siblings. Duplicates get a number as suffix.
pub(super) fn valid_names<'a>(wanted: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut taken = HashSet::new();
    let name = |wanted: &str| {
        let plain = valid_name(wanted);
        let numbered = (2..).map(|number| format!("{plain}_{number}"));
        let free = std::iter::once(plain.clone()).chain(numbered).find(|name| taken.insert(name.clone()));
        free.unwrap_or(plain)
    };
    wanted.map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_and_unique() {
        let wanted = ["hair", "hair", "2 balls", "", "Löckchen", "hair_2", "hair"];
        assert_eq!(
            valid_names(wanted.into_iter()),
            ["hair", "hair_2", "_2_balls", "_", "L_ckchen", "hair_2_2", "hair_3"]
        );
    }
}
