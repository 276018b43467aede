//! What fails around the agent, with what to do next.

use super::super::error::CliError;
use elophanto_agent::{
    AgentError, SessionsError, TrailsError,
    checkpoint::{CheckpointError, WhyLeft, WhyUncovered},
    plugins::PluginError,
    skills::SkillError,
};
use elophanto_base::beneath::is_link;

impl From<CheckpointError> for CliError {
    fn from(cause: CheckpointError) -> Self {
        let hint = match &cause {
            CheckpointError::Busy { .. } | CheckpointError::BusyUnnamed => {
                "wait until it has ended, or end it"
            }
            CheckpointError::BadRun(_) | CheckpointError::UnknownRun(_) => {
                "`elophanto agent runs` lists the runs"
            }
            CheckpointError::ReadOnly { .. } => {
                "make it writable: nothing is changed without a way back"
            }
            CheckpointError::OtherWorkTree { .. } => "run this there",
            CheckpointError::Interrupted { .. } => {
                "`elophanto agent undo --interrupted` takes it all back"
            }
            CheckpointError::Conflicts { .. } => "`--partly` takes back what nobody changed since",
            CheckpointError::TooMany { .. } => "work in a smaller repository, or a part of it",
            CheckpointError::Damaged { .. } => {
                "what it kept may still be found: `git show refs/elophanto/checkpoints/RUN`"
            }
            CheckpointError::Git(_) => "check the repository with `git status`",
            CheckpointError::Outside(_)
            | CheckpointError::OfGit(_)
            | CheckpointError::RunExists(_)
            | CheckpointError::Io { .. }
            | CheckpointError::Journal(_) => "check the disk and the rights of `.git/elophanto`",
        };
        Self::new(cause).hint(hint)
    }
}

impl From<SessionsError> for CliError {
    fn from(cause: SessionsError) -> Self {
        let hint = match &cause {
            SessionsError::BadId(_) | SessionsError::Missing(_) | SessionsError::NoneBegins(_) => {
                "`elophanto agent sessions` lists them"
            }
            SessionsError::Ambiguous { .. } => "give more of the id",
            SessionsError::Busy(_) => "wait until that run has ended, or begin a new session",
            SessionsError::Damaged { .. } => "move it away, or begin a new session",
            SessionsError::Newer { .. } => "update elophanto, or begin a new session",
            SessionsError::Io { .. } => "check the disk and the rights of that folder",
        };
        Self::new(cause).hint(hint)
    }
}

impl From<TrailsError> for CliError {
    fn from(cause: TrailsError) -> Self {
        let hint = match &cause {
            TrailsError::BadPrefix(_) | TrailsError::Missing(_) => {
                "`elophanto agent runs` lists them"
            }
            TrailsError::Ambiguous { .. } => "give more of the id",
            TrailsError::Io { .. } | TrailsError::Log(_) | TrailsError::Stopped => {
                "check the disk and the rights of that folder"
            }
        };
        Self::new(cause).hint(hint)
    }
}

impl From<AgentError> for CliError {
    fn from(cause: AgentError) -> Self {
        match cause {
            AgentError::Session(cause) => cause.into(),
            AgentError::Trail(cause) => cause.into(),
            AgentError::OtherRoot { .. } => {
                Self::new(cause).hint("go on there, or without `--session` begin another one here")
            }
            AgentError::EmptyGoal => {
                Self::new(cause).hint("say what is to be done: elophanto agent run 'GOAL'")
            }
            AgentError::GoalTooLong { .. } => {
                Self::new(cause).hint("put the text into a file and name the file in the goal")
            }
        }
    }
}

impl From<SkillError> for CliError {
    fn from(cause: SkillError) -> Self {
        let hint = match &cause {
            SkillError::Name { .. } => "use lower case letters, digits and hyphens",
            SkillError::Source { .. } => "give a folder, an https or ssh address, or hub:NAME",
            SkillError::Form { .. } | SkillError::NoSkill(_) => {
                "a skill is a folder with a SKILL.md that begins with name and description"
            }
            SkillError::Several { .. } => "add `#` and one of the folders to the address",
            SkillError::TooLarge { .. } | SkillError::FileName { .. } => "tell whoever made it",
            SkillError::Git { .. } => "check the address and the connection",
            SkillError::NoHub => {
                "set `agent.hub` in your own settings to the address of a git repository of skills"
            }
            SkillError::Hub(_) => {
                "set `agent.hub` in your own settings to an https, ssh or file:// address"
            }
            SkillError::HubNotRead => "`elophanto agent hub search` reads it",
            SkillError::NotInHub(_) => "`elophanto agent hub search` says what there is",
            SkillError::NotInstalled(_) => "`elophanto agent skill list` says what is",
            SkillError::Renamed { .. } => "tell whoever keeps the hub",
            SkillError::NotAgreed(_) | SkillError::Overtaken(_) => {
                "run it again and look at what is shown"
            }
            SkillError::Occupied(_) => "move it away, or give the skill another name",
            SkillError::Lock { .. } => "move it away and install the skills again",
            SkillError::Tampered(_) => "`elophanto agent skill update` brings it back",
            SkillError::Io { cause, .. } if is_link(cause) => {
                "replace the link with a folder of its own"
            }
            SkillError::Io { .. } => "check the disk and the rights of that folder",
        };
        Self::new(cause).hint(hint)
    }
}

impl From<PluginError> for CliError {
    fn from(cause: PluginError) -> Self {
        let hint = match &cause {
            PluginError::Name(_) => "use a-z, 0-9 and `_`, beginning with a letter",
            PluginError::Missing { .. } => "a plugin is a folder below `plugins/`",
            PluginError::Untested { .. } => "mend it until its tests pass",
            PluginError::Changed { .. } => "run it again and look at what is shown",
            PluginError::Manifest(_) => "mend it by hand, or bring it back with git",
            _ => "a plugin has plugin.*, test_plugin.*, README.md and schema.json",
        };
        Self::new(cause).hint(hint)
    }
}

/// Why an undo leaves a path as it is.
pub fn why_left(why: WhyLeft) -> &'static str {
    match why {
        WhyLeft::ChangedSince => "was changed after the run",
        WhyLeft::ChangedDuring => "was changed by somebody else during the run",
        WhyLeft::HoldsOthers => "holds what the run did not put there",
        WhyLeft::NoFolder => "would be in something that is no folder now",
        WhyLeft::NotCovered => "is now something that is not written over",
        WhyLeft::Staged => "is staged otherwise than the run left it",
        WhyLeft::Branch => {
            "is not checked out, or not where the run left it: the commits of the run stay (check it \
             out, or `git revert` them)"
        }
    }
}

/// Why an undo would not restore a path.
pub fn why_uncovered(why: WhyUncovered) -> &'static str {
    match why {
        WhyUncovered::Special => "a pipe, socket or device",
        WhyUncovered::NestedRepository => "another repository",
        WhyUncovered::Large => "too large",
        WhyUncovered::TooMuch => "too many ignored files",
        WhyUncovered::Unreadable => "cannot be read",
        WhyUncovered::Head => "a program moved it",
    }
}
