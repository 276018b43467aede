//! Running the tests of a plugin.

use std::{collections::BTreeMap, sync::LazyLock, time::Duration};

use regex::Regex;

use super::{
    MAX_REPORT_BYTES, Plugin, Runtime, hash,
    run::{Running, run},
    said::{cut_middle, mask},
};

/// What test programs print that found nothing to run.
static NOTHING_RAN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?mi)^\s*(=+ )?(ran 0 tests|no tests? ran|collected 0 items|# tests 0\s*$|1\.\.0\b)",
    )
    .ok()
});

/// How the tests of a plugin went. Only [`test()`] makes one, so that nothing is deployed for which
/// they have not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestReport {
    hash: String,
    passed: bool,
    reason: String,
    output: String,
}

impl TestReport {
    /// The content hash of what was tested.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// They ran, said something, and ended well.
    pub fn passed(&self) -> bool {
        self.passed
    }

    /// For people: why they did or did not pass.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// What they printed, secrets masked, cut in its middle. Text from outside.
    pub fn output(&self) -> &str {
        &self.output
    }
}

/// Runs `test_plugin.*` in a copy of the plugin's folder, without secrets and without network.
pub fn test(
    plugin: &Plugin,
    runtime: &Runtime,
    time: Duration,
    is_cancelled: &dyn Fn() -> bool,
) -> TestReport {
    let running = Running {
        files: &plugin.files,
        path: &plugin.test,
        folder: None,
        stdin: b"",
        network: false,
        time,
        is_cancelled,
    };
    let report = |passed, reason: String, output| TestReport {
        // Of what runs, not of what the plugin says of itself.
        hash: hash(&plugin.files),
        passed,
        reason,
        output,
    };
    let ended = match run(runtime, &running) {
        Ok(ended) => ended,
        Err(error) => {
            let reason = format!("the tests could not be run: {error}");
            return report(false, reason, String::new());
        }
    };
    let output = [&ended.stdout, &ended.stderr].map(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        mask(text.trim(), &BTreeMap::new())
    });
    let output = output.join("\n");
    let output = cut_middle(output.trim(), MAX_REPORT_BYTES);
    let nothing = NOTHING_RAN.as_ref().is_none_or(|nothing| nothing.is_match(&output));
    let (passed, reason) = match (&ended.stopped, ended.code) {
        (Some(why), _) => (false, format!("the tests were ended: {why}")),
        (_, None) => (false, "the tests were ended by a signal".to_owned()),
        (_, Some(0)) if ended.cut => (false, "the tests printed more than is kept".to_owned()),
        (_, Some(0)) if output.is_empty() => {
            (false, "the tests printed nothing, so that nothing shows that they ran".to_owned())
        }
        (_, Some(0)) if nothing => (false, "the tests ran nothing".to_owned()),
        (_, Some(0)) => (true, "the tests passed".to_owned()),
        (_, Some(code)) => (false, format!("the tests ended with exit code {code}")),
    };
    report(passed, reason, output)
}
