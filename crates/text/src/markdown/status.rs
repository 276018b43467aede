//! Whether a note says of itself that it no longer holds, as decision records do. Pure.

/// Lines at the top of a note that are looked at.
const MOST_LINES: usize = 60;
/// How the state of a note that no longer holds begins.
const OVER: [&str; 8] = [
    "superseded", "deprecated", "obsolete", "outdated", "rejected", "replaced by", "withdrawn",
    "no longer",
];
/// What says that there is no such note.
const NONE: [&str; 6] = ["", "none", "null", "~", "n/a", "no"];

/// Whether a note, front matter included, says near its top that it is superseded, deprecated,
/// obsolete, rejected or the like: in its front matter (`status: superseded`, `superseded_by: x`), in
/// a line (`Status: superseded by 25`), or in the first line below a heading `Status`
/// (M. Nygard's and MADR's layouts of decision records).
pub fn is_superseded(text: &str) -> bool {
    let mut is_heading = false;
    let mut fence = None;
    for line in text.lines().take(MOST_LINES) {
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        match (fence, mark) {
            (Some(open), mark) => {
                fence = Some(open).filter(|open| Some(*open) != mark);
                continue;
            }
            (None, Some(mark)) => {
                fence = Some(mark);
                continue;
            }
            (None, None) => {}
        }
        let line = bare(line).to_lowercase();
        if line.is_empty() {
            continue;
        }
        let said = match line.split_once(':') {
            Some((key, value)) if bare(key) == "status" => Some(value),
            Some((key, value)) if matches!(&*key.replace([' ', '-'], "_"), "superseded_by") => {
                let value = bare(value).trim_matches(['[', ']', ' ']);
                if !NONE.contains(&value) {
                    return true;
                }
                None
            }
            _ if is_heading => Some(&*line),
            _ => None,
        };
        if said.is_some_and(|said| OVER.iter().any(|over| bare(said).starts_with(over))) {
            return true;
        }
        is_heading = line == "status";
    }
    false
}

/// Without marks of headings, lists and stress, quotes and spaces around.
fn bare(text: &str) -> &str {
    text.trim_matches(|char: char| char.is_whitespace() || "#*_>-\"'`~|".contains(char))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_longer_holds_says_so() {
        for (text, expected) in [
            ("---\ntitle: A\nstatus: superseded\n---\n# A\n", true),
            ("---\nstatus: \"Superseded by 0025\"\n---\n", true),
            ("---\nsuperseded_by: 0025-b.md\n---\n", true),
            ("---\nsuperseded-by: [\"0025\"]\n---\n", true),
            ("---\nsuperseded_by: []\n---\n", false),
            ("---\nsuperseded_by:\nstatus: accepted\n---\n", false),
            ("# 8: One crate\n\nStatus: superseded by [[0025]]\n", true),
            ("# 8\n\n* **Status**: Deprecated\n", true),
            ("# 8\n\n## Status\n\nSuperseded by [9](9.md)\n", true),
            ("# 8\n\n## Status\n\n~~accepted~~ Rejected\n", false),
            ("# 8\n\n## Status\n\nAccepted\n\nSuperseded ideas are listed below.\n", false),
            ("# Old tables\n\nA superseded table is removed.\n", false),
            ("# A\n\n```yaml\nstatus: superseded\n```\n", false),
            ("# A\n\nHTTP status: deprecated headers are dropped.\n", false),
            ("", false),
        ] {
            assert_eq!(is_superseded(text), expected, "{text}");
        }
    }
}
