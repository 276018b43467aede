//! `elophanto trust`

use std::path::Path;

use serde::Serialize;

use super::{
    Outcome, env,
    error::CliError,
    ui::{Ui, visible_line},
};
use crate::{
    config::{
        Config, ConfigFile, REPOSITORY_FILE, TrustEntry, TrustStore, digest, read_repository_file,
    },
    repo::locate,
};

/// Show which settings of this repository need your trust, and trust them
///
/// A repository does not get to name a program to run, an address that receives text or
/// credentials, or a right that widens, until you trust the exact content of its settings. Until
/// then such keys are passed over with a warning. Any other content, older or newer, needs to be
/// trusted on its own. What you trust is kept in your own configuration folder.
#[derive(clap::Args, Debug)]
pub struct TrustArgs {
    /// List what is trusted in all repositories, and trust nothing
    #[arg(long, conflicts_with = "revoke")]
    list: bool,
    /// Forget all trust in this repository
    #[arg(long)]
    revoke: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// A setting that needs trust, as `--json` prints it.
#[derive(Serialize)]
struct SettingWire<'a> {
    file: &'a str,
    line: usize,
    key: &'a str,
    value: &'a str,
}

/// A content that is trusted, as `--json` prints it.
#[derive(Serialize)]
struct TrustedWire<'a> {
    trusted: &'a str,
    digest: &'a str,
    since: &'a str,
    root: String,
}

/// What `--revoke` did, as `--json` prints it.
#[derive(Serialize)]
struct RevokedWire {
    revoked: usize,
    root: String,
}

pub fn run(args: &TrustArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    if args.list {
        return list(ui);
    }
    // Nothing of the repository is read but its settings, and nothing is asked of git.
    let root = locate(Path::new("."))?.root;
    if args.revoke {
        return revoke(&root, ui);
    }
    match read_repository_file(&root)? {
        Some(file) => trust(&root, &file, ui),
        None => nothing(ui),
    }
}

fn trust(root: &Path, file: &ConfigFile, ui: &mut Ui) -> Result<Outcome, CliError> {
    let guarded = Config::guarded(file)?;
    if guarded.is_empty() {
        return nothing(ui);
    }
    let store = TrustStore::open_for(root, &env::variables())?;
    for setting in &guarded {
        let wire = SettingWire {
            file: REPOSITORY_FILE,
            line: setting.line,
            key: &setting.name,
            value: &setting.value,
        };
        let text = format!("{REPOSITORY_FILE}:{}: {}: {}", wire.line, wire.key, wire.value);
        ui.emit(&wire, visible_line(&text))?;
    }
    // Seen before it is trusted.
    ui.flush()?;
    let entry = TrustEntry {
        digest: digest(file.text.as_bytes()),
        file: REPOSITORY_FILE.to_owned(),
        since: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        root: root.to_owned(),
    };
    let new = store.record(entry)?;
    let said = if new { "trusted from now on" } else { "was trusted already" };
    ui.talk(format_args!("{said}, as long as `{REPOSITORY_FILE}` stays as it is"));
    Ok(Outcome::Done)
}

fn nothing(ui: &mut Ui) -> Result<Outcome, CliError> {
    ui.talk(format_args!("nothing in `{REPOSITORY_FILE}` needs trust"));
    Ok(Outcome::Done)
}

fn list(ui: &mut Ui) -> Result<Outcome, CliError> {
    for entry in TrustStore::open(&env::variables())?.entries() {
        let wire = TrustedWire {
            trusted: &entry.file,
            digest: &entry.digest,
            since: &entry.since,
            root: entry.root.to_string_lossy().into_owned(),
        };
        let short = entry.digest.get(..12).unwrap_or(&entry.digest);
        let text = format!("{short}  {}  {}/{}", entry.since, wire.root, entry.file);
        ui.emit(&wire, visible_line(&text))?;
    }
    Ok(Outcome::Done)
}

fn revoke(root: &Path, ui: &mut Ui) -> Result<Outcome, CliError> {
    let store = TrustStore::open_for(root, &env::variables())?;
    // Where there is nothing to forget, nothing is written.
    let known = store.entries().any(|entry| entry.root == root);
    let revoked = if known { store.forget(root)? } else { 0 };
    let wire = RevokedWire { revoked, root: root.to_string_lossy().into_owned() };
    let text = match revoked {
        0 => "nothing in this repository was trusted".to_owned(),
        1 => "1 content forgotten".to_owned(),
        more => format!("{more} contents forgotten"),
    };
    ui.emit(&wire, text)?;
    Ok(if revoked == 0 { Outcome::Negative } else { Outcome::Done })
}
