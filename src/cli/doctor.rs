//! `elophanto doctor`

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::{
    Outcome,
    error::CliError,
    search::places::drift_line,
    ui::{Ui, visible_line},
    workspace::{self, Workspace},
};
use elophanto_app::hidden;
use elophanto_app::when::day;
use elophanto_app::{config::REPOSITORY_FILE, init, settings};
use elophanto_index::{
    Options, commit, drift, links, refresh,
    store::{
        manifest::{FileEntry, Place},
        tables::{self, TableError},
    },
};
use elophanto_repo::{Git, NotePath, locate, read_note};
use elophanto_text::markdown;

/// Say what is indexed, by which model, how fresh, how large, and what is wrong
///
/// Every finding comes with the command that mends it. Exits with 1 if there is any.
#[derive(clap::Args, Debug)]
pub struct DoctorArgs {
    /// Show every setting with the place it comes from
    #[arg(long)]
    settings: bool,
    /// Print JSON Lines
    #[arg(long)]
    pub json: bool,
}

/// Facts, as `--json` prints them.
#[derive(Serialize)]
struct FactsWire {
    root: String,
    git: bool,
    model: String,
    notes: usize,
    chunks: usize,
    segments: usize,
    view_bytes: u64,
    tables: usize,
    tables_bytes: u64,
    uncommitted_vectors: usize,
    broken_links: usize,
    drifted: usize,
    skipped: usize,
    /// Pages that `init` made and nobody has written yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unfilled: Vec<UnfilledWire>,
}

/// A page with the sections that still say what its template says.
#[derive(Serialize)]
struct UnfilledWire {
    path: String,
    sections: Vec<String>,
}

/// Something wrong, as `--json` prints it.
#[derive(Serialize)]
struct FindingWire {
    finding: String,
    mend: String,
}

#[derive(Serialize)]
struct SettingWire<'a> {
    setting: &'a str,
    value: &'a str,
    origin: String,
}

/// How long git may take to tell which notes have drifted.
const DRIFT_PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);
/// A drift is over when the note has a commit of its own after those of its sources.
const MEND_DRIFT: &str =
    "compare the note with what it covers, correct it or set `updated:`, and commit it";

/// Lessons in one file, from which on it is better archived.
const MOST_RECORDS: usize = 10_000;

/// Links named one by one.
const MOST_LINKS: usize = 10;

