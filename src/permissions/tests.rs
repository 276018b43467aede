use std::path::{Path, PathBuf};

use super::*;

const ROOT: &str = "/home/user/project";
const HOME: &str = "/home/user";
const STRINGS: &str = include_str!("../../tests/bypass/strings.tsv");
const HARMLESS: &str = include_str!("../../tests/bypass/harmless.tsv");

fn protected(is_own: bool) -> Protected {
    let absolute = [
        "/home/user/.config/elophanto",
        "/home/user/.local/state/elophanto",
        "/opt/elophanto/bin/elophanto",
    ];
    Protected::new(Path::new(ROOT), absolute.iter().map(PathBuf::from).collect(), is_own)
}

fn shell(line: &str) -> Call<'_> {
    let action = Action::Shell { line: line.to_owned(), folder: ROOT.into() };
    Call { tool: "shell_execute", level: Level::Destructive, action }
}

fn given<'a>(mode: Mode, protected: &'a Protected, rules: &'a Rules) -> Circumstances<'a> {
    Circumstances {
        mode,
        tainted: false,
        fenced: true,
        attended: true,
        root: Path::new(ROOT),
        home: Path::new(HOME),
        protected,
        rules,
    }
}

fn unescaped(text: &str) -> String {
    let mut whole = String::new();
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (char, char == '\\') {
            (_, true) => match chars.next() {
                Some('n') => whole.push('\n'),
                Some('t') => whole.push('\t'),
                Some('r') => whole.push('\r'),
                Some(other) => whole.push(other),
                None => {}
            },
            (other, _) => whole.push(other),
        }
    }
    whole
}

#[test]
fn no_bypass_runs_without_being_asked() {
    let (protected, rules) = (protected(true), Rules::default());
    let mut passed = Vec::new();
    let mut all = std::collections::BTreeSet::new();
    for row in STRINGS.lines() {
        let (effect, text) = row.split_once('\t').expect(row);
        let line = unescaped(text);
        assert!(all.insert(line.clone()), "twice: {text}");
        for mode in [Mode::Ask, Mode::Smart, Mode::Full] {
            for bits in 0..8 {
                let at = Circumstances {
                    tainted: bits & 1 > 0,
                    fenced: bits & 2 > 0,
                    attended: bits & 4 > 0,
                    ..given(mode, &protected, &rules)
                };
                let verdict = decide(&shell(&line), &at);
                if verdict.decision == Decision::Allow {
                    passed.push(format!("{effect}\t{text}\t{mode:?}"));
                    break;
                }
            }
        }
    }
    assert!(passed.is_empty(), "{} passed:\n{}", passed.len(), passed.join("\n"));
    assert!(all.len() >= 330, "{}", all.len());
}

#[test]
fn ordinary_lines_run() {
    let (protected, rules) = (protected(false), Rules::default());
    let mut wrong = Vec::new();
    let mut count = 0;
    for row in HARMLESS.lines() {
        count += 1;
        let [smart, full, text] = row.splitn(3, '\t').collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        for (mode, expected) in [(Mode::Smart, smart), (Mode::Full, full)] {
            let verdict = decide(&shell(&unescaped(text)), &given(mode, &protected, &rules));
            let got = format!("{:?}", verdict.decision).to_lowercase();
            if got != expected {
                wrong.push(format!("{text}\t{mode:?} {got}: {}", verdict.reasons.join("; ")));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 200, "{count}");
}
