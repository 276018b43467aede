//! Whether a statement has the kind of thing that a question asks for: `who` a name, `where` a place, `how
//! many` a number of them. Pure.

use rustc_hash::FxHashSet;

use super::{
    super::{
        asked::{
            AsksFor, BESIDE_PLACES, BOUNDLESS, CONDITIONS, HOLDERS, LICENCES, NOBODY, PASSIVE,
            PLACING, is_clock, is_of_time, is_one_of,
        },
        measures::{amounts, bare as plain},
    },
    BEING, Named, Question, is_met,
    named::holds_name,
    parts::{asks_who_it_is, bare, is_of_place, is_version, label},
};
use elophanto_base::lexical::{Analyzer, words};

/// Words between a number and what it counts.
const NEAR: usize = 4;
/// Words of a label and its value that may be a name.
const MOST_VALUE: usize = 20;
/// Words between a name and what its bearer is.
const AROUND: usize = 9;

impl Question {
    /// Whether a statement has the kind of thing that is asked for. `said_of` is it without what a fact is kept
    /// under, `asked` what is asked about its subject, each with its term.
    pub(super) fn is_of_kind(
        &self,
        text: &str,
        said_of: &str,
        asked: &[(&str, &String)],
        said: &FxHashSet<String>,
        named: &Named,
        analyzer: &Analyzer,
    ) -> bool {
        let is_asked =
            |word: &str| self.words.iter().any(|(asked, _)| asked.eq_ignore_ascii_case(word));
        let tells_time = |text: &str| {
            words(text).any(|word| is_of_time(&text[word.range]))
                // What was said at `[9:07]` is not of then.
                || text.split_whitespace().any(|it| !it.starts_with('[') && is_clock(plain(it)))
        };
        let is_told = |(word, term): &(&str, &String)| said.contains(*term) || is_met(word, text);
        // That Ada is named does not tell when she was born.
        let is_of_names = || !asked.is_empty() && !asked.iter().any(is_told);
        match self.asks_for {
            Some(AsksFor::Person | AsksFor::Day | AsksFor::Time | AsksFor::Place)
                if is_of_names() && label(text).is_none() =>
            {
                false
            }
            Some(AsksFor::Person) => {
                let is_who = asks_who_it_is(&self.text);
                let is_one = words(&self.text)
                    .nth(1)
                    .is_some_and(|it| matches!(&self.text[it.range], "is" | "was"));
                // In the same word: an `Author` may be unknown; who `the members` are is told by names.
                let deed = asked.first().is_some_and(|(_, term)| match is_who {
                    true => self.is_defined_by(said_of) && said.contains(*term),
                    false => is_done_by_somebody(said_of, term, analyzer),
                });
                let least = if is_who && is_one { 2 } else { 1 };
                let near = if is_who { self.around(said_of, analyzer) } else { said_of.to_owned() };
                let is_value =
                    label(text).is_some() && text.split_whitespace().count() <= MOST_VALUE;
                let is_said = is_who || asked.first().is_none_or(is_told);
                deed || is_value || is_said && holds_name(&near, is_asked, least, analyzer)
            }
            Some(AsksFor::Day) => tells_time(text) || self.names_version(text),
            Some(AsksFor::Time) => {
                // `when` is what one asks with.
                let waits = |word: &str| {
                    is_one_of(&CONDITIONS, word) && (!is_asked(word) || is_one_of(&["when"], word))
                };
                tells_time(text)
                    || words(text).any(|word| waits(&text[word.range]))
                    || self.names_version(text)
            }
            Some(AsksFor::Place) => is_of_place(text, |word| {
                let terms = analyzer.terms(word);
                self.terms.iter().any(|(asked, _)| terms.contains(asked))
            }),
            Some(AsksFor::Version) => holds_version(text),
            Some(AsksFor::Licence) => {
                words(text).any(|word| is_one_of(&LICENCES, &text[word.range]))
            }
            Some(AsksFor::Bound) => {
                let is_bound = |word: &str| {
                    word.starts_with(|char: char| char.is_numeric()) || is_one_of(&BOUNDLESS, word)
                };
                let is_of_it = self.counted.as_ref().is_none_or(|thing| {
                    said.contains(&thing.1) || named.is_above(&thing.1) || is_met(&thing.0, text)
                });
                is_of_it && words(text).any(|word| is_bound(&text[word.range]))
            }
            Some(AsksFor::Code) => {
                let is_code = |word: &str| {
                    word.contains('_') || word.starts_with('-') || word.starts_with(['\'', '"'])
                };
                text.contains('`') || text.split_whitespace().any(is_code)
            }
            Some(AsksFor::Default) => words(text).any(|word| {
                let word = &text[word.range];
                is_one_of(&["default", "defaults"], word)
            }),
            Some(AsksFor::Count | AsksFor::Amount) => match self.measured {
                Some(measured) => measured.is_told_by(text),
                None => self.is_counted_in(text, said, named, analyzer),
            },
            None => true,
        }
    }

