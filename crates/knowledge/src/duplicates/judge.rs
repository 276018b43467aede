//! Names and facts of one pair together: how certain it is.

use super::{
    Candidate, Proposal, Reason, Thresholds, Verdict,
    accord::{Accord, accord, said, share_fact},
    form::{Case, Form},
    longer::has_initial,
    names::{Demand, Named, Need, Relation, relate},
    view::{Reader, View},
    words,
};

/// What is known of all entities, by index.
pub struct Known<'a> {
    pub candidates: &'a [Candidate<'a>],
    pub named: &'a [Named],
    /// Of those that meet another.
    pub views: &'a [Option<View>],
    pub reader: &'a Reader,
}

/// The pair as a proposal, `None` if it is none.
pub fn judge(known: &Known, (a, b): (usize, usize), thresholds: &Thresholds) -> Option<Proposal> {
    let (candidate_a, candidate_b) = (known.candidates.get(a)?, known.candidates.get(b)?);
    let (named_a, named_b) = (known.named.get(a)?, known.named.get(b)?);
    let (view_a, view_b) = (known.views.get(a)?.as_ref()?, known.views.get(b)?.as_ref()?);
    let cosine = cosine(candidate_a.vector, candidate_b.vector);
    let agreement = accord(view_a, view_b, cosine, thresholds);
    let of_person = || by_surname((named_a, view_a), (named_b, view_b));
    let (relation, first_is_long) = match relate(named_a, named_b) {
        // A first name is no maker.
        Some(found) if found.0.reason == Reason::Vendor => of_person().unwrap_or(found),
        Some(found) => found,
        None => {
            of_person().or_else(|| Some((by_facts(named_a, named_b, view_a, view_b)?, true)))?
        }
    };
    let (name_a, name_b) = (named_a.name.as_ref()?, named_b.name.as_ref()?);
    let near = cosine.is_some_and(|cosine| cosine >= thresholds.agree);
    let sides = if first_is_long {
        Sides { long: name_a, short: name_b, long_view: view_a, short_view: view_b, near }
    } else {
        Sides { long: name_b, short: name_a, long_view: view_b, short_view: view_a, near }
    };
    let verdict = verdict(&relation, &sides, agreement, known.reader)?;
    let similarity = cosine
        .unwrap_or_else(|| strsim::sorensen_dice(&name_a.key, &name_b.key) as f32)
        .clamp(-1.0, 1.0);
    let stays = |index: usize, candidate: &Candidate| {
        let name = candidate.name.chars().count();
        (std::cmp::Reverse(candidate.facts.len()), name, candidate.slug.to_owned(), index)
    };
    let is_short_for = match relation.reason {
        Reason::Acronym | Reason::ShortForm | Reason::Surname | Reason::Vendor => true,
        Reason::Bracket => name_a.key != name_b.key,
        _ => false,
    };
    let (a, b) = match (is_short_for, first_is_long) {
        // The full name survives.
        (true, true) => (b, a),
        (true, false) => (a, b),
        (false, _) if stays(a, candidate_a) < stays(b, candidate_b) => (b, a),
        (false, _) => (a, b),
    };
    Some(Proposal { a, b, verdict, reason: relation.reason, similarity })
}

struct Sides<'a> {
    long: &'a Form,
    short: &'a Form,
    long_view: &'a View,
    short_view: &'a View,
    /// The vectors are as near as those of one thing.
    near: bool,
}

fn verdict(
    relation: &Relation,
    sides: &Sides,
    agreement: Accord,
    reader: &Reader,
) -> Option<Verdict> {
    let agree = agreement == Accord::Agree;
    let certain = match &relation.demand {
        Demand::Nothing => match agreement {
            Accord::Conflict => false,
            // Two names of a kind that many things bear.
            Accord::Apart => sides.short.is_unique(),
            Accord::Agree | Accord::Unknown | Accord::Unclear => true,
        },
        Demand::AgreeIfAny => matches!(agreement, Accord::Agree | Accord::Unknown),
        Demand::Agree => agree,
        Demand::Expansion => fits(sides, agreement, reader),
        Demand::Kind { words, need } => {
            let stems: Vec<String> = words.iter().flat_map(|word| reader.stems(word)).collect();
            let is_one = sides.short_view.is_one_of(&stems) && agreement != Accord::Conflict;
            match need {
                Need::Kind => is_one,
                Need::KindNotApart => is_one && agreement != Accord::Apart,
                Need::KindOrNothingElse => {
                    is_one || agree || agreement == Accord::Unknown && sides.short_view.facts == 0
                }
            }
        }
        Demand::Company { sure } => is_company(sides, *sure, agreement),
        Demand::Maker { maker, known } => {
            let made = names_maker(sides, maker, *known, agreement);
            if !(*known || made && agree) {
                return None;
            }
            (made || agree) && !sides.short_view.names_other_maker(maker)
        }
        Demand::Year(year) => {
            let event = sides.short_view.takes_place() || sides.long_view.takes_place();
            let fits = match agreement {
                Accord::Agree => true,
                Accord::Unclear => !sides.short_view.has_other_names(sides.long_view),
                Accord::Unknown | Accord::Apart | Accord::Conflict => false,
            };
            event && fits && sides.short_view.is_of_year(year)
        }
        Demand::Never { agree: wanted } => {
            if *wanted && !agree {
                return None;
            }
            false
        }
    };
    Some(if certain { Verdict::Certain } else { Verdict::Likely })
}

/// From this many letters on initials hardly meet by chance.
const CHANCE_LETTERS: usize = 4;