pub fn run(args: &DoctorArgs, ui: &mut Ui) -> Result<Outcome, CliError> {
    let repository = locate(Path::new("."))?;
    let workspace = match workspace::at(repository, Vec::new(), ui) {
        Ok(workspace) => workspace,
        // Until that is mended, nothing else can be said.
        Err(cause) => {
            let mend = cause.hint_text().unwrap_or("correct the settings").to_owned();
            show(&[FindingWire { finding: cause.message().to_owned(), mend }], ui)?;
            return Ok(Outcome::Negative);
        }
    };
    let options = Options {
        full: false,
        patience: Some(std::time::Duration::from_millis(50)),
        progress: &|_, _| {},
    };
    let context = workspace.context();
    let refreshed = refresh(&context, options).map_err(CliError::from)?;
    let repository = &workspace.repository;
    let report = &refreshed.report;
    let mut findings: Vec<FindingWire> = Vec::new();
    let mut find = |finding: String, mend: &str| {
        findings.push(FindingWire { finding, mend: mend.to_owned() });
    };

    let names = tables::list(&repository.tables_dir())?;
    let tables_bytes =
        names.iter().map(|name| tables::size(&repository.tables_dir(), name)).sum::<u64>();
    let layers = settings::layers(&repository.root, &workspace.environment, Vec::new());
    if layers.is_ok_and(|layers| layers.in_conflict) {
        find(
            format!(
                "`{REPOSITORY_FILE}` is in conflict; until it is settled, what our side says counts"
            ),
            "settle it, then git add it",
        );
    }
    for notice in &report.notices {
        find(notice.clone(), "elophanto index");
    }
    let (uncommitted, bad) = commit::uncommitted(&context, &refreshed.snapshot)?;
    for table in &bad {
        let path = format!("{}/{}", commit::TABLES, table.name);
        let mend = match table.cause {
            TableError::Digest | TableError::Io(_) => "git checkout -- .elophanto/index".to_owned(),
            TableError::Fatal => "elophanto index --full".to_owned(),
            _ => format!("git rm -r {path}"),
        };
        find(format!("{path}: {}", table.cause), &mend);
    }
    for hidden in hidden::findings(&workspace) {
        find(hidden, "take the rule out, or git add --force the file");
    }
    for (path, records) in crowded(&workspace) {
        find(
            format!("{path} holds {records} lessons, more than {MOST_RECORDS}"),
            "elophanto agent memory archive --before '6 months ago'",
        );
    }
    if uncommitted > 0 {
        find(
            format!("{uncommitted} vectors are in no table that git could carry"),
            "elophanto index && git add .elophanto/index",
        );
    }
    if report.stale > 0 {
        find(format!("{} notes are not searched yet", report.stale), "elophanto index");
    }
    for problem in &report.problems {
        let path = visible_line(&problem.path.to_text());
        find(
            format!("{path}: skipped: {}", problem.reason),
            "mend the file, or list it in .elophantoignore",
        );
    }
    let pages = workspace.refresh_pages(options)?;
    let broken = links::broken(&pages.snapshot, &|path| repository.root.join(path).exists())
        .map_err(elophanto_index::search::SearchError::from)?;
    for link in broken.iter().take(MOST_LINKS) {
        let path = visible_line(&link.path.to_text());
        find(
            format!("{path}:{}: link to `{}` leads nowhere", link.line, link.target),
            "correct the link, or write the note",
        );
    }
    if broken.len() > MOST_LINKS {
        find(
            format!("{} more links lead nowhere", broken.len() - MOST_LINKS),
            "elophanto doctor --json",
        );
    }
    let drifts = match Git::of(repository) {
        Some(git) => {
            let paths = refreshed.snapshot.files.iter().map(|file| &file.path);
            drift::drifted(&git, &refreshed.snapshot, paths, DRIFT_PATIENCE)
                .map_err(elophanto_index::search::SearchError::from)?
        }
        None => drift::Drifts::default(),
    };
    for drift in &drifts.found {
        let path = visible_line(&drift.path.to_text());
        find(format!("{path}: {}", told(drift)), MEND_DRIFT);
    }
    for (path, cause) in &drifts.untold {
        let path = visible_line(&path.to_text());
        find(format!("{path}: whether it has drifted cannot be told: {cause}"), "git fsck");
    }
    let facts = FactsWire {
        root: repository.root.display().to_string(),
        git: repository.git_dir.is_some(),
        model: workspace.models.active().fingerprint().to_string(),
        notes: report.files,
        chunks: report.chunks,
        segments: refreshed.snapshot.parts.len(),
        view_bytes: refreshed
            .snapshot
            .parts
            .iter()
            .map(|part| (part.loaded.segment.size() + part.loaded.matrix.size()) as u64)
            .sum(),
        tables: names.len(),
        tables_bytes,
        uncommitted_vectors: uncommitted,
        broken_links: broken.len(),
        drifted: drifts.found.len(),
        skipped: report.problems.len(),
        unfilled: unfilled(&workspace),
    };
    print_facts(&facts, ui)?;
    if args.settings {
        for setting in workspace.config.origins() {
            let wire = SettingWire {
                setting: setting.key,
                value: &setting.value,
                origin: setting.origin.to_string(),
            };
            ui.emit(
                &wire,
                visible_line(&format!("{}: {}  ({})", setting.key, setting.value, setting.origin)),
            )?;
        }
    }
    show(&findings, ui)?;
    if findings.is_empty() && !ui.json {
        ui.line("nothing is wrong")?;
    }
    Ok(if findings.is_empty() { Outcome::Done } else { Outcome::Negative })
}

