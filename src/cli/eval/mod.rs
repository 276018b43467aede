//! `elophanto eval`

mod measured;

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
};

use super::{Outcome, Result, Ui, env, flags};
use crate::wire::upkeep::{JudgedWire, ThresholdsWire};
use elophanto_app::eval::Eval;
use elophanto_base::counted::{agreeing, counted};
use elophanto_index::eval::{AtLevel, Judged, TestSet, Thresholds, parted};

/// Measure how well search answers your own questions
///
/// DIR holds `corpus.jsonl` (id, title, text), `queries.jsonl` (id, text) and `qrels.tsv` (query,
/// document, grade). Prints nDCG@10 (within what it lies with 95 %), Recall@20 and MRR@10 for
/// keywords, meaning and both, with the time a query takes.
#[derive(clap::Args, Debug)]
pub struct EvalArgs {
    /// Folder of the test set
    #[arg(required_unless_present = "from_git")]
    dir: Option<PathBuf>,
    /// Make questions of this repository's commits in place of a test set: what the subject says was
    /// done asks for the notes that were touched
    #[arg(long, conflicts_with_all = ["dir", "thresholds", "against"])]
    from_git: bool,
    /// Show for each question what was found, by words alone and with meaning, or by both settings of
    /// `--compare`
    #[arg(long, conflicts_with_all = ["thresholds", "against"])]
    per_query: bool,
    /// Measure both together, once as the settings have it and once with these instead, such as
    /// search.second_look=always, and say whether the difference may be chance
    #[arg(
        long, value_name = "KEY=VALUE", value_delimiter = ',', value_parser = setting,
        conflicts_with_all = ["thresholds", "against", "semantic_weight"]
    )]
    compare: Vec<(String, String)>,
    /// Share of meaning in the hybrid score, in place of `search.semantic_weight`; several, such as
    /// 0.4,0.5,0.6, are measured one by one
    #[arg(long, value_name = "SHARE", value_delimiter = ',')]
    semantic_weight: Vec<f32>,
    /// How scores are fused: weighted or additive
    #[arg(long)]
    ranking: Option<String>,
    /// Measure this model, as `knowledge.embedding_provider` names them
    #[arg(long)]
    model: Option<String>,
    /// Measure instead where the model's cosines part: chance from kinship, kinship from
    /// repetition; and from where on a search is sure to answer, or probably does not. What is
    /// chance shows against a set about something else
    #[arg(long, value_name = "OTHER-DIR")]
    thresholds: Option<PathBuf>,
    /// Measure instead how well a search tells questions of the set, which its documents answer, from
    /// those of other sets, which they do not
    #[arg(long, value_name = "OTHER-DIR", num_args = 1.., conflicts_with = "thresholds")]
    against: Vec<PathBuf>,
    /// Keep what was measured, for every search of yours with this model
    #[arg(long, requires = "thresholds")]
    save: bool,
}

pub fn run(args: &EvalArgs, ui: &mut Ui) -> Result<Outcome> {
    let flags = flags([
        ("search.ranking", args.ranking.clone()),
        ("knowledge.embedding_provider", args.model.clone()),
    ]);
    let environment = env::environment();
    let open = |flags| match &args.dir {
        Some(dir) => Eval::open(dir, Path::new("."), &environment, flags),
        None => Eval::of_history(Path::new("."), &environment, flags, &*ui),
    };
    let eval = open(flags.clone())?;
    say_unknown(&eval.set, ui);
    if let Some(other) = &args.thresholds {
        let found = eval.thresholds(other)?;
        tell_thresholds(eval.model(), &found, ui)?;
        if args.save {
            eval.keep(&found, &environment)?;
            ui.talk("kept: searches of yours with this model go by these from now on");
        }
    } else if !args.against.is_empty() {
        tell_parted(&eval.judge(&args.against)?, ui)?;
    } else if args.compare.is_empty() {
        let shown = measured::measure(&eval, &args.semantic_weight, ui)?;
        if args.per_query {
            // By words alone, and the last way that was measured.
            if let ([first, ..], [.., last]) = (&shown[..], &shown[..]) {
                measured::per_question(&eval.set, ("keyword", first), ("hybrid", last), ui)?;
            }
        }
    } else {
        let other = open(flags.into_iter().chain(args.compare.clone()).collect())?;
        measured::compare(&eval, &other, args.per_query, ui)?;
    }
    ui.flush()?;
    Ok(Outcome::Done)
}

/// A setting as it is typed.
fn setting(text: &str) -> Result<(String, String), String> {
    let parts = text.split_once('=').filter(|(key, _)| !key.is_empty());
    let (key, value) = parts.ok_or("expected a setting and its value, as KEY=VALUE")?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
}

/// Says what of the judgements cannot count.
fn say_unknown(set: &TestSet, ui: &Ui) {
    let TestSet { unknown_documents: documents, unknown_questions: questions, .. } = *set;
    if documents > 0 {
        ui.note(format_args!(
            "{} that qrels.tsv says are relevant {} not in corpus.jsonl: they count as not found",
            counted(documents, "document"),
            agreeing(documents, "is", "are")
        ));
    }
    if questions > 0 {
        ui.note(format_args!(
            "{} of qrels.tsv {} not in queries.jsonl, and left out",
            counted(questions, "question"),
            agreeing(questions, "is", "are")
        ));
    }
}

fn tell_thresholds(model: &str, found: &Thresholds, ui: &mut Ui) -> Result<()> {
    let percent = |share: f64| share * 100.0;
    let text = format!(
        "`{model}`\n\
         nothing        {:.3}  loses {:.1} % of relevant texts without a word in common\n\
         relevant       {:.3}  lets in {:.1} % of others, loses {:.1} % of relevant ones\n\
         near_duplicate {:.3}  takes {:.1} % of others for copies, finds {:.1} % of \
         edited copies\n\
         sure           {:.3}  of {:.1} % of questions that are answered, of {:.1} % of others\n\
         no answer      {:.3}  to {:.1} % of questions that are answered, to {:.1} % of others",
        found.nothing,
        percent(found.nothing_loses),
        found.relevant,
        percent(found.relevant_lets_in),
        percent(found.relevant_loses),
        found.near_duplicate,
        percent(found.duplicate_mistakes),
        percent(found.duplicate_finds),
        found.sure,
        percent(found.sure_of_own),
        percent(found.sure_of_others),
        found.no_answer,
        percent(found.no_answer_to_own),
        percent(found.no_answer_to_others),
    );
    ui.emit(&ThresholdsWire { model, found }, text)
}

fn tell_parted(judged: &[Judged], ui: &mut Ui) -> Result<()> {
    if ui.json {
        judged.iter().try_for_each(|it| ui.json(&JudgedWire::from(it)))?;
    }
    let found = parted(judged);
    let mut text = format!(
        "{} of the set, {} of others: AUC {:.3}\n{:<16} {:>7} {:>7} {:>12} {:>10}",
        counted(found.own, "question"),
        found.others,
        found.auc,
        "",
        "own",
        "others",
        "first right",
        "among 5"
    );
    for AtLevel { level, own, others, first, among_five } in &found.levels {
        let _ = write!(
            text,
            "\n{:<16} {:>5.1} % {:>5.1} % {:>10.1} % {:>8.1} %",
            level.name(),
            own * 100.0,
            others * 100.0,
            first * 100.0,
            among_five * 100.0
        );
    }
    ui.emit(&found, text)
}
