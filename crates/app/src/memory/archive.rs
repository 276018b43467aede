//! Files of old lessons, moved to the archive.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::Memories;
use crate::{
    Error, Result,
    reporter::Reporter,
    when::{day, moment},
};

/// What was moved, or would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MovedAway {
    /// Months of lessons, one file each.
    pub files: usize,
    /// Lines of these files.
    pub records: usize,
    /// The day before which all of it is.
    pub before: String,
    /// Nothing was moved.
    pub dry_run: bool,
}

impl Memories<'_> {
    /// Moves files of ours in which all is older than a date or a time span ago to the archive;
    /// `dry_run` only says which would be moved. The reporter is told what cannot be.
    ///
    /// # Errors
    /// When that is no time, or files cannot be moved. What was moved until then stays moved.
    pub fn archive(
        &self,
        before: &str,
        dry_run: bool,
        reporter: &dyn Reporter,
    ) -> Result<MovedAway> {
        let seconds = moment(before, Timestamp::now().as_second())?;
        let before = Timestamp::from_second(seconds).map_err(Error::new)?;
        let archived = self.files.archive(before, dry_run)?;
        archived.left.iter().for_each(|error| reporter.warn(error));
        let (files, records) = (archived.files, archived.records);
        Ok(MovedAway { files, records, before: day(seconds), dry_run })
    }
}
