//! What a repository's file can't do by itself: name a program to run, an address that receives
//! text or credentials, or rights that widen.
//!
//! A known key says in the table whether it does ([`super::keys::NeedsTrust`]). Here are the keys
//! that this version does not know: some version may, so their names decide.

use super::keys::quote;
use super::template::list_text;
use crate::yaml;

/// Parts of names that mean a program, an address, a credential or a permission level.
const GUARDED_WORDS: &[&str] = &["command", "base_url", "url", "mode", "api_key"];

/// Something in a repository's file that holds only once the user trusts that file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guarded {
    /// Dotted name.
    pub name: String,
    /// Where it stands, counted from 1.
    pub line: usize,
    /// What it says, as it would stand in the file.
    pub value: String,
}

/// What of an unknown key needs trust, and whether it says anything that does not.
pub(super) fn sort_out(name: &str, line: usize, value: &yaml::Value) -> (Vec<Guarded>, bool) {
    let (mut guarded, mut harmless) = (Vec::new(), false);
    collect(name.to_owned(), line, value, &mut guarded, &mut harmless);
    (guarded, harmless)
}

fn collect(
    name: String,
    line: usize,
    value: &yaml::Value,
    guarded: &mut Vec<Guarded>,
    harmless: &mut bool,
) {
    let value = match value {
        yaml::Value::Mapping(pairs) if !pairs.is_empty() => {
            for (key, node) in pairs {
                collect(format!("{name}.{key}"), node.line, &node.value, guarded, harmless);
            }
            return;
        }
        yaml::Value::Sequence(nodes) if !nodes.is_empty() => match texts(nodes) {
            Some(items) => list_text(&items),
            None => {
                for (at, node) in nodes.iter().enumerate() {
                    collect(format!("{name}.{at}"), node.line, &node.value, guarded, harmless);
                }
                return;
            }
        },
        yaml::Value::Scalar(text) => quote(text),
        yaml::Value::Null | yaml::Value::Mapping(_) | yaml::Value::Sequence(_) => {
            *harmless = true;
            return;
        }
    };
    let is_word = |part: &str| GUARDED_WORDS.iter().any(|word| part.eq_ignore_ascii_case(word));
    if name.split('.').any(is_word) {
        guarded.push(Guarded { name, line, value });
    } else {
        *harmless = true;
    }
}

/// The items of a list of nothing but texts.
fn texts(nodes: &[yaml::Node]) -> Option<Vec<&str>> {
    nodes
        .iter()
        .map(|node| match &node.value {
            yaml::Value::Scalar(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str], harmless: bool) {
        let node = yaml::parse(text, &yaml::Budget::default()).unwrap();
        let yaml::Value::Mapping(pairs) = node.value else { panic!("{text}") };
        let (name, node) = &pairs[0];
        let (guarded, other) = sort_out(name, node.line, &node.value);
        let shown = |g: &Guarded| format!("{}:{}={}", g.line, g.name, g.value);
        assert_eq!(guarded.iter().map(shown).collect::<Vec<_>>(), expected, "{text}");
        assert_eq!(other, harmless, "{text}");
    }

    #[test]
    fn names_decide() {
        check("command: rm -rf ~\n", &[r#"1:command="rm -rf ~""#], false);
        check("command: [rm, -rf]\n", &["1:command=[rm, \"-rf\"]"], false);
        check("commander: x\n", &[], true);
        check("limit: 5\n", &[], true);
        check("command:\n", &[], true);
        check("command: {}\n", &[], true);
        check("agent.MODE: full\n", &["1:agent.MODE=full"], false);
        check(
            "llm:\n  base_url: https://a.example/\n  temperature: 1\n",
            &[r#"2:llm.base_url="https://a.example/""#],
            true,
        );
        check(
            "servers:\n- name: a\n  command: {program: sh, args: [-c, x]}\n- url: b\n",
            &[
                "3:servers.0.command.program=sh",
                "3:servers.0.command.args=[\"-c\", x]",
                "4:servers.1.url=b",
            ],
            true,
        );
    }
}
