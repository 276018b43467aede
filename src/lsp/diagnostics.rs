//! What is wrong with a text, shown while it is written.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, MessageType, NumberOrString,
    PublishDiagnosticsParams, Uri, notification::PublishDiagnostics,
};

use super::{
    asked::{Asked, told},
    client::Client,
};
use elophanto_app::{
    Result,
    editor::{Finding, Severity},
};
use elophanto_base::{mutex::lock, visible::visible};

/// Findings of one text that are shown.
const MOST: usize = 1_000;

/// Which look at each text is the last one: only what that found is shown.
#[derive(Default)]
pub struct Diagnostics(Mutex<Looks>);

#[derive(Default)]
struct Looks {
    /// Counts those at all texts: a text that is opened again is not taken for what it was.
    all: u64,
    last: HashMap<String, u64>,
}

impl Diagnostics {
    /// Begins a look; what an earlier one finds is no longer shown.
    pub fn begin(&self, uri: &Uri) -> u64 {
        let mut looks = lock(&self.0);
        looks.all += 1;
        let look = looks.all;
        looks.last.insert(uri.as_str().to_owned(), look);
        look
    }

    /// The text has changed: what is being found is of an old one.
    pub fn is_outdated(&self, uri: &Uri) {
        self.begin(uri);
    }

    /// Whether a look is still the last one.
    fn is_last(&self, uri: &Uri, look: u64) -> bool {
        lock(&self.0).last.get(uri.as_str()) == Some(&look)
    }

    /// Of a text that is closed nothing is shown.
    pub fn close(&self, uri: &Uri, client: &Client) {
        lock(&self.0).last.remove(uri.as_str());
        let params =
            PublishDiagnosticsParams { uri: uri.clone(), diagnostics: Vec::new(), version: None };
        client.notify::<PublishDiagnostics>(params);
    }
}

/// A look at a text.
pub struct Diagnosing {
    pub look: u64,
    pub asked: Asked,
    pub kept: Arc<Diagnostics>,
    /// What the text shows itself, by how often notes had changed when that was found.
    pub found: Option<(u64, Vec<Finding>)>,
}

impl Diagnosing {
    /// Shows what the text shows itself; what is left to look at.
    pub fn own(mut self) -> Option<Self> {
        if !self.kept.is_last(&self.asked.uri, self.look) {
            return None;
        }
        let found = self.asked.editor().workspace().and_then(|workspace| {
            let number = self.asked.editor().number();
            let resolver = self.asked.resolver(&workspace)?;
            Ok((number, resolver.own_findings(&self.asked.buffer, None)))
        });
        let (number, found) = self.or_say(found)?;
        let is_last = self.show(&found);
        self.found = Some((number, found));
        is_last.then_some(self)
    }

    /// Shows all that is wrong. Where that cannot be told, what was shown stays.
    pub fn whole(mut self) {
        if !self.kept.is_last(&self.asked.uri, self.look) {
            return;
        }
        let own = self.found.take();
        let found = self.asked.editor().workspace().and_then(|workspace| {
            let resolver = self.asked.resolver(&workspace)?;
            let number = resolver.catalogue()?.number;
            let mut found = match own {
                Some((of, found)) if of == number => found,
                _ => resolver.own_findings(&self.asked.buffer, None),
            };
            found.extend(resolver.other_findings(&self.asked.buffer)?);
            Ok(found)
        });
        if let Some(found) = self.or_say(found) {
            self.show(&found);
        }
    }

    fn or_say<T>(&self, found: Result<T>) -> Option<T> {
        found.map_err(|error| self.asked.client.log(MessageType::WARNING, told(&error))).ok()
    }

    /// Shows findings, unless the text has changed meanwhile; whether it has not.
    fn show(&self, found: &[Finding]) -> bool {
        let asked = &self.asked;
        let diagnostics = found.iter().take(MOST).map(|it| diagnostic(asked, it)).collect();
        // Under the lock: what is older never comes after what is newer.
        let looks = lock(&self.kept.0);
        if looks.last.get(asked.uri.as_str()) != Some(&self.look) {
            return false;
        }
        asked.client.notify::<PublishDiagnostics>(PublishDiagnosticsParams {
            uri: asked.uri.clone(),
            diagnostics,
            version: asked.version,
        });
        true
    }
}

/// A finding as the protocol has it.
pub fn diagnostic(asked: &Asked, finding: &Finding) -> Diagnostic {
    let related = finding.related.iter().filter_map(|(spot, what)| {
        let location = asked.location(spot)?;
        Some(DiagnosticRelatedInformation { location, message: visible(what) })
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: asked.range(&finding.range),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Information => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.code.to_owned())),
        source: Some("elophanto".to_owned()),
        message: visible(&finding.message),
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_from_before_a_text_was_closed_is_never_the_last_one() {
        let (sender, _shown) = crossbeam_channel::unbounded();
        let (all, client) = (Diagnostics::default(), Client::new(sender, Default::default()));
        let uri: Uri = "file:///a.md".parse().expect("an address");
        let before = all.begin(&uri);
        all.close(&uri, &client);
        assert!(!all.is_last(&uri, before));
        let after = all.begin(&uri);
        assert!(!all.is_last(&uri, before) && all.is_last(&uri, after));
    }
}
