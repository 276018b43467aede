//! `awk`, `sed` and programs that read but for some options.

use super::{Env, Walker, Word};

impl Walker<'_> {
    /// `awk`: a text that neither runs, writes nor loads anything.
    pub fn awk(&mut self, arguments: &[Word], env: &Env) {
        let mut program_seen = false;
        let mut skips = false;
        for word in arguments {
            let text = word.literal().unwrap_or_default();
            if std::mem::take(&mut skips) {
                self.embedded(word, env);
                continue;
            }
            if !program_seen && text.starts_with('-') {
                match text.as_str() {
                    "-F" | "-v" => skips = true,
                    _ if (text.starts_with("-F") || text.starts_with("-v")) && text.len() > 2 => {}
                    _ => self.found.unsure("`awk` with an unusual option"),
                }
                continue;
            }
            if program_seen {
                self.mentions(word, env);
                continue;
            }
            program_seen = true;
            let doubtful =
                ["system", "getline", "|", "@", "close", "fflush", "ARGV", "ENVIRON", "\\"];
            let mut quiet = text.clone();
            for (from, to) in [("||", ""), (">=", ""), ("\\n", ""), ("\\t", "")] {
                quiet = quiet.replace(from, to);
            }
            // `print > file` writes; `$1 > 5` compares: with `print` in the text they look alike.
            let writes = quiet.contains('>') && quiet.contains("print");
            if writes || doubtful.iter().any(|part| quiet.contains(part)) || quiet.contains("/.") {
                self.found.unsure("the `awk` program may run, read or write other things");
            }
        }
    }

    /// `sed`: commands of a plain form; `-i` writes the files.
    pub fn sed(&mut self, arguments: &[Word], env: &Env) {
        let mut in_place = false;
        let mut scripts = Vec::new();
        let mut files = Vec::new();
        let mut takes = false;
        for word in arguments {
            let text = word.pattern();
            if std::mem::take(&mut takes) {
                scripts.push(text);
            } else if text.starts_with('-') && text != "-" {
                match text.as_str() {
                    "-e" | "--expression" => takes = true,
                    "-n" | "-E" | "-r" | "-s" | "-u" | "-z" | "--quiet" | "--silent"
                    | "--regexp-extended" => {}
                    "-ne" | "-nE" | "-En" | "-nr" => takes = text == "-ne",
                    _ if text == "-i" || text.starts_with("-i.") || text == "--in-place" => {
                        in_place = true
                    }
                    _ => self.found.unsure("`sed` with an unusual option"),
                }
            } else {
                files.push(word.clone());
            }
        }
        if scripts.is_empty() && !files.is_empty() {
            let first = files.remove(0);
            // `-i ''` of the BSDs.
            if first.literal().as_deref() == Some("") && !files.is_empty() {
                scripts.push(files.remove(0).pattern());
            } else {
                scripts.push(first.pattern());
            }
        }
        if !scripts.iter().all(|script| is_plain_sed(script)) {
            self.found.unsure("the `sed` program may run, read or write other things");
        }
        for file in &files {
            if in_place {
                self.writes(file, env);
            } else {
                self.reads(file, env);
            }
        }
    }

    /// Options with which programs that only read do more.
    pub fn options_of_readers(&mut self, program: &str, arguments: &[Word], env: &Env) {
        let doubtful: &[&str] = match program {
            "sort" | "gsort" => &["--compress-program", "--output", "-o", "-T", "--files0-from"],
            "rg" | "ripgrep" => &["--pre", "--hostname-bin", "--search-zip", "-z"],
            "grep" | "egrep" | "fgrep" | "zgrep" => &["-f", "--file"],
            "fd" | "fdfind" => &["-x", "-X", "--exec", "--exec-batch"],
            "tree" => &["-o", "-R"],
            "date" => &["-s", "--set", "-f"],
            "jq" => &[
                "-f", "--from-file", "-L", "--rawfile", "--slurpfile", "env", "$ENV", "import",
                "include",
            ],
            "file" => &["-C", "-m", "-f"],
            "column" | "wc" | "du" => &["--files0-from"],
            "diff" => &["--to-file", "--from-file", "-l", "--paginate"],
            "ps" => &["e", "-E", "ae", "axe", "auxe"],
            "yq" => &["-i", "--inplace"],
            "uniq" | "hexdump" | "xxd" | "base64" | "column-x" => &[],
            _ => return,
        };
        let mut operands = 0;
        for word in arguments {
            let text = word.pattern();
            if program == "jq"
                && (text.contains("env")
                    || text.contains("$ENV")
                    || text.contains("import")
                    || text.contains("include"))
            {
                self.found.unsure("the filter of `jq` may read more than its input");
            }
            operands += usize::from(!text.starts_with('-'));
            if doubtful.iter().any(|option| {
                text.starts_with(option)
                    || option.starts_with("--")
                        && text.len() > 3
                        && option.starts_with(text.split('=').next().unwrap_or("?"))
            }) {
                self.found.unsure(format!("`{program} {}` does more than read", word.shown()));
            }
        }
        if matches!(program, "uniq" | "xxd")
            && operands > 1
            && let Some(last) = arguments.last()
        {
            self.writes(last, env);
        }
    }
}