fn show(findings: &[FindingWire], ui: &mut Ui) -> Result<(), CliError> {
    for finding in findings {
        let text = format!("! {}\n  mend: {}", finding.finding, finding.mend);
        ui.emit(finding, super::ui::visible(&text))?;
    }
    Ok(())
}

/// A drift with the commits that made it.
fn told(drift: &drift::Drift) -> String {
    if drift.total == 1 {
        return drift_line(drift);
    }
    let mut text =
        format!("drifted: {} commits to what it covers since {}", drift.total, day(drift.since));
    for commit in &drift.commits {
        let subject = visible_line(&commit.subject);
        text.push_str(&format!("\n    {} {} {subject}", commit.id.short(), day(commit.time)));
    }
    if drift.total > drift.commits.len() {
        text.push_str(&format!("\n    and {} before", drift.total - drift.commits.len()));
    }
    text
}

fn print_facts(facts: &FactsWire, ui: &mut Ui) -> Result<(), CliError> {
    if ui.json {
        return ui.json(facts);
    }
    let kind = if facts.git { "git repository" } else { "plain folder" };
    ui.line(format_args!("root      {} ({kind})", visible_line(&facts.root)))?;
    ui.line(format_args!("model     {}", facts.model))?;
    ui.line(format_args!("notes     {} in {} chunks, up to date", facts.notes, facts.chunks))?;
    ui.line(format_args!(
        "view      {} in {} segments, local, may be deleted",
        size(facts.view_bytes),
        facts.segments
    ))?;
    if facts.git {
        ui.line(format_args!(
            "index     {} in {} tables below .elophanto/index",
            size(facts.tables_bytes),
            facts.tables
        ))?;
    }
    for UnfilledWire { path, sections } in &facts.unfilled {
        let sections = visible_line(&sections.join(", "));
        ui.line(format_args!("unfilled  {}: {sections}", visible_line(path)))?;
    }
    Ok(())
}

/// The pages of every knowledge base with what of them still waits to be written: until then it is
/// not searched.
fn unfilled(workspace: &Workspace) -> Vec<UnfilledWire> {
    let knowledge = &workspace.config.knowledge;
    let of_page = |path: PathBuf| {
        let path = NotePath::from(path.as_path());
        let (bytes, _) =
            read_note(&workspace.repository.root, &path, knowledge.max_file_bytes).ok()?;
        let text = markdown::decode(&bytes).ok()?.text;
        let document = markdown::parse(&text).ok()?;
        let sections: Vec<String> = init::unfilled(&text, &document)
            .into_iter()
            .filter(|section| section.is_to_fill)
            .map(|section| section.heading)
            .collect();
        (!sections.is_empty()).then(|| UnfilledWire { path: path.to_text(), sections })
    };
    init::pages(&knowledge.write_root).filter_map(of_page).collect()
}

/// Bytes for people.
pub fn size(bytes: u64) -> String {
    match bytes {
        0..=9_999 => format!("{bytes} bytes"),
        10_000..=9_999_999 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// Files of lessons that have grown too large, with their records.
fn crowded(workspace: &Workspace) -> Vec<(String, usize)> {
    let listed = refresh(
        &workspace.context().of(workspace.memory_form()),
        Options {
            full: false,
            patience: Some(std::time::Duration::from_millis(50)),
            progress: &|_, _| {},
        },
    );
    let Ok(known) = listed else { return Vec::new() };
    let count = |file: &FileEntry| {
        let Place::Document { segment, document } = file.place else { return None };
        let part = known.snapshot.parts.get(segment as usize)?;
        let document = part.loaded.segment.document(document as usize).ok()?;
        Some((file.path.to_text(), document.chunks.len()))
    };
    let counted = known.snapshot.files.iter().filter_map(count);
    counted.filter(|(_, records)| *records > MOST_RECORDS).collect()
}
