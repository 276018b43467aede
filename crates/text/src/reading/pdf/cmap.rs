//! Tables from character codes to text, judged before a parser follows them: it calls itself for
//! what is nested, and writes out every range. Pure.

/// Nesting of lists, dictionaries and strings.
const MOST_DEEP: usize = 32;

/// Codes that all ranges of a table may cover together. All of Unicode's first plane, thrice.
const MOST_CODES: u64 = 200_000;

/// Bytes of a table. One for every code of two bytes takes less.
pub(super) const CAP: usize = 2 << 20;

/// Whether a parser may follow this table.
pub(super) fn is_sane(table: &[u8]) -> bool {
    table.len() <= CAP && !is_deep(table) && codes(table) <= MOST_CODES
}

/// Whether brackets of any kind nest deeper than a table or font needs. Escapes are not
/// understood, which can only make it look deeper.
pub(super) fn is_deep(text: &[u8]) -> bool {
    let mut depth = 0_usize;
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
        // `<<` counts twice.
        if depth > MOST_DEEP * 2 {
            return true;
        }
    }
    false
}

/// How many codes the ranges of all `beginbfrange` cover.
fn codes(table: &[u8]) -> u64 {
    let mut sum = 0_u64;
    for start in memchr::memmem::find_iter(table, b"beginbfrange") {
        let section = table.get(start + b"beginbfrange".len()..).unwrap_or_default();
        let end = memchr::memmem::find(section, b"begin").unwrap_or(section.len());
        let section = section.get(..end).unwrap_or_default();
        let mut low = None;
        let mut place = 0;
        let mut rest = section;
        while let Some((string, after)) = next_string(rest) {
            rest = after;
            match place {
                0 => low = code(string),
                1 => {
                    let covered = match (low, code(string)) {
                        (Some(low), Some(high)) => high.saturating_sub(low).saturating_add(1),
                        _ => u64::MAX,
                    };
                    sum = sum.saturating_add(covered);
                }
                _ => {}
            }
            place += 1;
            // What a range stands for is a string or a list of them.
            if place == 2 && rest.trim_ascii_start().starts_with(b"[") {
                let Some(end) = memchr::memchr(b']', rest) else { return sum };
                rest = rest.get(end + 1..).unwrap_or_default();
                place = 0;
            }
            if place == 3 {
                place = 0;
            }
        }
    }
    sum
}

/// The inside of the next `<...>`, or of the next `(...)`, which is no code but could stand there.
fn next_string(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let start = memchr::memchr2(b'<', b'(', rest)?;
    let close = if rest.get(start) == Some(&b'<') { b'>' } else { b')' };
    let inside = rest.get(start + 1..)?;
    let end = memchr::memchr(close, inside)?;
    let string = if close == b'>' { inside.get(..end)? } else { b"not a code" };
    Some((string, inside.get(end + 1..)?))
}

fn code(hex: &[u8]) -> Option<u64> {
    let digits: Vec<u8> = hex.iter().filter(|byte| !byte.is_ascii_whitespace()).copied().collect();
    u64::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn tables_are_judged() {
        #[track_caller]
        fn check(table: &str, expected: u64) {
            assert_eq!(codes(table.as_bytes()), expected, "{table}");
        }
        check("2 beginbfrange <00> <7f> <0000> <0100> <01ff> <4e00> endbfrange", 384);
        check("1 beginbfrange <0041> <0043> [<0041> <00420043> <0044>] endbfrange", 3);
        check("2 beginbfchar <00> <00410042> <01> <00430044> endbfchar", 0);
        check("1 beginbfrange <00000000> <ffffffff> <0000> endbfrange", 1 << 32);
        check("1 beginbfrange <00> <0000 0f> <0000> endbfrange", 16);
        check("1 beginbfrange (a) (b) <0000> endbfrange", u64::MAX);
        check("beginbfrange <00", 0);
        assert!(is_sane(b"1 beginbfrange <0000> <ffff> <0000> endbfrange"));
        assert!(!is_sane(b"1 beginbfrange <000000> <ffffff> <0000> endbfrange"));
        assert!(!is_sane(&b"[".repeat(1000)));
    }
}
