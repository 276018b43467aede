//! How two names relate, and what facts would have to say for that to be certain.

use super::{
    Candidate, MAX_ALIASES, Reason,
    form::{Article, Case, Form, Word, join},
    longer::directed,
    words,
};

/// Names shorter than this, in letters, are not compared letter by letter.
pub const MIN_SPELLING: usize = 8;

/// The names of an entity, taken apart.
#[derive(Debug, Default)]
pub struct Named {
    /// `None` if it holds no letter or digit: such an entity is like no other.
    pub name: Option<Form>,
    pub aliases: Vec<Form>,
}

impl Named {
    pub fn of(candidate: &Candidate) -> Self {
        let aliases = candidate.aliases.iter().take(MAX_ALIASES);
        Self {
            name: Form::of(candidate.name),
            aliases: aliases.filter_map(|alias| Form::of(alias)).collect(),
        }
    }

    pub fn forms(&self) -> impl Iterator<Item = &Form> {
        self.name.iter().chain(&self.aliases)
    }
}

/// How names relate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relation {
    pub reason: Reason,
    pub demand: Demand,
}

/// What the facts must say before the pair is certain. `Short` is the side with the shorter name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Demand {
    /// Nothing, but they must not speak of different kinds of thing.
    Nothing,
    /// If both sides have facts, they agree.
    AgreeIfAny,
    /// Both sides have facts, and they agree.
    Agree,
    /// An abbreviation: it is said, or the facts fit what it stands for.
    Expansion,
    /// The side with the shorter name is said to be one of these (folded words).
    Kind { words: Vec<String>, need: Need },
    /// The facts of the side with the shorter name are those of a company; `sure` is content with
    /// none.
    Company { sure: bool },
    /// The facts name the maker.
    Maker { maker: String, known: bool },
    /// The facts of the side without a year speak of this year alone, and they agree.
    Year(String),
    /// Nothing makes it certain; with `agree`, only agreeing facts make it worth a look.
    Never { agree: bool },
}

/// What [`Demand::Kind`] is content with. Never with a clash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The kind is said.
    Kind,
    /// The kind is said, and the facts have something to do with each other.
    KindNotApart,
    /// The kind is said, or the facts agree if both sides have any.
    KindOrNothingElse,
}

/// How the entities' names relate, `None` if they don't. The flag says that the first is the one
/// with the longer name.
pub fn relate(a: &Named, b: &Named) -> Option<(Relation, bool)> {
    let (name_a, name_b) = (a.name.as_ref()?, b.name.as_ref()?);
    let longer = (name_a.words.len(), name_a.key.len()) >= (name_b.words.len(), name_b.key.len());
    let by_name = equal(name_a, name_b)
        .map(|relation| (relation, longer))
        .or_else(|| directed(name_a, name_b).map(|relation| (relation, true)))
        .or_else(|| directed(name_b, name_a).map(|relation| (relation, false)))
        .or_else(|| plural(name_a, name_b).map(|relation| (relation, longer)));
    by_name
        .or_else(|| by_alias(a, b).map(|relation| (relation, longer)))
        .or_else(|| spelling(name_a, name_b).map(|relation| (relation, longer)))
}

/// Whether the names are of different things whatever else is said: other numbers, other marks,
/// the one a model of the other.
pub fn vetoed(a: &Form, b: &Form) -> bool {
    a.symbols() != b.symbols() || a.numbers() != b.numbers() || models(a) != models(b)
}

fn models(form: &Form) -> Vec<&str> {
    let words = form.words.iter().skip(1).map(|word| word.text.as_str());
    words.filter(|word| words::MODELS.contains(word)).collect()
}

fn equal(a: &Form, b: &Form) -> Option<Relation> {
    if a.key != b.key {
        return None;
    }
    match (&a.bracket, &b.bracket) {
        (Some(a), Some(b)) if join(a) != join(b) => return None,
        (None, Some(_)) | (Some(_), None) => return None,
        _ => {}
    }
    if a.article != b.article && [a, b].iter().any(|form| form.article == Some(Article::Large)) {
        let demand = if a.is_specific() { Demand::AgreeIfAny } else { Demand::Agree };
        return Some(Relation { reason: Reason::Article, demand });
    }
    let reason = if a.article == b.article { Reason::SameName } else { Reason::Article };
    let letters = a.key.chars().count();
    let other_words = a.words.len() != b.words.len();
    let demand = if is_shouted(a) != is_shouted(b) && letters <= 4
        || other_words && (letters < 4 || ends_in_letter(a) || ends_in_letter(b))
    {
        // `IT` and `it`, `E 3` and `E3`, `Model S` and `Models`.
        Demand::Agree
    } else if a.is_unique() || b.is_unique() {
        Demand::Nothing
    } else {
        Demand::AgreeIfAny
    };
    Some(Relation { reason, demand })
}

