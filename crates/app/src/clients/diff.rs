//! A change as text for people.

use std::ops::Range;

use super::Change;
use elophanto_base::visible::escape_control_line;

/// Lines shown before and after what changes.
const CONTEXT: usize = 3;
/// Most pairs of lines that are compared; beyond that all between the first and the last
/// difference is shown as changed.
const MAX_PAIRS: usize = 4_000_000;
/// Characters of a line that are shown where it stays as it is.
const MAX_CONTEXT_CHARS: usize = 240;

/// The change in the unified format, with three lines of context. What changes is shown whole, as people
/// agree to it; long lines that stay are cut. Characters that steer a terminal are made visible. Line ends
/// are not shown but for a missing last one.
pub fn diff(change: &Change) -> String {
    let old = lines(change.before.as_deref());
    let new = lines(change.after.as_deref());
    let name = |text: &Option<String>| match text {
        Some(_) => escape_control_line(&change.path.display().to_string()),
        None => "/dev/null".to_owned(),
    };
    let mut shown = format!("--- {}\n+++ {}\n", name(&change.before), name(&change.after));
    for hunk in hunks(&steps(&old, &new)) {
        let count = |side: fn(&Step) -> Option<usize>| hunk.iter().filter_map(side).count();
        let first = |side: fn(&Step) -> Option<usize>| hunk.iter().find_map(side);
        let range = |side: fn(&Step) -> Option<usize>| {
            format!("{},{}", first(side).map_or(0, |line| line + 1), count(side))
        };
        shown.push_str(&format!(
            "@@ -{} +{} @@\n",
            range(Step::line_of_old),
            range(Step::line_of_new)
        ));
        for step in hunk {
            let (sign, line) = match *step {
                Step::Same(at, _) => (' ', old.get(at)),
                Step::Old(at) => ('-', old.get(at)),
                Step::New(at) => ('+', new.get(at)),
            };
            push_line(&mut shown, sign, line.copied().unwrap_or_default());
        }
    }
    shown
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// A line of both, by its number in each.
    Same(usize, usize),
    Old(usize),
    New(usize),
}

impl Step {
    fn line_of_old(&self) -> Option<usize> {
        match *self {
            Self::Same(at, _) | Self::Old(at) => Some(at),
            Self::New(_) => None,
        }
    }

    fn line_of_new(&self) -> Option<usize> {
        match *self {
            Self::Same(_, at) | Self::New(at) => Some(at),
            Self::Old(_) => None,
        }
    }
}

fn lines(text: Option<&str>) -> Vec<&str> {
    text.unwrap_or_default().split_inclusive('\n').collect()
}

fn push_line(shown: &mut String, sign: char, line: &str) {
    let body = line.strip_suffix('\n').unwrap_or(line);
    let body = body.strip_suffix('\r').unwrap_or(body);
    shown.push(sign);
    match body.char_indices().nth(MAX_CONTEXT_CHARS) {
        Some((end, _)) if sign == ' ' => {
            shown.push_str(&escape_control_line(body.get(..end).unwrap_or_default()));
            shown.push_str(" ...");
        }
        _ => shown.push_str(&escape_control_line(body).replace('\u{2409}', "\t")),
    }
    shown.push('\n');
    if !line.ends_with('\n') {
        shown.push_str("\\ no line end\n");
    }
}

fn steps(old: &[&str], new: &[&str]) -> Vec<Step> {
    let same = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(new).take_while(same).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.iter().rev().zip(new.iter().rev()).take(most).take_while(same).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let mut steps: Vec<Step> = (0..head).map(|at| Step::Same(at, at)).collect();
    steps.extend(middle(old, new, head..old_end, head..new_end));
    steps.extend((0..tail).map(|at| Step::Same(old_end + at, new_end + at)));
    steps
}

/// The steps of a longest common subsequence.
fn middle(old: &[&str], new: &[&str], olds: Range<usize>, news: Range<usize>) -> Vec<Step> {
    let (height, width) = (olds.len(), news.len());
    let apart = || olds.clone().map(Step::Old).chain(news.clone().map(Step::New)).collect();
    if height == 0 || width == 0 || height.saturating_mul(width) > MAX_PAIRS {
        return apart();
    }
    let is_same =
        |row: usize, column: usize| old.get(olds.start + row) == new.get(news.start + column);
    // How many lines the rest of both have in common, row by row.
    let mut common = vec![0u32; (height + 1) * (width + 1)];
    let at = |row: usize, column: usize| row * (width + 1) + column;
    for row in (0..height).rev() {
        for column in (0..width).rev() {
            common[at(row, column)] = if is_same(row, column) {
                common[at(row + 1, column + 1)] + 1
            } else {
                common[at(row + 1, column)].max(common[at(row, column + 1)])
            };
        }
    }
    let (mut row, mut column, mut steps) = (0, 0, Vec::new());
    while row < height || column < width {
        if row < height && column < width && is_same(row, column) {
            steps.push(Step::Same(olds.start + row, news.start + column));
            (row, column) = (row + 1, column + 1);
        } else if column == width
            || (row < height && common[at(row + 1, column)] >= common[at(row, column + 1)])
        {
            steps.push(Step::Old(olds.start + row));
            row += 1;
        } else {
            steps.push(Step::New(news.start + column));
            column += 1;
        }
    }
    steps
}

/// The steps that change something, with their surroundings; those that meet are one.
fn hunks(steps: &[Step]) -> Vec<&[Step]> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        if matches!(step, Step::Same(..)) {
            continue;
        }
        let (start, end) = (at.saturating_sub(CONTEXT), (at + CONTEXT + 1).min(steps.len()));
        match ranges.last_mut() {
            Some(last) if last.end >= start => last.end = end,
            _ => ranges.push(start..end),
        }
    }
    ranges.into_iter().filter_map(|range| steps.get(range)).collect()
}
