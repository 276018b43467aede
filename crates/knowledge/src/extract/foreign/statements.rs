//! Which sentences of other languages state something, and of what.

use super::grammar::Grammar;
use crate::extract::clause;
use crate::extract::facts::{is_whole, shown};
use crate::extract::name::is_year;
use crate::extract::token::Token;
use crate::words::{Words, list};

/// `Es gibt viele`, `Sie können`, `Il est possible de`: the pronoun stands for nothing before it.
pub(super) fn is_impersonal(tokens: &[Token<'_>]) -> bool {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let (verb, next) = (word(1), [word(2), word(3), word(4)]);
    match word(0).as_str() {
        "es" => matches!(verb.as_str(), "gibt" | "gab") || next.iter().any(|next| next == "dass"),
        "sie" => verb.ends_with("en") || verb == "sind",
        "il" => {
            let adjective = matches!(verb.as_str(), "est" | "était" | "fut" | "sera");
            let binds = |next: &String| {
                matches!(next.as_str(), "de" | "que")
                    || next.starts_with("d'")
                    || next.starts_with("qu'")
            };
            adjective && next.iter().any(binds)
                || matches!(verb.as_str(), "convient" | "existe" | "faut" | "reste" | "suffit")
        }
        _ => false,
    }
}

/// Whether nothing but a bracket or a quotation ends behind a word.
pub(super) fn closes(token: &Token<'_>) -> bool {
    matches!(token.after, ")" | "\"" | "“" | "”")
}

/// `Su clima es`, where a paragraph begins: of what the page is about.
fn begins_with_its(tokens: &[Token<'_>]) -> bool {
    const OWNS: &[&str] = &["Sa", "Ses", "Son", "Su", "Sus"];
    borders(tokens) || tokens.first().is_some_and(|first| OWNS.contains(&first.text))
}

/// `Colinda al norte con`, of a place that is not named again.
fn borders(tokens: &[Token<'_>]) -> bool {
    tokens.first().is_some_and(|first| matches!(first.text, "Colinda" | "Limita"))
}

/// A German verb in the past; `gelten` is none.
fn is_past(verb: &Token<'_>) -> bool {
    static PAST: Words = list!(words "german_past");
    let word = verb.lower();
    word.ends_with("te") || PAST.contains(word.as_str())
}

/// `Der Antrag wird angenommen.`: which one, another sentence tells.
fn is_of_vote(tokens: &[Token<'_>], verb: usize) -> bool {
    const NOUNS: &[&str] = &["Antrag", "Beschluss", "Punkt", "Tagesordnungspunkt", "Vorschlag"];
    const BECAME: &[&str] =
        &["abgelehnt", "angenommen", "beschlossen", "gestellt", "vertagt", "zurückgezogen"];
    let last = tokens.last().map_or("", |last| last.text);
    verb == 2 && NOUNS.contains(&tokens[1].text) && BECAME.contains(&last)
}

/// `Für das nächste Jahr`, `wird noch`: when, only the day tells on which it was written.
fn is_of_today(tokens: &[Token<'_>]) -> bool {
    const NEXT: &[&str] = &["kommende", "kommenden", "nächste", "nächsten", "nächstes"];
    const WHEN: &[&str] = &["jahr", "jahre", "monat", "monate", "woche", "wochen"];
    // `seit der letzten Versammlung`, `nun`, `derzeit`
    const NOW: &[&str] = &["aktuell", "bald", "demnächst", "derzeit", "momentan", "nun", "zurzeit"];
    const LAST: &[&str] = &["letzte", "letzten", "letzter"];
    if tokens.iter().any(|token| NOW.contains(&token.text)) {
        return true;
    }
    tokens.windows(2).any(|two| {
        let (word, next) = (two[0].lower(), two[1].lower());
        LAST.contains(&next.as_str()) && matches!(word.as_str(), "der" | "dem" | "im")
            || word == "bereits" && next == "in"
            || NEXT.contains(&word.as_str()) && WHEN.contains(&next.as_str())
            || matches!(word.as_str(), "wird" | "werden") && next == "noch"
    })
}

impl Grammar {
    /// `En 1819 le commandant`, `En 1602 había`: when, before what happened then.
    fn is_dated(&self, tokens: &[Token<'_>]) -> bool {
        let year = tokens.get(1).is_some_and(|year| is_year(year.text));
        !self.inverts && year && tokens[0].text == "En"
    }

    /// Whether a sentence states something of the name between two tokens: the name begins it, or
    /// stands right behind its verb.
    pub(super) fn states(&self, tokens: &[Token<'_>], from: usize, end: usize) -> bool {
        let article = |at: usize| {
            tokens.get(at).is_some_and(|token| self.articles.contains(&token.lower().as_str()))
        };
        let opens = from == 0 || (from == 1 && article(0));
        let behind = clause::behind_bracket(tokens, end);
        let joined = tokens
            .get(behind.saturating_sub(1))
            .is_some_and(|token| token.after.trim_matches(')').is_empty());
        let is_verb = |token: &Token<'_>| self.is_verb(token) || self.is_second(token);
        if opens && joined && tokens.get(behind).is_some_and(is_verb) {
            return true;
        }
        let verb = if from > 1 && article(from - 1) { from - 2 } else { from.wrapping_sub(1) };
        let rest = tokens.len() > end;
        self.inverts
            && rest
            && (1..=10).contains(&verb)
            && tokens.get(verb).is_some_and(|token| self.is_verb(token) && token.joins())
            && tokens[..verb].iter().all(|token| token.joins() && !self.is_verb(token))
    }

    /// Whether a word behind the subject that begins a German sentence is a verb by its form.
    pub(super) fn is_second(&self, token: &Token<'_>) -> bool {
        const LEAST: usize = 4;
        const NONE: &[&str] = &[
            "erst", "fast", "insgesamt", "jetzt", "meist", "nicht", "samt", "seit", "selbst",
            "somit", "sonst", "statt", "zuletzt", "zumeist", "zunächst",
        ];
        self.inverts
            && token.before.is_empty()
            && token.text.len() >= LEAST
            && token.text.starts_with(char::is_lowercase)
            && token.text.ends_with('t')
            && !token.text.starts_with("ge")
            && !NONE.contains(&token.text)
    }

    /// `La citadelle`, before the verb, and the pronoun that stands for it.
    pub(super) fn subject<'t>(
        &self,
        text: &'t str,
        tokens: &[Token<'_>],
    ) -> Option<(&'t str, &'static str)> {
        const MOST: usize = 6;
        const GENDERS: &[(&str, &str)] = &[
            ("der", "er"),
            ("die", "sie"),
            ("eine", "sie"),
            ("el", "él"),
            ("la", "ella"),
            ("la", "elle"),
            ("le", "il"),
            ("un", "il"),
            ("un", "él"),
            ("una", "ella"),
            ("une", "elle"),
        ];
        let article = tokens.first().filter(|it| it.joins())?;
        let word = article.lower();
        let is_its =
            |(own, pronoun): &&(&str, &str)| *own == word && self.pronouns.contains(pronoun);
        let (_, pronoun) = GENDERS.iter().find(is_its)?;
        let verb = (2..tokens.len().min(MOST)).find(|&at| self.is_verb(&tokens[at]))?;
        let subject = &tokens[1..verb];
        let plain = subject.iter().all(|it| it.joins() && it.before.is_empty());
        let said = text.get(article.start..tokens[verb - 1].end)?;
        plain.then_some((said, *pronoun))
    }

    /// A sentence of a page that names nothing but can be understood below its title: it begins with
    /// an article and its noun, and points to nothing before it.
    pub(super) fn own(&self, text: &str, tokens: &[Token<'_>], is_first: bool) -> Option<String> {
        const LEAST: usize = 6;
        // `Aufnahmegebühren werden nicht erhoben.`
        const LEAST_OF_RULE: usize = 4;
        const MAX_SUBJECT: usize = 18;
        const MAX_LEAD: usize = 18;
        let begins = tokens.first().is_some_and(|first| {
            let word = first.lower();
            first.is_capitalised()
                && first.before.is_empty()
                && (self.articles.contains(&word.as_str()) || self.plurals.contains(&word.as_str()))
        });
        let points = |at: usize| {
            let token = &tokens[at];
            let word = token.lower();
            let bare = word.split_once(['\'', '’']).map_or(word.as_str(), |(_, rest)| rest);
            let goes_on = self.pronouns.contains(&bare) && self.goes_on(tokens, at)
                || bare == "leur" && tokens[..at].iter().any(|it| matches!(it.text, "les" | "Les"));
            [self.pointers, self.pronouns, self.persons].iter().any(|all| all.contains(&bare))
                && !goes_on
                && !Self::lists(tokens, at)
                || self.ties(tokens, at)
                || self.cites(tokens, at)
                || at == 0 && !is_first && begins_with_its(tokens)
                || matches!(token.text, "Sie" | "Ihr" | "Ihre" | "Ihnen")
        };
        // `Profile werden geladen`: several, of which the verb tells.
        let of_several = self.nouns_have_capitals
            && tokens.first().is_some_and(|first| {
                let word = first.lower();
                first.is_capitalised()
                    && first.joins()
                    && first.before.is_empty()
                    && !self.is_small(&word)
            })
            && tokens.get(1).is_some_and(|second| {
                self.is_verb(second)
                    && (second.text.ends_with("en") || matches!(second.text, "sind" | "waren"))
            });
        // `Das erlaubt`: a pronoun.
        let is_pronoun = self.inverts && tokens.get(1).is_some_and(|next| self.is_verb(next));
        let begins = begins && !is_pronoun;
        let leads = self.leads_in(tokens);
        let of_noun = self.opens_with_noun(tokens);
        let dated = self.is_dated(tokens);
        let leads = leads || dated;
        // `Die erste Rückstellung`: of several, which another sentence counts.
        let counted = self.inverts
            && tokens.iter().enumerate().any(|(at, it)| match it.text {
                "erste" | "zweite" | "dritte" | "vierte" => at == 1,
                // `Der folgende Befehl`, `mit der obigen Datei`
                "folgende" | "folgenden" | "folgender" | "obige" | "obigen" | "obiger"
                | "betreffende" | "betreffenden" | "betroffene" | "betroffenen" => true,
                _ => false,
            });
        let begins = begins || is_first && begins_with_its(tokens);
        let begins = (begins || of_several || leads || of_noun) && !counted;
        let most = if leads { MAX_LEAD } else { MAX_SUBJECT };
        // The verb of the sentence, before any comma.
        let head = tokens.iter().take(most);
        // `En 1819 le commandant, lors de son voyage, ramena`
        let goes_on = |token: &Token<'_>| {
            token.joins() || leads && closes(token) || dated && token.after == ","
        };
        let head = head.clone().position(|token| !goes_on(token));
        let head = head.map_or(most, |at| at + 1);
        let verb = match is_first && borders(tokens) {
            true => 0,
            false => (1..tokens.len().min(head)).find(|&at| self.is_verb(&tokens[at]))?,
        };
        let is_rule = matches!(tokens[verb].text, "wird" | "werden")
            && tokens.last().is_some_and(|last| last.text.starts_with(char::is_lowercase));
        let least = if is_rule { LEAST_OF_RULE } else { LEAST };
        let whole = tokens.len() >= least && text.trim_end().ends_with(['.', ')', '»', '“']);
        // `Das Paar lebte in Rom`: what happened once, to whom another sentence tells.
        let is_once =
            self.inverts && is_past(&tokens[verb]) && !text.bytes().any(|it| it.is_ascii_digit());
        let is_vote = self.inverts && is_of_vote(tokens, verb);
        (begins
            && !is_once
            && !is_vote
            && !is_of_today(tokens)
            && whole
            && verb + 1 < tokens.len()
            && !(0..tokens.len()).any(points)
            && is_whole(text))
        .then(|| shown(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::token::tokens;

    #[test]
    fn what_was_voted_on_stands_elsewhere() {
        for (text, expected) in [
            ("Der Antrag wird bei Enthaltung des Vorstandes angenommen.", true),
            ("Der Antrag des Vorstandes wird angenommen.", false),
            ("Der Antrag wird schriftlich gestellt.", true),
            ("Der Verein wird vom Vorstand vertreten.", false),
        ] {
            let tokens = tokens(text);
            let verb = tokens.iter().position(|it| it.text == "wird").unwrap();
            assert_eq!(is_of_vote(&tokens, verb), expected, "{text}");
        }
    }

    #[test]
    fn what_is_to_be_next_year_is_left() {
        for (text, expected) in [
            ("Für das nächste Jahr ist eine Fahrt geplant.", true),
            ("Der Vorstand beschreibt die Zeit seit der letzten Versammlung als gut.", true),
            ("Die Kosten sind derzeit tragbar.", true),
            ("Am 15. November wird noch ein Vortrag gehalten.", true),
            ("Das Museum wird von Foo betrieben.", false),
        ] {
            assert_eq!(is_of_today(&tokens(text)), expected, "{text}");
        }
    }
}
