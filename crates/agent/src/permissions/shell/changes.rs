//! Programs that write, move, remove and fetch files.

mod fetch;

use super::{
    arguments::{has_option, operands},
    env::Env,
    walk::Walker,
    word::Word,
};

impl Walker<'_> {
    pub fn remove(&mut self, arguments: &[Word], env: &Env) {
        if has_option(arguments, &[], &["--no-preserve-root"])
            && arguments.iter().any(|w| w.pattern().starts_with("--no-p"))
        {
            self.found.harm("`rm` is told that it may remove the root folder");
        }
        for word in operands(arguments) {
            self.destroys(word, env);
        }
    }

    pub fn writer(&mut self, program: &str, arguments: &[Word], env: &Env) {
        if program == "tar" {
            return self.archive(arguments, env);
        }
        let doubtful = match program {
            "split" | "gzip" | "shuf" => {
                has_option(arguments, &[], &["--filter"])
                    && arguments.iter().any(|w| w.prefix().starts_with("--f"))
            }
            "rsync" => {
                has_option(
                    arguments,
                    &['e'],
                    &["--rsh", "--rsync-path", "--delete", "--remove-source-files"],
                ) || arguments
                    .iter()
                    .any(|w| w.pattern().contains(':') || w.prefix().starts_with("--de"))
            }
            "rename" | "prename" | "mmv" | "ditto" => true,
            "install" => {
                has_option(arguments, &[], &["--strip-program"])
                    && arguments.iter().any(|w| w.prefix().starts_with("--strip"))
            }
            "cp" => {
                has_option(
                    arguments,
                    &['s', 'l', 'a', 'd', 'P'],
                    &["--symbolic-link", "--link", "--archive", "--no-dereference", "--parents"],
                ) && arguments.len() > 3
            }
            _ => false,
        };
        if doubtful {
            self.found.unsure(format!("`{program}` with these options does more than it says"));
        }
        let recursive = program == "mv"
            || (matches!(program, "chmod" | "chown" | "chgrp")
                && has_option(arguments, &['R'], &["--recursive"]));
        let all: Vec<&Word> = operands(arguments).collect();
        for word in arguments.iter().filter(|w| w.pattern().starts_with('-')) {
            self.mentions(word, env);
            let text = word.pattern();
            let value = match text.split_once('=') {
                Some((_, value)) => Some(value.to_owned()),
                None if !text.starts_with("--") && text.len() > 2 && text.contains(['/', '.']) => {
                    text.get(2..).map(str::to_owned)
                }
                None => None,
            };
            if let Some(value) = value.filter(|v| v.contains('/')) {
                self.writes(&Word::text(value), env);
            }
        }
        if program == "chmod"
            && all.first().and_then(|w| w.literal()).is_some_and(|mode| gives_rights(&mode))
        {
            self.found.harm("`chmod` makes a program run with its owner's rights");
        }
        if program == "chown" {
            self.found.harm("`chown` gives files to another user");
        }
        // A mode or an owner is judged as a path too: as one it lies in the folder and harms nothing.
        let count = all.len();
        if matches!(program, "cp" | "mv" | "install" | "rsync" | "ln") {
            self.put_into_folder(arguments, &all, env);
        }
        for (index, word) in all.into_iter().enumerate() {
            let source = program == "cp" && index + 1 < count;
            if source {
                self.mentions(word, env);
                self.searches(word, env);
            } else if recursive {
                let target = program == "mv" && index + 1 == count && count > 1;
                if target { self.writes(word, env) } else { self.destroys(word, env) }
            } else {
                if matches!(program, "chmod" | "chown" | "chgrp") {
                    self.guards_roots(word, env);
                }
                self.writes(word, env);
            }
        }
    }

    /// Files that are put into a folder have their own names there.
    fn put_into_folder(&mut self, arguments: &[Word], all: &[&Word], env: &Env) {
        let given = arguments.iter().enumerate().find_map(|(at, word)| {
            let text = word.pattern();
            let value = if text == "-t" || text == "--target-directory" {
                arguments.get(at + 1).map(Word::pattern)
            } else {
                text.strip_prefix("--target-directory=").map(str::to_owned)
            };
            value.or_else(|| {
                let rest = text.strip_prefix("-t")?;
                (!rest.is_empty()).then(|| rest.to_owned())
            })
        });
        let Some(folder) = given.or_else(|| all.last().map(|word| word.pattern())) else { return };
        for source in all {
            let path = source.pattern();
            if path == folder {
                continue;
            }
            let contents =
                path.ends_with('/') || path.ends_with("/.") || path.ends_with("..") || path == ".";
            let merged = contents || has_option(arguments, &['T'], &["--no-target-directory"]);
            let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
            for target in [folder.clone(), format!("{folder}/{name}")] {
                if target == folder && !merged {
                    continue;
                }
                self.merges(&Word::text(target), env);
            }
        }
    }

    /// `tar`: making and listing is plain; what an archive holds when it is unpacked is not known.
    fn archive(&mut self, arguments: &[Word], env: &Env) {
        let Some(first) = arguments.first().and_then(Word::literal) else {
            self.found.unsure("it is not known what `tar` does");
            return;
        };
        let letters = first.trim_start_matches('-');
        let plain = !first.starts_with("--")
            && letters.chars().all(|c| "ctvzjJf".contains(c))
            && letters.contains(['c', 't']);
        let long = arguments.iter().skip(1).any(|w| {
            let text = w.pattern();
            text.starts_with('-')
                && !text.starts_with("--exclude=")
                && text != "-C"
                && text != "-f"
                && text != "-"
        });
        if !plain || long {
            self.found.unpacks = true;
            self.found.unsure("it is not known which files `tar` writes or what it runs");
        }
        let mut rest = arguments.iter().skip(1);
        if plain
            && letters.contains('c')
            && letters.contains('f')
            && let Some(target) = rest.next()
        {
            self.writes(target, env);
        }
        for word in rest {
            self.mentions(word, env);
            self.searches(word, env);
        }
    }

    pub fn copies_blocks_or_links(&mut self, program: &str, arguments: &[Word], env: &Env) {
        if program == "ln" {
            self.found.links = true;
            for word in operands(arguments) {
                self.writes(word, env);
            }
            for word in arguments.iter().filter(|w| w.pattern().starts_with('-')) {
                self.mentions(word, env);
            }
            return;
        }
        for word in arguments {
            let text = word.pattern();
            self.mentions(word, env);
            if let Some(target) = text.strip_prefix("of=") {
                self.writes(&Word::text(target), env);
            }
            if let Some(source) = text.strip_prefix("if=")
                && source.starts_with("/dev/")
                && !matches!(source, "/dev/zero" | "/dev/urandom" | "/dev/null")
            {
                self.found.harm(format!("`{source}` is a device"));
            }
        }
    }

    pub fn kill(&mut self, arguments: &[Word]) {
        for (index, word) in arguments.iter().enumerate() {
            let text = word.literal().unwrap_or_else(|| "?".to_owned());
            let is_signal =
                index == 0 && text.starts_with('-') && text.len() > 1 && arguments.len() > 1;
            let plain = (text.bytes().all(|b| b.is_ascii_digit())
                && !matches!(text.trim_start_matches('0'), "" | "1"))
                || text.starts_with('%')
                || text == "-l";
            if !is_signal && !plain {
                self.found.harm("`kill` may end processes that the line did not start");
            }
        }
    }
}

/// Modes that set the user or the group of whoever runs the file.
fn gives_rights(mode: &str) -> bool {
    mode.contains('s') && mode.contains(['+', '='])
        || mode.len() > 3
            && mode.bytes().all(|b| b.is_ascii_digit())
            && !mode.starts_with('0')
            && !mode.starts_with('1')
        || mode.len() > 4
            && mode.bytes().all(|b| b.is_ascii_digit())
            && mode.as_bytes().get(mode.len() - 4).is_some_and(|b| *b > b'1')
}
