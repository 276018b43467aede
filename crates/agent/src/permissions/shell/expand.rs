//! Words expanded the way bash expands them: quotes, escapes, braces, variables, substitutions.

mod parameter;

use super::{
    env::Env,
    lex::{Result, Unparsed},
    scan,
    walk::Walker,
    word::{self, Piece, Word},
};

/// Words that the braces of one word may stand for.
const MAX_BRACES: usize = 200;

/// How a part of a word is expanded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// Values are split at blanks, and `*` stands for file names.
    Bare,
    /// The value of an assignment: neither.
    Value,
    /// Inside double quotes.
    Quoted,
}

/// Words in the making.
#[derive(Default)]
struct Fields {
    done: Vec<Word>,
    current: Option<Word>,
}

impl Fields {
    fn push(&mut self, piece: Piece) {
        self.current.get_or_insert_default().push(piece);
    }

    fn text(&mut self, text: &str) {
        self.push(Piece::Text(text.to_owned()));
    }

    fn cut(&mut self) {
        self.done.extend(self.current.take());
    }

    fn finish(mut self) -> Vec<Word> {
        self.cut();
        self.done
    }
}

impl Walker<'_> {
    /// The arguments that a word becomes.
    pub fn expand(&mut self, raw: &str, env: &mut Env) -> Result<Vec<Word>> {
        let mut all = Vec::new();
        for text in word::braces(raw, MAX_BRACES).ok_or("unusual braces")? {
            all.extend(self.fields(&text, env, Manner::Bare)?);
        }
        for word in &all {
            check_text(word)?;
        }
        Ok(all)
    }

    /// A word that is neither split nor matched with file names: the value of an assignment, the
    /// target of a redirect.
    pub fn expand_value(&mut self, raw: &str, env: &mut Env) -> Result<Word> {
        let word = joined(self.fields(raw, env, Manner::Value)?);
        check_text(&word)?;
        Ok(word)
    }

    /// Text in which only expansions count: the body of a here-document.
    pub fn expand_text(&mut self, text: &str, env: &mut Env) -> Result<Word> {
        // Which escapes count between backticks depends on the place.
        if text.contains('`') && text.contains('\\') {
            return Err("escapes and backticks in one text");
        }
        let mut fields = Fields::default();
        self.part(text, env, Manner::Quoted, &mut fields)?;
        Ok(joined(fields.finish()))
    }

    fn fields(&mut self, raw: &str, env: &mut Env, manner: Manner) -> Result<Vec<Word>> {
        let mut fields = Fields::default();
        let rest = self.tilde(raw, &mut fields);
        self.part(rest, env, manner, &mut fields)?;
        Ok(fields.finish())
    }

    fn tilde<'t>(&self, raw: &'t str, fields: &mut Fields) -> &'t str {
        let Some(rest) = raw.strip_prefix('~') else { return raw };
        if rest.is_empty() || rest.starts_with('/') {
            fields.text(&self.place.home.to_string_lossy());
            return rest;
        }
        fields.push(Piece::Unknown);
        rest
    }

    fn part(
        &mut self,
        text: &str,
        env: &mut Env,
        manner: Manner,
        fields: &mut Fields,
    ) -> Result<()> {
        let quoted = manner == Manner::Quoted;
        let mut at = 0;
        while at < text.len() {
            let end = if quoted { scan::quoted_piece(text, at)? } else { scan::piece(text, at)? };
            let piece = text.get(at..end).unwrap_or_default();
            let rest = text.get(at..).unwrap_or_default();
            if !quoted && scan::opens_substitution(rest) {
                let end = scan::paren_end(text, at + 2, 0)?;
                self.nested(text.get(at + 2..end - 1).unwrap_or_default(), env);
                fields.text("/dev/fd/63");
                at = end;
                continue;
            }
            if manner == Manner::Bare
                && piece == "["
                && let Some(length) = bracket(rest)?
            {
                fields.push(Piece::Any);
                at += length;
                continue;
            }
            at = match piece.as_bytes().first() {
                Some(b'$') => self.dollar(text, at, end, env, manner, fields)?,
                _ => {
                    self.plain(piece, env, manner, fields)?;
                    end
                }
            };
        }
        Ok(())
    }

    fn plain(
        &mut self,
        piece: &str,
        env: &mut Env,
        manner: Manner,
        fields: &mut Fields,
    ) -> Result<()> {
        let inner = || piece.get(1..piece.len().saturating_sub(1)).unwrap_or_default();
        let quoted = manner == Manner::Quoted;
        match piece.chars().next() {
            Some('\\') => {
                let escaped = piece.get(1..).unwrap_or_default();
                if escaped == "\n" {
                    return Ok(());
                }
                let stays = quoted && !matches!(escaped, "$" | "`" | "\"" | "\\");
                fields.text(if stays { piece } else { escaped });
            }
            Some('\'') if !quoted => fields.text(inner()),
            Some('"') if !quoted => {
                fields.text("");
                self.part(inner(), env, Manner::Quoted, fields)?;
            }
            Some('`') => {
                let script = unescape_backticks(inner(), quoted);
                self.nested(&script, env);
                unknown(fields, manner);
            }
            Some('*') if manner == Manner::Bare => fields.push(Piece::Star),
            Some('?') if manner == Manner::Bare => fields.push(Piece::Any),
            _ => fields.text(piece),
        }
        Ok(())
    }

    /// `$` and what follows; `end` is where a quote or a bracketed expansion ends. Gives back where
    /// to go on.
    fn dollar(
        &mut self,
        text: &str,
        at: usize,
        end: usize,
        env: &mut Env,
        manner: Manner,
        fields: &mut Fields,
    ) -> Result<usize> {
        let piece = text.get(at..end).unwrap_or_default();
        let inner = |from: usize, to: usize| {
            piece.get(from..piece.len().saturating_sub(to)).unwrap_or_default()
        };
        if piece.starts_with("$'") {
            fields.text(&ansi(inner(2, 1))?);
        } else if piece.starts_with("$\"") {
            fields.text("");
            self.part(inner(2, 1), env, Manner::Quoted, fields)?;
        } else if piece.starts_with("$((") && scan::arithmetic_end(text, at + 3) == Some(end) {
            self.arithmetic(inner(3, 2), env)?;
            fields.push(Piece::Number);
        } else if piece.starts_with("$(") {
            let script = inner(2, 1);
            self.nested(script, env);
            let word = self.output_of(script, env);
            value(&word, manner, fields);
        } else if piece.starts_with("${") {
            let word = self.parameter(inner(2, 1), env)?;
            value(&word, manner, fields);
        } else {
            let rest = text.get(at + 1..).unwrap_or_default();
            let name = name_length(rest);
            if name == 0 {
                fields.text("$");
                return Ok(end);
            }
            let word = variable(rest.get(..name).unwrap_or_default(), env);
            value(&word, manner, fields);
            return Ok(at + 1 + name);
        }
        Ok(end)
    }
}

