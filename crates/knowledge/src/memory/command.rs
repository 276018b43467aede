//! Which programs a shell command runs. Pure; it reads a shell's grammar as far as names need it.

use super::tools;
use crate::words::{Pairs, Words, list};

/// Commands in commands that are looked into (`bash -c 'sudo sh -c ...'`).
const MAX_DEPTH: usize = 3;

/// Most programs of a command that are named.
const MAX_PROGRAMS: usize = 10;

/// What runs the program that follows it and says nothing itself. The letters are options that
/// take a value.
static WRAPPERS: Pairs = list!(pairs "wrapping_programs");

/// What runs the program that follows it, or that follows this word of it.
const RUNNERS: &[(&str, &str)] = &[
    ("bundle", "exec"),
    ("bunx", ""),
    ("hatch", "run"),
    ("npm", "exec"),
    ("npx", ""),
    ("pdm", "run"),
    ("pipenv", "run"),
    ("pipx", "run"),
    ("pnpm", "dlx"),
    ("pnpm", "exec"),
    ("poetry", "run"),
    ("python", "-m"),
    ("uv", "run"),
    ("uvx", ""),
    ("yarn", "dlx"),
];

const SHELLS: &[&str] = &["ash", "bash", "dash", "fish", "ksh", "sh", "zsh"];

/// Words of the shell before a command.
const KEYWORDS: &[&str] = &["!", "$", "%", "do", "elif", "else", "if", "then", "until", "while"];

/// Words of the shell, and programs that any command may use.
static SILENT: Words = list!(words "unnamed_programs");

/// The programs of a command in the order in which they stand there, in small letters, without
/// folders, versions and what only wraps others.
pub(super) fn programs(command: &str) -> Vec<String> {
    let mut found = Vec::new();
    collect(command, MAX_DEPTH, &mut found);
    found.truncate(MAX_PROGRAMS);
    found
}

fn collect(command: &str, depth: usize, found: &mut Vec<String>) {
    for words in simple_commands(command) {
        if found.len() >= MAX_PROGRAMS {
            return;
        }
        of_simple_command(&words, depth, found);
    }
}

fn of_simple_command(words: &[String], depth: usize, found: &mut Vec<String>) {
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        if word.contains(['<', '>']) {
            // The file that follows is no program.
            if word.ends_with(['<', '>']) {
                words.next();
            }
            continue;
        }
        if KEYWORDS.contains(&word) || is_assignment(word) || word.starts_with('-') {
            continue;
        }
        let Some(name) = program_name(word) else {
            // A number belongs to what wraps (`timeout 10`); anything else is run by its content.
            if word.starts_with(|char: char| char.is_ascii_digit()) {
                continue;
            }
            return;
        };
        if let Some(valued) = WRAPPERS.get(name.as_str()) {
            words = after_options(words, valued);
            continue;
        }
        if SHELLS.contains(&name.as_str()) {
            let mut rest = words.skip_while(|word| !is_command_option(word)).skip(1);
            match rest.next() {
                Some(inner) if depth > 0 => collect(inner, depth - 1, found),
                _ => found.push(name),
            }
            return;
        }
        if SILENT.contains(name.as_str()) {
            return;
        }
        let is_runner = |word: &str| RUNNERS.contains(&(name.as_str(), word));
        let next = words.clone().next().unwrap_or_default();
        let (runs_next, runs_after) = (is_runner(""), is_runner(next));
        found.push(name.clone());
        if !runs_next && !runs_after {
            return;
        }
        if runs_after {
            words.next();
        }
    }
}

/// What follows the options of a wrapper.
fn after_options<'a, I>(mut words: I, valued: &str) -> I
where
    I: Iterator<Item = &'a str> + Clone,
{
    loop {
        let mut ahead = words.clone();
        let Some(option) = ahead.next().and_then(|word| word.strip_prefix('-')) else {
            return words;
        };
        let mut letters = option.chars();
        if let (Some(letter), None) = (letters.next(), letters.next())
            && valued.contains(letter)
        {
            ahead.next();
        }
        words = ahead;
    }
}

