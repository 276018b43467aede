use proptest::prelude::*;

use super::*;

/// Each row: the importing file, the import, and where it leads (empty: nowhere).
fn check(language: Language, files: &str, rows: &[(&str, &str, &str)]) {
    let paths = Paths::new(files.split_whitespace());
    for (from, import, expected) in rows {
        let found = paths.resolve_import(from, language, import);
        assert_eq!(found.unwrap_or_default(), *expected, "{import} in {from}");
    }
}

#[test]
fn rust_modules_are_found_from_their_crate() {
    let files = "src/lib.rs src/main.rs src/http/mod.rs src/http/retry.rs src/http/retry/plan.rs \
        src/http/retry/tests.rs src/yaml.rs src/bin/tool.rs src/http/tests.rs build.rs \
        tests/common/mod.rs tests/smoke.rs tests/it/main.rs tests/it/env.rs tests/it/hooks.rs \
        crates/wire-format/src/lib.rs crates/wire-format/src/frame.rs crates/wire-format/out.rs \
        a/twin/src/lib.rs b/twin/src/lib.rs odd/src/part/deep.rs odd/src/part.rs";
    check(
        Language::Rust,
        files,
        &[
            ("src/yaml.rs", "crate::http::retry::Policy", "src/http/retry.rs"),
            ("src/yaml.rs", "crate::http::Client", "src/http/mod.rs"),
            ("src/yaml.rs", "crate::http::{Client, retry}", "src/http/mod.rs"),
            ("src/yaml.rs", "crate::http::retry as again", "src/http/retry.rs"),
            ("src/yaml.rs", "crate::r#http", "src/http/mod.rs"),
            ("src/yaml.rs", "crate::Error", "src/lib.rs"),
            ("src/main.rs", "crate::Error", "src/main.rs"),
            ("src/http/retry.rs", "super::Client", "src/http/mod.rs"),
            ("src/http/retry.rs", "super::super::yaml::read", "src/yaml.rs"),
            ("src/http/retry.rs", "super::super::Error", "src/lib.rs"),
            ("src/http/retry.rs", "super::super::super::x", ""),
            ("src/http/retry.rs", "self::plan::Plan", "src/http/retry/plan.rs"),
            ("src/http/retry.rs", "self::Policy", "src/http/retry.rs"),
            ("src/http/retry.rs", "mod plan", "src/http/retry/plan.rs"),
            ("src/http/retry.rs", "mod retry", ""),
            ("src/http/mod.rs", "mod retry;", "src/http/retry.rs"),
            ("src/http/mod.rs", "retry::Policy", "src/http/retry.rs"),
            ("src/lib.rs", "mod yaml", "src/yaml.rs"),
            ("src/http/retry/plan.rs", "super::Policy", "src/http/retry.rs"),
            ("src/http/retry/tests.rs", "super::*", "src/http/retry.rs"),
            ("src/http/tests.rs", "super::*", "src/http/mod.rs"),
            ("src/http/retry/plan.rs", "super::*", ""),
            ("src/lib.rs", "super::x", ""),
            ("tests/smoke.rs", "mod common", "tests/common/mod.rs"),
            ("tests/smoke.rs", "crate::common::x", "tests/common/mod.rs"),
            ("tests/smoke.rs", "crate::x", "tests/smoke.rs"),
            ("tests/it/hooks.rs", "crate::env::TestEnv", "tests/it/env.rs"),
            ("src/bin/tool.rs", "crate::x", "src/bin/tool.rs"),
            ("src/yaml.rs", "wire_format::frame::Frame", "crates/wire-format/src/frame.rs"),
            ("src/yaml.rs", "::wire_format::Frame", "crates/wire-format/src/lib.rs"),
            ("crates/wire-format/src/frame.rs", "super::super::out::x", ""),
            ("src/yaml.rs", "twin::x", ""),
            ("src/yaml.rs", "serde::Serialize", ""),
            ("src/yaml.rs", "crate::../lib", ""),
            ("odd/src/part/deep.rs", "crate::part::x", "odd/src/part.rs"),
            ("odd/src/part/deep.rs", "super::x", "odd/src/part.rs"),
        ],
    );
}

#[test]
fn python_packages_are_searched_like_python_does() {
    let files = "app/__init__.py app/main.py app/json.py app/models/__init__.py app/models/user.py \
        lib/src/tool/__init__.py lib/src/tool/run.py lib/tests/test_run.py scripts/go.py \
        scripts/helper.py deep/er/pkg/mod.py stubs/typed.pyi x/twin/mod.py y/twin/mod.py";
    check(
        Language::Python,
        files,
        &[
            ("app/main.py", ".models", "app/models/__init__.py"),
            ("app/main.py", ".models.user", "app/models/user.py"),
            ("app/main.py", ".models.User", "app/models/__init__.py"),
            ("app/main.py", ".", "app/__init__.py"),
            ("app/models/user.py", "..main.run", "app/main.py"),
            ("app/models/__init__.py", ".user", "app/models/user.py"),
            ("app/models/user.py", "..", "app/__init__.py"),
            ("app/models/user.py", "....main", ""),
            ("app/main.py", "app.models.user.User", "app/models/user.py"),
            ("app/main.py", "app.models", "app/models/__init__.py"),
            ("app/main.py", "json", ""),
            ("scripts/go.py", "helper", "scripts/helper.py"),
            ("scripts/go.py", "app.main as m", "app/main.py"),
            ("lib/tests/test_run.py", "tool.run", "lib/src/tool/run.py"),
            ("lib/tests/test_run.py", "tool", "lib/src/tool/__init__.py"),
            ("app/main.py", "pkg.mod", "deep/er/pkg/mod.py"),
            ("app/main.py", "pkg.mod.Item", "deep/er/pkg/mod.py"),
            ("app/main.py", "twin.mod", ""),
            ("stubs/a.py", "typed", "stubs/typed.pyi"),
            ("app/main.py", "mod", ""),
            ("app/main.py", "../app/main", ""),
            ("app/main.py", ".a/b", ""),
        ],
    );
}