/// Bytes of a bracket expression, which stands for one character of a file name.
fn bracket(rest: &str) -> Result<Option<usize>> {
    let Some(end) = rest.get(2..).and_then(|inner| inner.find(']')) else { return Ok(None) };
    let inner = rest.get(1..end + 2).unwrap_or_default();
    if inner.contains(['$', '`', '\'', '"', '\\', '/']) {
        return Err("an unusual file name pattern");
    }
    Ok(Some(end + 3))
}

fn joined(words: Vec<Word>) -> Word {
    let mut whole = Word::default();
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            whole.push(Piece::Text(" ".to_owned()));
        }
        whole.append(word);
    }
    whole
}

fn many() -> Word {
    Word { pieces: vec![Piece::Unknown], is_many: true }
}

fn unknown(fields: &mut Fields, manner: Manner) {
    value(&many(), manner, fields);
}

/// A value where it is used.
fn value(word: &Word, manner: Manner, fields: &mut Fields) {
    for piece in &word.pieces {
        match piece {
            Piece::Text(text) if manner == Manner::Bare => split(text, fields),
            piece => fields.push(piece.clone()),
        }
    }
    if word.pieces.is_empty() && manner == Manner::Quoted {
        fields.text("");
    }
    if manner == Manner::Bare && word.pieces.contains(&Piece::Unknown) {
        fields.current.get_or_insert_default().is_many = true;
    }
}

/// A value outside of quotes: blanks part it, `*` stands for file names.
fn split(text: &str, fields: &mut Fields) {
    for char in text.chars() {
        match char {
            ' ' | '\t' | '\n' => fields.cut(),
            '*' => fields.push(Piece::Star),
            '?' => fields.push(Piece::Any),
            '[' => fields.push(Piece::Unknown),
            other => fields.push(Piece::Text(other.to_string())),
        }
    }
}

/// `$@` and its like count as many; numbers that the shell itself gives are numbers.
fn variable(name: &str, env: &Env) -> Word {
    match name {
        "?" | "#" | "$" | "!" => Word::number(),
        "@" | "*" => many(),
        _ => env.get(name),
    }
}

/// Bytes of the parameter's name that the text begins with.
fn name_length(text: &str) -> usize {
    let name = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    match text.as_bytes().first() {
        Some(b) if b.is_ascii_digit() => 1,
        Some(_) if name > 0 => name,
        Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => 1,
        _ => 0,
    }
}

fn unescape_backticks(text: &str, quoted: bool) -> String {
    let mut script = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char == '\\'
            && let Some(next) = chars.peek()
            && (matches!(next, '`' | '$' | '\\') || (quoted && *next == '"'))
        {
            script.push(*next);
            chars.next();
            continue;
        }
        script.push(char);
    }
    script
}

/// The inside of `$'...'`.
fn ansi(text: &str) -> Result<String> {
    const REASON: Unparsed = "an unusual escape";
    let mut whole = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\\' {
            whole.push(char);
            continue;
        }
        let escape = chars.next().ok_or(REASON)?;
        let (radix, most) = match escape {
            'x' => (16, 2),
            'u' => (16, 4),
            'U' => (16, 8),
            '0'..='7' => (8, 2),
            _ => {
                whole.push(match escape {
                    'n' => '\n',
                    't' => '\t',
                    '\\' | '\'' | '"' | '?' => escape,
                    _ => return Err(REASON),
                });
                continue;
            }
        };
        let mut number = if radix == 8 { escape.to_digit(8).unwrap_or_default() } else { 0 };
        let mut digits = usize::from(radix == 8);
        for _ in 0..most {
            let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
            number = number * radix + digit;
            digits += 1;
            chars.next();
        }
        let decoded = char::from_u32(number).filter(|c| *c != '\0' && digits > 0).ok_or(REASON)?;
        if !decoded.is_ascii() || (decoded.is_ascii_control() && !matches!(decoded, '\n' | '\t')) {
            return Err(REASON);
        }
        whole.push(decoded);
    }
    Ok(whole)
}

/// Text that arithmetic, `test -v` and their like would run.
fn check_text(word: &Word) -> Result<()> {
    let hides = word.pieces.iter().any(|piece| match piece {
        Piece::Text(text) => text.contains("[$(") || text.contains("[`"),
        _ => false,
    });
    if hides { Err("text that arithmetic would run") } else { Ok(()) }
}
