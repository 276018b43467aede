//! A name taken apart: words, how they were written, and one string that equal names share.

use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::words;

/// Characters of a name that are looked at.
pub const MAX_NAME_CHARS: usize = 200;
/// Words of a name that are looked at.
const MAX_WORDS: usize = 24;

/// One spelling of a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Form {
    pub words: Vec<Word>,
    /// The words joined: equal for names that differ in case, accents, punctuation and spaces.
    pub key: String,
    /// An article was left out.
    pub article: Option<Article>,
    /// What stood in brackets at the end, and is not among the words.
    pub bracket: Option<Vec<Word>>,
}

/// A word of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Lower case, without accents.
    pub text: String,
    /// As it came.
    pub written: String,
    pub case: Case,
    /// The large letters of a word that has some inside, folded: `ps` for `PlayStation`.
    pub humps: String,
}

/// How a word was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    Lower,
    /// First letter large.
    Title,
    /// Two letters or more, all large.
    Upper,
    /// A large letter inside: `iPhone`, `AppGallery`.
    Mixed,
    /// No letters.
    None,
}

/// How the article was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Article {
    Small,
    Large,
}

impl Form {
    /// `None` if the name holds no letter or digit.
    pub fn of(name: &str) -> Option<Self> {
        let text: String = name.chars().take(MAX_NAME_CHARS).nfkc().collect();
        let (outer, inner) = bracket(&text);
        let mut words = split(outer);
        let bracket = inner.map(split).filter(|words| !words.is_empty());
        let mut article = None;
        if words.len() > 1
            && let Some(first) = words.first()
            && matches!(first.text.as_str(), "the" | "a" | "an")
            // `A Coruna` keeps its `A`.
            && (first.text == "the" || first.case == Case::Lower)
        {
            article = Some(if first.case == Case::Lower { Article::Small } else { Article::Large });
            words.remove(0);
        }
        let key = join(&words);
        (!key.is_empty()).then_some(Self { words, key, article, bracket })
    }

    /// A name of these words.
    pub fn of_words(words: &[Word]) -> Self {
        Self { words: words.to_vec(), key: join(words), article: None, bracket: None }
    }

    /// Whether few other things can bear the name: several words, a code of letters and digits, a
    /// large letter inside.
    pub fn is_specific(&self) -> bool {
        self.is_unique()
            || (self.long_words() >= 2 && self.key.chars().count() >= 9)
            || self.words.iter().any(|word| word.case == Case::Mixed && word.text.len() >= 5)
    }

    /// Whether hardly anything else can bear the name: a code, three words of length, the ending of a file.
    pub fn is_unique(&self) -> bool {
        const ENDINGS: &[&str] = &["js", "rs", "py", "io"];
        self.words.iter().any(Word::is_code)
            || self.long_words() >= 3
            // `Chart.js`, `NextJS`.
            || self.words.len() > 1
                && self.words.last().is_some_and(|word| ENDINGS.contains(&word.text.as_str()))
    }

    fn long_words(&self) -> usize {
        self.words.iter().filter(|word| word.text.chars().count() > 2).count()
    }

    /// The runs of digits in it, in order.
    pub fn numbers(&self) -> Vec<&str> {
        self.words
            .iter()
            .flat_map(|word| word.text.split(|char: char| !char.is_numeric()))
            .filter(|run| !run.is_empty())
            .collect()
    }

    /// The marks that tell names like `C++` and `C#` apart.
    pub fn symbols(&self) -> String {
        self.words.iter().flat_map(|word| word.text.chars()).filter(|&c| is_symbol(c)).collect()
    }

    /// The year it begins or ends with, and the words without it.
    pub fn year(&self) -> Option<(&str, &[Word])> {
        let (first, rest) = self.words.split_first()?;
        let (last, start) = self.words.split_last()?;
        [(last, start), (first, rest)]
            .into_iter()
            .find(|(word, others)| is_year(&word.text) && !others.is_empty())
            .map(|(word, others)| (word.text.as_str(), others))
    }
}

impl Word {
    /// A model's code, such as `ls50` or `1000xm5`.
    pub fn is_code(&self) -> bool {
        self.text.chars().count() >= 4
            && self.text.chars().any(|char| char.is_ascii_digit())
            && self.text.chars().any(char::is_alphabetic)
    }

    pub fn digits(&self) -> usize {
        self.text.chars().filter(char::is_ascii_digit).count()
    }

    pub fn has_digit(&self) -> bool {
        self.text.chars().any(char::is_numeric)
    }
}

