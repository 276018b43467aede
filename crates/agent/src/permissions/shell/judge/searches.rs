//! What searching whole folders would show.

use super::super::{MAX_DEPTH, programs::Names};
use super::{Env, Walker, Word, operands};
use crate::permissions::matching;

use super::super::files;

/// Commands that are looked for in the arguments of one.
const MAX_RUNNERS: usize = 12;
/// Programs that are looked for in the arguments of others.
const RUN_BY_OTHERS: Names = Names::new(
    "rm git dd shred find sh bash dash zsh ksh sudo su doas pkexec chmod chown mkfs mv cp tee ln env xargs kill \
     wipefs eval exec crontab python perl ruby node php awk sed truncate psql mysql sqlite mkfs.ext cat unlink rmdir",
);

impl Walker<'_> {
    /// A program that nothing is known of may run what follows in its arguments: `bundle exec rm`.
    pub fn runs_rest(&mut self, arguments: &[Word], env: &Env) {
        // Inside of such a command every place has been looked at already.
        if self.is_guess {
            return;
        }
        let mut looked = 0;
        for at in 0..arguments.len() {
            let rest = arguments.get(at..).unwrap_or_default();
            let name = rest.first().and_then(Word::literal).unwrap_or_default();
            let base = name.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
            let numbered = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
            if rest.len() < 2 || !RUN_BY_OTHERS.contains(numbered) {
                continue;
            }
            looked += 1;
            if looked > MAX_RUNNERS {
                self.found.unsure("its arguments name too many commands");
                return;
            }
            let mut inner = self.inside();
            inner.is_guess = true;
            let judged =
                inner.depth < MAX_DEPTH && inner.judge(rest, None, &mut env.clone()).is_ok();
            self.charge(&inner);
            let found = &inner.found;
            if !judged
                || !found.harmful.is_empty()
                || !found.denied.is_empty()
                || !found.unclear.is_empty()
            {
                self.found
                    .harm(format!("the arguments name `{base}`, which would then be asked about"));
            }
        }
    }

    /// A search from the root of the work tree on shows lines of files that hold keys too.
    pub(super) fn searches_everything(&mut self, program: &str, arguments: &[Word], env: &Env) {
        let shown: Vec<String> = arguments.iter().map(Word::shown).collect();
        let recursive = matches!(program, "grep" | "egrep" | "fgrep")
            && shown.iter().any(|a| {
                a.starts_with("--r")
                    || a.starts_with('-') && !a.starts_with("--") && a.contains(['r', 'R'])
            })
            && !shown.iter().any(|a| a.starts_with("--include="));
        let hidden =
            program == "rg" && files::lists_hidden(&[vec!["rg".to_owned()], shown].concat());
        if !recursive && !hidden {
            return;
        }
        let mut places = operands(arguments).skip(1).peekable();
        let from_root = places.peek().is_none()
            || places.any(|w| {
                matches!(w.pattern().trim_end_matches('/'), "." | "" | "$PWD")
                    || w.literal().is_some_and(|t| self.is_root(&t, env))
                    || w.has_glob()
            });
        if from_root {
            self.found.unsure(format!("`{program}` may show lines of files that hold keys"));
        }
    }

    pub(super) fn is_root(&self, text: &str, env: &Env) -> bool {
        let folder =
            env.folders.first().map(|f| f.to_string_lossy().into_owned()).unwrap_or_default();
        matching::absolute(text, &folder).is_some_and(|path| self.place.root.starts_with(path))
    }

    /// Folders in which key material lies are not read as a whole.
    pub fn searches(&mut self, word: &Word, env: &Env) {
        let Some(text) = word.literal() else { return };
        let named = text.starts_with(['/', '~', '.']) && !text.starts_with("./");
        let root = self.place.root.to_string_lossy().into_owned();
        let Some(path) = named.then(|| {
            let folder =
                env.folders.first().map_or(root.clone(), |f| f.to_string_lossy().into_owned());
            matching::absolute(&text, &folder)
        }) else {
            return;
        };
        let Some(path) = path else { return };
        let above = root.strip_prefix(path.as_str()).is_some_and(|rest| rest.starts_with('/'))
            || path == "/"
            || matches!(
                path.as_str(),
                "/etc" | "/root" | "/home" | "/Users" | "/proc" | "/dev" | "/run"
            )
            || std::path::Path::new(&path) == self.place.home;
        if above {
            self.found.unsure(format!("`{text}` holds key material, and all of it may be read"));
        }
    }
}
