//! XML escaping, for the SVG of charts and the export to VTK.

/// Escapes text for an XML element or attribute. Control characters, which XML does not allow, become spaces.
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
    fn markup_and_control_characters_are_escaped() {
        assert_eq!(escape_xml("a<b>&\"\n"), "a&lt;b&gt;&amp;&quot; ");
    }
}
