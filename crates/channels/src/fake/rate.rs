//! How often something may be done.

use std::{collections::BTreeMap, time::Instant};

/// So many at once, and one more each so many seconds; by name.
#[derive(Debug)]
pub struct Buckets {
    most: f64,
    per_second: f64,
    all: BTreeMap<String, (f64, Instant)>,
}

impl Buckets {
    pub fn new(most: f64, per_second: f64) -> Self {
        Self { most, per_second, all: BTreeMap::new() }
    }

    /// How many there are now.
    pub fn left(&self, name: &str) -> u64 {
        let left = self.all.get(name).map_or(self.most, |(left, last)| {
            (left + last.elapsed().as_secs_f64() * self.per_second).min(self.most)
        });
        left as u64
    }

    /// Takes one; else after how many seconds there is one.
    pub fn take(&mut self, name: &str) -> Result<(), u64> {
        let now = Instant::now();
        let (left, last) = self.all.entry(name.to_owned()).or_insert((self.most, now));
        *left = (*left + now.duration_since(*last).as_secs_f64() * self.per_second).min(self.most);
        *last = now;
        if *left >= 1.0 {
            *left -= 1.0;
            return Ok(());
        }
        Err(((1.0 - *left) / self.per_second).ceil().max(1.0) as u64)
    }
}
