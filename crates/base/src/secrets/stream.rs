//! Secrets in contents of any size and encoding, taken piece by piece: no limit cuts the search
//! short, and memory holds a window at a time.
//!
//! Bytes with NUL in them or with the mark of UTF-16 may be that, UTF-32 or anything else, whatever
//! a mark says, so they are looked through in every reading. All others are
//! read as UTF-8; what that is not (Windows-1252) differs in letters that no secret has.

use rustc_hash::FxHashSet;

use super::{Finding, findings, places};

/// Bytes looked through at once; fewer in tests, which are not optimised.
const WINDOW: usize = if cfg!(test) { 64 << 10 } else { 4 << 20 };
/// Bytes that the next window begins before the end of one: more than a secret has.
const OVERLAP: usize = if cfg!(test) { 16 << 10 } else { 64 << 10 };

/// A content that is being looked through.
#[derive(Default)]
pub struct Stream {
    window: Vec<u8>,
    /// The mark at the beginning, once it is known whether there is one.
    mark: Option<Mark>,
    /// Line breaks before the window.
    lines: usize,
    has_nul: bool,
    found: Vec<Located>,
}

/// A finding together with the line it begins in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    pub finding: Finding,
    line: blake3::Hash,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    None,
    Little,
    Big,
}

#[derive(Clone, Copy)]
enum Reading {
    Utf8,
    Utf16(fn([u8; 2]) -> u16),
    /// Plain letters of any width, UTF-32 among them.
    WithoutNul,
}

impl Stream {
    /// Takes the next piece.
    pub fn feed(&mut self, mut piece: &[u8]) {
        while self.window.len() + piece.len() >= WINDOW + OVERLAP {
            let (now, later) = piece.split_at(WINDOW + OVERLAP - self.window.len());
            self.window.extend_from_slice(now);
            self.look(self.cut());
            piece = later;
        }
        self.window.extend_from_slice(piece);
    }

    /// All secrets, in order, and whether there were NUL bytes, so that it is no text.
    pub fn finish(mut self) -> (Vec<Located>, bool) {
        self.look(self.window.len());
        (self.found, self.has_nul)
    }

    /// Where the next window begins: behind a line break, if lines are of a usual length.
    fn cut(&self) -> usize {
        let end = self.window.len() - OVERLAP;
        let reach = &self.window[end - OVERLAP..end];
        let newline = reach.iter().rposition(|&byte| byte == b'\n');
        // UTF-16 has two bytes for a character, from the beginning on.
        let behind = newline.map_or(end, |at| end - OVERLAP + at + 1);
        match self.mark {
            Some(Mark::None) if !self.window.contains(&0) => behind,
            _ => behind & !1,
        }
    }

    /// Looks through the window for what begins before `cut`, and drops it up to there.
    fn look(&mut self, cut: usize) {
        let mark = *self.mark.get_or_insert(match self.window[..] {
            [0xff, 0xfe, ..] => Mark::Little,
            [0xfe, 0xff, ..] => Mark::Big,
            _ => Mark::None,
        });
        let little = Reading::Utf16(u16::from_le_bytes);
        let big = Reading::Utf16(u16::from_be_bytes);
        let readings: &[Reading] = match mark {
            // A mark may lie.
            Mark::Little => &[little, Reading::Utf8, big, Reading::WithoutNul],
            Mark::Big => &[big, Reading::Utf8, little, Reading::WithoutNul],
            Mark::None if self.window.contains(&0) => {
                self.has_nul = true;
                &[Reading::Utf8, little, big, Reading::WithoutNul]
            }
            Mark::None => &[Reading::Utf8],
        };
        let mut lines = 0;
        let mut known = FxHashSet::default();
        for reading in readings {
            let mut text = reading.decode(&self.window[..cut]);
            let end = text.len();
            lines = lines.max(text.bytes().filter(|&byte| byte == b'\n').count());
            text.push_str(&reading.decode(&self.window[cut..]));
            let begun = places(&text).into_iter().filter(|one| one.range.start < end).collect();
            let mut texts = (1..).zip(text.lines()).peekable();
            // Findings are in the order of their lines.
            for mut finding in findings(&text, begun) {
                while texts.next_if(|(line, _)| *line < finding.line).is_some() {}
                let line = texts.peek().map_or("", |(_, line)| *line);
                let line = blake3::hash(line.as_bytes());
                finding.line += self.lines;
                if known.insert(finding.hash.clone()) {
                    self.found.push(Located { finding, line });
                }
            }
        }
        self.lines += lines;
        self.window.drain(..cut);
    }
}

