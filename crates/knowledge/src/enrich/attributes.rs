//! What there is to know of nearly anything, and the words by which one sees that it is known.

use std::collections::BTreeSet;

use elophanto_base::lexical::{fold, words};

/// Facts that are looked through.
const MAX_FACTS: usize = 1_000;
/// Bytes of each.
const MAX_FACT_BYTES: usize = 2_000;
/// Signs that are no words, and yet tell a price.
const CURRENCIES: &[char] = &['$', '€', '£', '¥', '₹'];

/// Something that a fact may tell.
#[derive(Debug)]
pub(super) struct Attribute {
    /// What is added to a name to ask for it.
    pub asked: &'static str,
    /// Folded words and currency signs of facts that tell it, spaces between them.
    told_by: &'static str,
}

/// In the order of how often they matter.
const ATTRIBUTES: &[Attribute] = &[
    Attribute {
        asked: "price and cost",
        told_by: "price prices priced pricing cost costs usd eur gbp dollar dollars euro euros \
                  fee fees subscription cheap expensive msrp $ € £ ¥ ₹",
    },
    Attribute {
        asked: "release date and versions",
        told_by: "release released releases launch launched announced introduced unveiled \
                  version versions debuted published",
    },
    Attribute {
        asked: "maker and developer",
        told_by: "maker makers made manufacturer manufactured developer developers developed \
                  author authors creator created founder founded company designed maintained \
                  maintainer produced",
    },
    Attribute {
        asked: "alternatives compared",
        told_by: "alternative alternatives competitor competitors rival rivals versus vs \
                  compared comparison unlike",
    },
    Attribute {
        asked: "use and examples",
        told_by: "use used uses using usage application applications example examples",
    },
    Attribute {
        asked: "problems and limits",
        told_by: "problem problems limit limits limitation limitations issue issues drawback \
                  drawbacks criticism criticised criticized bug bugs risk risks lacks",
    },
    Attribute {
        asked: "history and origin",
        told_by: "history origin origins originally successor predecessor formerly evolved \
                  century decades",
    },
    Attribute {
        asked: "licence and terms",
        told_by: "licence licences licensed license licenses patent copyright gpl",
    },
    Attribute {
        asked: "requirements and compatibility",
        told_by: "requires require required requirement requirements compatible compatibility \
                  supports supported",
    },
    Attribute {
        asked: "reviews and opinions",
        told_by: "review reviews reviewed rated rating ratings praised award awards popular",
    },
];

/// What no fact mentions, in the order of [`ATTRIBUTES`].
pub(super) fn missing<'f>(facts: impl Iterator<Item = &'f str>) -> Vec<&'static Attribute> {
    let mut told: BTreeSet<String> = BTreeSet::new();
    let mut buffer = String::new();
    for fact in facts.take(MAX_FACTS) {
        let fact = fact.get(..fact.floor_char_boundary(MAX_FACT_BYTES)).unwrap_or(fact);
        for word in words(fact) {
            fold(fact.get(word.range).unwrap_or_default(), &mut buffer);
            if !told.contains(&buffer) {
                told.insert(buffer.clone());
            }
        }
        told.extend(fact.matches(CURRENCIES).map(str::to_owned));
    }
    let is_told = |attribute: &&Attribute| attribute.told_by.split(' ').any(|it| told.contains(it));
    ATTRIBUTES.iter().filter(|attribute| !is_told(attribute)).collect()
}
