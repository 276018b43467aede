//! Why an undo leaves something, in words.

use elophanto_agent::checkpoint::{WhyLeft, WhyUncovered};

/// Why an undo leaves a path as it is.
pub fn why_left(why: WhyLeft) -> &'static str {
    match why {
        WhyLeft::ChangedSince => "was changed after the run",
        WhyLeft::ChangedDuring => "was changed by somebody else during the run",
        WhyLeft::HoldsOthers => "holds what the run did not put there",
        WhyLeft::NoFolder => "would be in something that is no folder now",
        WhyLeft::NotCovered => "is now something that is not written over",
        WhyLeft::Staged => "is staged otherwise than the run left it",
        WhyLeft::Branch => {
            "is not checked out, or not where the run left it: the commits of the run stay (check it \
             out, or `git revert` them)"
        }
    }
}

/// Why an undo would not restore a path.
pub fn why_uncovered(why: WhyUncovered) -> &'static str {
    match why {
        WhyUncovered::Special => "a pipe, socket or device",
        WhyUncovered::NestedRepository => "another repository",
        WhyUncovered::Large => "too large",
        WhyUncovered::TooMuch => "too many ignored files",
        WhyUncovered::Unreadable => "cannot be read",
        WhyUncovered::Head => "a program moved it",
    }
}
