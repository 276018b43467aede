//! From what lies at a hook's path to what has to be done (pure).

use std::path::{Path, PathBuf};

use super::{
    HookName,
    script::{self, Role, SHEBANG},
};
use crate::init::managed_block::{BlockError, split};
use elophanto_base::named;

/// What lies in the hooks folder under the name of one hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Present {
    pub found: Found,
    pub saved: Saved,
}

/// What lies at the hook's own path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    Nothing,
    /// A regular file.
    File {
        bytes: Vec<u8>,
        executable: bool,
    },
    /// A link, or a file too large to be looked into.
    Opaque,
}

/// What lies where a user's hook is moved to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Saved {
    Nothing,
    /// Another name of what lies at the hook's own path: moving it aside was cut short.
    Same,
    Other,
}

/// What has to be done with one hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// It is as it should be.
    Keep,
    /// These bytes take the place of the file, which keeps its mode.
    Edit(Vec<u8>),
    /// This script of ours takes the place of whatever of ours was there.
    Put(Vec<u8>),
    /// The user's hook gets its saved name, then this script of ours takes its place.
    MoveAside(Vec<u8>),
    /// The saved hook takes its place again.
    MoveBack,
    /// The file is ours alone and goes.
    Remove,
    /// The second name of a user's hook goes.
    RemoveSaved,
}

/// Why nothing can be done; what is said of it is said by who knows the path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Block(BlockError),
    NotRun,
    Edited,
    InTheWay,
}

named! {
    /// Whether a hook runs us.
    pub enum State, name {
        /// Our block is there as `install` would write it.
        Installed = "installed",
        /// Our block is there, and is not what `install` would write.
        Altered = "altered",
        /// There is no block of ours.
        Missing = "missing",
    }
}

named! {
    /// Where a hook of the user stands.
    pub enum Foreign, name {
        /// Where git looks, without us.
        Alone = "alone",
        /// In one file with our block.
        SameFile = "same-file",
        /// Moved aside; ours hands over to it.
        Saved = "saved",
    }
}

/// How one hook stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Whether it runs us.
    pub state: State,
    /// Somebody else's hook that stands beside ours.
    pub foreign: Option<Foreign>,
    /// The program that the block names.
    pub program: Option<PathBuf>,
}

/// What a hook is made of.
enum Shape<'a> {
    Nothing,
    /// A hook that we have no part in.
    Foreign(&'a Found),
    Ours(Ours<'a>),
}

struct Ours<'a> {
    role: Role,
    before: &'a [u8],
    block: &'a [u8],
    after: &'a [u8],
    executable: bool,
}

impl Ours<'_> {
    /// Whether all of the file is ours.
    fn is_whole(&self) -> bool {
        self.role != Role::Within && self.before == SHEBANG && self.after.is_empty()
    }

    /// Whether git runs the file, and the file the block.
    fn is_run(&self) -> bool {
        self.executable && script::takes_block(self.before)
    }

    /// The file with another block where this one stands.
    fn with(&self, block: &[u8]) -> Vec<u8> {
        let block = if self.is_open() { without_line_feed(block) } else { block };
        [self.before, block, self.after].concat()
    }

    fn without(&self) -> Vec<u8> {
        // A script that did not end in a line feed was given one for our block to begin a line.
        let before = if self.is_open() { without_line_feed(self.before) } else { self.before };
        [before, self.after].concat()
    }

    /// Whether the block ends the file without a line feed.
    fn is_open(&self) -> bool {
        !self.block.ends_with(b"\n")
    }
}

/// What to do so that the hook runs `program`.
pub fn install(name: HookName, present: &Present, program: &Path) -> Result<Step, Refusal> {
    match shape(present)? {
        Shape::Nothing if present.saved == Saved::Nothing => {
            Ok(Step::Put(script::whole(name, Role::Alone, program)))
        }
        Shape::Nothing => Ok(Step::Put(script::whole(name, Role::Chain, program))),
        Shape::Foreign(Found::File { bytes, executable: true }) if script::takes_block(bytes) => {
            Ok(Step::Edit(insert(bytes, &script::block(name, Role::Within, program))))
        }
        Shape::Foreign(_) if present.saved == Saved::Other => Err(Refusal::InTheWay),
        Shape::Foreign(_) => Ok(Step::MoveAside(script::whole(name, Role::Chain, program))),
        Shape::Ours(ours) if ours.is_whole() => {
            let bytes = script::whole(name, ours.role, program);
            let same = ours.executable && ours.with(ours.block) == bytes;
            Ok(if same { Step::Keep } else { Step::Put(bytes) })
        }
        Shape::Ours(ours) if !ours.is_run() => Err(Refusal::NotRun),
        Shape::Ours(ours) => {
            let bytes = ours.with(&script::block(name, ours.role, program));
            Ok(if bytes == ours.with(ours.block) { Step::Keep } else { Step::Edit(bytes) })
        }
    }
}

