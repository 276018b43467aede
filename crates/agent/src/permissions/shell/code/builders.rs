//! Programs that run what the work tree says.

use super::{Env, Walker, Word, has_option};

impl Walker<'_> {
    /// Programs that run what the work tree says.
    pub fn builder(&mut self, program: &str, arguments: &[Word], env: &Env) {
        let text: Vec<String> = arguments.iter().map(Word::pattern).collect();
        let first = text.first().map(String::as_str).unwrap_or_default();
        let is_first = |words: &[&str]| words.contains(&first);
        let has = |words: &[&str]| text.iter().any(|t| words.contains(&t.as_str()));
        let any_begins =
            |starts: &[&str]| text.iter().any(|t| starts.iter().any(|start| t.starts_with(start)));
        let any_holds =
            |parts: &[&str]| text.iter().any(|t| parts.iter().any(|part| t.contains(part)));
        let doubtful = match program {
            "make" | "gmake" | "bmake" | "just" => {
                has_option(
                    arguments,
                    &['f', 'E', 'I'],
                    &[
                        "--file", "--makefile", "--eval", "--include-dir", "--justfile",
                        "--command", "--shell", "--shell-arg",
                    ],
                ) || any_holds(&["=", "$"])
            }
            "cargo" => {
                any_begins(&["--config", "-Z"])
                    || has(&["--target-dir"])
                    || is_first(&[
                        "install", "publish", "login", "owner", "yank", "uninstall", "logout",
                        "script", "eval",
                    ])
            }
            "npm" | "yarn" | "pnpm" => {
                is_first(&[
                    "exec", "x", "dlx", "create", "init", "publish", "login", "adduser", "token",
                    "config", "set", "explore", "edit", "unpublish", "owner", "access", "link",
                    "c", "node",
                ]) || any_begins(&[
                    "--script-shell", "--prefix", "-g", "--global", "--userconfig",
                    "--node-options",
                ])
            }
            "go" => {
                any_holds(&["-exec", "-toolexec", "-overlay", "-modfile", "ldflags"])
                    || has(&["-C"])
                    || is_first(&["env", "generate", "install", "get", "tool"])
            }
            "gcc" | "cc" | "clang" | "g++" | "c++" | "clang++" | "rustc" => {
                any_begins(&[
                    "@", "-wrapper", "-B", "-fplugin", "-Xclang", "-specs", "--specs", "-fuse-ld",
                    "-load",
                ]) || any_holds(&["linker"])
                    || has(&["-x"])
            }
            "cmake" => {
                has_option(arguments, &['P', 'E', 'C'], &["--install", "--open"])
                    || any_holds(&["LAUNCHER", "COMPILER"])
            }
            "pip" | "pip3" | "uv" | "poetry" | "hatch" => {
                !is_first(&["list", "show", "freeze", "check", "--version", "lock", "sync", "tree"])
                    && (any_holds(&["://"])
                        || any_begins(&[
                            "--index", "--extra-index", "-i", "--target", "--prefix", "--root",
                            "--config",
                        ])
                        || is_first(&["config", "self", "publish", "tool", "source"])
                        || first == "run" && program != "poetry" && program != "uv")
            }
            "pytest" | "tox" | "nox" => {
                any_begins(&["-p", "-c", "-o", "--override", "--rootdir", "-x="])
            }
            "eslint" | "jest" | "vitest" | "tsc" => any_begins(&[
                "--rulesdir", "--resolve-plugins", "--plugin", "--parser", "--globalSetup",
                "--runner",
            ]),
            "gradle" | "mvn" => {
                any_begins(&["-I", "--init-script"]) || any_holds(&["exec:", "antrun"])
            }
            "swift" | "dotnet" | "zig" | "mix" | "stack" | "cabal" => !is_first(&[
                "build", "test", "restore", "--version", "fmt", "format", "compile", "deps.get",
                "clean",
            ]),
            "xcodebuild" | "bazel" | "scons" | "meson" | "ninja" | "ctest" | "pre-commit" => {
                any_begins(&["--run_under", "-f", "--override_repository"])
            }
            _ => false,
        };
        if installs_named(program, &text) {
            self.found.unsure(format!("`{program}` fetches a package and may run its code"));
        }
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
        self.runs_rest(arguments, env);
        for word in arguments {
            self.mentions(word, env);
            self.embedded(word, env);
            self.stays_inside(program, word, env);
        }
        self.found.run.push(self.place.root.to_string_lossy().into_owned());
    }
}

/// Whether packages are named that the work tree does not list.
pub(super) fn installs_named(program: &str, arguments: &[String]) -> bool {
    let adds = match program {
        "pip" | "pip3" => &["install", "download", "wheel"][..],
        "npm" | "pnpm" => &["install", "i", "add", "update"],
        "yarn" | "uv" | "poetry" => &["add", "pip"],
        _ => return false,
    };
    let mut words = arguments.iter().filter(|word| !word.starts_with('-'));
    let install = words.next().is_some_and(|word| adds.contains(&word.as_str()));
    let listed = |word: &String| word == "." || word.starts_with("./") || word.ends_with(".txt");
    install && !words.all(listed)
}
