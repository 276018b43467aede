//! Whether a text is written in Latin letters.

/// Characters of a text that are looked at: it goes on as it begins.
const MOST_CHARACTERS: usize = 4_000;
/// Of how many letters one must be no Latin one: names of programs and code are Latin in every language.
const ONE_OF: usize = 8;

/// Whether the letters of a text, of which it has some, are Latin ones.
pub fn is_latin(text: &str) -> bool {
    let mut letters = text.chars().filter(|char| char.is_alphabetic()).peekable();
    letters.peek().is_some() && letters.all(|char| !is_other(char))
}

/// Whether one of eight letters of a text at least is no Latin one.
pub fn is_in_other_letters(text: &str) -> bool {
    let looked_at = || text.chars().take(MOST_CHARACTERS);
    let others = looked_at().filter(|char| is_other(*char)).count();
    others > 0 && others * ONE_OF >= looked_at().filter(|char| char.is_alphabetic()).count()
}

fn is_other(char: char) -> bool {
    char >= '\u{370}' && !('\u{1d00}'..='\u{1fff}').contains(&char) && char.is_alphabetic()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_tell_a_script() {
        for (text, expected) in [
            ("The `docker compose` file", false),
            ("Füge ein Wörterbuch hinzu", false),
            ("Tiếng Việt", false),
            ("使用 docker compose", true),
            ("Настройка docker", true),
            ("ノートを作成する", true),
            ("Pi (π) is a number that does not end, as everybody knows", false),
            ("1 + 1", false),
            ("", false),
        ] {
            assert_eq!(is_in_other_letters(text), expected, "{text}");
        }
        for (text, expected) in
            [("Obsidian URI", true), ("naïve", true), ("笔记 sync", false), ("42", false)]
        {
            assert_eq!(is_latin(text), expected, "{text}");
        }
    }
}
