//! The text of a `SKILL.md`: front matter and body.

use super::{Result, SkillError, name};
use elophanto_base::{
    visible::is_deceptive,
    yaml::{self, Node, Value},
};

/// Bytes of a `SKILL.md`.
pub const MAX_SKILL_BYTES: usize = 128 * 1024;
/// Characters of a description.
pub const MAX_DESCRIPTION: usize = 1_024;

/// Characters of what else front matter may say.
const MAX_FIELD: usize = 1_024;
const BUDGET: yaml::Budget = yaml::Budget { max_bytes: 16 << 10, max_depth: 8, max_nodes: 500 };
const KNOWN: &[&str] =
    &["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// A `SKILL.md`, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Front {
    pub name: String,
    pub description: String,
    /// What it asks to be allowed. Nothing here grants it.
    pub allowed_tools: Option<String>,
    pub body: String,
    pub problems: Vec<String>,
}

/// Reads the bytes of a `SKILL.md`. `folder` is the name it must have; `None` where any will do.
pub(super) fn read(bytes: &[u8], folder: Option<&str>) -> Result<Front> {
    let shown = name::shown(folder.unwrap_or("the skill"));
    let wrong = |why: String| SkillError::Form { skill: shown.clone(), why };
    if bytes.len() > MAX_SKILL_BYTES {
        return Err(wrong(format!("more than {MAX_SKILL_BYTES} bytes")));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| wrong("not UTF-8".to_owned()))?;
    if text.contains('\0') {
        return Err(wrong("it holds NUL bytes".to_owned()));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (matter, body) = split(text).ok_or_else(|| wrong("no front matter".to_owned()))?;
    let node =
        yaml::parse(matter, &BUDGET).map_err(|cause| wrong(name::shown(&cause.to_string())))?;
    let Value::Mapping(entries) = node.value else {
        return Err(wrong("the front matter is no mapping".to_owned()));
    };
    let mut front = Front { body: body.to_owned(), ..Front::default() };
    for (key, node) in &entries {
        match (key.as_str(), &node.value) {
            ("name", Value::Scalar(text)) => front.name = text.trim().to_owned(),
            ("description", Value::Scalar(text)) => front.description = text.trim().to_owned(),
            ("name" | "description", _) => return Err(wrong(format!("`{key}` is no text"))),
            ("allowed-tools", _) => front.allowed_tools = flat(node),
            ("license" | "compatibility", value) => match value {
                Value::Scalar(text) if text.chars().count() <= MAX_FIELD => {}
                _ => front.problems.push(format!("`{key}` is no short text")),
            },
            ("metadata", Value::Mapping(_) | Value::Null) => {}
            ("metadata", _) => front.problems.push("`metadata` is no mapping".to_owned()),
            _ => front.problems.push(format!(
                "unknown key `{}`, known are {}",
                name::shown(key),
                KNOWN.join(", ")
            )),
        }
    }
    name::check_name(&front.name)?;
    if let Some(folder) = folder
        && folder != front.name
    {
        return Err(wrong(format!("it is named `{}`, its folder is not", front.name)));
    }
    let length = front.description.chars().count();
    if length == 0 {
        return Err(wrong("no description".to_owned()));
    }
    if length > MAX_DESCRIPTION {
        return Err(wrong(format!("a description of {length} characters, over {MAX_DESCRIPTION}")));
    }
    if front
        .description
        .chars()
        .any(|c| is_deceptive(c) || (c.is_control() && !"\r\n\t".contains(c)))
    {
        front.problems.push("the description holds characters that cannot be seen".to_owned());
    }
    if front.body.trim().is_empty() {
        front.problems.push("it says nothing".to_owned());
    }
    front.problems.truncate(20);
    Ok(front)
}

/// Front matter and body: between a first line `---` and the next.
fn split(text: &str) -> Option<(&str, &str)> {
    let rest = text.strip_prefix("---")?;
    let end = rest.find('\n')?;
    let (first, matter) = rest.split_at(end + 1);
    if !first.trim().is_empty() {
        return None;
    }
    let mut at = 0;
    for line in matter.split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Some((matter.get(..at)?, matter.get(at + line.len()..)?));
        }
        at += line.len();
    }
    None
}

