//! What parts a name from its verb and says little of it: how it is pronounced, `Preston (/ˈprɛstən/) is`, and
//! what somebody is a fellow of, `Ann Hill FRSE, FGS (1772 – 1850) was`.

use std::borrow::Cow;

/// Most bytes of a bracket with how a name is pronounced.
const MAX_BRACKET: usize = 300;

/// The text without that; of a bracket that says more, the rest stays. Lines stay lines.
pub(super) fn without(text: &str) -> Cow<'_, str> {
    let text = without_pronunciation(text);
    let mut kept = String::new();
    let mut from = 0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if let Some((name, rest)) = honours(line) {
            kept.push_str(&text[from..start + name]);
            from = start + rest;
        }
        start += line.len();
    }
    if from == 0 {
        return text;
    }
    kept.push_str(&text[from..]);
    Cow::Owned(kept)
}

/// Where the name ends that a line begins with, and where the bracket with the years of somebody's life begins,
/// if only honours stand between them.
fn honours(line: &str) -> Option<(usize, usize)> {
    const MOST: usize = 120;
    let head = &line[..line.floor_char_boundary(MOST)];
    let bracket = head.find(" (")?;
    let years = head[bracket..].trim_start_matches([' ', '(']);
    let is_life = years.starts_with(|char: char| char.is_ascii_digit())
        || ["born", "b. ", "c. "].iter().any(|born| years.starts_with(born));
    let words = head[..bracket].split(' ');
    // `**Ann Hill**`
    let is_plain = |word: &str| {
        let word = word.trim_matches(['*', '_']);
        let is_initial = word.len() == 2 && word.ends_with('.');
        word.starts_with(char::is_uppercase)
            && (is_initial || word.chars().skip(1).any(char::is_lowercase))
            && !is_honour(word)
    };
    let name: Vec<&str> =
        words.clone().take_while(|word| is_plain(word.trim_end_matches(','))).collect();
    let end = name.join(" ").len();
    let mut rest = words.skip(name.len()).peekable();
    // `FSA Scot`
    let is_one =
        |word: &str| is_honour(word.trim_end_matches(',')) || word == "Scot," || word == "Scot";
    let is_any = rest.peek().is_some_and(|first| is_honour(first.trim_end_matches(',')));
    (is_life && name.len() > 1 && is_any && rest.all(is_one))
        .then(|| (head[..end].trim_end_matches(',').len(), bracket))
}

/// `FRSE`, `MInstCE`, `PhD`
fn is_honour(word: &str) -> bool {
    const MOST: usize = 8;
    word.len() <= MOST
        && word.bytes().all(|byte| byte.is_ascii_alphabetic())
        && word.bytes().filter(u8::is_ascii_uppercase).count() > 1
        && word.ends_with(|char: char| char.is_ascii_uppercase())
}

/// The text without how names are pronounced.
fn without_pronunciation(text: &str) -> Cow<'_, str> {
    if !text.contains(is_phonetic) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('(') {
        let (before, from) = rest.split_at(at);
        kept.push_str(before);
        let head = &from[1..from.floor_char_boundary(MAX_BRACKET)];
        let end = head.find([')', '(', '\n']).filter(|end| head[*end..].starts_with(')'));
        let Some(inner) = end.map(|end| &head[..end]).filter(|inner| is_pronounced(inner)) else {
            kept.push('(');
            rest = &from[1..];
            continue;
        };
        let told: Vec<&str> = inner.split(';').filter(|part| !is_pronounced(part)).collect();
        let told = told.join(";");
        match told.trim().is_empty() {
            true => kept.truncate(kept.trim_end_matches(' ').len()),
            false => kept.push_str(&format!("({})", told.trim())),
        }
        rest = &from[inner.len() + 2..];
    }
    kept.push_str(rest);
    Cow::Owned(kept)
}

/// Letters and marks of the phonetic alphabet.
fn is_phonetic(char: char) -> bool {
    matches!(char, '\u{250}'..='\u{2b8}' | '\u{2c8}' | '\u{2cc}' | '\u{2d0}')
}

/// `/ˈprɛstən/`, `pronounced [ˈaxən]`
fn is_pronounced(text: &str) -> bool {
    text.contains(is_phonetic) && text.contains(['/', '['])
}

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn how_a_name_is_pronounced_is_left_out() {
        for (text, expected) in [
            ("Preston (/ˈprɛstən/ ) is a city.", "Preston is a city."),
            ("Apes (/fɒlɪ/; from Greek) are.", "Apes (from Greek) are."),
            ("Foo (b) (US: [ˈfuː], listen)\nis.", "Foo (b)\nis."),
            ("Gəncə (Azerbaijani: Gəncə) is.", "Gəncə (Azerbaijani: Gəncə) is."),
            ("Foo (/ˈfuː/\n) is (a.", "Foo (/ˈfuː/\n) is (a."),
            ("Foo (a/b) is.", "Foo (a/b) is."),
        ] {
            assert_eq!(without(text), expected);
        }
    }

    #[test]
    fn honours_behind_a_name_are_left_out() {
        for (text, expected) in [
            (
                "# A\n\nAnn Hill FRSE, FSA Scot, MInstCE (8 June 1772 – 1850) was.\nB.",
                "# A\n\nAnn Hill (8 June 1772 – 1850) was.\nB.",
            ),
            ("Sir Bo J. Oak, OBE (born 1950) is.", "Sir Bo J. Oak (born 1950) is."),
            ("**Bo Oak** OBE (1950 – 2001) was.", "**Bo Oak** (1950 – 2001) was."),
            ("Foo Bar NASA (a body) is.", "Foo Bar NASA (a body) is."),
            ("The Foo of IBM (1911) is.", "The Foo of IBM (1911) is."),
        ] {
            assert_eq!(without(text), expected);
        }
    }
}