/// A number from 1900 to 2099.
pub fn is_year(text: &str) -> bool {
    text.len() == 4
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text.starts_with("19") || text.starts_with("20"))
}

/// The words in one string. Two digits that were apart stay apart: 1 5 is not 15.
pub fn join(words: &[Word]) -> String {
    let mut key = String::new();
    for word in words {
        let digit = |char: Option<char>| char.is_some_and(char::is_numeric);
        if digit(key.chars().next_back()) && digit(word.text.chars().next()) {
            key.push(' ');
        }
        key.push_str(&word.text);
    }
    key
}

/// The text before a bracket at the end, and what stands in it.
fn bracket(text: &str) -> (&str, Option<&str>) {
    let trimmed = text.trim_end();
    let Some(body) = trimmed.strip_suffix(')') else { return (text, None) };
    match body.rfind('(') {
        Some(at) if !body[..at].trim().is_empty() && !body[at..].contains(')') => {
            (&body[..at], Some(&body[at + 1..]))
        }
        _ => (text, None),
    }
}

fn split(text: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut raw = String::new();
    let chars: Vec<char> = text.chars().filter(|&char| !is_hidden(char)).collect();
    for (at, &char) in chars.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| chars.get(at)).copied();
        let after = chars.get(at + 1).copied();
        let starts = words.is_empty() && raw.is_empty();
        let digits = before.is_some_and(char::is_numeric) && after.is_some_and(char::is_numeric);
        if char.is_alphanumeric() || is_combining_mark(char) || char == '_' && raw.is_empty() {
            if char != '_' {
                raw.push(char);
            }
        } else if is_symbol(char) && !raw.is_empty() {
            raw.push(char);
        } else if matches!(char, '\'' | '\u{2019}') && !raw.is_empty() {
            // `McDonald's` is one word.
        } else if matches!(char, '.' | ',') && digits
            || char == '.' && starts && after.is_some_and(char::is_alphabetic)
        {
            // `1.1` and `.NET` keep their dot.
            raw.push('.');
        } else {
            push(&mut words, &mut raw);
            if char == '&' {
                raw.push_str("and");
                push(&mut words, &mut raw);
            }
        }
    }
    push(&mut words, &mut raw);
    words.truncate(MAX_WORDS);
    words
}

fn push(words: &mut Vec<Word>, raw: &mut String) {
    if raw.chars().any(char::is_alphanumeric) {
        let case = case(raw);
        let large = |char: &char| case == Case::Mixed && char.is_uppercase();
        let humps = fold(&raw.chars().filter(large).collect::<String>());
        words.push(Word { text: fold(raw), written: raw.clone(), case, humps });
    }
    raw.clear();
}

fn case(raw: &str) -> Case {
    let letters: Vec<char> = raw.chars().filter(|char| char.is_alphabetic()).collect();
    let large = letters.iter().filter(|char| char.is_uppercase()).count();
    match letters.first() {
        None => Case::None,
        Some(_) if large == 0 => Case::Lower,
        Some(_) if large == letters.len() && large > 1 => Case::Upper,
        Some(first) if large == 1 && first.is_uppercase() => Case::Title,
        Some(_) => Case::Mixed,
    }
}

/// Lower case without accents. Marks that make another letter in scripts other than Latin and Greek
/// stay.
pub fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    let mut foldable = false;
    for char in text.nfd().flat_map(char::to_lowercase) {
        if is_combining_mark(char) {
            if !foldable {
                folded.push(char);
            }
            continue;
        }
        foldable = matches!(char, 'a'..='z' | '\u{e0}'..='\u{24f}' | '\u{370}'..='\u{3ff}');
        let plain = match char {
            '\u{df}' => "ss",
            '\u{e6}' => "ae",
            '\u{153}' => "oe",
            '\u{f8}' => "o",
            '\u{142}' => "l",
            '\u{111}' | '\u{f0}' => "d",
            '\u{131}' => "i",
            '\u{fe}' => "th",
            '\u{127}' => "h",
            other => {
                folded.push(other);
                continue;
            }
        };
        folded.push_str(plain);
    }
    folded.nfc().collect()
}

fn is_symbol(char: char) -> bool {
    matches!(char, '+' | '#' | '*' | '\u{266f}')
}

/// Characters that nobody sees: controls but for white space, direction marks, joiners.
fn is_hidden(char: char) -> bool {
    (char.is_control() && !char.is_whitespace())
        || matches!(char,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

/// Whether the text of the word is a small one, such as `of`.
pub fn is_small(word: &Word) -> bool {
    words::SMALL.contains(word.text.as_str())
}
