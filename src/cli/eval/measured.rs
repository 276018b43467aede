//! How `elophanto eval` prints what it measured: ways of searching, questions, and two ways against
//! each other.

use std::fmt::Write as _;

use crate::cli::{Result, Ui, escape_control_line};
use crate::wire::upkeep::RankedWire;
use elophanto_app::eval::{Eval, Row, Run};
use elophanto_base::counted::counted;
use elophanto_index::eval::{Answered, Paired, TestSet};

/// Documents that people are shown of each question.
const FEW: usize = 5;

/// Measures keywords, meaning and both, and prints a line for each as soon as it is there.
///
/// # Errors
/// When the model fails, or stdout cannot be written.
pub fn measure(eval: &Eval, shares: &[f32], ui: &mut Ui) -> Result<Vec<Run>> {
    head(eval, "mode", ui)?;
    let mut runs = Vec::new();
    for run in eval.measure(shares)? {
        let run = run?;
        ui.emit(&run.row, line(run.row.mode, &run.row))?;
        runs.push(run);
    }
    Ok(runs)
}

/// Measures two settings and prints what parts them.
///
/// # Errors
/// As [`measure`].
pub fn compare(eval: &Eval, other: &Eval, per_query: bool, ui: &mut Ui) -> Result<()> {
    head(eval, "", ui)?;
    let first = eval.hybrid()?;
    ui.emit(&first.row, line("as set", &first.row))?;
    let second = other.hybrid()?;
    ui.emit(&second.row, line("compared", &second.row))?;
    let found = first.against(&second);
    let Paired { difference, low, high, p, better, worse } = found;
    ui.emit(
        &found,
        format_args!(
            "nDCG@10 {difference:+.4} ({low:+.4} to {high:+.4}), by chance {:.1} %; {better} better, \
             {worse} worse",
            p * 100.0
        ),
    )?;
    if per_query {
        per_question(&eval.set, ("as set", &first), ("compared", &second), ui)?;
    }
    Ok(())
}

/// Prints what two ways of searching found for each question.
///
/// # Errors
/// When stdout cannot be written.
pub fn per_question(
    set: &TestSet,
    (first, one): (&'static str, &Run),
    (second, other): (&'static str, &Run),
    ui: &mut Ui,
) -> Result<()> {
    let answers = one.answers.iter().zip(&other.answers);
    for (question, (one, other)) in set.questions.iter().zip(answers) {
        let answers = [(first, one), (second, other)];
        let (id, text) = (escape_control_line(&question.id), escape_control_line(&question.text));
        let mut shown = format!("\n{id}  {text}");
        for (by, answer) in answers {
            let _ = write!(shown, "\n    {by:<9} {:.3} {}", answer.ndcg_at_10, few(answer));
        }
        ui.emit(&RankedWire::of(question, answers), shown)?;
    }
    Ok(())
}

/// The first documents, those that are relevant with a star.
fn few(answer: &Answered) -> String {
    let mut shown = String::new();
    for (id, grade) in answer.found.iter().take(FEW) {
        let star = if *grade > 0.0 { "*" } else { "" };
        let _ = write!(shown, " {star}{}", escape_control_line(id));
    }
    shown
}

fn head(eval: &Eval, first: &str, ui: &mut Ui) -> Result<()> {
    if ui.json {
        return Ok(());
    }
    let documents = match eval.set.documents.len() {
        0 => "the notes as they are".to_owned(),
        documents => counted(documents, "document"),
    };
    ui.line(format_args!(
        "{documents}, {}\n{first:<9} {:>8} {:>15} {:>10} {:>8} {:>10} {:>8}",
        counted(eval.set.questions.len(), "question"),
        "nDCG@10",
        "95 %",
        "Recall@20",
        "MRR@10",
        "median ms",
        "p95 ms"
    ))?;
    Ok(())
}

fn line(name: &str, row: &Row) -> String {
    let Row { ndcg_at_10: ndcg, ndcg_low, ndcg_high, recall_at_20, mrr_at_10, .. } = row;
    let (within, median, p95) =
        (format!("{ndcg_low:.3} - {ndcg_high:.3}"), row.median_ms, row.p95_ms);
    format!(
        "{name:<9} {ndcg:>8.3} {within:>15} {recall_at_20:>10.3} {mrr_at_10:>8.3} {median:>10.2} \
         {p95:>8.2}"
    )
}
