//! The order of the layers.

use std::path::{Path, PathBuf};

use super::{
    Action, Call, Circumstances, Decision, Layer, Level, Mode, Protected, Verdict,
    rules::Rules,
    shell::{self, Findings, Place},
};

/// The folder of elophanto in a work tree.
const OWN: &str = ".elophanto";

/// Decides about a call.
///
/// The protected core, the blacklist, taint and a missing fence come first, then the user's
/// overrides, then the mode. An override never lifts what an upper layer asks for, but where it
/// denies, it denies. A server runs outside of the fence because the user wanted it: there the
/// level that the user gave a tool, or an override, takes the place of the fence.
pub fn decide(call: &Call, circumstances: &Circumstances) -> Verdict {
    decided(call, examined(call, circumstances), circumstances)
}

/// Whether all that a shell line would do in a folder is on the list of what only reads, and
/// nothing in it is unclear or asked about in every mode. All paths are canonical.
pub fn only_reads(
    line: &str,
    folder: &Path,
    root: &Path,
    home: &Path,
    protected: &Protected,
) -> bool {
    let found = shell::examine(line, &Place { folder, root, home, protected });
    let asks = [&found.denied, &found.harmful, &found.unclear];
    found.only_reads() && asks.iter().all(|reasons| reasons.is_empty())
}

/// What a shell line does; of other calls nothing.
pub(super) fn examined(call: &Call, at: &Circumstances) -> Option<Findings> {
    let Action::Shell { line, folder, .. } = &call.action else { return None };
    let place = Place { folder, root: at.root, home: at.home, protected: at.protected };
    Some(shell::examine(line, &place))
}

pub(super) fn decided(
    call: &Call,
    found: Option<Findings>,
    circumstances: &Circumstances,
) -> Verdict {
    let mut verdict = layers(call, found.as_ref(), circumstances);
    if let Some(found) = found {
        verdict.commands = found.commands;
    }
    if verdict.decision == Decision::Ask && !circumstances.attended {
        verdict.decision = Decision::Deny;
        verdict.can_be_kept = false;
        verdict.is_unanswered = true;
        verdict.reasons.push("nobody is there to be asked".to_owned());
    }
    verdict
}

fn layers(call: &Call, found: Option<&Findings>, circumstances: &Circumstances) -> Verdict {
    if let Some(verdict) = protected(call, found, circumstances) {
        return verdict;
    }
    let ruled = overrides(call, found, circumstances.rules, circumstances.root);
    let floor = blacklist(call, found, circumstances)
        .or_else(|| taint(call, ruled.as_ref(), circumstances))
        .or_else(|| fence(call, circumstances));
    match (floor, ruled) {
        (_, Some(ruled)) if ruled.decision == Decision::Deny => ruled,
        (Some(floor), _) => floor,
        (None, Some(ruled)) => ruled,
        (None, None) => mode(call, found, circumstances.mode),
    }
}

fn verdict(decision: Decision, layer: Layer, reasons: Vec<String>) -> Verdict {
    let can_be_kept = matches!(layer, Layer::Fence | Layer::Override | Layer::Mode);
    let can_be_kept = can_be_kept && decision == Decision::Ask;
    Verdict { decision, layer, reasons, can_be_kept, commands: Vec::new(), is_unanswered: false }
}

fn protected(call: &Call, found: Option<&Findings>, at: &Circumstances) -> Option<Verdict> {
    let reasons: Vec<String> = match (&call.action, found) {
        (Action::Write { paths } | Action::Record { paths }, _) => paths
            .iter()
            .filter_map(|path| {
                let entry = at.protected.holds(path)?;
                Some(format!("`{}` is protected by the entry `{entry}`", path.display()))
            })
            .collect(),
        (Action::Read { paths }, _) => paths
            .iter()
            .filter_map(|path| {
                let entry = at.protected.holds_key(path)?;
                Some(format!("`{}` is key material by the entry `{entry}`", path.display()))
            })
            .collect(),
        (_, Some(found)) => found.denied.clone(),
        _ => Vec::new(),
    };
    (!reasons.is_empty()).then(|| verdict(Decision::Deny, Layer::Protected, reasons))
}

