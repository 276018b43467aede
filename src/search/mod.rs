//! Questions and answers: a query, its candidates, their ranking, and what is shown of them.
//!
//! Reads a snapshot and never changes it. [`query`] parses, [`lexical`] and the matrices find and
//! score candidates, [`rank`] fuses scores (pure), [`passage`] chooses what to show, [`run`]
//! joins them over a `scene` (the snapshot as one search sees it). It knows no terminal and no JSON.

pub mod filter;
pub mod lexical;
pub mod origin;
pub mod passage;
pub mod query;
pub mod rank;
pub mod run;
mod scene;
mod show;
mod sources;

pub use filter::Filter;
pub use query::Query;
pub use rank::{Mode, Ranking, Score, Weights};
pub use run::{Answer, Hit, Request, SearchError, search};
