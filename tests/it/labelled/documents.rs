//! Entities and facts of whole documents, by the rules alone and after the whole decision.

use std::{collections::HashSet, fs};

use elophanto_knowledge::{
    extract::{Document, Mode, extract, name},
    learn::{
        decide::{Candidate, Change, DecisionContext, Stated, decide},
        entity_store::EntitySnapshot,
        meaning::Meaning,
        record::Trigger,
    },
};
use elophanto_text::reading::{Hint, read};
use serde_json::Value;

use super::{Share, folder, lines, text, texts};
use crate::env::snapshot;

/// An entity that was found, and what is said of it.
struct Found {
    name: String,
    facts: Vec<String>,
}

/// What a careful reader would keep.
struct Label {
    keys: HashSet<String>,
    facts: Vec<String>,
}

#[derive(Default)]
struct Figures {
    precision: Share,
    recall: Share,
    recall_with_facts: Share,
    facts: Share,
    /// Of entities that are right.
    facts_of_right: Share,
    facts_recall: Share,
    /// Of the ten best of a document, where they are labelled.
    best: Share,
    /// Names that no label has.
    wrong: Vec<String>,
}

impl Figures {
    fn add(&mut self, found: &[Found], labels: &[Label]) {
        let (mut met, mut said) = (HashSet::new(), HashSet::new());
        for Found { name, facts } in found {
            let at = labels.iter().position(|label| label.keys.contains(&key(name)));
            self.precision.count(at.is_some());
            if at.is_none() {
                self.wrong.push(name.clone());
            }
            met.extend(at);
            for fact in facts {
                let fact = fold(fact);
                let is_it = |label: &String| {
                    label.contains(&fact) || tail(&fact, name).is_some_and(|it| label.contains(it))
                };
                let place = at.and_then(|at| Some((at, labels[at].facts.iter().position(is_it)?)));
                self.facts.count(place.is_some());
                if at.is_some() {
                    self.facts_of_right.count(place.is_some());
                }
                said.extend(place);
            }
        }
        for (at, label) in labels.iter().enumerate() {
            self.recall.count(met.contains(&at));
            if !label.facts.is_empty() {
                self.recall_with_facts.count(met.contains(&at));
            }
            (0..label.facts.len())
                .for_each(|fact| self.facts_recall.count(said.contains(&(at, fact))));
        }
    }

    fn add_best(&mut self, found: &[Found], document: &Value) {
        let said: Vec<String> = found.iter().flat_map(|it| &it.facts).map(fold).collect();
        for best in texts(document, "best") {
            self.best.count(says(&said, best));
        }
    }

    fn show(&self, what: &str) -> String {
        let Self { precision, recall, recall_with_facts, .. } = self;
        let Self { facts, facts_of_right, facts_recall, .. } = self;
        format!(
            "{what}\n  entities: precision {precision}, recall {recall}, of those with facts \
             {recall_with_facts}\n  facts: precision {facts}, of right entities {facts_of_right}, \
             recall {facts_recall}\n"
        )
    }
}

/// Whether one of the facts, folded, says what a label does. The pronoun of either gave way to a name.
pub(super) fn says(said: &[String], label: &str) -> bool {
    let label = fold(label);
    let words: HashSet<&str> = label.split(' ').collect();
    let near = |said: &String| {
        let shared = said.split(' ').filter(|word| words.contains(word)).count();
        said.contains(&label) || shared * 5 >= words.len() * 4
    };
    said.iter().any(near)
}