impl Located {
    /// The same secret in a line of the same text has the same.
    pub fn identity(&self) -> (&str, [u8; 32]) {
        (&self.finding.hash, *self.line.as_bytes())
    }
}

impl Reading {
    fn decode(self, bytes: &[u8]) -> String {
        match self {
            Self::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
            Self::WithoutNul => {
                let bytes: Vec<u8> = bytes.iter().copied().filter(|&byte| byte != 0).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            Self::Utf16(unit) => {
                let (pairs, _) = bytes.as_chunks::<2>();
                let decoded = char::decode_utf16(pairs.iter().map(|&pair| unit(pair)));
                let text: String = decoded.map(|char| char.unwrap_or('\u{fffd}')).collect();
                text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::scan;

    /// Split, so that this file holds none.
    const TOKEN: &str = concat!("ghp", "_", "R7kq2ZpX9vLm4TnB8cWd1YsF6hJg3Qa5Ue0o");

    fn found(bytes: &[u8], piece: usize) -> (Vec<(usize, usize)>, bool) {
        let mut stream = Stream::default();
        bytes.chunks(piece).for_each(|piece| stream.feed(piece));
        let (found, has_nul) = stream.finish();
        (found.iter().map(|one| (one.finding.line, one.finding.column)).collect(), has_nul)
    }

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn every_encoding_is_looked_through() {
        let text = format!("# Schlüssel\n\nEr ist {TOKEN}.\n");
        let marked = format!("\u{feff}{text}");
        let place = vec![(3, 8)];
        for (bytes, has_nul) in [
            (text.clone().into_bytes(), false),
            (marked.clone().into_bytes(), false),
            (utf16(&marked, u16::to_le_bytes), false),
            (utf16(&marked, u16::to_be_bytes), false),
            (utf16(&text, u16::to_le_bytes), true),
            (utf16(&text, u16::to_be_bytes), true),
            (text.replace('ü', "\0").into_bytes(), true),
            (text.chars().flat_map(|char| u32::from(char).to_le_bytes()).collect(), true),
            (text.chars().flat_map(|char| u32::from(char).to_be_bytes()).collect(), true),
            ([b"Stra\xdfe\n\n".as_slice(), format!("Er ist {TOKEN}").as_bytes()].concat(), false),
        ] {
            assert_eq!(found(&bytes, 7), (place.clone(), has_nul), "{bytes:?}");
        }
        assert_eq!(found(b"", 1), (vec![], false));
        // Marks that lie.
        for mark in [[0xff, 0xfe], [0xfe, 0xff]] {
            for lie in [
                text.clone().into_bytes(),
                text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            ] {
                let lines: Vec<usize> =
                    found(&[&mark[..], &lie].concat(), 7).0.iter().map(|place| place.0).collect();
                assert_eq!(lines, [3], "{mark:?}");
            }
        }
    }

    #[test]
    fn windows_hide_nothing_and_tell_nothing_twice() {
        let edge = WINDOW + OVERLAP;
        for at in [0, WINDOW - 20, WINDOW, edge - 20, edge - 1, edge, edge + 1, 2 * WINDOW] {
            let line = "Otters hold hands while they sleep in the kelp.\n";
            let mut text = line.repeat(at / line.len() + 1);
            let lines = text.lines().count();
            text.push_str(&format!("The token is {TOKEN}.\n"));
            text.push_str(&line.repeat(WINDOW / line.len()));
            let whole = scan(&text).iter().map(|one| (one.line, one.column)).collect::<Vec<_>>();
            assert_eq!(whole, [(lines + 1, 14)]);
            assert_eq!(found(text.as_bytes(), 1 << 16).0, whole, "at {at}");
            let marked = utf16(&format!("\u{feff}{text}"), u16::to_le_bytes);
            assert_eq!(found(&marked, 99_999).0, whole, "UTF-16 at {at}");
            // No line break anywhere.
            let long = text.replace('\n', " ");
            assert_eq!(found(long.as_bytes(), 1 << 16).0.len(), 1, "one line at {at}");
        }
    }

    #[test]
    fn the_same_secret_in_the_same_line_is_known() {
        let located = |text: &str| {
            let mut stream = Stream::default();
            stream.feed(text.as_bytes());
            stream.finish().0.remove(0)
        };
        let old = located(&format!("a\nThe token is {TOKEN}.\n"));
        let is_old = |text: &str| located(text).identity() == old.identity();
        assert!(is_old(&format!("The token is {TOKEN}.")));
        assert!(!is_old(&format!("A token is {TOKEN}.")));
        let other = TOKEN.replace("R7", "7R");
        assert!(!is_old(&format!("The token is {other}.")));
    }
}
