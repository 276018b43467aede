//! Programs that run code: shells, interpreters, `awk`, `sed`, builders.

mod filters;

pub use filters::is_plain_sed;

mod builders;

use super::{arguments::has_option, env::Env, walk::Walker, word::Word};

/// Options of interpreters that run no code that stands in the line.
const PLAIN_FLAGS: &[&str] = &[
    "-u", "-B", "-O", "-OO", "-v", "-V", "--version", "-h", "--help", "-s", "-I", "-E", "-S", "-w",
    "-b", "-bb", "--check", "--test", "--watch", "-version", "--no-warnings",
];
/// Modules of Python that do what their name says, with the work tree's code.
const MODULES: &[&str] = &[
    "pytest", "unittest", "venv", "black", "ruff", "mypy", "json.tool", "compileall", "flake8",
    "pylint", "isort", "coverage", "py_compile", "doctest", "build",
];

impl Walker<'_> {
    /// `sh`, `bash` and their like.
    pub fn shell(&mut self, program: &str, arguments: &[Word], stdin: Option<&Word>, env: &Env) {
        let mut at = 0;
        while let Some(word) = arguments.get(at) {
            at += 1;
            let Some(text) = word.literal() else {
                self.found.unsure(format!("it is not known what `{program}` runs"));
                return;
            };
            if matches!(text.as_str(), "--version" | "--help") {
                return;
            }
            let Some(letters) = text.strip_prefix(['-', '+']) else {
                self.runs(word, env);
                return;
            };
            if text.starts_with("--")
                || !letters.chars().all(|c| "euxclnv".contains(c))
                || letters.is_empty()
            {
                self.found.unsure(format!("`{program}` with an unusual option"));
                return;
            }
            if letters.contains('c') {
                match arguments.get(at).and_then(Word::literal) {
                    Some(text) if !text.starts_with('-') => {
                        let mut own = env.clone();
                        own.functions.clear();
                        self.nested(&text, &own);
                    }
                    _ => self.found.unsure(format!("it is not known what `{program}` runs")),
                }
                return;
            }
        }
        match stdin.and_then(Word::literal) {
            Some(text) => self.nested(&text, env),
            None => self
                .found
                .harm(format!("`{program}` runs what it is fed, which may come from anywhere")),
        }
    }

    /// Programs whose code is not read: a file of code runs, code in the line asks.
    pub fn interpreter(&mut self, program: &str, arguments: &[Word], env: &Env) {
        let mut at = 0;
        while let Some(word) = arguments.get(at) {
            at += 1;
            let text = word.literal().unwrap_or_default();
            if program == "java" && text.ends_with(".jar") {
                continue;
            }
            if text == "-m" && program == "python" {
                let module = arguments.get(at).and_then(Word::literal).unwrap_or_default();
                if !MODULES.contains(&module.as_str()) {
                    self.found
                        .unsure(format!("`{program} -m {module}` runs code that is not judged"));
                }
                self.found.run.push(self.place.root.to_string_lossy().into_owned());
                self.rest_of_program(arguments.get(at + 1..).unwrap_or_default(), env);
                return;
            }
            if matches!(text.as_str(), "-V" | "--version" | "-version" | "-h" | "--help")
                && arguments.len() == 1
            {
                return;
            }
            if matches!(text.as_str(), "-W" | "-X") && program == "python" {
                at += 1;
                continue;
            }
            if text == "-jar" && program == "java" {
                continue;
            }
            if text.starts_with('-') || text.is_empty() {
                if PLAIN_FLAGS.contains(&text.as_str())
                    && program != "perl"
                    && program != "ruby"
                    && program != "php"
                    && program != "java"
                    && !(program != "python" && matches!(text.as_str(), "-E" | "-S" | "-s" | "-I"))
                {
                    continue;
                }
                self.found.unsure(format!("`{program}` runs code that stands in the line"));
                return;
            }
            self.runs(word, env);
            self.rest_of_program(arguments.get(at..).unwrap_or_default(), env);
            return;
        }
        self.found.unsure(format!("`{program}` runs what it is fed"));
    }

    fn rest_of_program(&mut self, arguments: &[Word], env: &Env) {
        for word in arguments {
            self.mentions(word, env);
            self.embedded(word, env);
        }
    }
}
