//! Teaches the built-in model a repository's own words from another model: what to add for a word so
//! that the vectors of passages come to lie to each other as the other model has them.
//!
//! The other model's vectors are turned into the built-in model's space by the orthogonal map that
//! brings both nearest to each other (Procrustes: Schönemann 1966; the polar factor by the iteration
//! of Newton and Schulz). What is left between a passage's vector and its target is shared out among
//! its words by ridge regression (conjugate gradients), and the words whose rows explain most of it
//! are kept. Pure: texts and vectors in, a table out.

use std::collections::HashMap;

use rayon::prelude::*;

use super::{
    Builtin, add_row, normalise,
    table::DIMENSION,
    tuned::{MOST_PIECES, Tuned, Words, words},
};
use crate::dot;

/// Words of a table: with their pieces they stay below its largest size.
const MOST_WORDS: usize = 3_600;
/// A word of fewer passages is left as it is.
const LEAST_PASSAGES: u32 = 3;
/// Fewer passages say too little.
pub const LEAST: usize = 200;
/// How much a row is held back, as so many passages that say that nothing is to be added.
const HELD_BACK: [f32; 3] = [1.0, 3.0, 10.0];
const STEPS: usize = 20;
/// Iterations until the map is orthogonal.
const POLAR_STEPS: usize = 40;
/// Nearest passages that both models should agree on.
const NEAREST: usize = 10;

type Vector = [f32; DIMENSION];

/// A text, and its vector by the model that teaches.
#[derive(Debug, Clone)]
pub struct Lesson {
    pub text: String,
    pub vector: Vec<f32>,
}

/// What was learnt.
#[derive(Debug)]
pub struct Learnt {
    pub words: Words,
    /// How many of the ten nearest passages of a question are those of the teaching model, as a
    /// share: as the built-in model is.
    pub before: f32,
    /// With a table that was learnt without the passages that the questions are from.
    pub after: f32,
}

/// Learns from passages. `questions` are texts with the number of the passage that each is from: by
/// these is chosen how bold the table is, and measured what it is worth. `None` if there are too few
/// passages or questions, or the other model's vectors are of different lengths.
pub fn learn(passages: &[Lesson], questions: &[(usize, Lesson)]) -> Option<Learnt> {
    let length = passages.first()?.vector.len();
    let all = passages.iter().chain(questions.iter().map(|(_, question)| question));
    let is_sane = |it: &Lesson| {
        it.vector.len() == length && it.vector.iter().all(|component| component.is_finite())
    };
    let are_sane = length >= DIMENSION && all.into_iter().all(is_sane);
    if passages.len() < LEAST || questions.is_empty() || !are_sane {
        return None;
    }
    let mut is_asked = vec![false; passages.len()];
    questions.iter().for_each(|&(of, _)| is_asked[of] = true);
    let task = Task::of(passages, |passage| !is_asked[passage])?;
    let wanted = wanted(passages, questions);
    let before = agreement(passages, questions, &wanted, |text| Builtin.embed_one(text));
    let mut best = (before, None);
    for held_back in HELD_BACK {
        let tuned = Tuned::new(task.solve(held_back));
        let after = agreement(passages, questions, &wanted, |text| tuned.embed_one(text));
        if after > best.0 {
            best = (after, Some(held_back));
        }
    }
    let words = match best.1 {
        Some(held_back) => Task::of(passages, |_| true)?.solve(held_back),
        None => Words::default(),
    };
    Some(Learnt { words, before, after: best.0 })
}

/// For each question the passages that the teaching model finds nearest.
fn wanted(passages: &[Lesson], questions: &[(usize, Lesson)]) -> Vec<Vec<usize>> {
    let nearest = |(of, question): &(usize, Lesson)| {
        nearest(*of, passages.iter().map(|passage| dot(&passage.vector, &question.vector)))
    };
    questions.par_iter().map(nearest).collect()
}