#[test]
fn entities_and_facts_of_real_documents() {
    let meaning = Meaning::builtin();
    let snapshot = EntitySnapshot::default();
    let (mut by_rule, mut decided) = (Figures::default(), Figures::default());
    let mut by_kind = [Figures::default(), Figures::default()];
    // Articles, minutes, policies, specifications, in four languages: labelled later and more
    // strictly.
    let mut others = Figures::default();
    let labelled = lines("documents.jsonl");
    assert_eq!(labelled.len(), 84);
    for (number, label) in labelled.iter().enumerate() {
        let (file, topic) = (text(label, "file"), text(label, "topic"));
        let bytes = fs::read(folder().join(file)).unwrap();
        let page = read(&bytes, Hint { media_type: None, name: Some(file) }).unwrap();
        let document = Document { text: &page.text, title: page.title.as_deref() };
        let found = extract(&document, topic, &[], Mode::Full).entities;
        let labels = labels_of(label);
        let candidates: Vec<Candidate> = found
            .iter()
            .map(|found| Candidate {
                name: found.name.clone(),
                aliases: found.aliases.clone(),
                facts: found
                    .facts
                    .iter()
                    .map(|fact| Stated { text: fact.text.clone(), source: None })
                    .collect(),
                is_of_notes: false,
                is_about: true,
            })
            .collect();
        let found: Vec<Found> = found
            .into_iter()
            .map(|found| Found {
                name: found.name,
                facts: found.facts.into_iter().map(|fact| fact.text).collect(),
            })
            .collect();
        if number >= 64 {
            others.add(&found, &labels);
            others.add_best(&found, label);
            continue;
        }
        by_rule.add(&found, &labels);
        by_kind[usize::from(file.ends_with(".html"))].add(&found, &labels);
        let context = DecisionContext { snapshot: &snapshot, meaning: &meaning };
        let decision = decide(&context, Trigger::LearnCommand, topic, candidates);
        let found: Vec<Found> = decision
            .changes
            .into_iter()
            .map(|change| match change {
                Change::Create { name, facts, .. } => {
                    Found { name, facts: facts.into_iter().map(|fact| fact.text).collect() }
                }
                Change::Add { .. } => panic!("nothing is known"),
            })
            .collect();
        decided.add(&found, &labels);
    }
    assert!(by_rule.precision.value() >= 0.8, "{}", by_rule.precision);
    assert!(decided.precision.value() >= 0.8, "{}", decided.precision);
    let [text, html] = by_kind;
    let shown = [
        by_rule.show("extract, all 64"),
        text.show("extract, Markdown and text"),
        html.show("extract, HTML"),
        others.show("extract, 20 of other kinds"),
        format!("  of the ten best facts: {}\n", others.best),
        decided.show("after the decision, all 64"),
        format!("no label has: {}\n", by_rule.wrong.join(", ")),
        format!("after the decision: {}\n", decided.wrong.join(", ")),
    ];
    snapshot!(shown.concat(), @"
    extract, all 64
      entities: precision 0.906 (87/96), recall 0.096 (85/882), of those with facts 0.194 (84/434)
      facts: precision 0.680 (132/194), of right entities 0.733 (132/180), recall 0.182 (132/724)
    extract, Markdown and text
      entities: precision 0.938 (75/80), recall 0.118 (73/617), of those with facts 0.239 (72/301)
      facts: precision 0.646 (106/164), of right entities 0.688 (106/154), recall 0.217 (106/488)
    extract, HTML
      entities: precision 0.750 (12/16), recall 0.045 (12/265), of those with facts 0.090 (12/133)
      facts: precision 0.867 (26/30), of right entities 1.000 (26/26), recall 0.110 (26/236)
    extract, 20 of other kinds
      entities: precision 0.913 (42/46), recall 0.089 (40/448), of those with facts 0.120 (40/334)
      facts: precision 0.709 (175/247), of right entities 0.806 (175/217), recall 0.276 (175/635)
      of the ten best facts: 0.549 (107/195)
    after the decision, all 64
      entities: precision 0.889 (64/72), recall 0.070 (62/882), of those with facts 0.141 (61/434)
      facts: precision 0.646 (106/164), of right entities 0.697 (106/152), recall 0.146 (106/724)
    no label has: Mathjs TypeScript types, katex math typesetting, aliases, codes, Replacement of NaN, SQLite database files, tmpdir, configuration file location, DESCR
    after the decision: Mathjs TypeScript types, katex math typesetting, aliases, codes, Replacement of NaN, SQLite database files, configuration file location, DESCR
    ");
}

fn labels_of(document: &Value) -> Vec<Label> {
    let entities = document["entities"].as_array().unwrap();
    let label = |entity: &Value| Label {
        keys: texts(entity, "also").into_iter().chain([text(entity, "name")]).map(key).collect(),
        facts: texts(entity, "facts").into_iter().map(fold).collect(),
    };
    entities.iter().map(label).collect()
}

/// A sentence whose pronoun gave way to the name agrees with its label behind that.
fn tail<'a>(fact: &'a str, name: &str) -> Option<&'a str> {
    /// Where the name may begin, and how long the rest must be to tell anything.
    const EARLY: usize = 8;
    const LONG: usize = 7;
    let name = fold(name);
    let at = fact.find(&name).filter(|&at| at < EARLY)?;
    let tail = fact[at + name.len()..].trim_start_matches("'s").trim_start_matches('s');
    // `Name – predicate: value`, of a table.
    let tail = tail.trim_start_matches(" - ");
    (tail.len() > LONG).then_some(tail)
}

/// A text without case, the kind of its quotation marks and dashes, and its full stop.
pub(super) fn fold(text: impl AsRef<str>) -> String {
    let text = text.as_ref().replace(['’', '‘'], "'").replace(['“', '”'], "\"");
    let text = text.replace(['–', '—'], "-").replace('\\', "").to_lowercase();
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_end_matches(['.', ' ']).to_owned()
}

/// A name without what makes trivial variants: an article, hyphens, the plural.
fn key(name: impl AsRef<str>) -> String {
    let folded = fold(name::tidy(name.as_ref())).replace('-', " ");
    let folded = folded.trim_start_matches("the ");
    let singular = folded.strip_suffix('s').filter(|it| !it.ends_with('s') && it.len() > 2);
    singular.unwrap_or(folded).to_owned()
}
