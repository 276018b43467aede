//! What is typed: lines with a history that is searched by Ctrl-R, going on behind a backslash; what
//! is pasted is one text. Tab completes commands and `@path`.

use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
};

use rustyline::{
    Context, Editor, ExternalPrinter as _, Helper,
    completion::{Completer, FilenameCompleter, Pair},
    error::ReadlineError,
    highlight::Highlighter,
    hint::Hinter,
    history::DefaultHistory,
    validate::{ValidationContext, ValidationResult, Validator},
};

use elophanto_app::{Error, Result};

/// Lines of what was typed that are kept.
const HISTORY: &str = "history";

/// What came of reading.
pub enum Typed {
    Line(String),
    /// An empty line, or Ctrl-C.
    Nothing,
    /// Ctrl-D, or the end of the input.
    End,
}

/// See [`Input::above_prompt`].
pub type Above = Box<dyn FnMut(String) + Send>;

pub struct Input {
    editor: Editor<Lines, DefaultHistory>,
    history: Option<PathBuf>,
    /// Whole lines that were typed while something else was asked, and the beginning of the next.
    ahead: VecDeque<String>,
    begun: String,
}

impl Input {
    /// `folder` is where the history lies, `commands` what Tab knows behind a `/`.
    pub fn new(folder: Option<&Path>, commands: Vec<&'static str>) -> Result<Self> {
        let mut editor = Editor::new().map_err(Error::new)?;
        editor.set_helper(Some(Lines { files: FilenameCompleter::new(), commands }));
        let history = folder.map(|folder| folder.join(HISTORY));
        if let Some(history) = &history {
            // The first time there is none.
            let _ = editor.load_history(history);
        }
        Ok(Self { editor, history, ahead: VecDeque::new(), begun: String::new() })
    }

    /// What was typed while something else was asked: it comes before what is typed from now on.
    pub fn typed_ahead(&mut self, text: &str) {
        let text = std::mem::take(&mut self.begun) + text;
        let (lines, begun) = text.rsplit_once('\n').map_or(("", &*text), |(all, rest)| (all, rest));
        self.ahead.extend(lines.lines().map(str::to_owned));
        begun.clone_into(&mut self.begun);
    }

    /// What shows lines above the prompt while somebody types there, who goes on undisturbed; `None`
    /// where there is no terminal.
    pub fn above_prompt(&mut self) -> Option<Above> {
        let mut printer = self.editor.create_external_printer().ok()?;
        Some(Box::new(move |text| drop(printer.print(text))))
    }

    pub fn read(&mut self) -> Result<Typed> {
        if let Some(line) = self.ahead.pop_front() {
            let line = line.trim();
            return Ok(if line.is_empty() { Typed::Nothing } else { Typed::Line(line.to_owned()) });
        }
        let begun = std::mem::take(&mut self.begun);
        let text = match self.editor.readline_with_initial("› ", (&begun, "")) {
            Ok(text) => text,
            Err(ReadlineError::Interrupted) => return Ok(Typed::Nothing),
            Err(ReadlineError::Eof) => return Ok(Typed::End),
            Err(cause) => return Err(Error::new(cause)),
        };
        let text = joined(&text);
        let line = text.trim();
        if line.is_empty() {
            return Ok(Typed::Nothing);
        }
        // What looks like a secret is not kept.
        if elophanto_base::secrets::scan(line).is_empty() {
            let _ = self.editor.add_history_entry(line);
        }
        Ok(Typed::Line(line.to_owned()))
    }

    /// Writes the history down.
    pub fn keep(&mut self) {
        if let Some(history) = &self.history {
            let folder = history.parent().map_or(Ok(()), fs::create_dir_all);
            let _ = folder.map(|()| self.editor.save_history(history));
        }
    }
}

/// Whether a text goes on with the next line: it ends in a backslash that nothing escapes.
fn goes_on(text: &str) -> bool {
    let backslashes = text.len() - text.trim_end_matches('\\').len();
    backslashes % 2 == 1
}

/// The text without the backslashes that made it go on.
fn joined(text: &str) -> String {
    let mut whole = String::new();
    for line in text.split_inclusive('\n') {
        match line.strip_suffix('\n') {
            Some(line) if goes_on(line) => {
                whole.push_str(&line[..line.len() - 1]);
                whole.push('\n');
            }
            _ => whole.push_str(line),
        }
    }
    whole
}

struct Lines {
    files: FilenameCompleter,
    commands: Vec<&'static str>,
}

impl Validator for Lines {
    fn validate(&self, typed: &mut ValidationContext) -> rustyline::Result<ValidationResult> {
        Ok(match goes_on(typed.input()) {
            true => ValidationResult::Incomplete,
            false => ValidationResult::Valid(None),
        })
    }
}

impl Completer for Lines {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let typed = &line[..at];
        let begin = typed.rfind(char::is_whitespace).map_or(0, |blank| blank + 1);
        if let Some(name) = typed.strip_prefix('/').filter(|_| begin == 0) {
            let names = self.commands.iter().copied();
            let pair = |name: &str| Pair { display: name.to_owned(), replacement: name.to_owned() };
            return Ok((1, names.filter(|known| known.starts_with(name)).map(pair).collect()));
        }
        match typed[begin..].strip_prefix('@') {
            Some(path) => {
                let (from, found) = self.files.complete_path(path, path.len())?;
                Ok((begin + 1 + from, found))
            }
            None => Ok((at, Vec::new())),
        }
    }
}

impl Hinter for Lines {
    type Hint = String;
}

impl Highlighter for Lines {}
impl Helper for Lines {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_ahead_comes_first() {
        let mut input = Input::new(None, Vec::new()).unwrap();
        input.typed_ahead("one\n\ntw");
        input.typed_ahead("o\nthr");
        let lines: Vec<_> = input.ahead.iter().map(String::as_str).collect();
        assert_eq!((lines.as_slice(), input.begun.as_str()), (&["one", "two"][..], "thr"));
    }

    #[test]
    fn lines_go_on_behind_a_backslash() {
        for (text, expected) in [("a", false), ("a\\", true), ("a\\\\", false), ("a\\\nb", false)] {
            assert_eq!(goes_on(text), expected, "{text:?}");
        }
        for (text, expected) in [
            ("a\\\nb", "a\nb"),
            ("a\nb", "a\nb"),
            ("a\\\\\nb", "a\\\\\nb"),
            ("a\\\n\\\nb\\", "a\n\nb\\"),
        ] {
            assert_eq!(joined(text), expected);
        }
    }
}