    /// Whether a statement has a number, and of those things of which one asks how many there are: near to
    /// them, where it says them in the same word.
    fn is_counted_in(
        &self,
        text: &str,
        said: &FxHashSet<String>,
        named: &Named,
        analyzer: &Analyzer,
    ) -> bool {
        // `At least 18 years old` counts nobody.
        let units = ["year", "years", "month", "months", "day", "days", "hour", "hours", "minutes"];
        let is_of_time = |amount: &str| {
            let behind = text.split_once(amount).map_or("", |(_, behind)| behind);
            let next = behind.split_whitespace().next().map(plain).unwrap_or_default();
            units.contains(&next) && !self.many.iter().any(|(word, _)| word == next)
        };
        let amounts: Vec<&str> =
            amounts(text).filter(|it| self.many.is_empty() || !is_of_time(it)).collect();
        if amounts.is_empty() || self.many.is_empty() {
            return !amounts.is_empty();
        }
        let is_of_them = |(word, term): &(String, String)| {
            said.contains(term) || named.is_above(term) || is_met(word, text)
        };
        let tokens: Vec<&str> = text.split_whitespace().map(plain).collect();
        // Days are counted by no weeks.
        let is_unit = self.many.first().is_some_and(|(word, _)| units.contains(&word.as_str()));
        let many = if is_unit { &self.many[..1] } else { &self.many[..] };
        let is_thing = |token: &str| {
            let terms = analyzer.terms(token);
            // `How many men served aboard HMCS Ada` counts no HMCS.
            let is_name = |word: &str| word.starts_with(char::is_uppercase);
            many.iter().any(|(word, term)| !is_name(word) && terms.contains(term))
        };
        // `Four messages become a file` counts no files.
        let is_end = |word: &str| is_one_of(&BEING, word) || is_one_of(&["a", "an"], word);
        // `Port 0 is your own node` counts no nodes, nor does `more than one node`; `a 128-bit number` counts bits.
        let counts = |at: usize| {
            let before = &tokens[at.saturating_sub(2)..at];
            let near = tokens[at..].iter().take(NEAR + 1).take_while(|word| !is_end(word));
            let is_label = before.last().is_some_and(|word| is_thing(word));
            let is_more = is_one_of(&["one"], tokens[at]) && before.contains(&"than");
            !is_more && (is_label || near.into_iter().any(|word| is_thing(word)))
        };
        let numbered = (0..tokens.len()).filter(|at| amounts.contains(&tokens[*at]));
        let is_small = |word: &str| {
            is_one_of(&PLACING, word)
                || is_one_of(&BESIDE_PLACES, word)
                || is_one_of(&["or", "per"], word)
        };
        let is_held = |at: usize| {
            let held = &tokens[at.saturating_sub(NEAR)..at];
            let is_link = |word: &&str| is_one_of(&HOLDERS, word);
            // `The gateway is one process` counts processes.
            let counts_other = is_one_of(&["one"], tokens[at])
                && tokens.get(at + 1).is_some_and(|next| !is_small(next));
            !counts_other && held.iter().any(is_link) && held.iter().any(|word| is_thing(word))
        };
        let mut numbered = numbered.filter(|at| counts(*at) || is_held(*at));
        let is_unsaid = !is_unit && !tokens.iter().any(|token| is_thing(token));
        let is_told = is_unsaid || numbered.next().is_some();
        is_told && self.many.iter().any(is_of_them)
    }

