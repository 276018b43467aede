//! Models as the user sees them: which are used for what, those that the user added, and whether one
//! answers.

pub mod add;
pub mod list;
pub mod trial;
pub mod tune;
