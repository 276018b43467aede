//! From a verdict to a yes or no: nobody's silence is a yes.

use serde_json::Value;

use super::Run;
use crate::{
    Answer, Approval,
    permissions::{Call, Decision, Layer, Verdict, rule_for},
    session::is_edit,
};
use elophanto_base::one_line::one_line;

/// Whether a call may be made.
pub(super) struct Permit {
    pub(super) verdict: Verdict,
    /// As the trail writes it.
    pub(super) approved: &'static str,
    /// For the model, if it may not.
    pub(super) refusal: Option<String>,
}

impl Run<'_, '_> {
    /// Asks again where nobody has looked at a call, text from outside is in the conversation, and
    /// an undo would not bring back all that a program could change.
    pub(super) fn beyond_undo(
        &mut self,
        lost: Vec<String>,
        call: &Call<'_>,
        shown: &str,
        arguments: &Value,
    ) -> Permit {
        let reason = "untrusted text is in the conversation, and this may change what no undo \
                      brings back";
        let reasons = std::iter::once(reason.to_owned()).chain(lost).collect();
        let decision = Decision::Ask;
        let (layer, can_be_kept) = (Layer::Taint, false);
        let commands = Vec::new();
        let mut verdict =
            Verdict { decision, layer, reasons, can_be_kept, commands, is_unanswered: false };
        let (approved, refusal) = if self.agent.settings.is_attended {
            self.asked(call, &verdict, shown, arguments)
        } else {
            (verdict.decision, verdict.is_unanswered) = (Decision::Deny, true);
            ("nobody", Some(refused("nobody is there to approve it", &verdict)))
        };
        Permit { verdict, approved, refusal }
    }

    pub(super) fn permit(&mut self, call: &Call<'_>, shown: &str, arguments: &Value) -> Permit {
        let (is_tainted, is_attended) = (self.session.is_tainted, self.agent.settings.is_attended);
        let verdict = self.agent.world.decide(call, is_tainted, is_attended);
        let (approved, refusal) = match verdict.decision {
            Decision::Allow => ("mode", None),
            Decision::Deny if verdict.is_unanswered => {
                ("nobody", Some(refused("it is not allowed", &verdict)))
            }
            Decision::Deny => ("no", Some(refused("it is not allowed", &verdict))),
            Decision::Ask if !is_attended => {
                ("nobody", Some(refused("nobody is there to approve it", &verdict)))
            }
            // Whoever let the readers begin was told what they read; more than that they ask nobody.
            Decision::Ask if self.reader.is_some() => match verdict.layer {
                Layer::Mode => ("delegated", None),
                _ => ("nobody", Some(refused("a reader asks nobody", &verdict))),
            },
            Decision::Ask if self.session.allows(call, &verdict) => ("session", None),
            Decision::Ask => self.asked(call, &verdict, shown, arguments),
        };
        Permit { verdict, approved, refusal }
    }

    fn asked(
        &mut self,
        call: &Call<'_>,
        verdict: &Verdict,
        shown: &str,
        arguments: &Value,
    ) -> (&'static str, Option<String>) {
        let root = &self.agent.settings.root.clone();
        let request = Approval {
            run: self.trail.run,
            session: self.session.id,
            tool: call.tool.to_owned(),
            level: call.level,
            arguments: arguments.clone(),
            action: call.action.clone(),
            shown: shown.to_owned(),
            layer: verdict.layer,
            reasons: verdict.reasons.clone(),
            commands: verdict.commands.clone(),
            can_be_kept: verdict.can_be_kept,
            can_be_edits: is_edit(call, verdict, root),
            can_be_rule: rule_for(call, verdict).is_some(),
            is_tainted: self.session.is_tainted,
            depth: self.depth,
        };
        match self.approver.approve(&request) {
            Answer::Once => ("once", None),
            Answer::Session => {
                if self.session.keep(call, verdict) {
                    return ("kept", None);
                }
                self.warn(
                    "this call cannot be allowed for the session: it was allowed once".into(),
                );
                ("once", None)
            }
            Answer::Edits => {
                if self.session.keep_edits(call, verdict, root) {
                    return ("kept", None);
                }
                self.warn("this call is no edit of this work tree: it was allowed once".into());
                ("once", None)
            }
            Answer::Rule => {
                if !verdict.can_be_kept {
                    self.warn("this call cannot be allowed by a rule: it was allowed once".into());
                    return ("once", None);
                }
                match self.agent.world.keep_rule(call, verdict) {
                    Ok(()) => {
                        // It holds as long as it stands there; where it does not decide, as when another
                        // one is stricter or the line writes a file too, the session does.
                        let now = self.agent.world.decide(call, false, true);
                        if now.decision != Decision::Allow {
                            self.session.keep(call, verdict);
                        }
                        ("rule", None)
                    }
                    // Nothing wider than what was wanted.
                    Err(reason) => {
                        self.warn(format!("no rule is kept: {reason}"));
                        ("once", None)
                    }
                }
            }
            Answer::No(why) => {
                let why = why.map(|why| format!(": {}", one_line(&why, 500))).unwrap_or_default();
                ("no", Some(format!("not made: the user said no{why}")))
            }
            Answer::Nobody => ("nobody", Some(refused("nobody answered", verdict))),
        }
    }
}

fn refused(why: &str, verdict: &Verdict) -> String {
    let reasons: Vec<_> = verdict.reasons.iter().map(|reason| one_line(reason, 300)).collect();
    format!("not made: {why}. {}", reasons.join("; ")).trim_end().to_owned()
}
