//! A vector as it is stored, in tables and in what is derived from them.

/// The name of a vector: a hash of the model and of the text it was made from.
pub type Key = [u8; 16];

/// A vector as it is stored.
///
/// `scale` is 0 for the zero vector (a text without known words).
#[derive(Debug, Clone, PartialEq)]
pub struct Encoded {
    pub scale: f32,
    pub codes: Vec<i8>,
}

impl Encoded {
    /// Encodes a vector: codes are `value / scale`, rounded, with `scale = max |value| / 127`.
    pub fn new(vector: &[f32]) -> Self {
        let largest = vector.iter().fold(0f32, |largest, value| largest.max(value.abs()));
        if largest == 0.0 || !largest.is_finite() {
            return Self { scale: 0.0, codes: vec![0; vector.len()] };
        }
        let scale = largest / 127.0;
        let codes = vector.iter().map(|value| (value / scale).round() as i8).collect();
        Self { scale, codes }
    }

    /// Whether this can be what [`Encoded::new`] made of a unit or zero vector.
    pub fn is_sane(&self, dimension: usize) -> bool {
        if self.codes.len() != dimension || !self.scale.is_finite() || self.scale < 0.0 {
            return false;
        }
        let squares: f32 = self.codes.iter().map(|&code| f32::from(code).powi(2)).sum();
        let norm = squares.sqrt() * self.scale;
        (self.scale == 0.0 && squares == 0.0) || (0.95..1.05).contains(&norm)
    }
}
