//! What is wrong with a text, shown while it is written.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
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
    Error,
    editor::{Finding, Severity},
};
use elophanto_base::visible::visible;

/// Findings of one text that are shown.
const MOST: usize = 1_000;

/// Which look at each text is the last one.
#[derive(Default)]
pub struct Diagnostics {
    texts: Mutex<HashMap<String, Known>>,
}

#[derive(Default)]
struct Known {
    /// Counts looks; only what the last one found is shown.
    looks: u64,
}

impl Diagnostics {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, Known>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a look; what an earlier one finds is no longer shown.
    pub fn begin(&self, uri: &Uri) -> u64 {
        let mut texts = self.lock();
        let known = texts.entry(uri.as_str().to_owned()).or_default();
        known.looks += 1;
        known.looks
    }

    /// The text has changed: what is being found is of an old one.
    pub fn is_outdated(&self, uri: &Uri) {
        self.begin(uri);
    }

    /// Whether a look is still the last one.
    fn is_last(&self, uri: &Uri, look: u64) -> bool {
        self.lock().get(uri.as_str()).is_some_and(|known| known.looks == look)
    }

    /// Of a text that is closed nothing is shown.
    pub fn close(&self, uri: &Uri, client: &Client) {
        self.lock().remove(uri.as_str());
        let params =
            PublishDiagnosticsParams { uri: uri.clone(), diagnostics: Vec::new(), version: None };
        client.notify::<PublishDiagnostics>(params);
    }
}

/// A look at a text.
pub struct Diagnosing {
    pub version: u64,
    pub asked: Asked,
    pub kept: Arc<Diagnostics>,
}

impl Diagnosing {
    /// Shows what the text shows itself; what is left to look at.
    pub fn own(self) -> Option<Self> {
        if !self.kept.is_last(&self.asked.uri, self.version) {
            return None;
        }
        let asked = &self.asked;
        let found = asked.editor().workspace().map(|workspace| {
            // Once all notes were read, what they call themselves is known.
            let editor = asked.editor();
            let catalogue =
                (editor.number() > 0).then(|| editor.catalogue(&workspace).ok()).flatten();
            editor.own_findings(&workspace, catalogue.as_deref(), &asked.buffer)
        });
        self.show(found).then_some(self)
    }

    /// Shows all that is wrong.
    pub fn whole(self) {
        if !self.kept.is_last(&self.asked.uri, self.version) {
            return;
        }
        let (asked, editor) = (&self.asked, self.asked.editor());
        let found = editor.workspace().and_then(|workspace| {
            let catalogue = editor.catalogue(&workspace)?;
            let mut found = editor.own_findings(&workspace, Some(&catalogue), &asked.buffer);
            found.extend(editor.other_findings(&workspace, &catalogue, &asked.buffer));
            Ok(found)
        });
        self.show(found);
    }

    /// Shows findings, unless the text has changed meanwhile; whether it has not.
    fn show(&self, found: Result<Vec<Finding>, Error>) -> bool {
        let asked = &self.asked;
        let found = found.unwrap_or_else(|error| {
            asked.client.log(MessageType::WARNING, told(&error));
            Vec::new()
        });
        let diagnostics = found.iter().take(MOST).map(|it| diagnostic(asked, it)).collect();
        // Under the lock: what is older never comes after what is newer.
        let texts = self.kept.lock();
        if texts.get(asked.uri.as_str()).is_none_or(|it| it.looks != self.version) {
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
        Some(DiagnosticRelatedInformation { location, message: what.clone() })
    });
    let related: Vec<_> = related.collect();
    Diagnostic {
        range: asked.range(&finding.range),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Information => DiagnosticSeverity::INFORMATION,
            Severity::Hint => DiagnosticSeverity::HINT,
        }),
        code: Some(NumberOrString::String(finding.code.to_owned())),
        source: Some("elophanto".to_owned()),
        message: visible(&finding.message),
        related_information: (!related.is_empty()).then_some(related),
        ..Diagnostic::default()
    }
}
