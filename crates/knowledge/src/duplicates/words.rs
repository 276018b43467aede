//! The word lists. All folded: lower case, no accents, no dots.

use crate::words::{Pairs, Words, list};

/// Forms of companies that are nothing else.
pub static LEGAL: Words = list!(words "legal");

/// Forms of companies that are also something else (`iPhone SE`).
pub static LEGAL_OR_ELSE: Words = list!(words "legal_or_else");

/// Makers whose name people put before that of a product, and leave out.
pub static VENDORS: Words = list!(words "vendors");

/// Words at the end of a name that make another model, part or edition of it.
pub static MODELS: Words = list!(words "models");

/// Words that do not count in initials and in names compared word by word.
pub static SMALL: Words = list!(words "small");

/// Abbreviations of few letters that everybody takes for one thing.
pub static ABBREVIATIONS: Pairs = list!(pairs "abbreviations");

/// Names of products that several makers have.
pub static COMMON_PRODUCTS: Words = list!(words "common_products");

/// Stems of kinds that are companies.
pub static COMPANIES: Words = list!(words "companies");

/// What companies do, in the present.
pub static COMPANY_VERBS: Words = list!(phrases "company_verbs");

/// Words of things that take place.
pub static EVENTS: Words = list!(phrases "events");

/// Beginnings of words for persons.
pub static PERSONS: Words = list!(words "persons");

/// Words whose plural is another thing.
pub static OTHER_IN_PLURAL: Words = list!(words "other_in_plural");

/// Words too common in facts to show that two are about one thing ; compared by stem.
pub static COMMON: Words = list!(words "common");

/// With what the names of the products of a maker begin.
pub static MAKER_MARKS: Pairs = list!(pairs "maker_marks");