    /// The words of a statement around the first thing that is asked about, all where it is not said.
    fn around(&self, text: &str, analyzer: &Analyzer) -> String {
        let all: Vec<&str> = text.split_whitespace().collect();
        let is_thing = |word: &&str| {
            self.things.first().is_some_and(|(_, term)| analyzer.terms(word).contains(term))
        };
        let at = all.iter().position(is_thing).unwrap_or(0);
        let is_said = all.get(at).is_some_and(is_thing);
        let near = at.saturating_sub(AROUND)..all.len().min(at + AROUND);
        if is_said { all[near].join(" ") } else { text.to_owned() }
    }

    /// Whether a statement names a version where no number is asked about: `removed in 4.0` tells when.
    fn names_version(&self, text: &str) -> bool {
        let is_named = |token: String| token.contains('.') && is_version(&token);
        self.numbers.is_empty() && text.split_whitespace().map(bare).any(is_named)
    }
}

/// Whether a statement says in the same word who did something, or what: not `is created in order to`, nor what
/// `can create`. What is good for `starting` something was started by nobody.
fn is_done_by_somebody(text: &str, deed: &str, analyzer: &Analyzer) -> bool {
    let all: Vec<&str> = text.split_whitespace().map(plain).collect();
    let is_deed =
        |word: &str| !word.ends_with("ing") && analyzer.terms(word).iter().any(|term| term == deed);
    (0..all.len()).filter(|at| is_deed(all[*at])).any(|at| {
        let before = at.checked_sub(1).map_or("to", |before| all[before]);
        let behind = all.get(at + 1);
        let is_by = behind.is_some_and(|word| is_one_of(&["by"], word));
        let is_passive = is_one_of(&PASSIVE, before)
            || behind.is_some_and(|word| is_one_of(&["as", "for", "in", "on", "to", "with"], word));
        is_by || !is_passive && !is_one_of(&NOBODY, before)
    })
}

