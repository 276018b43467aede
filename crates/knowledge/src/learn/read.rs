//! Reading what was found: names and facts, with a language model if one is asked, else by rule.

use super::{
    decide::{Candidate, Stated},
    record::Trigger,
    responses::Finding,
};
use crate::extract::{self, About, Document, Extraction, Known, Mode};
use elophanto_base::secrets;
use elophanto_models::llm::{Ask, Asked, EXTRACTIVE};
use elophanto_text::entity::{Entities, Entity};

/// How often a model is asked the same.
const TRIES: usize = 2;
/// Entities of one document that a model is asked about.
const MOST_ASKED: usize = 12;

/// Who reads.
pub struct Reader<'a> {
    ask: Ask<'a>,
    calls: usize,
    /// Who read last.
    model: Option<String>,
    remarks: Remarks,
}

/// What whoever asked is told of the texts; empty names stand for texts without one.
#[derive(Debug, Default)]
pub struct Remarks {
    /// What is in no language that the rules read.
    pub unread: Vec<String>,
    /// What was given, and says nothing by rule of what was asked for.
    pub silent: Vec<String>,
    /// What says more of one thing than is kept, with how many facts were left out.
    pub cut: Vec<(String, usize)>,
}

impl<'a> Reader<'a> {
    pub fn new(ask: Ask<'a>) -> Self {
        Self { ask, calls: 0, model: None, remarks: Remarks::default() }
    }

    /// Calls of the model so far.
    pub fn calls(&self) -> usize {
        self.calls
    }

    /// What there is to say of the texts that were read.
    pub fn remarks(self) -> Remarks {
        self.remarks
    }

    /// Who read what was read last.
    pub fn model(&self) -> String {
        self.model.clone().unwrap_or_else(|| EXTRACTIVE.to_owned())
    }

    /// An answer that counts; `None` where no model gives one.
    fn answer<T>(
        &mut self,
        prompt: &str,
        accept: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, String> {
        for _ in 0..TRIES {
            let Some(ask) = &mut self.ask else { return Ok(None) };
            self.calls += 1;
            match ask(prompt) {
                Asked::Said { text, model } => {
                    if let Some(accepted) = accept(&text) {
                        self.model = Some(model);
                        return Ok(Some(accepted));
                    }
                }
                Asked::NoModel => {
                    self.ask = None;
                    return Ok(None);
                }
                Asked::Failed(_) => return Ok(None),
                Asked::Stop(reason) => return Err(reason),
            }
        }
        Ok(None)
    }
}

/// What the texts say, for whoever asked this question. Nothing but known entities comes of texts
/// that the user did not ask for.
///
/// # Errors
/// Why the model may not be asked any more; nothing of these texts counts then.
pub fn read(
    texts: &[Finding],
    question: &str,
    entities: &Entities,
    trigger: Trigger,
    reader: &mut Reader,
) -> Result<Vec<Candidate>, String> {
    let mode = if trigger.is_users() { Mode::Full } else { Mode::KnownOnly };
    let known: Vec<Known> = entities
        .iter()
        .map(|entity| Known { name: entity.title.clone(), aliases: entity.aliases.clone() })
        .collect();
    reader.model = None;
    let mut all = Vec::new();
    for finding in texts {
        let (text, _) = secrets::mask(&finding.text);
        let title = finding.title.as_deref().map(|title| secrets::mask(title).0);
        let document = Document { text: &text, title: title.as_deref() };
        let about = About::of(&document, question);
        let mode = match mode {
            Mode::Full if finding.is_given => Mode::Given,
            mode => mode,
        };
        // What is left of a secret tells nothing.
        let is_plain = |fact: &String| !fact.contains(secrets::MASK);
        let asked = match &reader.ask {
            Some(_) => by_model(&document, question, &known, entities, mode, reader)?,
            None => None,
        };
        let found = match asked {
            Some(found) => found,
            None => {
                let (found, left_out) = by_rule(&document, question, &known, mode);
                let (url, is_silent) = (finding.url.clone().unwrap_or_default(), found.is_empty());
                if is_silent && trigger.is_users() && extract::is_unread(&document) {
                    reader.remarks.unread.push(url);
                } else if is_silent && mode == Mode::Given {
                    reader.remarks.silent.push(url);
                } else if left_out > 0 && trigger.is_users() {
                    reader.remarks.cut.push((url, left_out));
                }
                found
            }
        };
        all.extend(found.into_iter().map(|(name, aliases, facts)| {
            Candidate {
                is_about: std::iter::once(&name).chain(&aliases).any(|name| about.is(name)),
                name,
                aliases,
                facts: facts
                    .into_iter()
                    .filter(is_plain)
                    .map(|text| Stated { text, source: finding.url.clone() })
                    .collect(),
                is_of_notes: finding.is_note,
            }
        }));
    }
    Ok(all)
}

/// Name, aliases, facts.
type Found = (String, Vec<String>, Vec<String>);

/// What is found, and how many facts were left out.
fn by_rule(
    document: &Document,
    question: &str,
    known: &[Known],
    mode: Mode,
) -> (Vec<Found>, usize) {
    let Extraction { entities, left_out } = extract::extract(document, question, known, mode);
    let facts = |found: &extract::Found| found.facts.iter().map(|it| it.text.clone()).collect();
    let entities = entities.into_iter().map(|found| {
        let facts = facts(&found);
        let aliases = if found.known.is_some() { Vec::new() } else { found.aliases };
        (found.name, aliases, facts)
    });
    (entities.collect(), left_out)
}

/// In two passes: which entities, then what is said of each beyond what is known. `None` if the
/// model gave no answer that counts.
fn by_model(
    document: &Document,
    question: &str,
    known: &[Known],
    entities: &Entities,
    mode: Mode,
    reader: &mut Reader,
) -> Result<Option<Vec<Found>>, String> {
    let nonce = nonce(document.text);
    let prompt = extract::prompts::identify(document, question, known, mode, &nonce);
    let accept = |answer: &str| extract::accept::identify(answer, document, known, mode).ok();
    let Some(names) = reader.answer(&prompt, accept)? else { return Ok(None) };
    let mut found = Vec::new();
    for name in names.into_iter().take(MOST_ASKED) {
        let has: Vec<&str> = entities.find(&name.name).map(facts_of).unwrap_or_default();
        let own = || Known { name: name.name.clone(), aliases: Vec::new() };
        let entity = name.known.and_then(|at| known.get(at).cloned()).unwrap_or_else(own);
        let prompt = extract::prompts::facts(document, &entity.name, &has, &nonce);
        let accept = |answer: &str| extract::accept::facts(answer, document, &entity, &has).ok();
        let facts = reader.answer(&prompt, accept)?.unwrap_or_default();
        let facts = facts.into_iter().map(|fact| fact.text).collect();
        found.push((entity.name, Vec::new(), facts));
    }
    Ok(Some(found))
}

fn facts_of(entity: &Entity) -> Vec<&str> {
    entity.facts.iter().map(|fact| fact.line.text.as_str()).collect()
}

/// Marks around quoted text that the text itself cannot know.
fn nonce(text: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&ulid::Ulid::new().to_bytes()).update(text.as_bytes());
    hasher.finalize().to_hex()[..16].to_owned()
}