/// How many of the wanted passages are among as many nearest ones, as a share.
fn agreement(
    passages: &[Lesson],
    questions: &[(usize, Lesson)],
    wanted: &[Vec<usize>],
    embed: impl Fn(&str) -> Vec<f32> + Sync,
) -> f32 {
    let vectors: Vec<Vec<f32>> = passages.par_iter().map(|it| embed(&it.text)).collect();
    let found = questions.par_iter().zip(wanted).map(|((of, question), wanted)| {
        let asked = embed(&question.text);
        let found = nearest(*of, vectors.iter().map(|vector| dot(vector, &asked)));
        found.iter().filter(|passage| wanted.contains(passage)).count()
    });
    let all: usize = wanted.iter().map(Vec::len).sum();
    found.sum::<usize>() as f32 / all.max(1) as f32
}

/// The numbers of the best passages, without the one that a question is from.
fn nearest(own: usize, scores: impl Iterator<Item = f32>) -> Vec<usize> {
    let mut all: Vec<(usize, f32)> = scores.enumerate().filter(|(at, _)| *at != own).collect();
    let by_score = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    if all.len() > NEAREST {
        all.select_nth_unstable_by(NEAREST - 1, by_score);
        all.truncate(NEAREST);
    }
    all.into_iter().map(|(at, _)| at).collect()
}

/// The equations: each passage's words, and what is missing between its vector and its target.
struct Task {
    words: Vec<Vec<u16>>,
    /// By word: the passages that hold it, and how much of their vectors one row is.
    places: Vec<Vec<(u32, f32)>>,
    /// The same by passage.
    texts: Vec<Vec<(u32, f32)>>,
    missing: Vec<Vector>,
    /// The mean square of a word's share.
    unit: f32,
}

impl Task {
    fn of(passages: &[Lesson], choose: impl Fn(usize) -> bool) -> Option<Self> {
        let mut numbers: HashMap<Vec<u16>, u32> = HashMap::new();
        let (mut texts, mut bases, mut targets) = (Vec::new(), Vec::new(), Vec::new());
        for (at, passage) in passages.iter().enumerate().filter(|(at, _)| choose(*at)) {
            let mut base = [0.0; DIMENSION];
            let mut counts: HashMap<u32, f32> = HashMap::new();
            words(&passage.text, |ids| {
                ids.iter().for_each(|&id| add_row(&mut base, id));
                if ids.len() <= MOST_PIECES {
                    let word = ids.iter().map(|&id| id as u16).collect();
                    let next = numbers.len() as u32;
                    *counts.entry(*numbers.entry(word).or_insert(next)).or_default() += 1.0;
                }
            });
            let length = dot(&base, &base).sqrt();
            if length > 0.0 {
                normalise(&mut base);
                let mut text: Vec<(u32, f32)> =
                    counts.into_iter().map(|(word, count)| (word, count / length)).collect();
                text.sort_unstable_by_key(|(word, _)| *word);
                texts.push(text);
                bases.push(base);
                targets.push(&passages[at].vector);
            }
        }
        let mut places = vec![Vec::new(); numbers.len()];
        for (text, held) in texts.iter().enumerate() {
            for &(word, share) in held {
                places[word as usize].push((text as u32, share));
            }
        }
        let shares: Vec<f32> = texts.iter().flatten().map(|(_, share)| share * share).collect();
        let unit = shares.iter().sum::<f32>() / shares.len().max(1) as f32;
        let mut words = vec![Vec::new(); numbers.len()];
        numbers.into_iter().for_each(|(word, number)| words[number as usize] = word);
        let missing = missing(&bases, &targets);
        (unit > 0.0).then_some(Self { words, places, texts, missing, unit })
    }

    /// The rows of the words that matter most.
    fn solve(&self, held_back: f32) -> Words {
        let mut is_kept: Vec<bool> =
            self.places.iter().map(|places| places.len() as u32 >= LEAST_PASSAGES).collect();
        let mut rows = self.rows(&is_kept, held_back * self.unit);
        if is_kept.iter().filter(|kept| **kept).count() > MOST_WORDS {
            let explains = |word: usize| {
                let shares = self.places[word].iter().map(|(_, share)| share * share).sum::<f32>();
                dot(&rows[word], &rows[word]) * shares
            };
            let mut order: Vec<usize> = (0..rows.len()).filter(|&word| is_kept[word]).collect();
            order.sort_by(|&a, &b| explains(b).total_cmp(&explains(a)).then(a.cmp(&b)));
            order[MOST_WORDS..].iter().for_each(|&word| is_kept[word] = false);
            rows = self.rows(&is_kept, held_back * self.unit);
        }
        let kept = (0..rows.len()).filter(|&word| is_kept[word]);
        Words::new(kept.map(|word| (self.words[word].clone(), rows[word])).collect())
    }

