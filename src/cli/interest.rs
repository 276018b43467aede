//! `elophanto like`, `unlike`, `dislike`, `undislike`, `interests` and `react`

use super::{Outcome, Result, Ui, escape_control_line, workspace};
use crate::wire::interest::{ActWire, InterestWire};
use elophanto_app::{
    interest::{self, Act, PreferenceRequest},
    when::day,
};
use elophanto_base::counted::agreeing;
use elophanto_knowledge::interest::{Answered, PreferenceKind, Signs, spark};

#[derive(clap::Args, Debug)]
pub struct PreferenceArgs {
    /// What it is about
    topic: String,
}

/// Show what you care about, by what you did
///
/// The score is the sum of what you did, each act counting half after 30 days. Acts stay on this
/// machine.
#[derive(clap::Args, Debug)]
pub struct InterestsArgs {
    /// Print at most this many
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20)]
    limit: usize,
    /// Draw the trend with `_.-=#` only
    #[arg(long)]
    ascii: bool,
    /// Show what you did that counts for this entity, the newest first
    #[arg(long, value_name = "ENTITY", conflicts_with = "ascii")]
    why: Option<String>,
}

/// React to a notification or an answer: `+` for more of it, `-` for no more
///
/// A `-` to a notification ends the search for more about what it was about.
#[derive(clap::Args, Debug)]
pub struct ReactArgs {
    /// The id of a notification or an answer
    id: String,
    /// `+` or `-`
    #[arg(value_name = "+|-", allow_hyphen_values = true, value_parser = ["+", "-"])]
    reaction: String,
    /// Take this reaction back
    #[arg(long)]
    undo: bool,
}

pub fn note_preference(
    args: &PreferenceArgs,
    preference: PreferenceKind,
    takes_back: bool,
    ui: &mut Ui,
) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let request = PreferenceRequest { topic: &args.topic, preference, takes_back };
    let noted = interest::note_preference(&workspace, &request, ui)?;
    let (word, shown) = (preference.word(), escape_control_line(&noted.topic));
    let text = match (takes_back, noted.changed, &noted.page) {
        (true, true, Some(page)) => format!(
            "took back that you {word} '{shown}', and its empty page {}",
            escape_control_line(&page.to_text())
        ),
        (true, true, None) => format!("took back that you {word} '{shown}'"),
        (true, false, _) => format!("you did not say that you {word} '{shown}'"),
        (false, false, _) => format!("you {word} '{shown}' already"),
        (false, true, Some(page)) if preference == PreferenceKind::Like => {
            format!("noted that you like '{shown}' ({})", escape_control_line(&page.to_text()))
        }
        (false, true, _) => format!("noted that you {word} '{shown}'"),
    };
    ui.emit(&noted, text)?;
    Ok(if takes_back && !noted.changed { Outcome::Negative } else { Outcome::Done })
}

fn why(name: &str, most: usize, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let (title, entity, why) = interest::why_by_name(&workspace, name, ui)?;
    let score = why.interest.map_or(0.0, |interest| interest.score);
    ui.note(format_args!("{}: {score:+.2}", escape_control_line(&title)));
    for act in why.acts.iter().take(most) {
        let Act { at, what, counts } = act;
        let text = format!("{}  {counts:+.2}  {what}", day(at.as_second()));
        ui.emit(&ActWire::of(&entity, act), text)?;
    }
    Ok(ui.listed(why.acts.is_empty(), "you did nothing that shows it"))
}

pub fn interests(args: &InterestsArgs, ui: &mut Ui) -> Result<Outcome> {
    if let Some(name) = &args.why {
        return why(name, args.limit, ui);
    }
    let workspace = workspace::open(Vec::new(), ui)?;
    let ranked = interest::interests(&workspace, args.limit, ui);
    let width = ranked.iter().map(|it| it.name.chars().count().min(40)).max().unwrap_or(0);
    let signs = if args.ascii { Signs::Ascii } else { Signs::Blocks };
    for (number, ranked) in (1..).zip(&ranked) {
        let of = &ranked.interest;
        let name = escape_control_line(&ranked.name);
        let word = agreeing(ranked.facts, "fact ", "facts");
        let text = format!(
            "{number:>2}. {name:width$}  {:+.2}  {:>3} {word}  {}  {}",
            of.score,
            ranked.facts,
            day(of.last.as_second()),
            spark(&of.trend, signs)
        );
        ui.emit(&InterestWire::from(ranked), text)?;
    }
    Ok(ui.listed(ranked.is_empty(), "nothing yet: `elophanto like` a topic, or `learn` about one"))
}

pub fn react(args: &ReactArgs, ui: &mut Ui) -> Result<Outcome> {
    let workspace = workspace::open(Vec::new(), ui)?;
    let positive = args.reaction == "+";
    let Some(reacted) = interest::react(&workspace, &args.id, positive, args.undo)? else {
        return Ok(ui.nothing(format_args!(
            "no notification or answer is called `{}`; the id stands beside what you were told",
            escape_control_line(&args.id)
        )));
    };
    let text = match reacted.to {
        _ if args.undo => "taken back: it counts no more",
        Answered::Notification if !positive => "noted: nothing more is searched for about it",
        _ => "noted",
    };
    ui.done(&reacted, text)
}
