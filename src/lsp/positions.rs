//! How an editor counts: lines from 0, and in a line bytes, UTF-16 units or characters, as was agreed.
//!
//! What an editor says may be anything: a line behind the last one is the end, a column behind the end
//! of its line is that end, and half of a character is its beginning.

use std::ops;

use lsp_types::{Position, PositionEncodingKind, Range};

use elophanto_app::editor::{Buffer, Spot};

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// The first of what an editor offers; what counts where it offers nothing is UTF-16.
    pub fn agreed(offered: Option<&[PositionEncodingKind]>) -> Self {
        let known = |kind: &PositionEncodingKind| match kind.as_str() {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        };
        offered.and_then(|all| all.iter().find_map(known)).unwrap_or_default()
    }

    /// What it is called in the protocol.
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn units(self, char: char) -> usize {
        match self {
            Self::Utf8 => char.len_utf8(),
            Self::Utf16 => char.len_utf16(),
            Self::Utf32 => 1,
        }
    }

    /// The byte of a text that a position means.
    pub fn offset(self, buffer: &Buffer, position: Position) -> usize {
        let line = buffer.line_range(position.line as usize);
        let text = buffer.text.get(line.clone()).unwrap_or_default();
        let (mut left, mut at) = (position.character as usize, 0);
        for char in text.chars() {
            let units = self.units(char);
            if left < units {
                break;
            }
            left -= units;
            at += char.len_utf8();
        }
        line.start + at
    }

    /// The bytes that a range means; one that ends before it begins is empty.
    pub fn bytes(self, buffer: &Buffer, range: Range) -> ops::Range<usize> {
        let start = self.offset(buffer, range.start);
        start..self.offset(buffer, range.end).max(start)
    }

    /// The position of a byte of a text.
    pub fn position(self, buffer: &Buffer, offset: usize) -> Position {
        self.position_behind(buffer, offset, (0, Position::default()))
    }

    /// The same where that of another byte is known: a long line is counted once.
    pub fn position_behind(
        self,
        buffer: &Buffer,
        offset: usize,
        (known, at): (usize, Position),
    ) -> Position {
        let offset = buffer.floor(offset);
        let line = buffer.line_at(offset);
        let start = buffer.line_range(line).start;
        let is_before = (start..=offset).contains(&known);
        let (from, before) = if is_before { (known, at.character) } else { (start, 0) };
        let column = self.column(buffer.text.get(from..offset).unwrap_or_default());
        Position::new(count(line), before.saturating_add(column))
    }

    /// The range of some bytes of a text.
    pub fn range(self, buffer: &Buffer, range: &ops::Range<usize>) -> Range {
        Range::new(self.position(buffer, range.start), self.position(buffer, range.end))
    }

    /// The range of a place in a line.
    pub fn of_spot(self, spot: &Spot) -> Range {
        let at = |byte: usize| {
            let before = &spot.text[..spot.text.floor_char_boundary(byte)];
            Position::new(count(spot.line), self.column(before))
        };
        Range::new(at(spot.bytes.start), at(spot.bytes.end))
    }

    /// How much a text counts that stands in one line.
    pub fn column(self, text: &str) -> u32 {
        match self {
            Self::Utf8 => count(text.len()),
            _ => count(text.chars().map(|char| self.units(char)).sum()),
        }
    }
}

/// A number as the protocol has it.
pub fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_counted_as_agreed() {
        let buffer = Buffer::new("a.md".into(), "aö🦀b\r\n\tx\n".into());
        for (encoding, columns) in [
            (Encoding::Utf8, [0, 1, 3, 7, 8]),
            (Encoding::Utf16, [0, 1, 2, 4, 5]),
            (Encoding::Utf32, [0, 1, 2, 3, 4]),
        ] {
            for (byte, column) in [0, 1, 3, 7, 8].into_iter().zip(columns) {
                let position = Position::new(0, column);
                assert_eq!(encoding.position(&buffer, byte), position, "{encoding:?} {byte}");
                assert_eq!(encoding.offset(&buffer, position), byte, "{encoding:?} {byte}");
            }
        }
    }

    #[test]
    fn what_is_counted_from_another_place_is_the_same() {
        let text = "aö🦀b\r\n\tx🦀\n";
        let buffer = Buffer::new("a.md".into(), text.into());
        for (known, offset) in
            (0..=text.len()).flat_map(|it| (0..=text.len()).map(move |at| (it, at)))
        {
            let known = buffer.floor(known);
            let at = Encoding::Utf16.position(&buffer, known);
            let found = Encoding::Utf16.position_behind(&buffer, offset, (known, at));
            assert_eq!(found, Encoding::Utf16.position(&buffer, offset), "{known} {offset}");
        }
    }

    #[test]
    fn positions_that_cannot_be_are_moved() {
        let buffer = Buffer::new("a.md".into(), "a🦀\r\nb".into());
        let offset = |line, column| Encoding::Utf16.offset(&buffer, Position::new(line, column));
        // Half of a pair, behind the end of a line, behind the last line.
        assert_eq!((offset(0, 2), offset(0, 99), offset(9, 0)), (1, 5, 8));
        let backwards = Range::new(Position::new(1, 1), Position::new(0, 0));
        assert_eq!(Encoding::Utf16.bytes(&buffer, backwards), 8..8);
        assert_eq!(Encoding::Utf16.position(&buffer, 3), Position::new(0, 1));
    }

    #[test]
    fn the_first_known_encoding_is_taken() {
        let check = |offered: Option<&[&'static str]>, expected| {
            let offered: Option<Vec<_>> =
                offered.map(|all| all.iter().copied().map(PositionEncodingKind::new).collect());
            assert_eq!(Encoding::agreed(offered.as_deref()), expected);
        };
        check(None, Encoding::Utf16);
        check(Some(&["utf-7", "utf-8", "utf-16"]), Encoding::Utf8);
        check(Some(&[]), Encoding::Utf16);
    }
}
