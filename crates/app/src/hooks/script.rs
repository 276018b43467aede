//! The text of our block, and which scripts can hold it (pure).
//!
//! The block is for any POSIX shell. It is made to stand first in a script of somebody else: it
//! leaves standard input alone, sets no option, holds under `set -eu`, and comes to an end without
//! leaving a variable behind. A program that is missing, fails or crashes changes nothing; only
//! exit code 1 of pre-commit ends the script.

use std::path::{Path, PathBuf};

use super::HookName;
use crate::init::managed_block::{END, START};
use elophanto_base::platform;

/// Added to the name of a user's hook that cannot hold our block.
pub const SAVED_SUFFIX: &str = ".elophanto-saved";
/// First line of a file of ours.
pub const SHEBANG: &[u8] = b"#!/bin/sh\n";

/// A script this large is not read for a place to put our block.
const MOST_BYTES: usize = 512 * 1024;
const ADDED: &str = "# Added by `elophanto hook install`; `elophanto hook uninstall` takes it out.";
const WRITTEN: &str =
    "# Written by `elophanto hook install`; lines of your own go below the block.";
const PROGRAM: &[u8] = b"elophanto_program=";

/// What our block is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A script of the user.
    Within,
    /// A file of ours where there was none.
    Alone,
    /// A file of ours that hands over to the user's hook, which was moved aside.
    Chain,
}

