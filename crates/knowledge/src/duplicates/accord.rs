//! What the facts of two entities say of each other.

use super::{
    Thresholds,
    form::Form,
    view::{View, spelled},
};

/// Whether facts speak of one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Accord {
    /// They do.
    Agree,
    /// One side has none.
    Unknown,
    /// They neither agree nor clash.
    Unclear,
    /// They have nothing to do with each other.
    Apart,
    /// They speak of different kinds of thing.
    Conflict,
}

/// What the facts of both say of each other.
pub fn accord(a: &View, b: &View, cosine: Option<f32>, thresholds: &Thresholds) -> Accord {
    if a.facts == 0 || b.facts == 0 {
        return Accord::Unknown;
    }
    if share_fact(a, b) {
        return Accord::Agree;
    }
    let shared = a
        .stems
        .iter()
        .filter(|stem| b.stems.contains(*stem) && !a.own.contains(*stem) && !b.own.contains(*stem))
        .count();
    let heads_known = !a.heads.is_empty() && !b.heads.is_empty();
    let kinds_meet = a.heads.iter().any(|head| b.kinds.contains(head))
        || b.heads.iter().any(|head| a.kinds.contains(head));
    let above = |limit: f32| cosine.is_some_and(|cosine| cosine >= limit);
    let below = |limit: f32| cosine.is_some_and(|cosine| cosine < limit);
    if heads_known && !kinds_meet {
        // Two kinds of thing, or one thing by two words. Georgia is a country and a state, each
        // with a capital: what else is shared does not make them one.
        return if shared <= 1 { Accord::Conflict } else { Accord::Unclear };
    }
    // Springfield is a city in Illinois, and one in Oregon.
    let elsewhere = !a.kind_names.is_empty()
        && !b.kind_names.is_empty()
        && a.kind_names.is_disjoint(&b.kind_names);
    if heads_known && elsewhere {
        return Accord::Unclear;
    }
    let near = above(thresholds.agree) && heads_known;
    if near || shared >= 2 && !below(thresholds.conflict) {
        Accord::Agree
    } else if shared == 0 && below(thresholds.conflict) {
        Accord::Apart
    } else {
        Accord::Unclear
    }
}

/// Whether the facts hold the same sentence or the same address.
pub fn share_fact(a: &View, b: &View) -> bool {
    // A sentence of two words says too little to be evidence.
    const WORDS: usize = 4;
    a.addresses.iter().any(|address| b.addresses.contains(address))
        || a.texts.iter().any(|text| {
            text.split(' ').filter(|word| !word.is_empty()).count() >= WORDS
                && b.texts.contains(text)
        })
}

/// Whether a fact of either side says that `short` stands for `long`.
pub fn said(a: &View, b: &View, long: &Form, short: &Form) -> bool {
    let (long, short) = (spelled(long), spelled(short));
    let forms = [
        format!("{long} ( {short} )"),
        format!("{short} ( {long} )"),
        format!("{short} stands for {long}"),
        format!("{short} is short for {long}"),
        format!("{long} abbreviated {short}"),
        format!("{long} abbreviated as {short}"),
        format!("{long} also known as {short}"),
        format!("{short} also known as {long}"),
        format!("{long} aka {short}"),
        format!("{long} or {short}"),
    ];
    [a, b].iter().any(|view| forms.iter().any(|form| view.holds(form)))
}