/// Scalars of a list, or a scalar, as one text.
fn flat(node: &Node) -> Option<String> {
    match &node.value {
        Value::Scalar(text) => Some(name::shown(text)),
        Value::Sequence(items) => {
            Some(name::shown(&items.iter().filter_map(flat).collect::<Vec<_>>().join(", ")))
        }
        Value::Null | Value::Mapping(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let actual = match read(text.as_bytes(), Some("a-b")) {
            Ok(front) => {
                format!("{}|{}|{}", front.description, front.body, front.problems.join(";"))
            }
            Err(cause) => cause.to_string(),
        };
        let shown: String = text.chars().take(80).collect();
        assert_eq!(actual, expected, "{shown}");
    }

    #[test]
    fn forms() {
        check("---\nname: a-b\ndescription: d\n---\nbody\n", "d|body\n|");
        check("\u{feff}---\r\nname: a-b\r\ndescription: d\r\n---\r\nbody\r\n", "d|body\r\n|");
        check("---\nname: a-b\ndescription: >\n  two\n  lines\n---\nb", "two lines|b|");
        check(
            "---\nname: a-b\ndescription: d\nallowed-tools: [x, y]\nmetadata:\n  v: 1\nlicense: MIT\n---\nb",
            "d|b|",
        );
        check(
            "---\nname: a-b\ndescription: d\nmodel: x\n---\nb",
            "d|b|unknown key `model`, known are name, description, license, compatibility, metadata, allowed-tools",
        );
        check("---\nname: a-b\ndescription: d\n---\n", "d||it says nothing");
        check("body only", "`SKILL.md` of `a-b`: no front matter");
        check("---\nname: a-b\n", "`SKILL.md` of `a-b`: no front matter");
        check("", "`SKILL.md` of `a-b`: no front matter");
        check("---\n---\nx", "`SKILL.md` of `a-b`: the front matter is no mapping");
        check("---\nname: a-b\n---\nx", "`SKILL.md` of `a-b`: no description");
        check(
            "---\nname: c\ndescription: d\n---\nx",
            "`SKILL.md` of `a-b`: it is named `c`, its folder is not",
        );
        check("---\nname: [a-b]\ndescription: d\n---\nx", "`SKILL.md` of `a-b`: `name` is no text");
        check(
            "---\nname: a-b\nname: c\n---\nx",
            "`SKILL.md` of `a-b`: the key `name` occurs twice",
        );
        check(
            "---\nname: ../x\ndescription: d\n---\n",
            "`../x` is no name of a skill: only lower case letters, digits and hyphens are allowed",
        );
        check(
            "---\nname: a-b\ndescription: \"d\\u202e\"\n---\nx",
            "d\u{202e}|x|the description holds characters that cannot be seen",
        );
        check(
            &format!("---\nname: a-b\ndescription: {}\n---\nx", "d".repeat(1_025)),
            "`SKILL.md` of `a-b`: a description of 1025 characters, over 1024",
        );
        check("---\nname: a-b\ndescription: d\n---\n\0", "`SKILL.md` of `a-b`: it holds NUL bytes");
    }

    #[test]
    fn bombs_are_refused() {
        let level: String = ('a'..='z').map(|c| format!("{c}: &{c} [*{c}, *{c}]\n")).collect();
        for matter in [
            level,
            "a: &x [1]\nb: *x\n".to_owned(),
            "[".repeat(10_000),
            format!("{}: v\n", "k".repeat(1 << 20)),
            "- a\n".repeat(9_000),
            format!("description: {}", "d".repeat(20 << 10)),
        ] {
            assert!(read(format!("---\n{matter}\n---\nx").as_bytes(), None).is_err());
        }
        assert!(read(&vec![b'a'; MAX_SKILL_BYTES + 1], None).is_err());
        assert!(read(b"---\nname: a\xff\n---\n", None).is_err());
    }

    proptest! {
        #[test]
        fn never_panics(text in r"(---\n)?(name: [a-z-]{0,5}\n)?(\PC|\n|:|-){0,60}(\n---\n)?(\PC|\n){0,20}") {
            if let Ok(front) = read(text.as_bytes(), None) {
                prop_assert!(text.ends_with(&front.body));
                prop_assert!(check_name_is_ok(&front.name));
            }
        }
    }

    fn check_name_is_ok(name: &str) -> bool {
        name::check_name(name).is_ok()
    }
}