#[test]
fn scripts_are_found_with_their_extension_or_index() {
    let files = "web/src/app.ts web/src/api/index.ts web/src/api/user.tsx web/src/api/data.json \
        web/src/old.js web/src/types.d.ts web/lib/x.mjs index.js top.ts";
    check(
        Language::JavaScript,
        files,
        &[
            ("web/src/app.ts", "./api", "web/src/api/index.ts"),
            ("web/src/app.ts", "./api/", "web/src/api/index.ts"),
            ("web/src/app.ts", "./api/user", "web/src/api/user.tsx"),
            ("web/src/app.ts", "./api/user.js", "web/src/api/user.tsx"),
            ("web/src/app.ts", "./old.js?raw", "web/src/old.js"),
            ("web/src/app.ts", "./types", "web/src/types.d.ts"),
            ("web/src/app.ts", "../lib/x.mjs", "web/lib/x.mjs"),
            ("web/src/api/user.tsx", ".", "web/src/api/index.ts"),
            ("web/src/api/user.tsx", "..", ""),
            ("web/src/api/user.tsx", "../app", "web/src/app.ts"),
            ("web/src/app.ts", "@/api/user", "web/src/api/user.tsx"),
            ("web/src/app.ts", "~/top", "top.ts"),
            ("web/src/app.ts", "react", ""),
            ("web/src/app.ts", "@scope/app", ""),
            ("web/src/app.ts", "../../..", ""),
            ("web/src/app.ts", "../..", "index.js"),
            ("web/src/app.ts", "../../../web/src/app", ""),
            ("web/src/app.ts", "@/../../../top", ""),
            ("web/src/app.ts", "/web/src/app", ""),
        ],
    );
}

#[test]
fn go_packages_are_folders() {
    let files = "go.mod main.go internal/retry/retry.go internal/retry/backoff.go \
        internal/http/client.go internal/http/a_test.go errors/errors.go x/store/b.go y/store/b.go \
        only/a_test.go";
    check(
        Language::Go,
        files,
        &[
            ("main.go", "github.com/otter/den/internal/retry", "internal/retry/retry.go"),
            ("main.go", "example.com/den/internal/http", "internal/http/client.go"),
            ("main.go", "den/internal/http", "internal/http/client.go"),
            ("main.go", "github.com/pkg/errors", ""),
            ("main.go", "github.com/otter/den/errors", "errors/errors.go"),
            ("main.go", "net/http", ""),
            ("main.go", "errors", ""),
            ("main.go", "den/store", ""),
            ("main.go", "den/x/store", "x/store/b.go"),
            ("main.go", "den/only", "only/a_test.go"),
        ],
    );
}

