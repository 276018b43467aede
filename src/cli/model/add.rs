//! `elophanto model add` and `remove`: models of the user's own.

use crate::cli::{Outcome, Result, Ui, env};
use crate::wire::upkeep::RemovedWire;
use elophanto_app::models::add::{self, AddRequest, Added};

/// Add a sentence model of the BERT family to those of this machine
///
/// Reads `model.safetensors`, `tokenizer.json` (or `vocab.txt`) and `config.json` from a folder, or
/// fetches them from the Hugging Face hub (another one if HF_ENDPOINT names it), and packs them
/// into one file. Afterwards `knowledge.embedding_provider: local:NAME` uses it.
#[derive(clap::Args, Debug)]
pub struct AddArgs {
    /// What to call it: small letters, digits, dots, underscores and hyphens
    name: String,
    /// Its folder, or its name on the hub, such as intfloat/e5-small-v2
    #[arg(value_name = "PATH|HUB-NAME")]
    from: String,
    /// Keep the weights as they are, four times as large, in place of rounding them to eight bits
    #[arg(long)]
    exact: bool,
    /// Put it in the place of one with that name
    #[arg(long)]
    replace: bool,
}

/// Remove a model that was added
///
/// Vectors that it made stay; they cannot be searched by meaning until it is added again.
#[derive(clap::Args, Debug)]
pub struct RemoveArgs {
    /// Its name
    name: String,
}

pub fn add(args: &AddArgs, ui: &mut Ui) -> Result<Outcome> {
    let AddArgs { name, from, exact, replace, .. } = args;
    let request = AddRequest { name, from, exact: *exact, replace: *replace };
    let added = add::add(&request, &env::environment(), ui)?;
    let Added { dimension, max_tokens, bytes, .. } = added;
    let megabytes = bytes as f64 / 1e6;
    let text = format!(
        "added: {name}, {dimension} components, the first {max_tokens} tokens of a text, \
         {megabytes:.1} MB"
    );
    ui.emit(&added, text)?;
    ui.talk(format_args!(
        "next: `embedding_provider: local:{name}` in the settings, then `elophanto index`; \
         `elophanto eval --thresholds --save` measures what counts as near for it"
    ));
    Ok(Outcome::Done)
}

pub fn remove(args: &RemoveArgs, ui: &mut Ui) -> Result<Outcome> {
    if !add::remove(&args.name, &env::environment(), ui)? {
        return Ok(Outcome::Negative);
    }
    ui.done(&RemovedWire { removed: &args.name }, format_args!("removed: {}", args.name))
}
