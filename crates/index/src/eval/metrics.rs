//! nDCG@10, Recall@20 and MRR@10. Source: Järvelin & Kekäläinen 2002 (nDCG, linear gain, log2
//! discount), over all judged documents.

/// Means over questions; while adding, sums.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Quality {
    pub ndcg_at_10: f64,
    pub recall_at_20: f64,
    pub mrr_at_10: f64,
    /// Questions added.
    pub questions: usize,
}

impl Quality {
    /// Adds one question: grades in the order of the ranking, grades of all judged documents. Returns
    /// its nDCG@10.
    pub fn add(&mut self, ranked: &[f64], judged: impl Iterator<Item = f64>) -> f64 {
        let mut ideal: Vec<f64> = judged.filter(|grade| *grade > 0.0).collect();
        ideal.sort_by(|a, b| b.total_cmp(a));
        let gain = ndcg(ranked, &ideal, 10);
        self.ndcg_at_10 += gain;
        self.recall_at_20 += recall(ranked, ideal.len(), 20);
        self.mrr_at_10 += reciprocal_rank(ranked, 10);
        self.questions += 1;
        gain
    }

    /// Sums to means.
    pub fn mean(mut self) -> Self {
        let count = self.questions.max(1) as f64;
        self.ndcg_at_10 /= count;
        self.recall_at_20 /= count;
        self.mrr_at_10 /= count;
        self
    }
}

/// Discounted gain of the first `depth` grades over that of the best possible order.
pub fn ndcg(ranked: &[f64], ideal: &[f64], depth: usize) -> f64 {
    let gain = |grades: &[f64]| -> f64 {
        let discounted = grades.iter().take(depth).enumerate();
        discounted.map(|(rank, grade)| grade / (rank as f64 + 2.0).log2()).sum()
    };
    let best = gain(ideal);
    if best > 0.0 { gain(ranked) / best } else { 0.0 }
}

/// Share of the relevant documents among the first `depth`.
pub fn recall(ranked: &[f64], relevant: usize, depth: usize) -> f64 {
    if relevant == 0 {
        return 0.0;
    }
    let found = ranked.iter().take(depth).filter(|grade| **grade > 0.0).count();
    found as f64 / relevant as f64
}

/// 1 over the rank of the first relevant document, 0 beyond `depth`.
pub fn reciprocal_rank(ranked: &[f64], depth: usize) -> f64 {
    let first = ranked.iter().take(depth).position(|grade| *grade > 0.0);
    first.map_or(0.0, |rank| 1.0 / (rank as f64 + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(ranked: &[f64], judged: &[f64], ndcg_at_10: f64, recall_at_20: f64, mrr_at_10: f64) {
        let mut quality = Quality::default();
        quality.add(ranked, judged.iter().copied());
        let close = |a: f64, b: f64| (a - b).abs() < 1e-3;
        assert!(
            close(quality.ndcg_at_10, ndcg_at_10)
                && close(quality.recall_at_20, recall_at_20)
                && close(quality.mrr_at_10, mrr_at_10),
            "{quality:?}"
        );
    }

    #[test]
    fn known_values() {
        check(&[1.0], &[1.0], 1.0, 1.0, 1.0);
        check(&[0.0, 1.0], &[1.0], 0.6309, 1.0, 0.5);
        // (1/log2(2) + 2/log2(3)) / (2/log2(2) + 1/log2(3))
        check(&[1.0, 2.0], &[2.0, 1.0], 0.8597, 1.0, 1.0);
        check(&[0.0; 20], &[1.0], 0.0, 0.0, 0.0);
        check(&[1.0], &[1.0, 1.0, 0.0], 0.6131, 0.5, 1.0);
        check(&[], &[1.0], 0.0, 0.0, 0.0);
    }
}
