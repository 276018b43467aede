//! The tools of a run, by name. Pure.

use std::{
    collections::BTreeMap,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak},
};

use serde_json::Value;

use super::{Source, Spec, Tool};
use crate::permissions::Level;

/// Bytes of a tool's name.
const NAME_CAP: usize = 64;
/// Names that a wrong one is answered with.
const NEAR: usize = 3;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolboxError {
    #[error("`{0}` is no name of a tool: a-z first, then a-z, 0-9 and `_`, at most {NAME_CAP}")]
    Name(String),
    /// The one that came first stays.
    #[error("there are two tools `{0}`")]
    Twice(String),
    #[error("the arguments of the tool `{0}` are no object by its schema")]
    Schema(String),
    #[error("there are no tools any more")]
    Gone,
}

type ByName = BTreeMap<String, Arc<dyn Tool>>;

#[derive(Default)]
struct Tools {
    by_name: ByName,
    /// How often they were changed.
    changes: u64,
}

impl Tools {
    fn change(&mut self) -> &mut ByName {
        self.changes += 1;
        &mut self.by_name
    }
}

/// Tools by name, sorted. While runs use them, more may come through an [`Inlet`].
#[derive(Default)]
pub struct Toolbox(Arc<RwLock<Tools>>);

/// A way into a toolbox for whoever makes tools while runs go on. One of its tools may hold it: it
/// does not keep the toolbox alive.
#[derive(Clone, Default)]
pub struct Inlet(Weak<RwLock<Tools>>);

impl Toolbox {
    pub fn new() -> Self {
        Self::default()
    }

    /// All that can be taken, and why the others cannot.
    pub fn of(tools: impl IntoIterator<Item = Box<dyn Tool>>) -> (Self, Vec<ToolboxError>) {
        let mut toolbox = Self::new();
        let problems = tools.into_iter().filter_map(|tool| toolbox.add(tool).err()).collect();
        (toolbox, problems)
    }

    /// # Errors
    /// When the name is none or taken, or the schema describes no object: nobody may put a tool in
    /// the place of another.
    pub fn add(&mut self, tool: Box<dyn Tool>) -> Result<(), ToolboxError> {
        put(write(&self.0).change(), tool, &|_| false)
    }

    pub fn get(&self, name: &str) -> Option<Arc<dyn Tool>> {
        read(&self.0).by_name.get(name).cloned()
    }

    /// Whether a tool changes nothing, by its level: what it gives back makes no other call wrong.
    pub fn only_reads(&self, name: &str) -> bool {
        self.get(name).is_some_and(|tool| tool.spec().level == Level::Safe)
    }

    /// Another number whenever the tools are others.
    pub fn version(&self) -> u64 {
        read(&self.0).changes
    }

    /// Of the tools that there are now.
    pub fn specs(&self) -> impl Iterator<Item = Spec> {
        specs(&read(&self.0).by_name).into_iter()
    }

    pub fn len(&self) -> usize {
        read(&self.0).by_name.len()
    }

    pub fn is_empty(&self) -> bool {
        read(&self.0).by_name.is_empty()
    }

    /// Those of these names that there are now.
    pub fn only(&self, names: &[&str]) -> Self {
        let mut kept = read(&self.0).by_name.clone();
        kept.retain(|name, _| names.contains(&name.as_str()));
        Self(Arc::new(RwLock::new(Tools { by_name: kept, changes: 0 })))
    }

    pub fn inlet(&self) -> Inlet {
        Inlet(Arc::downgrade(&self.0))
    }

    /// Names that are like a wrong one, the most alike first.
    pub fn near(&self, wrong: &str) -> Vec<String> {
        let wrong: String = wrong.chars().take(NAME_CAP).collect::<String>().to_ascii_lowercase();
        let words: Vec<_> =
            wrong.split(['_', '-', '.', ' ']).filter(|word| !word.is_empty()).collect();
        let likeness = |name: &str| {
            let shared = name.split('_').filter(|part| words.contains(part)).count() as f64;
            strsim::jaro_winkler(&wrong, name) + shared * 0.4
        };
        let tools = read(&self.0);
        let mut scored: Vec<_> = tools.by_name.keys().map(|name| (likeness(name), name)).collect();
        scored.sort_by(|one, two| two.0.total_cmp(&one.0).then_with(|| one.1.cmp(two.1)));
        let near = scored.into_iter().filter(|(score, _)| *score >= 0.7).take(NEAR);
        near.map(|(_, name)| name.clone()).collect()
    }
}

impl Inlet {
    /// Takes a tool in, for runs that go on too. A plugin comes in the place of the plugin of its
    /// name: that is an older one.
    ///
    /// # Errors
    /// As [`Toolbox::add`], or when the toolbox is gone.
    pub fn put(&self, tool: Box<dyn Tool>) -> Result<(), ToolboxError> {
        let tools = self.0.upgrade().ok_or(ToolboxError::Gone)?;
        let is_plugin = |spec: &Spec| matches!(spec.source, Source::Plugin { .. });
        let newer = is_plugin(&tool.spec());
        put(write(&tools).change(), tool, &|older| newer && is_plugin(older))
    }

    /// Takes tools out again: their makers are gone.
    pub fn withdraw<'n>(&self, names: impl IntoIterator<Item = &'n String>) {
        if let Some(tools) = self.0.upgrade() {
            let mut tools = write(&tools);
            let by_name = tools.change();
            for name in names {
                by_name.remove(name);
            }
        }
    }

    /// Of the tools that there are now.
    pub fn specs(&self) -> Vec<Spec> {
        self.0.upgrade().map(|tools| specs(&read(&tools).by_name)).unwrap_or_default()
    }
}

