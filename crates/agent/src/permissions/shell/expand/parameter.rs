//! Parameters, what a substitution prints, arithmetic.

use super::{Env, Piece, Result, Unparsed, Walker, Word, many, name_length, variable};

impl Walker<'_> {
    /// The inside of `${...}`.
    pub(super) fn parameter(&mut self, inner: &str, env: &mut Env) -> Result<Word> {
        if inner.starts_with('!') {
            return Ok(Word::unknown());
        }
        if let Some(name) = inner.strip_prefix('#')
            && !name.is_empty()
            && name_length(name) == name.len()
        {
            return Ok(Word::number());
        }
        let length = name_length(inner);
        let (name, rest) = inner.split_at_checked(length).ok_or("an unusual expansion")?;
        if name.is_empty() {
            return Err("an unusual expansion");
        }
        if rest.is_empty() {
            return Ok(variable(name, env));
        }
        if rest.starts_with('[') {
            let index = rest.get(1..).and_then(|r| r.strip_suffix(']')).unwrap_or("x");
            let harmless = matches!(index, "@" | "*") || index.bytes().all(|b| b.is_ascii_digit());
            return if harmless { Ok(many()) } else { Err("an unusual index") };
        }
        if rest.starts_with('@') {
            return Err("an expansion that expands what a variable holds");
        }
        if let Some(offset) = rest.strip_prefix(':')
            && !offset.starts_with(['-', '=', '?', '+'])
        {
            self.arithmetic(&offset.replace(':', " "), env)?;
            return Ok(Word::unknown());
        }
        let operator = rest.trim_start_matches(':');
        let operand = operator.get(1..).unwrap_or_default();
        let given = self.expand_text(operand, env)?;
        let current = variable(name, env);
        match operator.chars().next() {
            Some('-' | '=' | '?') if current.literal().is_some_and(|text| !text.is_empty()) => {
                Ok(current)
            }
            Some('=') => {
                env.set(name, Word::unknown());
                Ok(Word::unknown())
            }
            Some('%') => Ok(without_end(&current, &given).unwrap_or_else(Word::unknown)),
            _ => Ok(Word::unknown()),
        }
    }

    /// What a substitution prints, where that is plain.
    pub(super) fn output_of(&self, script: &str, env: &Env) -> Word {
        let script = script.trim();
        let plain =
            !script.contains(['$', '`', ';', '|', '&', '<', '>', '\n', '(', '\'', '"', '\\']);
        let words: Vec<&str> = script.split_whitespace().collect();
        let defined = words.first().is_some_and(|name| env.functions.contains(*name));
        if !plain || defined {
            return many();
        }
        match words.as_slice() {
            ["pwd"] => env.get("PWD"),
            ["nproc"] => Word::number(),
            ["seq", numbers @ ..]
                if numbers.iter().all(|n| n.bytes().all(|b| b.is_ascii_digit())) =>
            {
                Word::number()
            }
            ["date", "+%s"] => Word::number(),
            ["date", format]
                if format.starts_with("+%")
                    && format.bytes().skip(1).all(|b| b"%YmdHMSFs_-".contains(&b)) =>
            {
                Word { pieces: vec![Piece::Number, Piece::Star], is_many: false }
            }
            _ => many(),
        }
    }

    /// Arithmetic runs what stands in brackets, also of texts that variables hold: only numbers and
    /// variables that hold numbers are plain.
    pub fn arithmetic(&mut self, text: &str, env: &mut Env) -> Result<()> {
        const REASON: Unparsed = "arithmetic on text that is not known";
        let known =
            |b: u8| b.is_ascii_alphanumeric() || b"_+-*/%<>=!&|^~?:, ${}()#\t\n;".contains(&b);
        if !text.bytes().all(known) || text.contains("$(") {
            return Err(REASON);
        }
        let names = text
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|name| name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
        for name in names {
            if env.is_assigned(name) && !env.get(name).is_number() {
                return Err(REASON);
            }
            if text.contains('=') || text.contains("++") || text.contains("--") {
                env.set(name, Word::number());
            }
        }
        Ok(())
    }
}

/// `${name%end}`.
pub(super) fn without_end(word: &Word, end: &Word) -> Option<Word> {
    let end = end.literal().filter(|e| !e.contains(['*', '?', '[']))?;
    let mut pieces = word.pieces.clone();
    match pieces.last_mut() {
        Some(Piece::Text(last)) => {
            if let Some(short) = last.strip_suffix(&end) {
                *last = short.to_owned();
                return Some(Word { pieces, is_many: word.is_many });
            }
            (word.literal().is_some()).then(|| word.clone())
        }
        _ => None,
    }
}
