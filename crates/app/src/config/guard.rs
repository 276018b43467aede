//! What a repository's file can't do by itself: name a program to run, an address that receives
//! text or credentials, or rights that widen.
//!
//! A known key says in the table whether it does ([`super::keys::NeedsTrust`]). Here are the keys
//! that this version does not know: some version may, so their names decide. Of the section of
//! providers nothing is obeyed by itself, whatever its name.

use super::kind::{list_text, quote};
use super::layers::texts;
use super::providers;
use elophanto_base::yaml;

/// Parts of names that mean a program, an address, a credential or a permission level.
const GUARDED_WORDS: &[&str] = &["command", "base_url", "url", "mode", "api_key"];

/// Parts of names under which a key itself may stand. It is not repeated.
const SECRET_WORDS: &[&str] = &["key", "token", "secret", "password", "auth", "credential"];

/// What is shown in its place.
const CONCEALED: &str = "(not shown)";

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
    if name.split('.').any(is_guarded) || providers::is_meant(&name) {
        let value = if conceals(&name) { CONCEALED.to_owned() } else { value };
        guarded.push(Guarded { name, line, value });
    } else {
        *harmless = true;
    }
}

fn is_guarded(part: &str) -> bool {
    GUARDED_WORDS.iter().any(|word| part.eq_ignore_ascii_case(word))
}

/// Whether a key itself may stand under this name. What a person must see before trusting it,
/// such as a program that fetches a key, is no such name.
fn conceals(name: &str) -> bool {
    let secret = |part: &str| {
        let part = part.to_ascii_lowercase();
        SECRET_WORDS.iter().any(|word| part.contains(word))
    };
    let last = name.rsplit('.').next().unwrap_or(name);
    // Where a provider's name stands instead of a section, its value may well be the key.
    let instead = name.split('.').count() == 3;
    let below = providers::is_meant(name) && (instead || name.split('.').any(secret));
    secret(last) || below && !is_guarded(last)
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
        check("llm: {api_key: sk-1}\n", &["1:llm.api_key=(not shown)"], false);
        check(
            "LLM:\n  Providers:\n    x: {KEY: sk-1, tags: [a]}\n  other: 1\n",
            &["3:LLM.Providers.x.KEY=(not shown)", "3:LLM.Providers.x.tags=[a]"],
            true,
        );
        check(
            "llm_providers: [{key: {value: sk-1, command: pass}}]\n",
            &["1:llm_providers.0.key.value=(not shown)", "1:llm_providers.0.key.command=pass"],
            false,
        );
        check(
            "\"llm\\0\": {<<: {\"providers \": {x: [1]}}}\n",
            &["1:llm\0.<<.providers .x=[1]"],
            false,
        );
        check("llm.providers: {openai: sk-1}\n", &["1:llm.providers.openai=(not shown)"], false);
        check("providers: {x: {key: a}}\n", &[], true);
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
