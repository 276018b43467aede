//! Dates, times, and the names of months and days.

use crate::words::{Words, list};
use elophanto_base::lexical::MONTHS;

const DAYS: &[&str] =
    &["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
static SHORT: Words = list!(words "short_days");
const SEASONS: &[&str] = &["spring", "summer", "autumn", "fall", "winter"];
const QUARTERS: &[&str] = &["q1", "q2", "q3", "q4", "h1", "h2"];
/// What stands beside the parts of a date.
static BESIDE: Words = list!(words "date_parts");

/// Whether the words of a name are a date, a time, a month or a day of the week and nothing else.
/// `Sun` and `Friday the 13th` are names.
pub(super) fn is_date(words: &[&str]) -> bool {
    let mut dated = false;
    let mut short = false;
    let mut numbers = 0;
    if let [count, unit, "ago"] = words {
        return count.bytes().all(|byte| byte.is_ascii_digit())
            && unit.ends_with(['s', 'y', 'k', 'h', 'r', 'e']);
    }
    for word in words {
        let lower = word.trim_matches(|char: char| ",.()".contains(char)).to_lowercase();
        let lower = lower.as_str();
        if is_month_or_day(lower) || is_numeric_date(lower) || is_clock(lower) || is_decade(lower) {
            dated = true;
        } else if SHORT.contains(lower) || SEASONS.contains(&lower) || QUARTERS.contains(&lower) {
            short = true;
        } else if is_day_number(lower)
            || is_year(lower)
            || lower.split(['-', '–']).all(is_day_number)
        {
            numbers += 1;
        } else if !BESIDE.contains(lower) && !lower.is_empty() {
            return false;
        }
    }
    dated || (short && numbers > 0)
}

/// German months that are called otherwise than in English.
const GERMAN: &[&str] =
    &["dezember", "februar", "januar", "juli", "juni", "jänner", "mai", "märz", "oktober"];

/// Whether a word in lower case is the full name of a month or of a day of the week.
pub(in crate::extract) fn is_month_or_day(word: &str) -> bool {
    MONTHS.contains(&word) || DAYS.contains(&word) || GERMAN.contains(&word)
}

/// Whether this is a year of our time, as in a title.
pub(in crate::extract) fn is_year(word: &str) -> bool {
    word.len() == 4
        && word.bytes().all(|byte| byte.is_ascii_digit())
        && (word.starts_with('1') || word.starts_with('2'))
}

fn is_day_number(word: &str) -> bool {
    let digits = ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end));
    let digits = digits.unwrap_or(word);
    (1..=2).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// `2024-03-12`, `12.03.2024`, `3/12/24`, `2024-03`, `2024-03-12T10:00:00Z`.
fn is_numeric_date(word: &str) -> bool {
    let day = word.split_once(['t', '_']).map_or(word, |(day, time)| {
        if time.starts_with(|char: char| char.is_ascii_digit()) { day } else { word }
    });
    let Some(mark) = day.chars().find(|char| matches!(char, '-' | '/' | '.')) else { return false };
    let parts: Vec<&str> = day.split(mark).collect();
    let figures = parts.iter().all(|part| {
        (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    });
    let year = |part: &&str| is_year(part);
    let small = |part: &str| part.parse::<u32>().is_ok_and(|number| (1..=31).contains(&number));
    figures
        && match parts.as_slice() {
            [a, b] => mark != '.' && (year(a) && small(b) && b.len() == 2),
            [a, b, c] => {
                (year(a) && small(b) && small(c))
                    || (small(a) && small(b) && (year(c) || (mark == '/' && c.len() == 2)))
            }
            _ => false,
        }
}

/// `10:30`, `10:30:05`, `3pm`, `10:30z`.
fn is_clock(word: &str) -> bool {
    let bare = word.trim_end_matches('z');
    let bare = bare.strip_suffix("am").or_else(|| bare.strip_suffix("pm")).unwrap_or(bare);
    let figures = |part: &str| {
        (1..=2).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let parts: Vec<&str> = bare.split(':').collect();
    let suffixed = bare.len() < word.trim_end_matches('z').len();
    parts.iter().all(|part| figures(part))
        && ((parts.len() == 1 && suffixed)
            || (parts.len() > 1 && parts.iter().skip(1).all(|part| part.len() == 2)))
}

/// `1990s`, `90s`.
fn is_decade(word: &str) -> bool {
    let digits = word.trim_end_matches('s').trim_end_matches(['\'', '’']);
    word.ends_with('s')
        && (digits.len() == 4 || digits.len() == 2)
        && digits.ends_with('0')
        && digits.bytes().all(|byte| byte.is_ascii_digit())
}
