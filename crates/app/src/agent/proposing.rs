//! Naming a skill of the hub for a goal that no skill here fits. Nothing is installed by that.

use super::{ranking, skill_store::SkillStore};
use elophanto_agent::{
    Answer, Approval, Approver, Event,
    skills::{self, Skill, hub},
};

/// What the user may want to install, in one line. Opens no connection: only a hub that was read
/// before is looked into.
pub fn proposal(goal: &str, skills: &[Skill], store: &SkillStore) -> Option<String> {
    let hub = store.kept_hub().ok()?;
    if !skills::fits(goal, skills, &ranking::rank).is_empty() {
        return None;
    }
    let entry = hub::propose(goal, skills, &hub)?;
    Some(format!(
        "hub:{name} may help: {} (elophanto agent skill install hub:{name})",
        entry.description,
        name = entry.name
    ))
}

/// Whoever approves, told of a proposal when the run begins.
pub struct Proposing<'a> {
    pub inner: &'a mut dyn Approver,
    pub proposal: Option<String>,
}

impl Approver for Proposing<'_> {
    fn approve(&mut self, request: &Approval) -> Answer {
        self.inner.approve(request)
    }

    fn ask(&mut self, question: &str, options: &[String]) -> Option<String> {
        self.inner.ask(question, options)
    }

    fn tell(&mut self, event: &Event<'_>) {
        self.inner.tell(event);
        if matches!(event, Event::Begun { .. })
            && let Some(proposal) = self.proposal.take()
        {
            self.inner.tell(&Event::Warning(&proposal));
        }
    }
}