/// `5p`, `1,5p`, `$p`, `/word/p`, `/word/d`, `s/a/b/g`, also several with `;` between.
pub fn is_plain_sed(script: &str) -> bool {
    let script = script.trim();
    if script.contains(['\n', '{', '}']) && !script.contains("s/") {
        return false;
    }
    let mut rest = script;
    while !rest.is_empty() {
        let Some(after) = one_sed(rest) else { return false };
        rest = after.trim_start_matches([' ', ';']);
        if rest.len() == script.len() {
            return false;
        }
        if !rest.is_empty() && !after.trim_start().starts_with(';') {
            return false;
        }
    }
    !script.is_empty()
}

/// One command; what follows it.
pub(super) fn one_sed(script: &str) -> Option<&str> {
    let mut rest = script;
    for _ in 0..2 {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '$');
        if let Some(pattern) = rest.strip_prefix('/') {
            rest = past(pattern, '/')?;
        }
        match rest.strip_prefix(',') {
            Some(second) => rest = second,
            None => break,
        }
    }
    let rest = rest.trim_start_matches(['!', ' ']);
    let command = rest.chars().next()?;
    let after = rest.get(command.len_utf8()..)?;
    match command {
        'p' | 'd' | 'q' | '=' | 'n' | 'h' | 'g' | 'x' | 'N' | 'G' | 'D' | 'P' => Some(after),
        's' | 'y' => {
            let mark = after
                .chars()
                .next()
                .filter(|c| c.is_ascii_punctuation() && *c != '\\' && *c != ';')?;
            let replaced = past(past(after.get(1..)?, mark)?, mark)?;
            let flags = replaced.trim_start_matches(|c: char| {
                c.is_ascii_digit() || matches!(c, 'g' | 'p' | 'i' | 'I')
            });
            Some(flags)
        }
        _ => None,
    }
}

/// What follows the next unescaped mark. Bracket expressions, in which a mark counts for nothing,
/// are not plain.
pub(super) fn past(text: &str, mark: char) -> Option<&str> {
    let mut escaped = false;
    for (at, char) in text.char_indices() {
        if escaped {
            escaped = false;
        } else if char == '\\' {
            escaped = true;
        } else if char == mark {
            return text.get(at + mark.len_utf8()..);
        } else if char == '\n'
            || (char == '['
                && text.get(at..).is_some_and(|t| {
                    t.find(']').is_none_or(|e| t.get(..e).is_some_and(|b| b.contains(mark)))
                }))
        {
            return None;
        }
    }
    None
}
