//! What the pages of a parsed PDF call, before they are read: a form may call itself, or others ten
//! times that call others ten times, and a page may have no root.

use std::collections::BTreeMap;

use pdf_extract::{Dictionary, Document, Object, ObjectId};

/// Bytes of drawing instructions of one page, what it calls included as often as it is called.
const PAGE_CAP: usize = 4 << 20;

/// Forms that call each other.
const MOST_DEEP: usize = 8;

/// Forms looked at for one page.
const MOST_FORMS: usize = 10_000;

/// States saved on top of each other.
const MOST_SAVED: usize = 1000;

/// Pages above a page.
const MOST_ABOVE: usize = 300;

/// The numbers of those of `pages` that may be read.
pub(super) fn bearable(pdf: &Document, pages: &[(u32, ObjectId)]) -> Vec<u32> {
    let mut costs = Costs { pdf, known: BTreeMap::new(), left: 0 };
    let fine = pages.iter().filter(|(_, id)| {
        has_end(pdf, *id) && costs.of_page(*id).is_some_and(|cost| cost <= PAGE_CAP)
    });
    fine.map(|(number, _)| *number).collect()
}

/// Whether the way from a page to the root of all pages ends.
fn has_end(pdf: &Document, page: ObjectId) -> bool {
    let mut at = page;
    for _ in 0..MOST_ABOVE {
        let parent = pdf.get_dictionary(at).and_then(|page| page.get(b"Parent"));
        match parent.and_then(Object::as_reference) {
            Ok(above) => at = above,
            Err(_) => return true,
        }
    }
    false
}

/// How many bytes of instructions are carried out.
struct Costs<'a> {
    pdf: &'a Document,
    /// Of forms with resources of their own; `None` while one is followed, and if it is too much.
    known: BTreeMap<ObjectId, Option<usize>>,
    /// Forms that may still be looked at for this page.
    left: usize,
}

impl Costs<'_> {
    fn of_page(&mut self, page: ObjectId) -> Option<usize> {
        self.left = MOST_FORMS;
        let content = self.pdf.get_page_content(page).ok()?;
        let (direct, inherited) = self.pdf.get_page_resources(page).ok()?;
        let mut resources: Vec<&Dictionary> = direct.into_iter().collect();
        for id in inherited.into_iter().take(MOST_ABOVE) {
            resources.extend(self.pdf.get_dictionary(id).ok());
        }
        self.of_content(&content, &resources, 0)
    }

    /// `None` if it is too much, or goes round in circles.
    fn of_content(
        &mut self,
        content: &[u8],
        resources: &[&Dictionary],
        depth: usize,
    ) -> Option<usize> {
        let calls = calls(content)?;
        let mut cost = content.len();
        if calls == 0 {
            return Some(cost);
        }
        let mut dearest = 0;
        for id in resources.iter().flat_map(|resources| forms(self.pdf, resources)) {
            dearest = dearest.max(self.of_form(id, resources, depth + 1)?);
        }
        cost = cost.checked_add(calls.checked_mul(dearest)?)?;
        (cost <= PAGE_CAP).then_some(cost)
    }

    fn of_form(&mut self, id: ObjectId, outer: &[&Dictionary], depth: usize) -> Option<usize> {
        if depth > MOST_DEEP {
            return None;
        }
        self.left = self.left.checked_sub(1)?;
        if let Some(known) = self.known.get(&id) {
            return *known;
        }
        let pdf = self.pdf;
        let form = pdf.get_object(id).and_then(Object::as_stream).ok()?;
        let content = form.get_plain_content().unwrap_or_else(|_| form.content.clone());
        let own = form.dict.get_deref(b"Resources", pdf).and_then(Object::as_dict).ok();
        self.known.insert(id, None);
        let cost = match own {
            Some(own) => self.of_content(&content, &[own], depth),
            None => self.of_content(&content, outer, depth),
        };
        // Without its own resources it may cost something else elsewhere.
        if own.is_some() {
            self.known.insert(id, cost);
        } else {
            self.known.remove(&id);
        }
        cost
    }
}

/// The streams a page or form may call.
fn forms(pdf: &Document, resources: &Dictionary) -> Vec<ObjectId> {
    let Ok(named) = resources.get_deref(b"XObject", pdf).and_then(Object::as_dict) else {
        return Vec::new();
    };
    let ids = named.iter().filter_map(|(_, object)| object.as_reference().ok());
    ids.filter(|id| pdf.get_object(*id).is_ok_and(|object| object.as_stream().is_ok())).collect()
}

/// How often instructions call a form at most; `None` if they save more states than they should.
fn calls(content: &[u8]) -> Option<usize> {
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"()<>[]{}/%\0".contains(byte);
    let (mut calls, mut saved) = (0, 0_usize);
    for word in content.split(is_end) {
        match word {
            b"q" => saved += 1,
            b"Q" => saved = saved.saturating_sub(1),
            _ => calls += usize::from(word.ends_with(b"Do")),
        }
        if saved > MOST_SAVED {
            return None;
        }
    }
    Some(calls)
}
