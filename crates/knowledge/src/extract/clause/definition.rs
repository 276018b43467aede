//! What a statement says that something is.

use crate::extract::token::Token;
use crate::extract::words;

/// What a definition says that something is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::extract) struct Definition {
    /// The noun of the class in lower case: `speaker` of `a bookshelf speaker that ...`.
    pub(in crate::extract) class: String,
    /// Whether more follows the noun: `a speaker for ...`.
    pub(in crate::extract) qualified: bool,
    /// Whether it praises or weighs: `a key concept`.
    pub(in crate::extract) weighs: bool,
    /// Whether the verb itself defines: `refers to`, `is defined as`.
    pub(in crate::extract) plainly: bool,
}

/// The class that a statement names with its verb at `verb`: `is a speaker`, `are the smallest
/// units of ...`, `refers to the process of ...`.
pub(in crate::extract) fn definition(tokens: &[Token<'_>], verb: usize) -> Option<Definition> {
    let word = tokens.get(verb)?.lower();
    let mut at = verb + 1;
    let mut plainly = false;
    let next = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    match word.as_str() {
        "is" | "are" | "was" | "were" => {
            while words::is_adverb(&next(at)) && next(at) != "all" {
                at += 1;
            }
            if next(at) == "defined" && next(at + 1) == "as" {
                plainly = true;
                at += 2;
            } else if next(at) == "one" && next(at + 1) == "of" {
                at += 1;
            }
        }
        "refers" | "refer" if next(at) == "to" => {
            plainly = true;
            at += 1;
        }
        "consists" | "consist" if next(at) == "of" => {
            plainly = true;
            at += 1;
        }
        "means" | "describes" | "denotes" => {}
        _ => return None,
    }
    let article =
        matches!(next(at).as_str(), "a" | "an" | "the" | "of" | "any" | "one" | "another");
    let plural = matches!(word.as_str(), "are" | "were");
    if !article && !plural && !plainly {
        return None;
    }
    let from = if article { at + 1 } else { at };
    let bare = plural && !article && !plainly;
    noun_phrase(tokens, from, bare).map(|found| Definition { plainly, ..found })
}

/// The head of the noun phrase that begins at token `from`.
pub(in crate::extract) fn noun_phrase(
    tokens: &[Token<'_>],
    from: usize,
    bare: bool,
) -> Option<Definition> {
    let mut head: Option<&Token<'_>> = None;
    let mut qualified = false;
    for (at, token) in tokens.iter().enumerate().skip(from).take(12) {
        let word = token.lower();
        // `a family owned business`
        let inner = || {
            let next = tokens.get(at + 1).map(Token::lower).unwrap_or_default();
            words::is_participle(&word)
                && token.joins()
                && next.chars().all(char::is_alphabetic)
                && !words::ends_phrase(&next)
                && !words::is_determiner(&next)
                && !words::is_lead(&next)
                && !words::is_adverb(&next)
                && !matches!(next.as_str(), "and" | "or" | "up" | "out" | "off" | "down")
        };
        let ends = words::ends_phrase(&word)
            || (at > from
                && (words::is_auxiliary(&word) || words::is_participle(&word) && !inner())
                && head.is_some());
        if ends || !token.before.is_empty() || token.is_dash() {
            qualified = at > from && at + 1 < tokens.len();
            break;
        }
        if matches!(word.as_str(), "and" | "or") {
            // `a free and open tool` goes on, `a tool and ...` is near enough.
            continue;
        }
        head = Some(token);
        if !token.after.trim_matches(['"', '”', '’']).is_empty() && token.after != "," {
            break;
        }
        if token.after == ","
            && tokens.get(at + 1).is_some_and(|next| {
                let next = next.lower();
                words::is_pronoun(&next)
                    || words::is_determiner(&next)
                    || next.ends_with("ing")
                    || next.ends_with("ed")
            })
        {
            qualified = true;
            break;
        }
    }
    let weighs = tokens.get(from).is_some_and(|first| words::is_weighing(&first.lower()));
    let class = head?.lower();
    let noun = class.chars().all(|char| char.is_alphabetic() || char == '-');
    // A bare plural needs a noun: `are useful` defines nothing.
    let noun = noun && (!bare || (class.ends_with('s') && qualified));
    (noun && !class.ends_with("ly")).then_some(Definition {
        class,
        qualified,
        plainly: false,
        weighs,
    })
}
