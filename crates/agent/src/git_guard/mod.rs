//! Git and what runs beside it: what programs in the sandbox see of the repository, and what they
//! may leave of repositories of their own.
//!
//! Owns the view of git that a program gets ([`GitView`]: settings without credentials, histories
//! without keys), putting aside what a call planted ([`Before`], [`UnderWay`]), and which files of
//! the work tree others go by ([`Named`], [`Steering`]). It refuses to
//! know who decides what may run (`permissions`) and how a program is shut in (`sandbox`).

mod credentials;
mod named;
mod planted;
mod steering;
mod under_way;
mod view;

pub use named::{Around, Named, Runs};
pub use planted::{Before, Links, written_into};
pub use steering::{INSTALLED, Sight, Steering};
pub use under_way::{UnderWay, put_aside_of_killed};
pub use view::{GitView, Shown};