    /// Ridge regression by conjugate gradients, each component for itself.
    fn rows(&self, is_kept: &[bool], held_back: f32) -> Vec<Vector> {
        let up = |texts: &[Vector]| -> Vec<Vector> {
            let of_word = |(places, kept): (&Vec<(u32, f32)>, &bool)| {
                weighted(places.iter().filter(|_| *kept), texts)
            };
            self.places.par_iter().zip(is_kept).map(of_word).collect()
        };
        let down = |words: &[Vector]| -> Vec<Vector> {
            let of_text = |text: &Vec<(u32, f32)>| {
                weighted(text.iter().filter(|(word, _)| is_kept[*word as usize]), words)
            };
            self.texts.par_iter().map(of_text).collect()
        };
        let ease = |places: &Vec<(u32, f32)>| {
            (held_back + places.iter().map(|(_, share)| share * share).sum::<f32>()).recip()
        };
        let ease: Vec<f32> = self.places.iter().map(ease).collect();
        let eased = |rest: &[Vector]| -> Vec<Vector> {
            rest.iter().zip(&ease).map(|(rest, ease)| rest.map(|it| it * ease)).collect()
        };
        let mut rows = vec![[0.0; DIMENSION]; self.places.len()];
        let mut rest = up(&self.missing);
        let mut way = eased(&rest);
        let mut left = dots(&rest, &way);
        for _ in 0..STEPS {
            let mut bent = up(&down(&way));
            for (bent, way) in bent.iter_mut().zip(&way) {
                bent.iter_mut().zip(way).for_each(|(bent, way)| *bent += held_back * way);
            }
            let step = ratios(&left, &dots(&way, &bent));
            for word in 0..rows.len() {
                for at in 0..DIMENSION {
                    rows[word][at] += step[at] * way[word][at];
                    rest[word][at] -= step[at] * bent[word][at];
                }
            }
            let next = eased(&rest);
            let now = dots(&rest, &next);
            let turn = ratios(&now, &left);
            for (way, next) in way.iter_mut().zip(&next) {
                for at in 0..DIMENSION {
                    way[at] = next[at] + turn[at] * way[at];
                }
            }
            left = now;
        }
        rows
    }
}

fn weighted<'a>(parts: impl Iterator<Item = &'a (u32, f32)>, of: &[Vector]) -> Vector {
    let mut sum = [0.0; DIMENSION];
    for &(part, share) in parts {
        sum.iter_mut().zip(&of[part as usize]).for_each(|(sum, it)| *sum += share * it);
    }
    sum
}

fn dots(a: &[Vector], b: &[Vector]) -> Vec<f64> {
    let mut sums = vec![0.0; DIMENSION];
    for (a, b) in a.iter().zip(b) {
        for (sum, (a, b)) in sums.iter_mut().zip(a.iter().zip(b)) {
            *sum += f64::from(a * b);
        }
    }
    sums
}

fn ratios(a: &[f64], b: &[f64]) -> Vec<f32> {
    a.iter().zip(b).map(|(a, b)| if *b > 0.0 { (a / b) as f32 } else { 0.0 }).collect()
}

