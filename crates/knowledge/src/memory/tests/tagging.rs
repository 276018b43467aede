//! Tags that a lesson's texts suggest.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(texts: [&str; 3], expected: &str) {
    let [command, context, lesson] = texts;
    assert_eq!(derive_tags(command, context, lesson).join(" "), expected);
}

#[test]
fn tags_of_lessons() {
    check(["", "", ""], "");
    check(
        [
            "sudo npm install -g vercel",
            "Error: EACCES: permission denied, mkdir '/usr/local/lib/node_modules'",
            "Set a prefix in .npmrc",
        ],
        "npm eacces node-modules npmrc vercel",
    );
    check(
        [
            "npm ci",
            "ERESOLVE with package-lock.json",
            "Delete package-lock.json, then npm install.",
        ],
        "npm eresolve package-lock",
    );
    check(["", "COPY failed", "The Dockerfile had .dockerignore"], "dockerfile dockerignore");
    check(["cargo build", "error[E0502]: cannot borrow", "clone it"], "cargo e0502");
    check(["", "the pod was killed with SIGKILL (exit code 137)", "more memory"], "sigkill");
    check(["curl -I https://x.test", "got a 404", "add the slash"], "curl 404");
    check(["", "the and of it", "make it go node next"], "");
    check(["a && b && c && d && e && f", "EPERM", "npm"], "a b c eperm npm");
    check(["", "?!?! 🦦 \u{202e}\0", "。。。"], "");
}

proptest! {
    #[test]
    fn few_and_tidy(command: String, context: String, lesson in "[ -~\n]{0,200}") {
        let tags = derive_tags(&command, &context, &lesson);
        prop_assert!(tags.len() <= 5);
        prop_assert_eq!(&tags::check(&tags), &Ok(tags.clone()));
        prop_assert_eq!(derive_tags(&command, &context, &lesson), tags);
        let shell = derive_tags(&lesson, "", "");
        prop_assert_eq!(&tags::check(&shell), &Ok(shell.clone()));
    }
}
