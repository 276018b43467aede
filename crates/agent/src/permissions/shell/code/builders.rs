//! Programs that run what the work tree says.

use super::{Env, Walker, Word, has_option};

impl Walker<'_> {
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
                        "--file", "--makefile", "--eval", "--include-dir", "--justfile",
                        "--command", "--shell", "--shell-arg",
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