/// What each text lacks to its target, the other model's vectors in the built-in model's space.
fn missing(bases: &[Vector], targets: &[&Vec<f32>]) -> Vec<Vector> {
    let (count, length) = (bases.len().max(1) as f32, targets.first().map_or(0, |it| it.len()));
    let mean = |length: usize, vectors: &mut dyn Iterator<Item = &[f32]>| {
        let mut mean = vec![0.0; length];
        for vector in vectors {
            mean.iter_mut().zip(vector).for_each(|(mean, it)| *mean += it / count);
        }
        mean
    };
    let base_mean = mean(DIMENSION, &mut bases.iter().map(|it| it.as_slice()));
    let target_mean = mean(length, &mut targets.iter().map(|it| it.as_slice()));
    let targets: Vec<Vec<f32>> = targets
        .par_iter()
        .map(|target| target.iter().zip(&target_mean).map(|(it, mean)| it - mean).collect())
        .collect();
    let row = |at: usize| {
        let mut row = vec![0.0; length];
        for (base, target) in bases.iter().zip(&targets) {
            let base = base[at] - base_mean[at];
            row.iter_mut().zip(target).for_each(|(row, it)| *row += base * it);
        }
        row
    };
    let map = polar((0..DIMENSION).into_par_iter().map(row).collect());
    let of_text = |(base, target): (&Vector, &Vec<f32>)| {
        std::array::from_fn(|at| dot(&map[at], target) + base_mean[at] - base[at])
    };
    bases.par_iter().zip(&targets).map(of_text).collect()
}

/// The nearest matrix with orthogonal rows of length one.
fn polar(mut matrix: Vec<Vec<f32>>) -> Vec<Vec<f32>> {
    let size = matrix.iter().map(|row| dot(row, row)).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    matrix.iter_mut().flatten().for_each(|it| *it /= size);
    for _ in 0..POLAR_STEPS {
        let square: Vec<Vec<f32>> =
            matrix.par_iter().map(|a| matrix.iter().map(|b| dot(a, b)).collect()).collect();
        let improved = |(row, square): (&Vec<f32>, &Vec<f32>)| {
            let mut improved: Vec<f32> = row.iter().map(|it| 1.5 * it).collect();
            for (other, by) in matrix.iter().zip(square) {
                improved.iter_mut().zip(other).for_each(|(it, other)| *it -= 0.5 * by * other);
            }
            improved
        };
        matrix = matrix.par_iter().zip(&square).map(improved).collect();
    }
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A teacher for whom two words mean the same that are spelled quite differently.
    fn taught(text: &str) -> Vec<f32> {
        let mut vector = Builtin.embed_one(&text.replace("zorblax", "payment invoice"));
        vector.resize(300, 0.0);
        vector
    }

    #[test]
    fn a_word_that_the_model_does_not_know_is_learnt_from_its_company() {
        let about = [
            ["payment", "invoice", "customer", "ledger"],
            ["river", "otter", "fish", "water"],
            ["engine", "wheel", "motor", "road"],
            ["song", "violin", "choir", "melody"],
        ];
        let mut random = fastrand::Rng::with_seed(7);
        let passages: Vec<Lesson> = (0..400)
            .map(|at| {
                let about = about[at % 4];
                let mut words: Vec<&str> = (0..12).map(|_| about[random.usize(..4)]).collect();
                // Not in all of its matter, or the other words of that could mean it as well.
                if at % 8 == 0 {
                    words[random.usize(..12)] = "zorblax";
                }
                words.push(["new", "old", "large", "small", "other"][random.usize(..5)]);
                let text = words.join(" ");
                Lesson { vector: taught(&text), text }
            })
            .collect();
        let questions: Vec<(usize, Lesson)> = (0..400)
            .step_by(20)
            .map(|of| {
                let text = "the zorblax".to_owned();
                (of, Lesson { vector: taught(&text), text })
            })
            .collect();
        let learnt = learn(&passages, &questions).unwrap();
        assert!(learnt.after >= learnt.before, "{} {}", learnt.before, learnt.after);
        let tuned = Tuned::new(Task::of(&passages, |_| true).unwrap().solve(1.0));
        let near = |embed: &dyn Fn(&str) -> Vec<f32>| dot(&embed("zorblax"), &embed("invoice"));
        let (before, after) = (near(&|it| Builtin.embed_one(it)), near(&|it| tuned.embed_one(it)));
        assert!(after > before + 0.1, "{before} {after}");

        assert!(learn(&passages[..LEAST - 1], &questions[..1]).is_none());
        assert!(learn(&passages, &[]).is_none());
        let mut other = passages;
        other[3].vector.pop();
        assert!(learn(&other, &questions).is_none());
    }
}
