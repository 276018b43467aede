//! One vector: read from JSON, checked, at unit length. Pure.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;

/// The numbers of an array, or of Base64 over little-endian 32-bit floats. `None` if there is
/// anything else among them.
pub(super) fn read(value: &Value) -> Option<Vec<f32>> {
    match value {
        Value::Array(numbers) => {
            numbers.iter().map(|number| Some(number.as_f64()? as f32)).collect()
        }
        Value::String(text) => {
            let bytes = STANDARD.decode(text).ok()?;
            let (floats, rest) = bytes.as_chunks::<4>();
            rest.is_empty().then(|| floats.iter().map(|float| f32::from_le_bytes(*float)).collect())
        }
        _ => None,
    }
}

/// `vector` at unit length. `None` if it has no direction: zero, infinite, or not a number.
pub(super) fn normalised(mut vector: Vec<f32>) -> Option<Vec<f32>> {
    let squares: f64 = vector.iter().map(|&component| f64::from(component).powi(2)).sum();
    let length = squares.sqrt();
    if !length.is_finite() || length <= 0.0 {
        return None;
    }
    for component in &mut vector {
        *component = (f64::from(*component) / length) as f32;
    }
    Some(vector)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn vectors_from_json() {
        #[track_caller]
        fn check(value: Value, expected: Option<&[f32]>) {
            assert_eq!(read(&value).as_deref(), expected, "{value}");
        }
        check(json!([1, 2.5, -3e0]), Some(&[1.0, 2.5, -3.0]));
        check(json!([]), Some(&[]));
        check(json!([1, null]), None);
        check(json!([1, "2"]), None);
        check(json!({}), None);
        check(json!("AACAPwAAAMA="), Some(&[1.0, -2.0]));
        check(json!("AACAPwAA"), None);
        check(json!("NaN"), None);
        check(json!(""), Some(&[]));
        assert_eq!(read(&json!([1e300])), Some(vec![f32::INFINITY]));
    }

    #[test]
    fn unit_length() {
        assert_eq!(normalised(vec![3.0, 4.0]), Some(vec![0.6, 0.8]));
        assert_eq!(normalised(vec![1e-30, 0.0]), Some(vec![1.0, 0.0]));
        assert_eq!(normalised(vec![1e38, 0.0]), Some(vec![1.0, 0.0]));
        for bad in [vec![], vec![0.0, -0.0], vec![f32::NAN, 1.0], vec![f32::INFINITY, 1.0]] {
            assert_eq!(normalised(bad), None);
        }
    }
}