fn blacklist(call: &Call, found: Option<&Findings>, at: &Circumstances) -> Option<Verdict> {
    if call.level == Level::Critical || matches!(call.action, Action::Develop) {
        let reason = "it changes what the agent itself is".to_owned();
        return Some(verdict(Decision::Ask, Layer::Blacklist, vec![reason]));
    }
    if let Action::Write { paths } | Action::Record { paths } = &call.action {
        let is_outside = |path: &PathBuf| !path.starts_with(at.root) && !path.starts_with("/tmp");
        let is_write = matches!(call.action, Action::Write { .. });
        let reasons: Vec<String> = paths
            .iter()
            .filter_map(|path| {
                match at.protected.executed(path).or_else(|| at.protected.leads_to(path)) {
                    Some(who) => Some(goes_by(&path.display(), who)),
                    None if is_write && is_outside(path) => {
                        Some(format!("`{}` lies outside the work tree", path.display()))
                    }
                    None => None,
                }
            })
            .collect();
        return (!reasons.is_empty()).then(|| verdict(Decision::Ask, Layer::Blacklist, reasons));
    }
    let found = found?;
    let mut reasons: Vec<String> = found.harmful.iter().chain(&found.unclear).cloned().collect();
    if matches!(call.action, Action::Shell { network: true, .. }) {
        reasons.push("it is to have the network, and can send away whatever it reads".to_owned());
    }
    (!reasons.is_empty()).then(|| verdict(Decision::Ask, Layer::Blacklist, reasons))
}

/// Why a file is asked about that others execute.
pub(super) fn goes_by(path: &dyn std::fmt::Display, who: &str) -> String {
    format!("`{path}` runs or steers {who}, outside of the sandbox")
}

/// A server that the user added can send away whatever it is given, so its tools ask too; but of one that
/// the user called safe, or has a rule for that allows it, the answer may hold for the session.
fn taint(call: &Call, ruled: Option<&Verdict>, at: &Circumstances) -> Option<Verdict> {
    (at.tainted && call.action.writes_or_reaches() && !stays(call, at)).then(|| {
        let reason = "untrusted text is in the conversation, and this reaches beyond what an undo \
                      of this work tree takes back";
        let is_allowed = ruled.is_some_and(|ruled| ruled.decision == Decision::Allow);
        let is_server = matches!(call.action, Action::Server { .. });
        let can_be_kept = is_server && (call.level == Level::Safe || is_allowed);
        Verdict { can_be_kept, ..verdict(Decision::Ask, Layer::Taint, vec![reason.to_owned()]) }
    })
}

/// Whether all that a call does stays in the work tree, where a checkpoint covers it: its own files,
/// commands in the fence without network, notes, a local commit. Lessons do not stay: they are
/// recalled in other repositories.
fn stays(call: &Call, at: &Circumstances) -> bool {
    let own = at.root.join(OWN);
    let inside = |path: &PathBuf| path.starts_with(at.root) && !path.starts_with(&own);
    match &call.action {
        Action::Write { paths } | Action::Record { paths } => paths.iter().all(inside),
        Action::Shell { network, .. } => at.fenced && !network,
        Action::Commit => true,
        _ => false,
    }
}

fn fence(call: &Call, at: &Circumstances) -> Option<Verdict> {
    let runs = matches!(call.action, Action::Shell { .. } | Action::Program { .. });
    (runs && !at.fenced && at.mode != Mode::Ask).then(|| {
        let reason = "the kernel has no fence that would hold the program back";
        verdict(Decision::Ask, Layer::Fence, vec![reason.to_owned()])
    })
}

/// What the rules say: the strictest of those that fit.
fn overrides(call: &Call, found: Option<&Findings>, rules: &Rules, root: &Path) -> Option<Verdict> {
    let decision = rules.decision(call, found, root)?;
    let reason = match decision {
        Decision::Allow => "your rules allow it",
        Decision::Ask => "a rule asks before it",
        Decision::Deny => "a rule denies it",
    };
    Some(verdict(decision, Layer::Override, vec![reason.to_owned()]))
}

fn mode(call: &Call, found: Option<&Findings>, mode: Mode) -> Verdict {
    let allow = |reason: &str| verdict(Decision::Allow, Layer::Mode, vec![reason.to_owned()]);
    let ask = |reason: &str| verdict(Decision::Ask, Layer::Mode, vec![reason.to_owned()]);
    if call.action == Action::AskUser {
        return allow("a question to the user asks by itself");
    }
    let is_server = matches!(call.action, Action::Server { .. });
    match mode {
        Mode::Ask => ask("the mode `ask` asks before every call"),
        Mode::Smart | Mode::Full if is_server => match call.level {
            Level::Safe => allow("you called this tool of a server safe"),
            _ => {
                let reason = "the server runs outside of the sandbox, as you do";
                verdict(Decision::Ask, Layer::Fence, vec![reason.to_owned()])
            }
        },
        Mode::Full => allow("the mode `full` runs and logs everything else"),
        Mode::Smart => match (&call.action, found) {
            (Action::Shell { .. }, Some(found)) if found.only_reads() => {
                allow("every command in it is on the list of those that only read")
            }
            (Action::Shell { .. }, _) => {
                ask("not every command in it is on the list of those that only read")
            }
            (Action::Look | Action::Read { .. } | Action::Model, _)
                if call.level == Level::Safe =>
            {
                allow("it only looks, reads or asks a model")
            }
            _ => ask("the mode `smart` asks before what changes something, reaches out or runs"),
        },
    }
}
