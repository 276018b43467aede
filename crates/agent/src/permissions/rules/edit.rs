//! An answer that is kept: the rule for a call, and its line in the user's file.

use super::{Decision, Owner, Rules, RulesError};
use crate::permissions::{Action, Call, Layer, Verdict};

/// A rule that allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    Tool {
        name: String,
    },
    /// Words of one command, exactly.
    Command {
        run: Vec<String>,
    },
    /// Writing to files of this pattern, relative to the root.
    Write {
        glob: String,
    },
    Host {
        host: String,
    },
}

/// The narrowest rule that would allow this call next time. `None` where an answer is not kept, or
/// where one rule can't say it: a line of several commands, files in several places.
pub fn rule_for(call: &Call, verdict: &Verdict) -> Option<Rule> {
    if !verdict.can_be_kept {
        return None;
    }
    match &call.action {
        // A rule would not hold: what has no fence around it, or what text from outside may ask for, asks
        // all the same.
        _ if verdict.layer == Layer::Taint => None,
        Action::Shell { .. } | Action::Program { .. } if verdict.layer == Layer::Fence => None,
        Action::Shell { .. } => match verdict.commands.as_slice() {
            [run] if run.iter().all(|word| plain(word) && word != "**") => {
                Some(Rule::Command { run: run.clone() })
            }
            _ => None,
        },
        Action::Reach { host } if plain(host) && !host.is_empty() => {
            Some(Rule::Host { host: host.clone() })
        }
        Action::Write { .. } | Action::Read { .. } | Action::AskUser | Action::Develop => None,
        _ => Some(Rule::Tool { name: call.tool.to_owned() }).filter(|_| plain(call.tool)),
    }
}

/// Words that a rule takes as they are.
fn plain(word: &str) -> bool {
    !word.contains(['*', '?', '[', '{', '\u{2026}']) && !word.chars().any(char::is_control)
}

/// The user's file with one more rule that allows. Comments and everything else stay as they are.
///
/// # Errors
/// [`RulesError`] when the text is no valid file, or its form leaves no place for a line.
pub fn add_rule(text: &str, rule: &Rule) -> Result<String, RulesError> {
    let before = Rules::parse(text.as_bytes(), Owner::User)?;
    let (section, line) = match rule {
        Rule::Tool { name } => ("tools", format!("  {}: allow", quoted(name))),
        Rule::Command { run } => {
            let words: Vec<String> = run.iter().map(|word| quoted(word)).collect();
            ("commands", format!("  - {{ run: [{}], decision: allow }}", words.join(", ")))
        }
        Rule::Write { glob } => {
            ("paths", format!("  - {{ write: {}, decision: allow }}", quoted(glob)))
        }
        Rule::Host { host } => {
            ("hosts", format!("  - {{ host: {}, decision: allow }}", quoted(host)))
        }
    };
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let head = format!("{section}:");
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let is_head = |line: &String| {
        line.strip_prefix(&head).is_some_and(|rest| {
            let rest = rest.trim();
            rest.is_empty() || rest.starts_with('#')
        })
    };
    match lines.iter().position(is_head) {
        Some(at) => {
            // Entries keep the indent that the first of them has.
            let entry = lines.iter().skip(at + 1).find(|line| {
                let bare = line.trim_start();
                !bare.is_empty() && !bare.starts_with('#')
            });
            let indent = entry
                .filter(|line| line.starts_with(' ') || line.starts_with('-'))
                .map_or(2, |line| line.len() - line.trim_start().len());
            lines.insert(at + 1, format!("{}{}", " ".repeat(indent), line.trim_start()));
        }
        None => {
            lines.push(head.clone());
            lines.push(line);
        }
    }
    let changed = lines.join(end) + end;
    let after =
        Rules::parse(changed.as_bytes(), Owner::User).map_err(|_| RulesError::NotEditable)?;
    let wanted = before.with_rule(rule, Decision::Allow);
    if same(&after, &wanted) { Ok(changed) } else { Err(RulesError::NotEditable) }
}

/// Whether both say the same, in whatever order.
fn same(one: &Rules, other: &Rules) -> bool {
    let sorted = |rules: &Rules| {
        let mut all = rules.lines();
        all.sort();
        all
    };
    sorted(one) == sorted(other)
}

impl Rules {
    /// Each rule as a line of YAML, in sections.
    fn lines(&self) -> Vec<String> {
        let tools = self.tools.iter().map(|(name, d)| format!("0  {}: {}", quoted(name), d.name()));
        let commands = self.commands.iter().map(|(run, d)| {
            let words: Vec<String> = run.iter().map(|w| quoted(w)).collect();
            format!("1  - {{ run: [{}], decision: {} }}", words.join(", "), d.name())
        });
        let paths = self.paths.iter().map(|rule| {
            let key = if rule.writes { "write" } else { "read" };
            format!("2  - {{ {key}: {}, decision: {} }}", quoted(&rule.glob), rule.decision.name())
        });
        let hosts = self.hosts.iter().map(|(host, _, d)| {
            format!("3  - {{ host: {}, decision: {} }}", quoted(host), d.name())
        });
        tools.chain(commands).chain(paths).chain(hosts).collect()
    }

    /// The rules as a file: what [`Rules::lines`] tells of them is read back as the same.
    #[cfg(test)]
    pub(super) fn to_yaml(&self) -> String {
        const SECTIONS: [&str; 4] = ["tools", "commands", "paths", "hosts"];
        let lines = self.lines();
        let mut text = String::new();
        for (number, section) in SECTIONS.iter().enumerate() {
            let mark = number.to_string();
            let own: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix(&mark)).collect();
            if !own.is_empty() {
                text.push_str(&format!("{section}:\n{}\n", own.join("\n")));
            }
        }
        text
    }
}

/// A scalar of YAML in double quotes, whatever it holds.
fn quoted(text: &str) -> String {
    let mut whole = String::from("\"");
    for char in text.chars() {
        match char {
            '"' | '\\' => {
                whole.push('\\');
                whole.push(char);
            }
            '\n' => whole.push_str("\\n"),
            '\t' => whole.push_str("\\t"),
            char if char.is_control() => whole.push_str(&format!("\\u{:04x}", u32::from(char))),
            char => whole.push(char),
        }
    }
    whole.push('"');
    whole
}
