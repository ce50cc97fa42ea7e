//! Text inside XML: the charts' SVG and the export to VTK.

/// Text for inside an element or an attribute; control characters, which XML does not allow, become spaces.
pub fn escape_xml(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            control if control.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_end_what_they_are_in() {
        assert_eq!(escape_xml("a<b>&\"\n"), "a&lt;b&gt;&amp;&quot; ");
    }
}
