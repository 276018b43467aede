//! The repository's configuration file as `init` writes it: every key, its meaning and its
//! default, commented out.

use super::keys::KEYS;
use super::kind::{Raw, quote};
use super::layers;
use elophanto_base::yaml;

const HEADER: &str = "\
# Settings of elophanto for this repository. Every key stands here with its default.
# To change one, remove the `# ` in front of it and edit the value.
#
# What is set here wins over the user's own file; environment and command line win over this.
";

/// What stands at the end of the last section, which is `llm`: an example of the one section
/// whose names people choose themselves.
const PROVIDERS: &str =
    "  # Where models are reached. Known already: openrouter, openai, anthropic, ollama.
  # A key is env:NAME, or vault:NAME after `elophanto vault set NAME`, never the key itself.
  # What a repository says here holds only once you trust its settings: `elophanto trust`.
  # providers:
  #   lmstudio:
  #     protocol: openai
  #     base_url: http://127.0.0.1:1234/v1
  #     key: env:LMSTUDIO_API_KEY
";

/// The whole file. Pinned keys are set, all others commented out.
///
/// Values are what the key's kind reads: a list is `[a, b]` as [`super::list_text`] writes it.
pub fn template(pinned: &[(&str, &str)]) -> String {
    let mut text = HEADER.to_owned();
    let mut open: Vec<&str> = Vec::new();
    for key in KEYS.iter() {
        let (section, leaf) = key.split();
        let path: Vec<&str> = section.split('.').collect();
        if path.first() != open.first() {
            text.push('\n');
        }
        let common = path.iter().zip(&open).take_while(|(a, b)| a == b).count();
        for (depth, part) in path.iter().enumerate().skip(common) {
            text.push_str(&format!("{:indent$}{part}:\n", "", indent = depth * 2));
        }
        let indent = " ".repeat(path.len() * 2);
        text.push_str(&format!("{indent}# {}\n", key.doc));
        match pinned.iter().find(|(name, _)| *name == key.name) {
            Some((_, value)) => {
                let value = key.kind.read(&raw_of(value)).map_or(quote(value), |v| v.to_string());
                text.push_str(&format!("{indent}{leaf}: {value}\n"));
            }
            None => text.push_str(&format!("{indent}# {leaf}: {}\n", key.default)),
        }
        open = path;
    }
    text.push_str(PROVIDERS);
    text
}

/// A value given as text: a list where it is written as one, else the text itself.
pub(super) fn raw_of(text: &str) -> Raw {
    let is_list = text.starts_with('[') && text.ends_with(']');
    let items = match is_list.then(|| layers::parse(text)) {
        Some(Ok(yaml::Node { value: yaml::Value::Sequence(nodes), .. })) => layers::texts(&nodes),
        _ => None,
    };
    items.map_or_else(|| Raw::Scalar(text.to_owned()), Raw::List)
}
