//! Noticing that a run goes in circles. Pure.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::clean::canonical;

/// With so many calls of one kind and one result the model is warned.
pub(super) const WARN: u32 = 3;
/// This call is not made.
pub(super) const BLOCK: u32 = 4;
/// This call ends the run.
pub(super) const END: u32 = 5;
/// Calls that are looked back on for two that alternate.
const LOOKED_BACK: usize = 2 * END as usize;

type Hash = [u8; 16];

/// What may become of a call that is about to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Allowed {
    Yes,
    Block,
    End,
}

/// The calls of one task so far.
#[derive(Debug, Default)]
pub(super) struct Loops {
    /// By call: its last result, and how often in a row it had that one.
    seen: BTreeMap<Hash, (Hash, u32)>,
    /// The last calls with their results.
    last: Vec<(Hash, Hash)>,
}

impl Loops {
    /// Before a call.
    pub(super) fn allows(&mut self, tool: &str, arguments: &Value) -> Allowed {
        let call = call_hash(tool, arguments);
        let repeated = self.seen.get(&call).map_or(0, |(_, count)| *count);
        let turns = self.turns_before(call);
        match repeated.max(turns) + 1 {
            ..BLOCK => Allowed::Yes,
            BLOCK => {
                // It counts, though it is not made.
                let known = self.seen.get(&call).map(|(result, _)| *result);
                let last = || self.last.iter().rev().find(|one| one.0 == call).map(|one| one.1);
                if let Some(result) = known.or_else(last) {
                    self.push(call, result);
                }
                Allowed::Block
            }
            _ => Allowed::End,
        }
    }

    /// After a call; `true` if the model is to be warned. `changed`: it changed something, so what
    /// others gave back before may well be asked for again.
    pub(super) fn made(
        &mut self,
        tool: &str,
        arguments: &Value,
        result: &str,
        changed: bool,
    ) -> bool {
        let call = call_hash(tool, arguments);
        if changed {
            self.seen.retain(|other, _| *other == call);
        }
        let turns = self.turns_before(call) + 1;
        let count = self.push(call, hash(result.as_bytes()));
        count == WARN || (count < WARN && turns == WARN)
    }

    fn push(&mut self, call: Hash, result: Hash) -> u32 {
        let (last, count) = self.seen.entry(call).or_insert((result, 0));
        if *last == result {
            *count += 1;
        } else {
            (*last, *count) = (result, 1);
        }
        let count = *count;
        self.last.push((call, result));
        if self.last.len() > LOOKED_BACK {
            self.last.remove(0);
        }
        count
    }

    /// How often this call came before in an unbroken alternation of two calls that each had the
    /// same result all the time.
    fn turns_before(&self, call: Hash) -> u32 {
        let mut back = self.last.iter().rev();
        let (Some(other), Some(own)) = (back.next(), back.next()) else { return 0 };
        if own.0 != call || other.0 == call {
            return 0;
        }
        let mut turns = 1;
        while let (Some(one), Some(two)) = (back.next(), back.next()) {
            if one != other || two != own {
                break;
            }
            turns += 1;
        }
        turns
    }
}

fn call_hash(tool: &str, arguments: &Value) -> Hash {
    hash(format!("{tool}\0{}", canonical(arguments)).as_bytes())
}

fn hash(bytes: &[u8]) -> Hash {
    let mut short = [0; 16];
    short.copy_from_slice(blake3::hash(bytes).as_bytes().first_chunk::<16>().unwrap_or(&[0; 16]));
    short
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Calls as `tool result`, a `!` before the result for one that changes something. Expected: a
    /// letter each: `.` made, `w` made with a warning, `b` blocked, `e` the end.
    #[track_caller]
    fn check(calls: &str, expected: &str) {
        let (mut loops, mut found) = (Loops::default(), String::new());
        for call in calls.split(',') {
            let (tool, result) = call.trim().split_once(' ').unwrap();
            let (result, changed) = match result.strip_prefix('!') {
                Some(result) => (result, true),
                None => (result, false),
            };
            found.push(match loops.allows(tool, &json!({})) {
                Allowed::Yes => match loops.made(tool, &json!({}), result, changed) {
                    true => 'w',
                    false => '.',
                },
                Allowed::Block => 'b',
                Allowed::End => 'e',
            });
        }
        assert_eq!(found, expected, "{calls}");
    }

    #[test]
    fn circles() {
        check("a 1", ".");
        check("a 1, a 1, a 1, a 1, a 1", "..wbe");
        check("a 1, a 2, a 3, a 4, a 5, a 6", "......");
        check("a 1, a 1, a 2, a 2, a 2, a 2, a 2", "....wbe");
        // What changes nothing between does not help.
        check("a 1, b 2, a 1, b 2, a 1, b 2, a 1, b 2, a 1", "....wwbbe");
        check("a 1, b 1, c 1, a 1, b 1, c 1, a 1, b 1, c 1, a 1", "......wwwb");
        // Tests that fail in the same way after each change.
        check("t 1, x !1, t 1, y !1, t 1, z !1, t 1, u !1, t 1", ".........");
        // Changing something there and back again is a circle all the same.
        check("a !1, b !1, a !1, b !1, a !1, b !1, a !1, b !1, a !1", "....wwbbe");
        check("a !1, a !1, a !1, a !1, a !1", "..wbe");
        // Polling that sees something new.
        check("a 1, b 1, a 2, b 1, a 3, b 1", ".....w");
    }

    #[test]
    fn order_of_arguments_does_not_matter() {
        let mut loops = Loops::default();
        let (one, two) = (json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1}));
        for (arguments, warned) in [(&one, false), (&two, false), (&one, true)] {
            assert_eq!(loops.made("t", arguments, "", false), warned);
        }
        assert_eq!(loops.allows("t", &two), Allowed::Block);
    }
}