/// Whether a text names a version: a number of several parts, or one behind `version`.
fn holds_version(text: &str) -> bool {
    let all: Vec<String> = text.split_whitespace().map(bare).collect();
    let begins = |word: &str| word.starts_with(|char: char| char.is_ascii_digit());
    all.iter().any(|word| begins(word) && word.contains('.'))
        || all.array_windows().any(|[word, number]| {
            begins(number) && (word.starts_with("version") || word.ends_with("version"))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_in_what_answers() {
        for (question, statement, tells) in [
            ("how many users does it have", "It says how many files are missing.", false),
            ("how many users does it have", "The sea has 16 otters.", false),
            ("how many users does it have", "It has thousands of users.", true),
            ("how many stars does it have", "It is right for 86 of 100.", false),
            (
                "how many users does it have",
                "On a user's machine that is closed and writes a line an hour it does three at once.",
                false,
            ),
            ("how many users does it have", "To be a user, you must be 18 years old.", false),
            ("how many years did it last", "It lasted for 18 years.", true),
            ("who started the program", "A book for it is a good starting point.", false),
            ("who is the president of it", "The president may call an Annual meeting.", false),
            ("who is the president of it", "Elected president was Ada Hill.", true),
            ("who is the captain of it", "Elected captain of it was Pelé.", true),
            ("who was the first to map it", "The first map of it is by Ada de Hill.", true),
            ("how much does it cost", "A seat is 20 euros a year.", true),
            ("how old is the program", "The program has a long history.", false),
            ("who maintains the program", "The program makes notes searchable.", false),
            ("who maintains the program", "Only users with a key maintain it.", true),
            ("who wrote the program", "The author of the program is Ada Lovelace.", true),
            ("who wrote the program", "The author of the program is unknown.", false),
            ("who wrote the program", "The program is `run GOAL [--budget USD]`.", false),
            ("when was the program founded", "A command leaves it as it found it.", false),
            ("when was the program founded", "Founded in May, it grew.", true),
            ("when does the program run", "The program runs after each merge.", true),
            ("when was version 3.2 released", "Version 3.1 was released on May 2, 2023.", false),
            ("when was version 3.2 released", "Version 3.2 was released on May 4, 2024.", true),
            ("when was version 3.2 released", "Version 3.2.1 was released in May.", true),
            ("when was version 3.2 released", "Version 3.1 was released before 3.2, in May.", true),
            ("when was v3 of it released", "V2 was released in May.", true),
            ("when was Redis 7 released", "Redis 7 – Redis 6 was released in April 2020.", false),
            ("when was Redis 7 released", "Redis 7 – Redis 7 was released in April 2022.", true),
            ("when was Redis released", "Redis 6 was released in April 2020.", true),
            ("what is the program used for", "It finds notes.", true),
            ("what happens when it crashes", "After a crash it starts anew.", true),
            ("which port does the database use", "The proxy uses port 8080.", false),
            ("which port does the database use", "The main database uses port 5432.", true),
            ("which port does the database use", "The program uses port 8080.", true),
            ("which port does the database use", "It uses port 5432.", true),
            ("how long is the vacation", "The holidays are four weeks long.", true),
            ("who founded the company", "The code can be found in May's folder.", false),
            ("who founded the company", "Ada Lovelace founded it.", true),
            ("what is the maximum length of a label", "A label exceeds the maximum length.", false),
            ("what is the maximum length of a label", "A label has at most 2048 bytes.", true),
            ("what is the maximum number of remotes", "Maximum of connections, 0 for none", false),
            ("what is the maximum number of remotes", "At most 5 remotes are read.", true),
            ("which command makes a label", "The command makes a label.", false),
            ("which command makes a label", "A label is made by `make label`.", true),
            ("when will the mode be removed", "The mode is removed in Loki 4.0.", true),
            ("when was the mode removed", "The mode was removed by somebody.", false),
            ("what is the default limit of retries", "The limit of retries can be set.", false),
            ("what is the default limit of retries", "The limit defaults to 5 retries.", true),
            ("what is the default of retries", "retries: Default: **2**", true),
            ("who built the ship", "Ship – Builder: the Yard", true),
            ("who were the users of it", "It ended, with both users going.", false),
            ("who were the users of it", "It had two users, Ada and Bob.", true),
            ("who invented the drum", "Drum – The circle created sounds.", false),
            ("who is the audience", "The audience is developers of tools.", true),
            ("who is the author of it", "Ada Hill – of the navy – was the author of it.", true),
            ("when was Ada born", "Ada Base was head of it (2010–2015).", false),
            ("who wrote the book", "It is a book for children by Ada Base.", true),
            ("when was Ada born", "Ada Base (May 2, 1929 – May 4, 2012) was a lawyer.", true),
            ("where was it found", "Every once in a while, one is found.", false),
            ("when was tool 0.4.0 released", "tool 0.4.0 (2020-11-06) – It is faster.", true),
            ("who bought it in 1960", "In 1887 Ada bought it.", false),
            ("who bought it in 1960", "In 1960 the Tube acquired it.", true),
            ("who led it in 1863", "Lincoln led it from 1861 to 1865.", true),
            ("what date format does it use", "Its date format is `DD.MM.YYYY`.", true),
            ("how many people died when it sank", "It sank on 29 August 1782.", false),
            ("where was Ada born", "Ada (born March 4, 1982) is a player.", false),
            ("where was Ada born", "Ada was born in London.", true),
            ("where did Ada die", "Ada died at the age of 99 on April 2, 2005.", false),
            ("where is the spare site", "It is moved from the old site to the spare site.", false),
            ("where do I get the key", "Set the key using the `--key` option.", false),
            ("where is the log kept", "The log is kept below `/var/log/it`.", true),
            ("who is the head of it", "The Chief Technical Officer is head of it.", false),
            ("who was the captain of it", "In April 1900, they saved the captain of it.", false),
            (
                "who wrote the program",
                "Written in C; No files needed; Standalone and small.",
                false,
            ),
            ("who created the program", "The program was created in order to build it.", false),
            ("who created the program", "The program can create files.", false),
            ("who approved it", "Approved by the board, it was kept.", true),
            ("who leads the team", "The captain leads the team.", true),
            ("how many nodes does it have", "A node has peerings to more than one node.", false),
            ("how many nodes does it have", "Port 0 is your own node.", false),
            ("how many nodes does it have", "It has 12 large nodes.", true),
            ("how many files does a message have", "Four messages become a file.", false),
            ("how many nodes does it have", "The node is one process of a user.", false),
            ("how many nodes does it have", "The number of nodes is one.", true),
            ("how many nodes does it have", "The number of nodes is one per cluster.", true),
            ("what does the seat cost", "Of a seat nothing became slower.", false),
            ("what does the seat cost", "A seat is 20 euros a year.", true),
            ("how many nodes does it have", "The number of nodes is 12.", true),
            ("how do I limit how many connect", "Connect at most by `--limit`.", true),
            ("which version of it is needed", "The whole tree is needed.", false),
            ("which version of it is needed", "Its version 3.0 or later is needed.", true),
            ("what license is it under", "It is under a shelf.", false),
            (
                "who is the head of Foo",
                "It is activated by the head in the Foo Contingency Plan.",
                false,
            ),
            (
                "who is the head of it",
                "The head is to follow what is written for the repair of it with the Foo Bar and Dev Ops.",
                false,
            ),
            ("who is the head of it", "Assessment Of Damage: The head of it is lost.", false),
            ("how many nodes has HMCS Ada", "HMCS Ada – Nodes: 259 (14 of them large)", true),
            ("when was it fixed", "[9:07] Ada fixed it.", false),
            ("where is the spare site", "Ship all that is there to the spare site.", false),
            ("how much did the fund pay", "The fund did pay no $ amounts.", false),
            ("when was Ada born", "The team was awarded a prize in 1939 for Ada.", false),
            ("who approved the request", "@ada merges the request.", false),
            ("how many days of vacation are there", "There is a 6-week vacation.", false),
            ("how many days of vacation are there", "There are 20 days of vacation.", true),
            ("how do I reset the probe", "Once the probe is lost, it blinks red.", false),
            ("how do I reset the probe", "Use `reset` to bring the probe back.", true),
            ("what license does it have", "It has the ISC license.", true),
            ("when did it begin", "It commenced at 7:46 pm.", true),
            ("what does tool -x do", "-k: it may fail (e.g. a missing x)", false),
            ("what does tool -x do", "-x, --exclusive: it may fail", true),
        ] {
            let analyzer = Analyzer::new("english");
            let question = Question::new(question, &[], &analyzer);
            let named = Named {
                above: ["program".to_owned()].into_iter().collect(),
                inner: FxHashSet::default(),
                names: FxHashSet::default(),
                by_capitals: true,
                options: Vec::new(),
                is_fact: statement.starts_with("Drum – "),
            };
            assert_eq!(
                question.told_by(statement, &named, false, &analyzer).tells,
                tells,
                "{statement}"
            );
        }
    }
}
