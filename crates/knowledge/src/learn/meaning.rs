//! How near texts are by their meaning: vectors of one model, each made once.

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use elophanto_models::{Embedder, LearnThresholds, Role, builtin::Builtin, dot};

/// By role and text; `None` where the model has no vector.
type Made = FxHashMap<Role, FxHashMap<String, Option<Vec<f32>>>>;

/// Vectors of texts, by one model.
pub struct Meaning<'a> {
    embedder: &'a dyn Embedder,
    pub near: LearnThresholds,
    made: RefCell<Made>,
}

impl<'a> Meaning<'a> {
    pub fn new(embedder: &'a dyn Embedder) -> Self {
        Self { embedder, near: embedder.near(), made: RefCell::default() }
    }

    /// The built-in model, which never fails.
    pub fn builtin() -> Self {
        Self::new(&Builtin)
    }

    /// The vector of a text; `None` where the model has none for it.
    pub fn vector(&self, text: &str, role: Role) -> Option<Vec<f32>> {
        self.make(text, role);
        self.made.borrow().get(&role)?.get(text)?.clone()
    }

    fn make(&self, text: &str, role: Role) {
        if self.made.borrow().get(&role).is_some_and(|made| made.contains_key(text)) {
            return;
        }
        let made = self.embedder.embed(&[text], role).vectors.into_iter().next().flatten();
        let made = made.filter(|vector| vector.iter().any(|&component| component != 0.0));
        self.made.borrow_mut().entry(role).or_default().insert(text.to_owned(), made);
    }

    /// Cosine of two texts; `None` where one of them has no vector.
    pub fn cosine(&self, a: &str, b: &str) -> Option<f32> {
        self.make(a, Role::Document);
        self.make(b, Role::Document);
        let made = self.made.borrow();
        let made = made.get(&Role::Document)?;
        Some(dot(made.get(a)?.as_ref()?, made.get(b)?.as_ref()?))
    }

    /// The highest cosine of a question and texts that may answer it; nothing is like nothing.
    pub fn answered<'t>(&self, question: &str, texts: impl Iterator<Item = &'t str>) -> f32 {
        let Some(question) = self.vector(question, Role::Query) else { return 0.0 };
        let texts = texts.filter_map(|text| self.vector(text, Role::Document));
        texts.map(|text| dot(&question, &text)).fold(0.0, f32::max)
    }

    /// The highest cosine of a text and others.
    pub fn nearest<'t>(&self, text: &str, others: impl Iterator<Item = &'t str>) -> Option<f32> {
        others.filter_map(|other| self.cosine(text, other)).max_by(f32::total_cmp)
    }
}

/// What of an entity its vector is made from.
pub fn text_of<'f>(name: &str, facts: impl Iterator<Item = &'f str>) -> String {
    /// More facts make its meaning no clearer.
    const MOST: usize = 8;
    let mut text = name.to_owned();
    for fact in facts.take(MOST) {
        text.push_str(". ");
        text.push_str(fact.trim_end_matches('.'));
    }
    text
}