/// The block with its markers.
pub fn block(name: HookName, role: Role, program: &Path) -> Vec<u8> {
    let says = if role == Role::Within { ADDED } else { WRITTEN };
    let call = call("\"$elophanto_program\"", name);
    let mut text = format!("{START}\n{says}\n").into_bytes();
    text.extend_from_slice(PROGRAM);
    text.extend(quoted(program));
    text.extend_from_slice(
        format!(
            r#"
[ -x "$elophanto_program" ] || elophanto_program=$(command -v elophanto) || elophanto_program=
if [ -n "$elophanto_program" ]; then
  {call}
fi
unset elophanto_program
"#
        )
        .as_bytes(),
    );
    if role == Role::Chain {
        let name = name.as_str();
        text.extend_from_slice(
            format!(
                r#"# The hook that was here before; `-x` is what git itself asks.
case $0 in */*) elophanto_saved=${{0%/*}} ;; *) elophanto_saved=. ;; esac
elophanto_saved=$elophanto_saved/{name}{SAVED_SUFFIX}
if [ -x "$elophanto_saved" ]; then exec "$elophanto_saved" "$@"; fi
"#
            )
            .as_bytes(),
        );
    }
    text.extend_from_slice(END.as_bytes());
    text.push(b'\n');
    text
}

/// A whole file of ours.
pub fn whole(name: HookName, role: Role, program: &Path) -> Vec<u8> {
    [SHEBANG, &block(name, role, program)].concat()
}

/// The line that does the same in a hook that is not ours to write.
pub fn by_hand(name: HookName) -> String {
    call("elophanto", name)
}

/// Runs the hook; nothing but exit code 1 of pre-commit has a say over what git does.
fn call(program: &str, name: HookName) -> String {
    let otherwise = if name == HookName::PreCommit { "[ $? -ne 1 ] || exit 1" } else { ":" };
    format!("{program} hook run {} \"$@\" </dev/null || {otherwise}", name.as_str())
}

/// Whether a block says that the file around it is ours.
pub fn says_written(block: &[u8]) -> bool {
    block.split(|byte| *byte == b'\n').any(|line| line.trim_ascii() == WRITTEN.as_bytes())
}

/// Whether a block hands over to a saved hook.
pub fn says_saved(block: &[u8]) -> bool {
    block.windows(SAVED_SUFFIX.len()).any(|word| word == SAVED_SUFFIX.as_bytes())
}

/// The program that a block names.
pub fn program_in(block: &[u8]) -> Option<PathBuf> {
    let mut lines = block.split(|byte| *byte == b'\n');
    let mut rest = lines.find_map(|line| line.trim_ascii().strip_prefix(PROGRAM))?;
    let mut path = Vec::new();
    // Quoted pieces with `\'` between them, as `quoted` writes them.
    loop {
        let piece = rest.strip_prefix(b"'")?;
        let end = piece.iter().position(|byte| *byte == b'\'')?;
        path.extend_from_slice(&piece[..end]);
        rest = &piece[end + 1..];
        match rest.strip_prefix(br"\'") {
            Some(after) => {
                path.push(b'\'');
                rest = after;
            }
            None => break,
        }
    }
    (rest.is_empty() && !path.is_empty()).then(|| platform::path(&path).to_owned())
}

/// Whether lines put right after the first one run as shell commands, and nothing else changes.
pub fn takes_block(script: &[u8]) -> bool {
    let first = script.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let Some(command) = first.strip_prefix(b"#!") else { return false };
    // A carriage return is part of the interpreter's name to the kernel. Bytes behind a script
    // may be found by their line number.
    if script.len() > MOST_BYTES || first.contains(&b'\r') || script.contains(&0) {
        return false;
    }
    let Ok(command) = std::str::from_utf8(command) else { return false };
    let mut words = command.split([' ', '\t']).filter(|word| !word.is_empty());
    let base = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let mut interpreter = words.next().map(base);
    if interpreter.as_deref() == Some("env") {
        interpreter = words.find(|word| *word != "-S").map(base);
    }
    let shell = matches!(interpreter.as_deref(), Some("sh" | "bash" | "dash" | "zsh" | "ksh"));
    shell && words.all(is_harmless_option)
}

/// Options of a shell that leave our block as it is: such as `-eu`, not such as `-n` or `-r`.
fn is_harmless_option(word: &str) -> bool {
    let letters = word.strip_prefix('-').unwrap_or("?");
    word == "--" || letters.bytes().all(|letter| b"aefluvxE".contains(&letter))
}

/// A path as one word of a shell. A line feed would break our block, so such a path is left out,
/// and the program is looked for in `PATH`.
fn quoted(path: &Path) -> Vec<u8> {
    let mut text = vec![b'\''];
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\n' => return b"''".to_vec(),
            b'\'' => text.extend_from_slice(br"'\''"),
            byte => text.push(*byte),
        }
    }
    text.push(b'\'');
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_block_in_full() {
        let text = |name, role| {
            String::from_utf8(whole(name, role, Path::new("/opt/it's/elophanto"))).unwrap()
        };
        insta::assert_snapshot!(text(HookName::PreCommit, Role::Chain), @r##"
        #!/bin/sh
        # >>> elophanto >>>
        # Written by `elophanto hook install`; lines of your own go below the block.
        elophanto_program='/opt/it'\''s/elophanto'
        [ -x "$elophanto_program" ] || elophanto_program=$(command -v elophanto) || elophanto_program=
        if [ -n "$elophanto_program" ]; then
          "$elophanto_program" hook run pre-commit "$@" </dev/null || [ $? -ne 1 ] || exit 1
        fi
        unset elophanto_program
        # The hook that was here before; `-x` is what git itself asks.
        case $0 in */*) elophanto_saved=${0%/*} ;; *) elophanto_saved=. ;; esac
        elophanto_saved=$elophanto_saved/pre-commit.elophanto-saved
        if [ -x "$elophanto_saved" ]; then exec "$elophanto_saved" "$@"; fi
        # <<< elophanto <<<
        "##);
        insta::assert_snapshot!(text(HookName::PostMerge, Role::Within), @r##"
        #!/bin/sh
        # >>> elophanto >>>
        # Added by `elophanto hook install`; `elophanto hook uninstall` takes it out.
        elophanto_program='/opt/it'\''s/elophanto'
        [ -x "$elophanto_program" ] || elophanto_program=$(command -v elophanto) || elophanto_program=
        if [ -n "$elophanto_program" ]; then
          "$elophanto_program" hook run post-merge "$@" </dev/null || :
        fi
        unset elophanto_program
        # <<< elophanto <<<
        "##);
    }

    #[test]
    fn scripts_that_take_the_block() {
        for (script, expected) in [
            ("#!/bin/sh\n", true),
            ("#!/bin/sh", true),
            ("#! /usr/local/bin/bash -eu\necho\n", true),
            ("#!/usr/bin/env bash\n", true),
            ("#!/usr/bin/env -S zsh -f\n", true),
            ("#!/bin/ksh\n", true),
            ("#!/bin/dash -e --\n", true),
            ("#!/bin/sh\necho\r\n", true),
            ("#!/bin/sh\r\n", false),
            ("#!/bin/bash -r\n", false),
            ("#!/bin/sh -n\n", false),
            ("#!/bin/bash -c\n", false),
            ("#!/bin/bash --posix\n", false),
            ("#!/bin/sh script\n", false),
            ("#!/usr/bin/env A=b sh\n", false),
            ("#!/usr/bin/env\n", false),
            ("#!/usr/bin/env python3\n", false),
            ("#!/usr/bin/fish\n", false),
            ("#!/usr/bin/perl\n", false),
            ("#!\n", false),
            ("#!/bin/sh\nexit\n\0", false),
            ("\u{feff}#!/bin/sh\n", false),
            (" #!/bin/sh\n", false),
            ("echo\n", false),
            ("\u{7f}ELF", false),
            ("", false),
        ] {
            assert_eq!(takes_block(script.as_bytes()), expected, "{script:?}");
        }
    }

    /// The thin scripts for people who copy hooks are kept beside, and do the same.
    #[test]
    fn thin_scripts_say_what_the_block_says() {
        for (name, text) in [
            (HookName::PreCommit, include_str!("../../../../hooks/pre-commit")),
            (HookName::PostMerge, include_str!("../../../../hooks/post-merge")),
            (HookName::PostCommit, include_str!("../../../../hooks/post-commit")),
            (HookName::PostCheckout, include_str!("../../../../hooks/post-checkout")),
            (HookName::PostRewrite, include_str!("../../../../hooks/post-rewrite")),
        ] {
            assert!(text.lines().any(|line| line == by_hand(name)), "{text}");
        }
    }

    #[test]
    fn no_program_is_read_out_of_a_damaged_block() {
        for text in [
            "", "elophanto_program=", "elophanto_program=''", "elophanto_program='a",
            "elophanto_program=/a", "elophanto_program='a'b",
        ] {
            assert_eq!(program_in(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn the_program_named_is_read_back(path in "/[a-z'\\\\ $`\"\u{e9}]{0,12}x") {
            for role in [Role::Within, Role::Alone, Role::Chain] {
                let text = block(HookName::PreCommit, role, Path::new(&path));
                prop_assert_eq!(program_in(&text), Some(PathBuf::from(&path)));
                prop_assert_eq!(says_written(&text), role != Role::Within);
                prop_assert_eq!(says_saved(&text), role == Role::Chain);
            }
        }
    }
}
