//! Options told from operands.

use super::word::Word;

/// Whether any option is, begins with or abbreviates one of these: `--forc` is `--force`, `-fu` has
/// `-f`. Short options are given as one letter.
pub fn has_option(arguments: &[Word], short: &[char], long: &[&str]) -> bool {
    arguments.iter().take_while(|word| word.literal().as_deref() != Some("--")).any(|word| {
        let text = word.pattern();
        if let Some(name) = text.strip_prefix("--") {
            let name = name.split('=').next().unwrap_or(name);
            return !name.is_empty()
                && long.iter().any(|option| option.trim_start_matches('-').starts_with(name));
        }
        text.strip_prefix('-').is_some_and(|letters| letters.chars().any(|c| short.contains(&c)))
    })
}

/// Arguments that are no options.
pub fn operands(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    let mut ended = false;
    arguments.iter().filter(move |word| {
        if ended {
            return true;
        }
        let text = word.pattern();
        ended = text == "--";
        !ended && (!text.starts_with('-') || text == "-")
    })
}

/// Skips options of a wrapper: those in `flags` stand alone, those in `valued` take the next word.
/// `None` where another option stands. The position of the first word that is no option.
pub fn skip(arguments: &[Word], flags: &[&str], valued: &[&str]) -> Option<usize> {
    let mut at = 0;
    while let Some(word) = arguments.get(at) {
        let text = word.literal()?;
        if text == "--" {
            return Some(at + 1);
        }
        if !text.starts_with('-') || text == "-" {
            return Some(at);
        }
        let joined = valued.iter().any(|v| {
            text.strip_prefix(v)
                .is_some_and(|rest| rest.starts_with('=') || (v.len() == 2 && !rest.is_empty()))
        });
        at += if valued.contains(&text.as_str()) {
            2
        } else if joined || flags.contains(&text.as_str()) {
            1
        } else {
            return None;
        };
    }
    Some(at.min(arguments.len()))
}
