//! A plugin as a tool.

use std::{path::PathBuf, sync::Arc};

use secrecy::ExposeSecret;
use serde_json::{Value, json};
use zeroize::Zeroizing;

use super::{
    MAX_ARGUMENT_BYTES, Plugin, PluginError, Runtime, examine,
    run::{Running, run},
    said::{self, Secrets, answer, cut_middle},
};
use crate::{Host, Intent, Output, Source, Spec, Tool, ToolError, permissions::Action};
use elophanto_base::schema;

/// A deployed plugin. Each call looks at its folder anew: it runs only what was deployed.
pub struct PluginTool {
    spec: Spec,
    root: PathBuf,
    runtime: Arc<Runtime>,
}

impl PluginTool {
    /// A tool of a plugin below the canonical `root`. That it was deployed is the caller's duty.
    pub fn new(root: PathBuf, plugin: &Plugin, runtime: Arc<Runtime>) -> Self {
        let spec = Spec {
            name: plugin.name.clone(),
            description: plugin.declared.description.clone(),
            input: plugin.declared.input.clone(),
            level: plugin.declared.level,
            source: Source::Plugin { hash: plugin.hash.clone() },
            is_untrusted: true,
        };
        Self { spec, root, runtime }
    }

    /// The plugin's folder, if it is what was deployed.
    fn current(&self) -> Result<Plugin, ToolError> {
        let name = &self.spec.name;
        let plugin = examine(&self.root, name, &[])
            .map_err(|error| ToolError::Refused(format!("the plugin `{name}`: {error}")))?;
        match &self.spec.source {
            Source::Plugin { hash } if *hash == plugin.hash => Ok(plugin),
            _ => Err(ToolError::Refused(format!("the plugin `{name}` {}", changed(name)))),
        }
    }

    fn check(&self, arguments: &Value) -> Result<(), ToolError> {
        if arguments.to_string().len() > MAX_ARGUMENT_BYTES {
            let reason = format!("over the cap of {MAX_ARGUMENT_BYTES} bytes");
            return Err(ToolError::Arguments(reason));
        }
        if !arguments.is_object() {
            return Err(ToolError::Arguments("the arguments are no object".to_owned()));
        }
        schema::check(&self.spec.input, arguments).map_err(ToolError::Arguments)
    }
}

/// What is wrong with a plugin that is not what was deployed.
pub(super) fn changed(name: &str) -> String {
    format!(
        "changed since it was deployed: `elophanto agent plugin deploy {name}` looks at it again"
    )
}

impl Tool for PluginTool {
    fn spec(&self) -> Spec {
        self.spec.clone()
    }

    fn intent(&self, arguments: &Value, _host: &dyn Host) -> Result<Intent, ToolError> {
        self.check(arguments)?;
        // Nobody is asked about what would be refused.
        let plugin = self.current()?;
        let name = &self.spec.name;
        let hash = plugin.hash.get(..16).unwrap_or_default();
        let secrets = match plugin.declared.secrets.join(", ") {
            none if none.is_empty() => "none".to_owned(),
            names => names,
        };
        let network = if plugin.declared.network { "yes" } else { "no" };
        let arguments =
            serde_json::to_string_pretty(arguments).unwrap_or_else(|_| arguments.to_string());
        let shown = format!(
            "run plugins/{name}/{}, deployed as {hash}\nsecrets it is given: {secrets}\n\
             network: {network}\narguments: {arguments}",
            plugin.program
        );
        Ok(Intent { action: Action::Program { name: name.clone(), digest: plugin.hash }, shown })
    }

    fn execute(&self, arguments: &Value, host: &mut dyn Host) -> Result<Output, ToolError> {
        self.check(arguments)?;
        host.alive()?;
        let plugin = self.current()?;
        let secrets = match plugin.declared.secrets.as_slice() {
            [] => Secrets::new(),
            names => {
                let mut given = (self.runtime.secrets)(names).map_err(ToolError::Failed)?;
                if let Some(missing) = names.iter().find(|name| !given.contains_key(*name)) {
                    return Err(ToolError::Failed(format!("there is no secret `{missing}`")));
                }
                given.retain(|name, _| names.contains(name));
                given
            }
        };
        let stdin = input(arguments, &secrets);
        let (time, host) = (host.patience(), &*host);
        let running = Running {
            files: &plugin.files,
            path: &plugin.program,
            folder: Some(&self.root),
            stdin: &stdin,
            network: plugin.declared.network,
            time,
            is_cancelled: &|| host.is_cancelled(),
        };
        let ended = run(&self.runtime, &running).map_err(|error: PluginError| {
            ToolError::Failed(said::mask(&error.to_string(), &secrets))
        })?;
        host.alive()?;
        let (text, failed) = match answer(&ended, plugin.declared.output.as_ref(), &secrets) {
            Ok(text) => (text, false),
            Err(reason) => (reason, true),
        };
        let text = cut_middle(&text, host.max_output());
        Ok(Output { text, failed, ..Output::default() })
    }
}

/// What a plugin reads. Wiped when dropped, and made in one piece so that no copy is left behind.
fn input(arguments: &Value, secrets: &Secrets) -> Zeroizing<Vec<u8>> {
    let arguments = arguments.to_string();
    let room =
        secrets.iter().map(|(name, secret)| name.len() + secret.expose_secret().len() * 6 + 8);
    let mut input = Zeroizing::new(Vec::with_capacity(arguments.len() + room.sum::<usize>() + 64));
    input.extend_from_slice(b"{\"arguments\":");
    input.extend_from_slice(arguments.as_bytes());
    input.extend_from_slice(b",\"secrets\":{");
    for (number, (name, secret)) in secrets.iter().enumerate() {
        input.extend_from_slice(if number == 0 { b"" } else { b"," });
        input.extend_from_slice(json!(name).to_string().as_bytes());
        input.push(b':');
        let secret =
            Zeroizing::new(serde_json::to_string(secret.expose_secret()).unwrap_or_default());
        input.extend_from_slice(secret.as_bytes());
    }
    input.extend_from_slice(b"}}\n");
    input
}
