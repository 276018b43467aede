//! Programs that run code: shells, interpreters, `awk`, `sed`, builders.

use super::{arguments::has_option, env::Env, walk::Walker, word::Word};

/// Options of interpreters that run no code that stands in the line.
const PLAIN_FLAGS: &[&str] = &[
    "-u",
    "-B",
    "-O",
    "-OO",
    "-v",
    "-V",
    "--version",
    "-h",
    "--help",
    "-s",
    "-I",
    "-E",
    "-S",
    "-w",
    "-W",
    "-b",
    "-bb",
    "--check",
    "--test",
    "--watch",
    "-version",
    "--no-warnings",
];
/// Modules of Python that do what their name says, with the work tree's code.
const MODULES: &[&str] = &[
    "pytest",
    "unittest",
    "venv",
    "black",
    "ruff",
    "mypy",
    "json.tool",
    "compileall",
    "flake8",
    "pylint",
    "isort",
    "coverage",
    "py_compile",
    "doctest",
    "build",
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

    /// Programs that run what the work tree says.
    pub fn builder(&mut self, program: &str, arguments: &[Word], env: &Env) {
        let text: Vec<String> = arguments.iter().map(Word::pattern).collect();
        let first = text.first().map(String::as_str).unwrap_or_default();
        let doubtful = match program {
            "make" | "gmake" | "bmake" | "just" => {
                has_option(
                    arguments,
                    &['f', 'E', 'I'],
                    &[
                        "--file",
                        "--makefile",
                        "--eval",
                        "--include-dir",
                        "--justfile",
                        "--command",
                        "--shell",
                        "--shell-arg",
                    ],
                ) || text.iter().any(|t| t.contains('=') || t.contains('$'))
            }
            "cargo" => {
                text.iter().any(|t| {
                    t.starts_with("--config") || t.starts_with("-Z") || t == "--target-dir"
                }) || matches!(
                    first,
                    "install"
                        | "publish"
                        | "login"
                        | "owner"
                        | "yank"
                        | "uninstall"
                        | "logout"
                        | "script"
                        | "eval"
                )
            }
            "npm" | "yarn" | "pnpm" => {
                matches!(
                    first,
                    "exec"
                        | "x"
                        | "dlx"
                        | "create"
                        | "init"
                        | "publish"
                        | "login"
                        | "adduser"
                        | "token"
                        | "config"
                        | "set"
                        | "explore"
                        | "edit"
                        | "unpublish"
                        | "owner"
                        | "access"
                        | "link"
                        | "c"
                        | "node"
                ) || text.iter().any(|t| {
                    t.starts_with("--script-shell")
                        || t.starts_with("--prefix")
                        || t.starts_with("-g")
                        || t.starts_with("--global")
                        || t.starts_with("--userconfig")
                        || t.starts_with("--node-options")
                })
            }
            "go" => {
                text.iter().any(|t| {
                    t.contains("-exec")
                        || t.contains("-toolexec")
                        || t.contains("-overlay")
                        || t.contains("-modfile")
                        || t.contains("ldflags")
                        || t == "-C"
                }) || matches!(first, "env" | "generate" | "install" | "get" | "tool")
            }
            "gcc" | "cc" | "clang" | "g++" | "c++" | "clang++" | "rustc" => text.iter().any(|t| {
                t.starts_with('@')
                    || t.starts_with("-wrapper")
                    || t.starts_with("-B")
                    || t.starts_with("-fplugin")
                    || t.starts_with("-Xclang")
                    || t.starts_with("-specs")
                    || t.starts_with("--specs")
                    || t.contains("linker")
                    || t.starts_with("-fuse-ld")
                    || t.starts_with("-load")
                    || t == "-x"
            }),
            "cmake" => {
                has_option(arguments, &['P', 'E', 'C'], &["--install", "--open"])
                    || text.iter().any(|t| t.contains("LAUNCHER") || t.contains("COMPILER"))
            }
            "pip" | "pip3" | "uv" | "poetry" | "hatch" => {
                !matches!(
                    first,
                    "list" | "show" | "freeze" | "check" | "--version" | "lock" | "sync" | "tree"
                ) && (text.iter().any(|t| {
                    t.contains("://")
                        || t.starts_with("--index")
                        || t.starts_with("--extra-index")
                        || t.starts_with("-i")
                        || t.starts_with("--target")
                        || t.starts_with("--prefix")
                        || t.starts_with("--root")
                        || t.starts_with("--config")
                }) || matches!(first, "config" | "self" | "publish" | "tool" | "source")
                    || first == "run" && program != "poetry" && program != "uv")
            }
            "pytest" | "tox" | "nox" => text.iter().any(|t| {
                t.starts_with("-p")
                    || t.starts_with("-c")
                    || t.starts_with("-o")
                    || t.starts_with("--override")
                    || t.starts_with("--rootdir")
                    || t.starts_with("-x=")
            }),
            "eslint" | "jest" | "vitest" | "tsc" => text.iter().any(|t| {
                t.starts_with("--rulesdir")
                    || t.starts_with("--resolve-plugins")
                    || t.starts_with("--plugin")
                    || t.starts_with("--parser")
                    || t.starts_with("--globalSetup")
                    || t.starts_with("--runner")
            }),
            "gradle" | "mvn" => text.iter().any(|t| {
                t.starts_with("-I")
                    || t.starts_with("--init-script")
                    || t.contains("exec:")
                    || t.contains("antrun")
            }),
            "swift" | "dotnet" | "zig" | "mix" | "stack" | "cabal" => !matches!(
                first,
                "build"
                    | "test"
                    | "restore"
                    | "--version"
                    | "fmt"
                    | "format"
                    | "compile"
                    | "deps.get"
                    | "clean"
            ),
            "xcodebuild" | "bazel" | "scons" | "meson" | "ninja" | "ctest" | "pre-commit" => {
                text.iter().any(|t| {
                    t.starts_with("--run_under")
                        || t.starts_with("-f")
                        || t.starts_with("--override_repository")
                })
            }
            _ => false,
        };
        if doubtful {
            self.found.unsure(format!(
                "`{program}` is told to run something else than the work tree says"
            ));
        }
        // `uv run` and `poetry run` run the rest.
        if first == "run" && matches!(program, "uv" | "poetry") {
            let inner = arguments.get(1..).unwrap_or_default();
            if self.judge(inner, None, &mut env.clone()).is_err() {
                self.found.unsure("the line can't be judged");
            }
        }
        for word in arguments {
            self.mentions(word, env);
            self.embedded(word, env);
        }
        self.found.run.push(self.place.root.to_string_lossy().into_owned());
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
            "jq" => &["-f", "--from-file", "-L"],
            "file" => &["-C", "-m", "-f"],
            "column" | "wc" | "du" => &["--files0-from"],
            "diff" => &["--to-file", "--from-file", "-l", "--paginate"],
            "ps" => &["e", "-E"],
            "yq" => &["-i", "--inplace"],
            "uniq" | "hexdump" | "xxd" | "base64" | "column-x" => &[],
            _ => return,
        };
        let mut operands = 0;
        for word in arguments {
            let text = word.pattern();
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
fn one_sed(script: &str) -> Option<&str> {
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
fn past(text: &str, mark: char) -> Option<&str> {
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
