//! Skills: those that there are, those of the hub, and what is brought here.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Serialize;

use elophanto_app::skills::{Entry, Origin, Plan, Shadowed, Skill};

/// A skill.
#[derive(Serialize, JsonSchema)]
pub struct SkillWire<'a> {
    name: &'a str,
    description: &'a str,
    #[serde(flatten)]
    origin: &'a Origin,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    files: Vec<SkillFileWire>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    problems: &'a [String],
    /// What it says; only of one that is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<&'a str>,
}

#[derive(Serialize, JsonSchema)]
struct SkillFileWire {
    path: String,
    bytes: u64,
}

impl<'a> SkillWire<'a> {
    /// Of one in a list.
    pub fn of(skill: &'a Skill) -> Self {
        let file =
            |(path, bytes): &(PathBuf, u64)| SkillFileWire { path: text(path), bytes: *bytes };
        Self {
            name: &skill.name,
            description: &skill.description,
            origin: &skill.origin,
            folder: skill.folder.as_deref().map(text),
            files: skill.files.iter().map(file).collect(),
            problems: &skill.problems,
            body: None,
        }
    }

    /// With all that it says.
    pub fn whole(skill: &'a Skill) -> Self {
        Self { body: Some(&skill.body), ..Self::of(skill) }
    }
}

/// A file of a skill.
#[derive(Serialize, JsonSchema)]
pub struct SkillTextWire<'a> {
    pub name: &'a str,
    pub file: String,
    pub text: &'a str,
}

/// Where a new skill lies.
#[derive(Serialize, JsonSchema)]
pub struct NewSkillWire<'a> {
    pub made: &'a str,
}

/// A skill that another of its name hides.
#[derive(Serialize, JsonSchema)]
pub struct ShadowedWire<'a> {
    shadowed: &'a str,
    origin: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    folder: Option<String>,
    by: &'static str,
}

impl<'a> From<&'a Shadowed> for ShadowedWire<'a> {
    fn from(Shadowed { name, origin, folder, by }: &'a Shadowed) -> Self {
        let folder = folder.as_deref().map(text);
        Self { shadowed: name, origin: origin.name(), folder, by: by.name() }
    }
}

/// What would be, or was, installed.
#[derive(Serialize, JsonSchema)]
pub struct PlanWire<'a> {
    #[serde(flatten)]
    pub plan: &'a Plan,
    /// Whether just this was there already.
    pub current: bool,
    pub installed: bool,
}

/// An entry of the hub.
#[derive(Serialize, JsonSchema)]
pub struct EntryWire<'a> {
    #[serde(flatten)]
    pub entry: &'a Entry,
    pub hub: &'a str,
    pub installed: bool,
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