/// What to do so that the hook is as it was before us.
pub fn uninstall(present: &Present) -> Result<Step, Refusal> {
    Ok(match shape(present)? {
        Shape::Nothing if present.saved == Saved::Nothing => Step::Keep,
        Shape::Nothing => Step::MoveBack,
        Shape::Foreign(_) if present.saved == Saved::Same => Step::RemoveSaved,
        Shape::Foreign(_) => Step::Keep,
        Shape::Ours(ours) => match ours.role {
            Role::Chain if ours.is_whole() => Step::MoveBack,
            Role::Chain => return Err(Refusal::Edited),
            Role::Alone if ours.is_whole() => Step::Remove,
            Role::Alone | Role::Within => Step::Edit(ours.without()),
        },
    })
}

/// How the hook stands.
pub fn standing(name: HookName, present: &Present) -> Result<Standing, Refusal> {
    Ok(match shape(present)? {
        Shape::Nothing => Standing { state: State::Missing, foreign: None, program: None },
        Shape::Foreign(_) => {
            Standing { state: State::Missing, foreign: Some(Foreign::Alone), program: None }
        }
        Shape::Ours(ours) => {
            let program = script::program_in(ours.block);
            // Without a program the block looks in `PATH`, and names none.
            let named = program.as_deref().unwrap_or(Path::new(""));
            let expected = script::block(name, ours.role, named);
            let same = ours.with(&expected) == ours.with(ours.block);
            let state = if same && ours.is_run() { State::Installed } else { State::Altered };
            let foreign = match ours.role {
                Role::Chain => Some(Foreign::Saved),
                _ if ours.is_whole() => None,
                _ => Some(Foreign::SameFile),
            };
            Standing { state, foreign, program }
        }
    })
}

fn shape(present: &Present) -> Result<Shape<'_>, Refusal> {
    let Found::File { bytes, executable } = &present.found else {
        return Ok(match present.found {
            Found::Nothing => Shape::Nothing,
            _ => Shape::Foreign(&present.found),
        });
    };
    let Some([before, block, after]) = split(bytes).map_err(Refusal::Block)? else {
        return Ok(Shape::Foreign(&present.found));
    };
    // The folder decides, not the wording: whoever finds a saved hook beside a file of ours must
    // not lose it.
    let alone = before == SHEBANG && after.is_empty();
    let role = if present.saved != Saved::Nothing && (alone || script::says_saved(block)) {
        Role::Chain
    } else if script::says_written(block) {
        Role::Alone
    } else {
        Role::Within
    };
    Ok(Shape::Ours(Ours { role, before, block, after, executable: *executable }))
}

/// Puts the block after the first line.
fn insert(script: &[u8], block: &[u8]) -> Vec<u8> {
    match script.iter().position(|byte| *byte == b'\n') {
        Some(end) => [&script[..=end], block, &script[end + 1..]].concat(),
        None => [script, b"\n", without_line_feed(block)].concat(),
    }
}