/// `-c`, or several letters with it: `-lc`.
fn is_command_option(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or_default();
    letters.ends_with('c') && letters.len() <= 4 && !letters.starts_with('-')
}

fn is_assignment(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

fn program_name(word: &str) -> Option<String> {
    let name = word.rsplit(['/', '\\']).next()?.to_ascii_lowercase();
    let name = name.split('@').next()?;
    let name =
        [".exe", ".cmd", ".bat"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte);
    let is_name = name.len() <= 40
        && name.bytes().all(is_part)
        && name.starts_with(|char: char| char.is_ascii_alphabetic());
    is_name.then(|| tools::program(name).to_owned())
}

/// The words of each command between separators, without quotes. What a quote that does not end
/// leaves open is one word; the text of a here-document is left out.
fn simple_commands(command: &str) -> Vec<Vec<String>> {
    let (mut commands, mut words, mut word) = (Vec::new(), Vec::new(), String::new());
    let mut quote = None;
    let mut chars = command.chars().peekable();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(open), char) if char == open => quote = None,
            (Some('"') | None, '\\') => word.extend(chars.next().filter(|char| *char != '\n')),
            (Some(_), char) => word.push(char),
            (None, '\'' | '"') => quote = Some(char),
            (None, '<') if word.ends_with('<') => break,
            (None, '#') if word.is_empty() => {
                while chars.next_if(|char| *char != '\n').is_some() {}
            }
            (None, '\n' | ';' | '|' | '&' | '(' | ')' | '{' | '}' | '`') => {
                end_word(&mut word, &mut words);
                commands.push(std::mem::take(&mut words));
            }
            (None, char) if char.is_whitespace() => end_word(&mut word, &mut words),
            (None, char) => word.push(char),
        }
    }
    end_word(&mut word, &mut words);
    commands.push(words);
    commands
}

fn end_word(word: &mut String, words: &mut Vec<String>) {
    if !word.is_empty() {
        words.push(std::mem::take(word));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, expected: &str) {
        assert_eq!(programs(command).join(" "), expected, "{command}");
    }

    #[test]
    fn programs_of_commands() {
        check("", "");
        check("npm ci", "npm");
        check("$ cargo build --release", "cargo");
        check("sudo -u postgres psql -c 'select 1'", "psql");
        check("sudo -E env -u B A=1 npm install", "npm");
        check("NODE_ENV=test FOO='a b' npm test && git push", "npm git");
        check("cd app; ls | grep x || make", "grep make");
        check("timeout 10s curl -s https://x.test/a&b", "curl b");
        check("docker compose up -d 2>&1 | tee out.log", "docker");
        check("docker exec api psql > out.txt", "docker");
        check("/usr/local/bin/python3.11 -m pytest -q", "python pytest");
        check("./gradlew test", "gradle");
        check("npx --yes eslint@9 .", "npx eslint");
        check("poetry run mypy src", "poetry mypy");
        check("bash -lc 'npm ci && npx tsc'", "npm npx tsc");
        check("sh setup.sh", "sh");
        check("if test -f x; then kubectl apply -f x; fi", "kubectl");
        check("for f in *.c; do gcc $f; done", "gcc");
        check("find . -name '*.rs' | xargs -n 1 rustfmt", "find rustfmt");
        check("echo $(git rev-parse HEAD) `hg id`", "git hg");
        check("cat <<EOF\nnpm ci\nEOF", "");
        check("> out.txt make", "make");
        check("# npm\nyarn", "yarn");
        check(r"C:\tools\terraform.exe plan", "");
        check("'C:\\tools\\terraform.exe' plan", "terraform");
        check("\"unclosed npm", "");
        check("$FOO/bin", "bin");
        check("&&&& ||| ;;; (((", "");
        check("npm\\\n ci", "npm");
        check(&"npm;".repeat(5_000), &["npm"; 10].join(" "));
        check(&"bash -c ".repeat(5_000), "bash");
    }
}
