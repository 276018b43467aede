//! How the knowledge base is: what is wrong and what mends it, jobs, what models cost, what changed.

use std::collections::BTreeMap;

use jiff::Timestamp;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Asked, Page, Tab, channels, charts, notes::of_folder, trust, words};
use crate::wire::channels::BotWire;
use elophanto_app::{
    Result,
    changelog::entries,
    config::format_duration,
    doctor::{Diagnosis, Facts, Finding, told_some},
    reporter::Silent,
    schedule::Jobs,
    usage::{Usage, UsageRequest, budgets, usage},
};
use elophanto_base::counted::counted;
use elophanto_models::llm::By;

/// Findings that are listed, and entries of the changelog.
const MOST_FINDINGS: usize = 100;
const MOST_ENTRIES: usize = 20;
const MOST_FOLDERS: usize = 30;

/// What `doctor` says, as programs get it.
#[derive(Serialize, JsonSchema)]
struct StatusWire<'a> {
    /// Not there while it is looked at for the first time.
    facts: Option<&'a Facts>,
    findings: &'a [Finding],
    notes: usize,
    chunks: usize,
    waiting: usize,
    /// Not there if it cannot be told.
    trust: Option<&'a trust::Waiting>,
    /// Those that can be told.
    channels: &'a [BotWire<'a>],
}

pub fn page(asked: &Asked) -> Result<Page> {
    let health = asked.cache.health();
    let diagnosis = health.as_ref().map(|it| &it.diagnosis);
    let trust = trust::waiting(asked);
    let (bots, untold) = channels::listed(asked);
    let bots: Vec<BotWire> = bots.iter().map(BotWire::from).collect();
    let twin = StatusWire {
        facts: diagnosis.as_ref().map(|it| &it.facts),
        findings: diagnosis.as_ref().map(|it| it.findings.as_slice()).unwrap_or_default(),
        notes: asked.catalogue.entries.len(),
        chunks: asked.catalogue.chunks,
        waiting: asked.catalogue.waiting,
        trust: trust.as_ref().ok(),
        channels: &bots,
    };
    asked.page(Tab::Status, "Status", &twin, || html! {
        h1 { "Status" }
        @match &diagnosis {
            Some(diagnosis) => { (findings(diagnosis)) (facts(asked, &diagnosis.facts)) (folders(asked, diagnosis)) }
            None => { p role="status" data-again { "It is looked at right now. " a href=(asked.site.page("status")) { "Look again" } } }
        }
        (trust::shown(asked, &trust))
        @if let Some(health) = &health { (growth(&health.growth, &health.index)) }
        (jobs(asked))
        (channels::shown(&bots, &untold))
        (costs(asked))
        (changes(asked))
    })
}

fn findings(diagnosis: &Diagnosis) -> Markup {
    let all = told_some(&diagnosis.findings);
    html! {
        section aria-labelledby="findings" {
            h2 #findings { "What is wrong" }
            @if all.is_empty() { p { "Nothing." } }
            ol.findings data-list {
                @for it in all.iter().take(MOST_FINDINGS) {
                    li tabindex="-1" {
                        p { (words::text(&it.finding)) }
                        p { "Mend: " code.copy { (words::text(&it.mend)) } }
                    }
                }
            }
            @if all.len() > MOST_FINDINGS { p { "The first " (MOST_FINDINGS) " of " (words::number(all.len())) "; " code { "elophanto doctor" } " lists all." } }
        }
    }
}

fn facts(asked: &Asked, facts: &Facts) -> Markup {
    html! {
        section aria-labelledby="facts" {
            h2 #facts { "What there is" }
            dl.fields {
                div { dt { "Root" } dd { (words::line(&facts.root)) } }
                div { dt { "Git" } dd { (if facts.git { "yes" } else { "no: a plain folder" }) } }
                div { dt { "Model" } dd { (words::line(&facts.model)) } }
                // Entities are notes as well, as everywhere on these pages.
                div { dt { "Notes" } dd { (words::number(asked.catalogue.entries.len())) } }
                div { dt { "Passages" } dd { (words::number(asked.catalogue.chunks)) } }
                div { dt { "Index on this machine" } dd { (words::bytes(facts.view_bytes)) " in " (counted(facts.segments, "segment")) } }
                div { dt { "Index in git" } dd { (words::bytes(facts.tables_bytes)) " in " (counted(facts.tables, "table")) } }
                div { dt { "Vectors that are not in git" } dd { (words::number(facts.uncommitted_vectors)) } }
                div { dt { "Links that lead nowhere" } dd { (words::number(facts.broken_links)) } }
                div { dt { "Notes that have drifted" } dd { (words::number(facts.drifted)) } }
                div { dt { "Left out" } dd { (words::number(facts.skipped)) } }
            }
        }
    }
}

/// Where notes have drifted: by folder, as a bar and as figures.
fn folders(asked: &Asked, diagnosis: &Diagnosis) -> Markup {
    let folder = |path: &str| path.rsplit_once('/').map_or("", |it| it.0).to_owned();
    let mut all: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for path in &diagnosis.drifted {
        all.entry(folder(&path.to_text())).or_default().0 += 1;
    }
    for entry in &asked.catalogue.entries {
        if let Some((_, notes)) = all.get_mut(&folder(&entry.name)) {
            *notes += 1;
        }
    }
    let mut rows: Vec<_> = all.into_iter().collect();
    rows.sort_by(|a, b| b.1.0.cmp(&a.1.0).then_with(|| a.0.cmp(&b.0)));
    html! {
        @if !rows.is_empty() {
            section aria-labelledby="drift" {
                h2 #drift { "Where notes have drifted" }
                (super::frame::table("Drift by folder", None, &["Folder", "Drifted", "Of", "Share"], &html! {
                    tbody {
                        @for (folder, (drifted, notes)) in rows.iter().take(MOST_FOLDERS) {
                            @let share = *drifted as f32 / (*notes).max(1) as f32;
                            tr {
                                td { a href=(of_folder(asked, folder)) { (words::line(if folder.is_empty() { "the root" } else { folder })) } }
                                td.number { (drifted) }
                                td.number { (notes) }
                                td { (charts::shares(&[("recency", share)], &format!("{:.0} %", share * 100.0))) }
                            }
                        }
                    }
                }))
            }
        }
    }
}

