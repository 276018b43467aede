//! Commands that get files from a list.

use super::Walker;

impl Walker<'_> {
    /// What `xargs` reads may be any name, unless all that feeds it lists files.
    pub(super) fn fed_by_lists_of_files(&mut self) {
        const LISTS: &[&str] = &["find", "fd", "ls", "sort", "uniq", "xargs"];
        let plain = self.found.commands.iter().all(|argv| {
            let name = argv.first().map(String::as_str).unwrap_or_default();
            let second = argv.get(1).map(String::as_str).unwrap_or_default();
            let names_only =
                second.starts_with('-') && !second.starts_with("--") && second.contains('l');
            LISTS.contains(&name)
                || self.found.fed.contains(argv)
                || name == "git" && second == "ls-files"
                || name == "git" && argv.iter().any(|a| a == "--name-only")
                || matches!(name, "grep" | "rg") && (names_only || second == "--files")
                || matches!(name, "head" | "tail")
                    && argv
                        .iter()
                        .skip(1)
                        .all(|a| a.starts_with('-') || a.bytes().all(|b| b.is_ascii_digit()))
        });
        let shows = self.found.fed.iter().any(|argv| shows_content(argv));
        let lists_all = self.found.commands.iter().any(|argv| lists_hidden(argv));
        if !plain || shows && lists_all {
            self.found.unsure("what `xargs` reads is not known");
        }
    }
}

/// Whether a command shows what is in the files that it is given.
pub fn shows_content(argv: &[String]) -> bool {
    const OTHERS: [&str; 10] =
        ["wc", "ls", "echo", "stat", "file", "du", "basename", "dirname", "md5sum", "sha256sum"];
    !argv.first().is_some_and(|name| OTHERS.contains(&name.as_str()))
}

/// Whether a command lists files whatever their names, those that hold keys included.
pub fn lists_hidden(argv: &[String]) -> bool {
    let name = argv.first().map(String::as_str).unwrap_or_default();
    let rest = argv.get(1..).unwrap_or_default();
    let letters = |wanted: &[char]| {
        rest.iter().any(|a| a.starts_with('-') && !a.starts_with("--") && a.contains(wanted))
    };
    match name {
        "ls" => letters(&['a', 'A']) || rest.iter().any(|a| a.starts_with("--a")),
        "find" => finds_anything(rest),
        "git" => letters(&['o']) || rest.iter().any(|a| a.starts_with("--o")),
        "rg" | "fd" => {
            letters(&['u', '.', 'H'])
                || rest.iter().any(|a| {
                    a.starts_with("--hi") || a.starts_with("--no-i") || a.starts_with("--un")
                })
        }
        _ => false,
    }
}

/// `find` from the work tree's root on, without a name that says what is wanted.
pub fn finds_anything(arguments: &[String]) -> bool {
    let from_root =
        arguments.first().is_none_or(|first| first.starts_with(['-', '.', '/', '~', '*']));
    let says = arguments.windows(2).any(|pair| match pair {
        [option, name] => {
            matches!(option.as_str(), "-name" | "-iname" | "-path")
                && name.chars().any(char::is_alphanumeric)
                && !name.contains(['[', '\\'])
        }
        _ => false,
    });
    let regex = arguments.iter().any(|a| a.ends_with("regex"));
    from_root && !says || regex
}
