//! `curl` and `wget`.

use super::{Env, Walker, Word};

/// Options of fetchers that only say how to ask.
const FETCH_FLAGS: &[&str] = &[
    "-s", "-S", "-L", "-f", "-i", "-I", "-v", "-q", "-nv", "-k", "-4", "-6", "-sS", "-sL", "-fsSL",
    "-fsS", "-sSL", "-sSf", "-sSfL", "-fL", "-Ls", "-sI", "-c", "-g", "-G", "--silent",
    "--show-error", "--location", "--fail", "--head", "--verbose", "--quiet", "--compressed",
    "--no-verbose", "--version", "--help",
];

/// Options of fetchers with a value that only says how to ask.
const FETCH_VALUES: &[&str] = &[
    "-H", "--header", "-A", "--user-agent", "-m", "--max-time", "--retry", "-X", "--request",
    "--connect-timeout", "-t", "-T", "--timeout", "--tries",
];

impl Walker<'_> {
    /// `curl` and `wget`: an address, and a file that it goes to.
    pub fn fetch(&mut self, program: &str, arguments: &[Word], env: &Env) {
        let mut at = 0;
        while let Some(word) = arguments.get(at) {
            at += 1;
            let text = word.pattern();
            let value = arguments.get(at);
            self.mentions(word, env);
            self.embedded(word, env);
            if matches!(text.as_str(), "-o" | "--output" | "-O" | "--output-document")
                && !(program == "curl" && text == "-O")
            {
                if let Some(file) = value.filter(|file| file.literal().as_deref() != Some("-")) {
                    self.writes(file, env);
                }
                at += 1;
            } else if program == "curl"
                && matches!(
                    text.as_str(),
                    "-O" | "--remote-name" | "-LO" | "-sLO" | "-fsSLO" | "-OL"
                )
            {
                for address in arguments.iter().filter(|w| !w.prefix().starts_with('-')) {
                    let pattern = address.pattern();
                    let name = pattern.rsplit('/').next().unwrap_or_default().to_owned();
                    self.writes(&Word::text(name), env);
                }
            } else if text == "-qO-" || text == "-O-" || FETCH_FLAGS.contains(&text.as_str()) {
            } else if FETCH_VALUES.contains(&text.as_str()) {
                if value
                    .is_some_and(|v| v.pattern().starts_with('@') || v.pattern().contains("file:"))
                    || text == "-T" && program == "curl"
                {
                    self.found.unsure(format!("`{program}` sends a file"));
                }
                at += 1;
            } else if text.contains("://")
                && !text.starts_with("http://")
                && !text.starts_with("https://")
            {
                self.found.unsure(format!("`{}` is no address of a page", word.shown()));
            } else if text.starts_with('-')
                || text.to_lowercase().starts_with("file:")
                || text.to_lowercase().starts_with("scp:")
            {
                self.found.unsure(format!(
                    "`{program} {}` does more than fetch an address",
                    word.shown()
                ));
            } else if program.starts_with("wget")
                && !arguments
                    .iter()
                    .any(|w| w.prefix().starts_with("-O") || w.prefix().starts_with("-qO"))
            {
                self.found.unpacks = true;
            }
        }
    }
}
