//! Where a page goes on about its own thing, so that what is said there without a name is said of that.

use crate::extract::fold::fold;
use crate::extract::name::tidy;
use crate::extract::page::{Kind, Mark, Page, Sentence};
use crate::extract::subject::Names;
use crate::extract::thing::Thing;
use crate::words::{Words, list};

/// Headings, in lower case, under which readers are told what to do, or what others think.
static HOWTO: Words = list!(phrases "howto_headings");

/// Where a page goes on about its own thing.
pub(in crate::extract) struct OwnBlocks {
    /// For each block, whether it tells of the page's thing.
    is_own: Vec<bool>,
    /// The first block below the title.
    opening: Option<usize>,
}

impl OwnBlocks {
    /// Reads the headings; nothing of a page that is about nothing in particular is its own.
    pub(in crate::extract) fn of(page: &Page, thing: Option<&Thing>, names: &Names) -> Self {
        let is_sure = thing.is_some_and(|thing| thing.is_sure);
        let others = page.notes();
        let mut goes_on = is_sure;
        let mut all_own = Vec::new();
        for (number, block) in page.blocks.iter().enumerate() {
            if let Kind::Heading(_) = block.kind {
                let heading = tidy(&block.text);
                let other = names.whole(&heading).zip(thing);
                // `Core protocol` is a part of what the text was given for.
                let is_name = !page.is_given || names.is_proper(&heading);
                let is_other =
                    is_name && other.is_some_and(|(entity, thing)| entity != thing.entity);
                goes_on = is_sure && !is_other && !HOWTO.contains(fold(&heading).as_str());
            }
            let is_prose = !block.is_quoted && !block.is_furniture;
            all_own.push(goes_on && is_prose && !others.contains(&number));
        }
        let mut told = page.blocks.iter().enumerate().filter(|(_, block)| !block.is_furniture);
        let titled = told.clone().next();
        let titled = titled.is_some_and(|(_, block)| matches!(block.kind, Kind::Heading(_)));
        let opening = told.find(|(_, block)| !matches!(block.kind, Kind::Heading(_)));
        let opening = opening.filter(|_| titled).map(|(number, _)| number);
        Self { is_own: all_own, opening }
    }

    pub(super) fn is_own(&self, block: usize) -> bool {
        self.is_own.get(block).is_some_and(|is_own| *is_own)
    }

    pub(in crate::extract) fn has(&self, sentence: &Sentence) -> bool {
        self.is_own(sentence.block)
    }

    /// Whether a sentence tells of the page's thing in words alone: code says little away from it.
    pub(super) fn has_prose(&self, page: &Page, sentence: &Sentence) -> bool {
        let marks = page.blocks.get(sentence.block).map(|block| block.marks.as_slice());
        let of_code = marks.unwrap_or_default().iter().filter(|(_, mark)| *mark == Mark::Code);
        let mut inside = of_code.filter(|(range, _)| {
            range.start < sentence.range.end && sentence.range.start < range.end
        });
        self.has(sentence) && inside.next().is_none()
    }

    /// Whether a sentence begins the text below the title.
    pub(in crate::extract) fn opens(&self, sentence: &Sentence) -> bool {
        sentence.first && self.opening == Some(sentence.block)
    }
}

/// `Name – statement`, or the statement alone where it begins with the name.
pub(in crate::extract) fn named(thing: &Thing, statement: &str) -> String {
    match fold(statement).starts_with(&format!("{} ", fold(&thing.name))) {
        true => statement.to_owned(),
        false => format!("{} – {statement}", thing.name),
    }
}