fn growth(weeks: &[usize], index: &[u64]) -> Markup {
    let sizes: Vec<f64> = index.iter().map(|bytes| *bytes as f64).collect();
    let values: Vec<f64> = weeks.iter().map(|count| *count as f64).collect();
    html! {
        @if let (Some(first), Some(last)) = (weeks.first(), weeks.last()) {
            section aria-labelledby="growth" {
                h2 #growth { "Growth" }
                p {
                    (charts::curve(&values, &format!("notes by week, from {first} to {last}")))
                    " Committed notes: " (words::number(*last)) "; a year ago: " (words::number(*first)) "."
                }
                @if let (Some(first), Some(last)) = (index.first(), index.last()) {
                    @let grown = format!("from {} to {}", words::bytes(*first), words::bytes(*last));
                    p { (charts::curve(&sizes, &format!("index in git by week, {grown}"))) " The index in git grew " (grown) "." }
                }
            }
        }
    }
}

fn jobs(asked: &Asked) -> Markup {
    let root = &asked.workspace.repository.root;
    let jobs = Jobs::of(&asked.library.environment);
    let listing = jobs.as_ref().map_err(ToString::to_string);
    let listing = listing.and_then(|it| it.list(Some(root)).map_err(|cause| cause.to_string()));
    html! {
        section aria-labelledby="jobs" {
            h2 #jobs { "Jobs" }
            @if let Ok(listing) = &listing {
                @for place in &listing.unclear { p.warn { (words::line(&place.to_string())) " is not as we wrote it: " code.copy { "elophanto schedule list" } " says more." } }
            }
            @match (&jobs, &listing) {
                (_, Err(cause)) => { p.warn { "It cannot be told: " (words::line(cause)) "." } }
                (_, Ok(listing)) if listing.jobs.is_empty() && !listing.unclear.is_empty() => {}
                (Ok(jobs), Ok(listing)) if !listing.jobs.is_empty() => {
                    ul.plain {
                        @for it in &listing.jobs {
                            @let last = jobs.last(&it.job);
                            li {
                                code { "elophanto " (words::line(&it.job.command.join(" "))) } ", every " (format_duration(it.job.every))
                                @match &last {
                                    Some(run) => { span.quiet { ": last " (words::line(&run.at)) ", " (words::line(&run.said)) } @if run.has_failed() { " " span.badge.warn { "failed" } } }
                                    None => { span.quiet { ": has not run yet" } }
                                }
                            }
                        }
                    }
                }
                _ => { p { "None. In a terminal, " code.copy { "elophanto schedule add index" } " keeps the index up to date by itself." } }
            }
        }
    }
}

fn costs(asked: &Asked) -> Markup {
    let (environment, now) = (&asked.library.environment, Timestamp::now());
    let used =
        usage(environment, &UsageRequest { by: By::Model, since: None, until: None }, now).ok();
    let left = budgets(environment, &asked.workspace.config.llm, now).unwrap_or_default();
    html! {
        section aria-labelledby="costs" {
            h2 #costs { "What models cost this month" }
            @match used.filter(|it| !it.sums.is_empty()) {
                Some(used) => { (table(&used)) }
                None => { p { "No model was asked." } }
            }
            @for it in &left {
                p.quiet { "Budget of a " (it.budget) ": " (words::line(it.limit)) @if let Some(micros) = it.usd_micros { ", $" (format!("{:.2}", elophanto_app::usage::usd(micros))) " left" } }
            }
        }
    }
}

fn table(used: &Usage) -> Markup {
    html! {
        (super::frame::table("Costs", None, &["Model", "Calls", "Tokens in", "Tokens out", "Money"], &html! {
            tbody {
                @for (name, sum) in used.sums.iter().map(|(name, sum)| (name.as_str(), sum)).chain([("all", &used.total)]) {
                    tr {
                        td { (words::line(name)) }
                        td.number { (sum.calls) }
                        td.number { (sum.input) }
                        td.number { (sum.output) }
                        td.number { "$" (format!("{:.4}", elophanto_app::usage::usd(sum.usd_micros))) }
                    }
                }
            }
        }))
    }
}

fn changes(asked: &Asked) -> Markup {
    let entries = entries(&asked.workspace, &Silent).unwrap_or_default();
    html! {
        section aria-labelledby="changes" {
            h2 #changes { "Changelog" }
            @if entries.is_empty() { p { "No entry yet." } }
            ul.plain {
                @for (name, text) in entries.iter().take(MOST_ENTRIES) {
                    @let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with(['-', '#']) && !line.contains(": "));
                    li { (words::line(name.trim_end_matches(".md"))) @if let Some(line) = first { span.quiet { " " (words::line(line)) } } }
                }
            }
            @if entries.len() > MOST_ENTRIES { p.quiet { "The newest " (MOST_ENTRIES) " of " (words::number(entries.len())) "." } }
        }
    }
}