fn put(
    tools: &mut ByName,
    tool: Box<dyn Tool>,
    gives_way: &dyn Fn(&Spec) -> bool,
) -> Result<(), ToolboxError> {
    let Spec { name, input, .. } = tool.spec();
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let starts = name.as_bytes().first().is_some_and(u8::is_ascii_lowercase);
    if !starts || name.len() > NAME_CAP || !name.bytes().all(plain) {
        return Err(ToolboxError::Name(name.chars().take(80).collect()));
    }
    if input.get("type").and_then(Value::as_str) != Some("object") {
        return Err(ToolboxError::Schema(name));
    }
    if tools.get(&name).is_some_and(|older| !gives_way(&older.spec())) {
        return Err(ToolboxError::Twice(name));
    }
    tools.insert(name, Arc::from(tool));
    Ok(())
}

fn specs(tools: &ByName) -> Vec<Spec> {
    tools.values().map(|tool| tool.spec()).collect()
}

/// A map is whole between any two of its changes, whoever panicked.
fn read(tools: &RwLock<Tools>) -> RwLockReadGuard<'_, Tools> {
    tools.read().unwrap_or_else(PoisonError::into_inner)
}

fn write(tools: &RwLock<Tools>) -> RwLockWriteGuard<'_, Tools> {
    tools.write().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Host, Intent, Output, ToolError, permissions::Action};

    struct Named(Spec);

    impl Tool for Named {
        fn spec(&self) -> Spec {
            self.0.clone()
        }

        fn intent(&self, _: &Value, _: &dyn Host) -> Result<Intent, ToolError> {
            Ok(Intent { action: Action::Look, shown: String::new() })
        }

        fn execute(&self, _: &Value, _: &mut dyn Host) -> Result<Output, ToolError> {
            Ok(Output::default())
        }
    }

    fn named(name: &str, input: Value) -> Box<dyn Tool> {
        let (name, description) = (name.to_owned(), "does it".to_owned());
        let (level, source) = (Level::Safe, Source::BuiltIn);
        Box::new(Named(Spec { name, description, input, level, source, is_untrusted: true }))
    }

    fn of(names: &[&str]) -> (Toolbox, Vec<ToolboxError>) {
        Toolbox::of(names.iter().map(|name| named(name, json!({ "type": "object" }))))
    }

    #[test]
    fn names_and_schemas_are_held_to() {
        let long = "a".repeat(65);
        for bad in ["", "A", "1a", "a-b", "a b", "../x", "\u{e9}", &long] {
            assert!(matches!(of(&[bad]).1[..], [ToolboxError::Name(_)]), "{bad}");
        }
        let (toolbox, problems) = of(&["b", "a", "b"]);
        assert_eq!(problems, [ToolboxError::Twice("b".to_owned())]);
        assert_eq!(toolbox.specs().map(|spec| spec.name).collect::<Vec<_>>(), ["a", "b"]);
        for bad in [json!(null), json!({}), json!({ "type": "array" })] {
            let (_, problems) = Toolbox::of([named("a", bad)]);
            assert_eq!(problems, [ToolboxError::Schema("a".to_owned())]);
        }
        let only = toolbox.only(&["b", "c"]);
        assert!(only.len() == 1 && only.get("b").is_some() && only.get("a").is_none());
    }

    #[test]
    fn near_names() {
        let names = [
            "file_read", "file_write", "git_log", "shell_execute", "web_fetch", "knowledge_search",
        ];
        let (toolbox, _) = of(&names);
        for (wrong, first) in [
            ("read_file", Some("file_read")),
            ("FileRead", Some("file_read")),
            ("bash_shell", Some("shell_execute")),
            ("search", Some("knowledge_search")),
            ("fetch", Some("web_fetch")),
            ("zzzzzz", None),
            ("", None),
        ] {
            assert_eq!(toolbox.near(wrong).first().map(String::as_str), first, "{wrong}");
        }
    }

    #[test]
    fn what_comes_later_is_there_for_all_and_pushes_out_plugins_alone() {
        let (toolbox, _) = of(&["a"]);
        let inlet = toolbox.inlet();
        let plugin = |name: &str, hash: &str| -> Box<dyn Tool> {
            let tool = named(name, json!({ "type": "object" }));
            let source = Source::Plugin { hash: hash.to_owned() };
            Box::new(Named(Spec { source, ..tool.spec() }))
        };
        assert_eq!(inlet.put(plugin("b", "1")), Ok(()));
        let before = toolbox.get("b").unwrap();
        assert_eq!(inlet.put(plugin("b", "2")), Ok(()));
        let source = |tool: &dyn Tool| tool.spec().source;
        assert_eq!(source(&*before), Source::Plugin { hash: "1".to_owned() });
        assert_eq!(source(&*toolbox.get("b").unwrap()), Source::Plugin { hash: "2".to_owned() });
        assert_eq!(inlet.put(plugin("a", "1")), Err(ToolboxError::Twice("a".to_owned())));
        let built_in = named("b", json!({ "type": "object" }));
        assert_eq!(inlet.put(built_in), Err(ToolboxError::Twice("b".to_owned())));
        assert_eq!(inlet.specs().len(), 2);
        let version = toolbox.version();
        assert_eq!(inlet.put(plugin("c", "1")), Ok(()));
        assert_ne!(toolbox.version(), version);
        drop(toolbox);
        assert_eq!(inlet.put(plugin("c", "1")), Err(ToolboxError::Gone));
        assert!(inlet.specs().is_empty());
    }
}
