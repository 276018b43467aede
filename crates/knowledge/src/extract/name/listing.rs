//! Numbers and letters of list items.

/// `1. Foo`, `2) Foo`, `1.2. Foo`: a number, a mark, and something else. `3.5mm jack` and
/// `2001: A Space Odyssey` are names.
pub(super) fn is_list_number(_: &str, words: &[&str]) -> bool {
    let Some(first) = words.first() else { return false };
    let second = words.get(1).copied().unwrap_or_default();
    // `iv. Results`, `(a) First`, `Step 3. Flash`, `2.3.4 Error handling`.
    let roman = first.strip_suffix(['.', ')']).is_some_and(|number| {
        !number.is_empty() && number.len() <= 5 && number.bytes().all(|byte| b"ivx".contains(&byte))
    });
    let letter = matches!(first.as_bytes(), [b'(', inner, b')'] if inner.is_ascii_lowercase());
    let step = matches!(first.to_lowercase().as_str(), "step" | "chapter" | "section" | "part")
        && words.len() > 2
        && second.ends_with(['.', ':', ')'])
        && second.starts_with(|char: char| char.is_ascii_digit());
    let section = first.split('.').count() > 2
        && first.split('.').all(|part| {
            (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        });
    if words.len() > 1 && (roman || letter || step || section) {
        return true;
    }
    let digits = first.trim_start_matches('(');
    let mark = digits.trim_start_matches(|char: char| char.is_ascii_digit());
    if words.len() > 1 {
        let number = first.trim_end_matches(['.', ')']).trim_start_matches('(');
        return number.len() < first.len()
            && number.len() <= 8
            && number.split('.').all(|part| {
                (1..=3).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
            });
    }
    // `1.Foo`, but not `7.62x39mm` and not `2.NET`.
    let mut rest = mark.chars();
    mark.len() < digits.len()
        && rest.next() == Some('.')
        && rest.next().is_some_and(char::is_uppercase)
        && rest.next().is_some_and(char::is_lowercase)
}