/// Whether everybody takes the abbreviation for this.
fn is_common(short: &Form, long: &Form) -> bool {
    words::ABBREVIATIONS
        .get(short.key.as_str())
        .is_some_and(|name| name.split(' ').eq(long.words.iter().map(|word| word.text.as_str())))
}

/// Whether the facts fit an abbreviation and what it stands for.
fn fits(sides: &Sides, agreement: Accord, reader: &Reader) -> bool {
    match agreement {
        Accord::Conflict => false,
        Accord::Agree => true,
        // Letters alone meet by chance, and the more often the fewer they are.
        Accord::Unknown if sides.short_view.facts == 0 => {
            let letters = sides.short.key.chars().count();
            let shouted =
                sides.short.words.iter().all(|word| matches!(word.case, Case::Upper | Case::Mixed));
            shouted && letters >= CHANCE_LETTERS
                || is_common(sides.short, sides.long)
                || said(sides.long_view, sides.short_view, sides.long, sides.short)
        }
        _ => {
            said(sides.long_view, sides.short_view, sides.long, sides.short)
                // The facts of the abbreviation speak of what it stands for.
                || sides.short_view.speaks_of(&reader.meaning(sides.long))
                // `MCP is a protocol` and the Model Context Protocol.
                || sides.long.words.last().is_some_and(|last| {
                    sides.short_view.is_kind_of(&reader.stems(&last.text))
                })
        }
    }
}

/// Whether the facts of the side without a legal form are those of a company: not of a person,
/// a fruit or a unit that bears its name.
fn is_company(sides: &Sides, sure: bool, agreement: Accord) -> bool {
    let (short, view) = (sides.short, sides.short_view);
    if agreement == Accord::Conflict || view.is_person() {
        return false;
    }
    if view.facts == 0 {
        return sure;
    }
    view.is_company() || sure && (agreement == Accord::Agree || view.acts_as_company(short))
}

/// Whether facts name the maker of what the short name means.
fn names_maker(sides: &Sides, maker: &str, known: bool, agreement: Accord) -> bool {
    let by = |view: &View| {
        ["by", "from", "of"].iter().any(|word| view.holds(&format!("{word} {maker}")))
            || view.holds(&format!("{maker}s"))
    };
    // What is said of the short name itself.
    let of_short = by(sides.short_view) || known && sides.short_view.holds(maker);
    // A fact of the entity with the long name uses the short one: another thing of that name may
    // still be meant by the other entity, if its facts do not fit.
    let of_long = known && sides.long_view.uses_without(sides.short, maker)
        || sides.long_view.begins_with(sides.short) && (known || by(sides.long_view));
    match agreement {
        Accord::Conflict | Accord::Apart => false,
        Accord::Unclear => of_short || of_long && sides.near && !is_common_product(sides.short),
        Accord::Unknown if sides.short_view.facts == 0 => {
            let maker_alone = known && sides.long_view.holds_without(maker, sides.short);
            (of_short || of_long || maker_alone) && !is_common_product(sides.short)
        }
        Accord::Agree | Accord::Unknown => of_short || of_long,
    }
}

/// `Maps` and `Photos` are made by several.
fn is_common_product(form: &Form) -> bool {
    form.words.iter().all(|word| words::COMMON_PRODUCTS.contains(word.text.as_str()))
}

/// Words of the name of a person.
const PERSON_WORDS: std::ops::RangeInclusive<usize> = 2..=5;

/// A person by their full name and by their surname alone; the flag says that the first has the full
/// one.
fn by_surname(a: (&Named, &View), b: (&Named, &View)) -> Option<(Relation, bool)> {
    let is_of = |long: (&Named, &View), short: (&Named, &View)| {
        let (Some(full), Some(name)) = (&long.0.name, &short.0.name) else { return false };
        let is_person = |view: &View| view.is_person();
        let is_told = has_initial(full) || is_person(long.1);
        // What is said to be something else is no person.
        let fits = short.1.facts == 0 || is_person(short.1) || !short.1.has_kind();
        PERSON_WORDS.contains(&full.words.len())
            && name.words.len() == 1
            && name.words.first().is_some_and(|word| word.case == Case::Title)
            && full.words.last().map(|word| &word.text) == name.words.first().map(|word| &word.text)
            && full.words.iter().all(|word| !word.has_digit() && word.case != Case::Lower)
            && is_told
            && fits
    };
    let relation = Relation { reason: Reason::Surname, demand: Demand::Never { agree: false } };
    if is_of(a, b) {
        Some((relation, true))
    } else if is_of(b, a) {
        Some((relation, false))
    } else {
        None
    }
}

/// Names made of the same words in another order, with a fact in common.
fn by_facts(a: &Named, b: &Named, view_a: &View, view_b: &View) -> Option<Relation> {
    let words = |named: &Named| {
        let mut words: Vec<String> =
            named.name.iter().flat_map(|form| &form.words).map(|word| word.text.clone()).collect();
        words.sort_unstable();
        words
    };
    (words(a) == words(b) && share_fact(view_a, view_b))
        .then_some(Relation { reason: Reason::SharedFact, demand: Demand::Never { agree: false } })
}

/// `None` unless both are there, of one length, and give a number.
fn cosine(a: Option<&[f32]>, b: Option<&[f32]>) -> Option<f32> {
    let (a, b) = (a?, b?);
    if a.len() != b.len() {
        return None;
    }
    let dot: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    dot.is_finite().then_some(dot)
}