fn ends_in_letter(form: &Form) -> bool {
    form.words.last().is_some_and(|word| word.text.chars().count() == 1 && !word.has_digit())
}

fn is_shouted(form: &Form) -> bool {
    form.words.iter().all(|word| word.case == Case::Upper)
}

fn plural(a: &Form, b: &Form) -> Option<Relation> {
    let ((last_a, rest_a), (last_b, rest_b)) = (a.words.split_last()?, b.words.split_last()?);
    if a.bracket.is_some() || b.bracket.is_some() || join(rest_a) != join(rest_b) {
        return None;
    }
    let (one, many) =
        if last_a.text.len() < last_b.text.len() { (last_a, last_b) } else { (last_b, last_a) };
    if !is_plural(&one.text, &many.text) {
        return None;
    }
    let model = one.is_code()
        || one.case == Case::Mixed && one.text.len() >= 5
        || rest_a.iter().any(Word::is_code);
    // `ThinkPad T14s` is a model of its own, `KEF LS50s` are two of one.
    let is_series = |word: &Word| !words::VENDORS.contains(word.text.as_str());
    let is_model = one.has_digit() && !rest_a.is_empty() && rest_a.iter().all(is_series);
    let demand = if is_model {
        Demand::Agree
    } else if model {
        Demand::Nothing
    } else if !rest_a.is_empty() {
        Demand::AgreeIfAny
    } else {
        // A proper noun and its plural are often two things: Apple, apples.
        Demand::Agree
    };
    Some(Relation { reason: Reason::Plural, demand })
}

/// Whether `many` is the English plural of `one`.
fn is_plural(one: &str, many: &str) -> bool {
    // Physic and physics.
    let other_thing = one.ends_with("ic") || words::OTHER_IN_PLURAL.contains(&one);
    one.chars().count() >= 3 && !other_thing && singular(many).is_some_and(|found| found == one)
}

/// The singular of a word that looks like a plural.
pub fn singular(word: &str) -> Option<String> {
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.chars().count() > 2) {
        return Some(format!("{stem}y"));
    }
    let stem = word.strip_suffix('s').filter(|stem| !stem.ends_with('s'))?;
    let short = stem.strip_suffix('e').filter(|short| {
        ["s", "x", "z", "ch", "sh"].iter().any(|end| short.ends_with(end)) && !short.ends_with("is")
    });
    Some(short.unwrap_or(stem).to_owned())
}

fn by_alias(a: &Named, b: &Named) -> Option<Relation> {
    let (name_a, name_b) = (a.name.as_ref()?, b.name.as_ref()?);
    let holds = |aliases: &[Form], name: &Form| {
        aliases.iter().any(|alias| alias.key == name.key && alias.bracket == name.bracket)
    };
    let numbers = (name_a.numbers(), name_b.numbers());
    let clash = name_a.symbols() != name_b.symbols()
        || !numbers.0.is_empty() && !numbers.1.is_empty() && numbers.0 != numbers.1;
    if clash {
        return None;
    }
    let demand = if holds(&b.aliases, name_a) || holds(&a.aliases, name_b) {
        match vetoed(name_a, name_b) {
            true => Demand::Never { agree: false },
            false if name_a.is_specific() && name_b.is_specific() => Demand::Nothing,
            false => Demand::AgreeIfAny,
        }
    } else if b.aliases.iter().any(|alias| holds(&a.aliases, alias)) {
        Demand::Never { agree: false }
    } else {
        return None;
    };
    Some(Relation { reason: Reason::Alias, demand })
}

fn spelling(a: &Form, b: &Form) -> Option<Relation> {
    let long = |form: &Form| form.key.chars().count() >= MIN_SPELLING;
    if !long(a) || !long(b) || vetoed(a, b) || a.key.chars().next() != b.key.chars().next() {
        return None;
    }
    let near = a.key.len().abs_diff(b.key.len()) <= 4 && strsim::osa_distance(&a.key, &b.key) <= 1;
    near.then_some(Relation { reason: Reason::Spelling, demand: Demand::Never { agree: true } })
}