fn without_line_feed(text: &[u8]) -> &[u8] {
    text.strip_suffix(b"\n").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NAME: HookName = HookName::PreCommit;
    const PROGRAM: &str = "/opt/elophanto";

    fn file(bytes: impl AsRef<[u8]>, executable: bool, saved: Saved) -> Present {
        let bytes = bytes.as_ref().to_vec();
        Present { found: Found::File { bytes, executable }, saved }
    }

    /// What lies there after a step.
    fn done(present: &Present, step: &Step) -> Present {
        let executable = matches!(present.found, Found::File { executable: true, .. });
        match step {
            Step::Keep => present.clone(),
            Step::Edit(bytes) => file(bytes, executable, present.saved),
            Step::Put(bytes) => file(bytes, true, present.saved),
            Step::MoveAside(bytes) => file(bytes, true, Saved::Other),
            Step::MoveBack => Present { found: Found::Opaque, saved: Saved::Nothing },
            Step::Remove => Present { found: Found::Nothing, saved: Saved::Nothing },
            Step::RemoveSaved => Present { saved: Saved::Nothing, ..present.clone() },
        }
    }

    /// Installs, checks that a second time changes nothing and another program changes the block
    /// only, and gives the step with what takes it back.
    fn check(present: &Present) -> (Step, Step) {
        let step = install(NAME, present, Path::new(PROGRAM)).unwrap();
        let after = done(present, &step);
        let standing = standing(NAME, &after).unwrap();
        assert_eq!(standing.state, State::Installed, "{after:?}");
        assert_eq!(standing.program.as_deref(), Some(Path::new(PROGRAM)));
        assert_eq!(install(NAME, &after, Path::new(PROGRAM)), Ok(Step::Keep));
        let elsewhere = Path::new("/elsewhere/elophanto");
        let updated = install(NAME, &after, elsewhere).unwrap();
        assert!(matches!(updated, Step::Edit(_) | Step::Put(_)), "{updated:?}");
        let there = done(&after, &updated);
        assert_eq!(super::standing(NAME, &there).unwrap().program.as_deref(), Some(elsewhere));
        let back = uninstall(&after).unwrap();
        assert_eq!(uninstall(&there), Ok(back.clone()));
        (step, back)
    }

    #[test]
    fn a_shell_script_gets_the_block_after_its_first_line() {
        let block = script::block(NAME, Role::Within, Path::new(PROGRAM));
        for script in
            ["#!/bin/sh\n", "#!/bin/sh", "#!/bin/sh\nexit 0", "#!/bin/bash -e\n\r\nx\r\n\n"]
        {
            let (step, back) = check(&file(script, true, Saved::Nothing));
            let Step::Edit(bytes) = step else { panic!("{step:?}") };
            let first = script.lines().next().unwrap();
            assert!(bytes.starts_with(&[first.as_bytes(), b"\n", &block[..40]].concat()));
            assert_eq!(back, Step::Edit(script.into()), "{script:?}");
        }
    }

    #[test]
    fn whatever_else_is_moved_aside() {
        for script in ["#!/usr/bin/env python3\n", "#!/bin/sh\r\n", "", "echo\n"] {
            let (step, back) = check(&file(script, true, Saved::Nothing));
            assert!(matches!(step, Step::MoveAside(_)), "{script:?}: {step:?}");
            assert_eq!(back, Step::MoveBack);
        }
        for present in [
            file("#!/bin/sh\n", false, Saved::Nothing),
            Present { found: Found::Opaque, saved: Saved::Nothing },
            // Cut short between the second name and the new file.
            Present { found: Found::Opaque, saved: Saved::Same },
        ] {
            let (step, back) = check(&present);
            assert!(matches!(step, Step::MoveAside(_)), "{step:?}");
            assert_eq!(back, Step::MoveBack);
            let taken = Present { saved: Saved::Other, ..present };
            assert_eq!(install(NAME, &taken, Path::new("/e")), Err(Refusal::InTheWay));
            assert_eq!(uninstall(&taken), Ok(Step::Keep));
        }
    }

    #[test]
    fn where_nothing_is() {
        let nothing = Present { found: Found::Nothing, saved: Saved::Nothing };
        let (step, back) = check(&nothing);
        assert!(matches!(step, Step::Put(_)));
        assert_eq!(back, Step::Remove);
        assert_eq!(uninstall(&nothing), Ok(Step::Keep));
        // Cut short before our file took the place of a hook that could only be renamed.
        let (step, back) = check(&Present { saved: Saved::Other, ..nothing });
        let Step::Put(bytes) = step else { panic!("{step:?}") };
        assert!(script::says_saved(&bytes));
        assert_eq!(back, Step::MoveBack);
    }

    #[test]
    fn a_second_name_left_behind_goes() {
        let present = Present { found: Found::Opaque, saved: Saved::Same };
        assert_eq!(uninstall(&present), Ok(Step::RemoveSaved));
    }

    #[test]
    fn lines_added_to_a_file_of_ours_are_kept() {
        let ours = script::whole(NAME, Role::Alone, Path::new(PROGRAM));
        let edited = file([&ours[..], b"make lint\n"].concat(), true, Saved::Nothing);
        assert_eq!(install(NAME, &edited, Path::new(PROGRAM)), Ok(Step::Keep));
        assert_eq!(uninstall(&edited), Ok(Step::Edit(b"#!/bin/sh\nmake lint\n".to_vec())));
        assert_eq!(standing(NAME, &edited).unwrap().foreign, Some(Foreign::SameFile));

        let chain = script::whole(NAME, Role::Chain, Path::new(PROGRAM));
        let edited = file([&chain[..], b"make lint\n"].concat(), true, Saved::Other);
        assert_eq!(install(NAME, &edited, Path::new(PROGRAM)), Ok(Step::Keep));
        assert_eq!(uninstall(&edited), Err(Refusal::Edited));
        // Where the saved hook was taken away, there is nothing to hand over to.
        let bereft = file(&chain, true, Saved::Nothing);
        assert_eq!(standing(NAME, &bereft).unwrap().state, State::Altered);
        assert_eq!(
            install(NAME, &bereft, Path::new(PROGRAM)),
            Ok(Step::Put(script::whole(NAME, Role::Alone, Path::new(PROGRAM))))
        );
        assert_eq!(uninstall(&bereft), Ok(Step::Remove));
    }

    #[test]
    fn an_altered_block_is_seen_and_mended() {
        let good = script::whole(NAME, Role::Alone, Path::new(PROGRAM));
        let text = String::from_utf8(good.clone()).unwrap();
        for (bytes, executable) in [
            (text.replace("|| exit 1", ""), true),
            (text.replace("elophanto_program='/opt/elophanto'\n", ""), true),
            (text.clone(), false),
        ] {
            let present = file(bytes, executable, Saved::Nothing);
            assert_eq!(standing(NAME, &present).unwrap().state, State::Altered);
            let mended = install(NAME, &present, Path::new(PROGRAM));
            assert_eq!(mended, Ok(Step::Put(good.clone())));
            assert_eq!(uninstall(&present), Ok(Step::Remove));
        }
    }

    #[test]
    fn a_block_that_is_not_run_is_not_called_installed() {
        let block = script::block(NAME, Role::Within, Path::new(PROGRAM));
        for (head, executable) in
            [("#!/bin/sh\necho\n", false), ("#!/usr/bin/python3\n", true), ("", true)]
        {
            let present = file([head.as_bytes(), &block].concat(), executable, Saved::Nothing);
            assert_eq!(standing(NAME, &present).unwrap().state, State::Altered, "{head}");
            assert_eq!(install(NAME, &present, Path::new(PROGRAM)), Err(Refusal::NotRun));
            assert_eq!(uninstall(&present), Ok(Step::Edit(head.into())));
        }
    }

    #[test]
    fn markers_that_do_not_match_are_refused() {
        let present = file("#!/bin/sh\n# >>> elophanto >>>\n", true, Saved::Nothing);
        let expected = Refusal::Block(BlockError::NoEnd { line: 2 });
        assert_eq!(install(NAME, &present, Path::new(PROGRAM)), Err(expected));
        assert_eq!(uninstall(&present), Err(expected));
        assert_eq!(standing(NAME, &present), Err(expected));
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn any_script_comes_back_byte_for_byte(
            shebang in prop_oneof![
                Just(&b"#!/bin/sh"[..]),
                Just(&b"#!/usr/bin/env bash"[..]),
                Just(&b"#!/usr/bin/perl"[..]),
                Just(&b""[..]),
            ],
            rest in proptest::collection::vec(
                prop_oneof![Just(b'\n'), Just(b'\r'), Just(b'#'), any::<u8>()], 0..40),
            executable in any::<bool>(),
        ) {
            let script = [shebang, rest.as_slice()].concat();
            match check(&file(&script, executable, Saved::Nothing)) {
                (Step::Edit(bytes), back) => {
                    prop_assert!(bytes.starts_with(shebang) && executable);
                    prop_assert_eq!(back, Step::Edit(script));
                }
                (step, back) => {
                    prop_assert!(matches!(step, Step::MoveAside(_)), "{:?}", step);
                    prop_assert_eq!(back, Step::MoveBack);
                }
            }
        }
    }
}
