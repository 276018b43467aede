//! Commands that the shell itself carries out.

use super::{
    env::Env,
    lex::{self, Result},
    walk::Walker,
    word::Word,
};
use crate::permissions::matching;

impl Walker<'_> {
    /// Whether the shell itself does it; if so, it is judged and its effect known.
    pub fn builtin(&mut self, program: &str, arguments: &[Word], env: &mut Env) -> Result<bool> {
        match program {
            "cd" | "chdir" => self.change_folder(arguments, env),
            "pushd" | "popd" => env.folders.clear(),
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                self.declare(program, arguments, env)
            }
            "read" => self.read(arguments, env),
            "unset" => {
                for word in arguments {
                    self.name(word, env);
                }
            }
            "printf" => self.printf(arguments, env),
            "let" => {
                for word in arguments {
                    let text = word.literal().ok_or("arithmetic on text that is not known")?;
                    self.arithmetic(&text, env)?;
                }
            }
            "set" => {
                if arguments.is_empty() {
                    self.found.unsure("the environment may hold keys");
                }
                self.set(arguments);
            }
            "shopt" => {
                let plain = ["-s", "-u", "nullglob", "failglob", "globstar"];
                if !arguments
                    .iter()
                    .all(|w| w.literal().is_some_and(|t| plain.contains(&t.as_str())))
                {
                    self.found.unsure("`shopt` changes how the line is read");
                }
            }
            "mapfile" | "readarray" | "getopts" => {
                if arguments.iter().any(|w| w.pattern().starts_with("-C") || w.is_unknown()) {
                    self.found.unsure(format!("`{program}` can run other commands"));
                }
                for word in arguments.iter().filter(|w| !w.pattern().starts_with('-')) {
                    if let Some(name) = word.literal() {
                        self.assigned(&name, &[]);
                        env.set(&name, Word::unknown());
                    }
                }
            }
            "eval" => {
                let mut parts = Vec::new();
                for word in arguments {
                    let Some(part) = word.literal() else {
                        self.found.unsure("`eval` runs text that is not known");
                        env.lose();
                        return Ok(true);
                    };
                    parts.push(part);
                }
                self.script(&parts.join(" "), env);
            }
            "trap" => self.trap(arguments, env),
            "source" | "." => {
                match arguments.first() {
                    Some(file) => self.runs(file, env),
                    None => self.found.unsure("`source` without a file"),
                }
                env.lose();
            }
            "test" | "[" => self.compare(arguments, env)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn change_folder(&mut self, arguments: &[Word], env: &mut Env) {
        let mut operands = arguments
            .iter()
            .filter(|w| !matches!(w.literal().as_deref(), Some("--" | "-P" | "-L")));
        let target = match (operands.next(), operands.next()) {
            (None, _) => Some(env.get("HOME").literal().unwrap_or_default()),
            (Some(word), None) => {
                word.literal().filter(|text| !text.starts_with('-') && !text.is_empty())
            }
            _ => None,
        };
        let Some(target) = target else { return env.folders.clear() };
        let folders = env.folders.iter().map(|folder| {
            matching::absolute(&target, &folder.to_string_lossy()).map(std::path::PathBuf::from)
        });
        let folders: Option<Vec<_>> = if target.starts_with('/') {
            matching::absolute(&target, "/").map(|path| vec![path.into()])
        } else {
            folders.collect()
        };
        env.folders = folders.unwrap_or_default();
    }

    fn declare(&mut self, program: &str, arguments: &[Word], env: &mut Env) {
        if !arguments.iter().any(|word| !word.pattern().starts_with('-')) {
            self.found.unsure("the environment may hold keys");
        }
        for word in arguments {
            let text = word.prefix().to_owned();
            if text.starts_with('-') || text.starts_with('+') {
                if word.literal().is_none_or(|t| !t.chars().skip(1).all(|c| "rxgaAp".contains(c))) {
                    self.found.unsure(format!("`{program}` with an unusual option"));
                }
                continue;
            }
            let name: String =
                text.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            let rest = text.get(name.len()..).unwrap_or_default();
            if name.is_empty()
                || !(rest.is_empty() && word.literal().is_some() || rest.starts_with('='))
            {
                self.found.unsure(format!("`{program}` of a name that is not known"));
                env.lose();
                continue;
            }
            if rest.is_empty() {
                continue;
            }
            self.assigned(&name, &[]);
            let value = word.literal().and_then(|t| t.split_once('=').map(|(_, v)| v.to_owned()));
            env.set(&name, value.map_or_else(Word::unknown, Word::text));
        }
    }

    /// A name that gets a value which is not known.
    fn name(&mut self, word: &Word, env: &mut Env) {
        let plain = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        match word.literal() {
            Some(text) if text.starts_with('-') => {}
            Some(text) if plain(&text) => {
                self.assigned(&text, &["read".to_owned()]);
                env.set(&text, Word::unknown());
            }
            _ => {
                self.found.unsure("a variable whose name is not known gets a value");
                env.lose();
            }
        }
    }

    fn read(&mut self, arguments: &[Word], env: &mut Env) {
        let mut skips = false;
        for word in arguments {
            let text = word.literal().unwrap_or_default();
            if std::mem::take(&mut skips) {
                continue;
            }
            if let Some(letters) = text.strip_prefix('-') {
                if !letters.chars().all(|c| "rsednptua0123456789".contains(c)) {
                    self.found.unsure("`read` with an unusual option");
                }
                skips = letters.ends_with(['p', 'd', 'n', 't', 'u']);
                continue;
            }
            self.name(word, env);
            if text == "IFS" {
                self.found.unsure("the variable `IFS` decides how the line is read");
            }
        }
        env.set("REPLY", Word::unknown());
    }

    fn printf(&mut self, arguments: &[Word], env: &mut Env) {
        match arguments {
            [option, name, ..] if option.prefix().starts_with("-v") => {
                if option.literal().as_deref() == Some("-v") {
                    self.name(name, env);
                } else {
                    self.found.unsure("`printf` sets a variable");
                    env.lose();
                }
            }
            [first, ..] if first.prefix().is_empty() && first.is_unknown() => env.lose(),
            _ => {}
        }
    }

    fn set(&mut self, arguments: &[Word]) {
        let mut after_o = false;
        for word in arguments {
            let text = word.literal().unwrap_or_else(|| "?".to_owned());
            if text == "--" {
                return;
            }
            let plain = if std::mem::take(&mut after_o) {
                matches!(text.as_str(), "pipefail" | "errexit" | "nounset" | "xtrace")
            } else {
                text.strip_prefix(['-', '+']).is_some_and(|f| f.chars().all(|c| "euxo".contains(c)))
            };
            after_o = text.starts_with(['-', '+']) && text.ends_with('o');
            if !plain {
                self.found.unsure("`set` changes how the line is read");
            }
        }
    }

    fn trap(&mut self, arguments: &[Word], env: &Env) {
        let Some(first) = arguments.iter().find(|w| w.literal().as_deref() != Some("--")) else {
            return;
        };
        let mut own = env.clone();
        own.lose();
        match first.literal() {
            Some(text) if text == "-" || text.is_empty() || text == "-p" || text == "-l" => {}
            Some(text) => self.nested(&text, &own),
            None => self.found.unsure("`trap` runs text that is not known"),
        }
    }

    /// `test` computes what stands in brackets behind `-v` and compares numbers as arithmetic only in
    /// `[[`.
    fn compare(&mut self, arguments: &[Word], env: &Env) -> Result<()> {
        let mut after = false;
        for word in arguments {
            if after
                && word.literal().is_none_or(|text| text.contains('[') || lex::is_assignment(&text))
            {
                return Err("a test of a variable whose name is not known");
            }
            after = matches!(word.literal().as_deref(), Some("-v" | "-R"));
            self.reads(word, env);
        }
        Ok(())
    }
}
