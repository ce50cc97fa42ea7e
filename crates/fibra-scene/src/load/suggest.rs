//! Suggestions for misspelled words ("did you mean ...?").

/// Returns the candidate closest to the typed word, if it is close enough.
pub(crate) fn nearest<'a>(typed: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = typed.chars().count().div_ceil(3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (edits(typed, candidate), candidate))
        .filter(|(distance, _)| *distance <= allowed)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Formats names as `` `a`, `b`, `c` ``.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// Returns the Levenshtein distance: the number of insertions, deletions and replacements that turn one word into the other.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    // row[j] is the distance from the prefix of `a` processed so far to the first j characters of `b`.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_words_are_suggested_and_distant_ones_are_not() {
        assert_eq!(nearest("densty", ["density", "gamma"]), Some("density"));
        assert_eq!(nearest("sand-colum", ["sand-column", "snowball"]), Some("sand-column"));
        assert_eq!(nearest("bird", ["density", "gamma"]), None);
        assert_eq!(nearest("", ["dx"]), None);
        assert_eq!(edits("kitten", "sitting"), 3);
    }
}