#[test]
fn includes_classes_scripts_and_units() {
    check(
        Language::C,
        "src/a.c src/a.h include/den/b.h lib/c.h alt/c.h util.h x/util.h",
        &[
            ("src/a.c", "a.h", "src/a.h"),
            ("src/a.c", "./a.h", "src/a.h"),
            ("src/a.c", "den/b.h", "include/den/b.h"),
            ("src/a.c", "<b.h>", "include/den/b.h"),
            ("src/a.c", "c.h", ""),
            ("src/a.c", "util.h", ""),
            ("x/a.c", "util.h", "x/util.h"),
            ("src/a.c", "../lib/c.h", "lib/c.h"),
            ("src/a.c", "../../lib/c.h", ""),
            ("src/a.c", "/lib/c.h", ""),
            ("src/a.c", "stdio.h", ""),
        ],
    );
    check(
        Language::Java,
        "app/main/org/den/Otter.java app/main/org/den/Den.java List.java",
        &[
            ("app/main/org/den/Den.java", "org.den.Otter", "app/main/org/den/Otter.java"),
            (
                "app/main/org/den/Den.java",
                "static org.den.Otter.Paw.MAX;",
                "app/main/org/den/Otter.java",
            ),
            ("app/main/org/den/Den.java", "org.den.*", ""),
            ("app/main/org/den/Den.java", "java.util.List", ""),
        ],
    );
    check(
        Language::Shell,
        "ci/run.sh ci/lib/log.sh tools/env.sh hooks/_common",
        &[
            ("ci/run.sh", "source ./lib/log.sh", "ci/lib/log.sh"),
            ("ci/run.sh", ". tools/env.sh", "tools/env.sh"),
            ("ci/run.sh", "lib/log.sh", "ci/lib/log.sh"),
            ("ci/run.sh", "source \"$(dirname \"$0\")/lib/log.sh\"", "ci/lib/log.sh"),
            ("ci/run.sh", "${HERE}/../tools/env.sh", "tools/env.sh"),
            ("ci/run.sh", "$ROOT/tools/env.sh", "tools/env.sh"),
            ("hooks/pre", ". \"${0%/*}/_common\"", "hooks/_common"),
            ("ci/run.sh", "lib/$NAME.sh", ""),
            ("ci/run.sh", "x/$NAME/log.sh", ""),
            ("ci/run.sh", "../../etc/run.sh", ""),
            ("ci/run.sh", "/etc/profile", ""),
        ],
    );
    check(
        Language::Unit,
        "units/app.service units/app@.service units/db.service old/db.service x/mail.timer \
            scripts/run.sh bin/serve test app/main.py a/twin.sh b/twin.sh",
        &[
            ("units/app.service", "db.service", "units/db.service"),
            ("units/app.service", "app@eu.service", "units/app@.service"),
            ("units/app.service", "mail.timer", "x/mail.timer"),
            ("x/mail.timer", "db.service", ""),
            ("units/app.service", "network.target", ""),
            ("units/app.service", "-/opt/den/scripts/run.sh --fast", "scripts/run.sh"),
            ("units/app.service", "/opt/den/bin/serve", "bin/serve"),
            ("units/app.service", "/usr/bin/test -f /etc/x", ""),
            ("units/app.service", "/usr/bin/python3 -u /srv/app/main.py", "app/main.py"),
            ("units/app.service", "/opt/twin.sh", ""),
            ("units/app.service", "/opt/../scripts/run.sh", ""),
            ("units/app.service", "After db.service", "units/db.service"),
        ],
    );
}

#[test]
fn paths_are_known_by_their_whole_parts() {
    let paths = Paths::new(["b/a.rs", "a.rs", "c/b/a.rs", "x/ba.rs", "", "/abs", "x/../y", "./z"]);
    for (end, expected) in [
        ("a.rs", None),
        ("b/a.rs", Some("b/a.rs")),
        ("c/b/a.rs", Some("c/b/a.rs")),
        ("ba.rs", Some("x/ba.rs")),
        ("", None),
        ("y", None),
        ("/a.rs", None),
        ("abs", None),
    ] {
        assert_eq!(paths.ending(end), expected, "{end}");
    }
    assert_eq!(paths.get("x/ba.rs"), Some("x/ba.rs"));
    assert_eq!(paths.get("./z"), None);
}

const LANGUAGES: [Language; 8] = [
    Language::Rust,
    Language::Python,
    Language::JavaScript,
    Language::Go,
    Language::C,
    Language::Java,
    Language::Shell,
    Language::Unit,
];

fn part() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(vec![
        "a", "b", "src", "tests", "mod.rs", "lib.rs", "a.rs", "a.py", "__init__.py", "index.ts",
        "a.h", "a.go", "A.java", "a.sh", "a.service", "é.ts",
    ])
}

fn import() -> impl Strategy<Value = String> {
    let word = proptest::sample::select(vec![
        "a", "b", "crate", "super", "self", "mod ", "::", ".", "..", "/", "./", "../", "@/", "$",
        "*", "{", "A", "é", "a.h", "a.service", "a.sh", "\0", " ", "source ", "github.com",
    ]);
    proptest::collection::vec(word, 0..9).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn nothing_but_known_paths_is_ever_named(
        files in proptest::collection::vec(proptest::collection::vec(part(), 1..5), 0..20),
        from in proptest::collection::vec(part(), 0..5),
        import in prop_oneof![import(), "\\PC{0,20}"],
    ) {
        let files: Vec<String> = files.iter().map(|parts| parts.join("/")).collect();
        let paths = Paths::new(&files);
        for language in LANGUAGES {
            let found = paths.resolve_import(&from.join("/"), language, &import);
            prop_assert!(found.is_none_or(|path| files.iter().any(|file| file == path)));
        }
    }

    #[test]
    fn ends_are_looked_up_as_a_plain_search_would(
        files in proptest::collection::vec(proptest::collection::vec(part(), 1..4), 0..20),
        end in proptest::collection::vec(part(), 1..3),
    ) {
        let mut files: Vec<String> = files.iter().map(|parts| parts.join("/")).collect();
        files.sort();
        files.dedup();
        let end = end.join("/");
        let inside = format!("/{end}");
        let fitting: Vec<&String> =
            files.iter().filter(|file| **file == end || file.ends_with(&inside)).collect();
        let expected = match fitting.as_slice() {
            _ if end.contains('/') && files.contains(&end) => Some(end.as_str()),
            [file] => Some(file.as_str()),
            _ => None,
        };
        let paths = Paths::new(&files);
        prop_assert_eq!(paths.ending(&end), expected);
    }
}
