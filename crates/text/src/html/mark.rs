//! The passage of a note that is marked, as an address carries it. Pure.

use std::{fmt, str::FromStr};

use crate::place::positive;

/// Digits of a line or a column.
const MOST_DIGITS: usize = 9;

/// From here to there; lines and columns (in bytes) from 1, the last one included. Without columns:
/// whole lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    pub start: (usize, usize),
    pub end: (usize, usize),
}

impl Mark {
    /// A whole line.
    pub fn line(line: usize) -> Self {
        Self { start: (line, 1), end: (line, usize::MAX) }
    }

    /// The bytes of a piece of a line that are marked; `None` if none are. The piece begins in this
    /// column.
    pub(super) fn within(
        &self,
        line: usize,
        column: usize,
        length: usize,
    ) -> Option<(usize, usize)> {
        if line < self.start.0 || line > self.end.0 {
            return None;
        }
        let from = if line == self.start.0 { self.start.1.saturating_sub(column) } else { 0 };
        let to = match line == self.end.0 {
            true => self.end.1.saturating_add(1).saturating_sub(column).min(length),
            false => length,
        };
        (from < to).then_some((from, to))
    }
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, end } = self;
        match end.1 {
            usize::MAX => write!(f, "{}", start.0),
            _ => write!(f, "{}:{}-{}:{}", start.0, start.1, end.0, end.1),
        }
    }
}

impl FromStr for Mark {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = |digits: &str| positive(digits, MOST_DIGITS).ok_or(());
        let place = |text: &str| {
            let (line, column) = text.split_once(':').ok_or(())?;
            Ok::<_, ()>((number(line)?, number(column)?))
        };
        match text.split_once('-') {
            None => number(text).map(Self::line),
            Some((start, end)) => {
                let (start, end) = (place(start)?, place(end)?);
                (start <= end).then_some(Self { start, end }).ok_or(())
            }
        }
    }
}
