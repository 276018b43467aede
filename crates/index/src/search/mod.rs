//! Questions and answers: a query, its candidates, their ranking, and what is shown of them.
//!
//! Reads a snapshot and never changes it. [`query`] parses, [`scene`] (the snapshot as one search sees
//! it) finds candidates by [`lexical`] and the matrices, [`rank`] fuses scores (pure), `closer` looks
//! again at the best of them, [`second`] lets a slower model read them, `choose` takes what is listed, [`passage`] what of it is shown,
//! [`language`] what language a question is in, [`question`] what is asked for, [`extract`] what of it states something, [`belief`] says whether it
//! answers, and [`run`] joins them. It knows no terminal and no JSON.

pub mod around;
mod asked;
pub mod belief;
pub mod changes;
mod choose;
mod closer;
mod compounds;
mod dashes;
mod declares;
mod excerpt;
pub mod extract;
mod families;
pub mod filter;
pub mod language;
pub mod lexical;
mod measures;
pub mod origin;
pub mod passage;
pub mod query;
pub mod question;
pub mod rank;
pub mod run;
pub mod scene;
pub mod second;
mod show;
mod sources;
pub mod spelling;

pub use belief::{Confidence, Level};
pub use filter::Filter;
pub use query::Query;
pub use rank::{Mode, Ranking, Score, Weights};
pub use run::{Answer, Hit, Listing, Request, SearchError, search};
pub use second::SecondLook;
