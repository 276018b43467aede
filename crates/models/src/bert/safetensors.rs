//! Tensors out of a `model.safetensors`: an eight-byte header length, a JSON header, the bytes.
//!
//! Owns the checks of a file that comes from outside: sizes, ranges, overlaps, shapes and types.
//! Gives floats, whatever the file stores (f32, f16 or bf16); knows no model.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use memmap2::Mmap;
use serde::Deserialize;

use super::error::ModelError;
use elophanto_base::regular::follow;

/// Bytes of the largest file that is read.
const MOST_BYTES: u64 = 8 << 30;
/// Bytes of the largest header.
const MOST_HEADER: usize = 16 << 20;

/// An open file.
pub struct Tensors {
    path: PathBuf,
    file: Mmap,
    /// Where the tensors begin.
    data: usize,
    entries: BTreeMap<String, Entry>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (usize, usize),
}

impl Tensors {
    /// Opens a file and checks its header.
    ///
    /// # Errors
    /// When it can't be read, is too large, or its header is not what it should be.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let read = |cause| ModelError::Read { path: path.to_owned(), source: cause };
        let file = follow(path).map_err(read)?;
        let bytes = file.metadata().map_err(read)?.len();
        if bytes > MOST_BYTES {
            return Err(ModelError::TooLarge { path: path.to_owned(), bytes, most: MOST_BYTES });
        }
        let damaged =
            |reason: &str| ModelError::Damaged { path: path.to_owned(), reason: reason.to_owned() };
        if bytes < 8 {
            return Err(damaged("the file ends inside its header"));
        }
        // SAFETY: a mapping of a file that another program cuts short meanwhile can end this one,
        // it can't corrupt it: what is read is bytes, of any value.
        let file = unsafe { Mmap::map(&file) }.map_err(read)?;
        let short = || damaged("the file ends inside its header");
        let (length, rest) = file.split_first_chunk::<8>().ok_or_else(short)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).map_err(|_| short())?;
        if length > MOST_HEADER {
            return Err(damaged("its header is too large"));
        }
        let header = rest.get(..length).ok_or_else(short)?;
        let json = |cause| ModelError::Json { path: path.to_owned(), source: cause };
        let header: BTreeMap<String, serde_json::Value> =
            serde_json::from_slice(header).map_err(json)?;
        let mut entries = BTreeMap::new();
        for (name, value) in header {
            if name != "__metadata__" {
                entries.insert(name, serde_json::from_value::<Entry>(value).map_err(json)?);
            }
        }
        let tensors = Self { path: path.to_owned(), data: 8 + length, entries, file };
        tensors.check_places(tensors.file.len() - tensors.data)?;
        Ok(tensors)
    }

    /// Each tensor has as many bytes as its shape asks for, within the file, and shares none.
    fn check_places(&self, length: usize) -> Result<(), ModelError> {
        let mut places = Vec::with_capacity(self.entries.len());
        for (name, entry) in &self.entries {
            let (start, end) = entry.data_offsets;
            if start > end || end > length {
                let reason = format!("is at {start}..{end} of {length} bytes");
                return Err(self.tensor_error(name, reason));
            }
            if let Some(size) = size_of_type(&entry.dtype) {
                let count = entry.shape.iter().try_fold(size, |bytes, n| bytes.checked_mul(*n));
                if count != Some(end - start) {
                    let reason = format!(
                        "has {} bytes, {} {:?} asks for another number",
                        end - start,
                        entry.dtype,
                        entry.shape
                    );
                    return Err(self.tensor_error(name, reason));
                }
            }
            places.push((start, end, name));
        }
        places.sort_unstable();
        match places.windows(2).find(|pair| pair[0].1 > pair[1].0) {
            Some(pair) => Err(self.tensor_error(pair[1].2, format!("overlaps `{}`", pair[0].2))),
            None => Ok(()),
        }
    }

    /// Whether there is a tensor of that name.
    pub fn has(&self, name: &str) -> bool {
        self.entries.contains_key(name)
    }

    /// All numbers of a tensor of that shape.
    ///
    /// # Errors
    /// When it is missing, has another shape or a type that holds no floats, or holds what is not
    /// finite.
    pub fn floats(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, ModelError> {
        let entry = self.entry(name)?;
        if entry.shape != shape {
            let reason = format!("has shape {:?}, expected {shape:?}", entry.shape);
            return Err(self.tensor_error(name, reason));
        }
        let (start, end) = entry.data_offsets;
        let bytes = self.file.get(self.data..).and_then(|data| data.get(start..end));
        let bytes = bytes.unwrap_or_default();
        let halves = || bytes.as_chunks::<2>().0.iter().map(|half| u16::from_le_bytes(*half));
        let floats: Vec<f32> = match entry.dtype.as_str() {
            "F32" => {
                bytes.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect()
            }
            "F16" => halves().map(widen_half).collect(),
            "BF16" => halves().map(widen_brain).collect(),
            other => {
                let reason = format!("is of type {other}, supported: F32, F16, BF16");
                return Err(self.tensor_error(name, reason));
            }
        };
        if floats.iter().any(|value| !value.is_finite()) {
            return Err(self.tensor_error(name, "holds what is no finite number".to_owned()));
        }
        Ok(floats)
    }

    fn entry(&self, name: &str) -> Result<&Entry, ModelError> {
        self.entries.get(name).ok_or_else(|| self.tensor_error(name, "is missing".to_owned()))
    }

    fn tensor_error(&self, tensor: &str, reason: String) -> ModelError {
        ModelError::Tensor { path: self.path.clone(), tensor: tensor.to_owned(), reason }
    }
}

fn size_of_type(dtype: &str) -> Option<usize> {
    match dtype {
        "BOOL" | "U8" | "I8" => Some(1),
        "F16" | "BF16" | "I16" | "U16" => Some(2),
        "F32" | "I32" | "U32" => Some(4),
        "F64" | "I64" | "U64" => Some(8),
        _ => None,
    }
}

/// An IEEE 754 half as a float; exact.
fn widen_half(half: u16) -> f32 {
    let sign = u32::from(half & 0x8000) << 16;
    let (exponent, fraction) = (i32::from(half >> 10 & 0x1f), u32::from(half & 0x3ff));
    let size = match exponent {
        0 => fraction as f32 * 2f32.powi(-24),
        31 => f32::from_bits(0x7f80_0000 | fraction << 13),
        _ => f32::from_bits((exponent + 112).cast_unsigned() << 23 | fraction << 13),
    };
    f32::from_bits(size.to_bits() | sign)
}

/// A bfloat16 as a float: its upper half.
fn widen_brain(brain: u16) -> f32 {
    f32::from_bits(u32::from(brain) << 16)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn open(header: &str, data: &[u8]) -> Result<Tensors, ModelError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.safetensors");
        let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(data);
        fs::write(&path, bytes).unwrap();
        Tensors::open(&path)
    }

    fn error(header: &str, data: &[u8]) -> String {
        open(header, data).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn reads_three_types_of_floats() {
        let header = r#"{"__metadata__":{"format":"pt"},
            "a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},
            "b":{"dtype":"F16","shape":[2,2],"data_offsets":[4,12]},
            "c":{"dtype":"BF16","shape":[1],"data_offsets":[12,14]},
            "d":{"dtype":"I8","shape":[1],"data_offsets":[14,15]}}"#;
        let mut data = 1.5f32.to_le_bytes().to_vec();
        for half in [0x3c00u16, 0xc000, 0x0001, 0x7bff] {
            data.extend_from_slice(&half.to_le_bytes());
        }
        data.extend_from_slice(&0xbf80u16.to_le_bytes());
        data.push(7);
        let tensors = open(header, &data).unwrap();
        assert_eq!(tensors.floats("a", &[1]).unwrap(), [1.5]);
        assert_eq!(tensors.floats("b", &[2, 2]).unwrap(), [1.0, -2.0, 2f32.powi(-24), 65_504.0]);
        assert_eq!(tensors.floats("c", &[1]).unwrap(), [-1.0]);
        let message = |name: &str, shape: &[usize]| {
            tensors
                .floats(name, shape)
                .unwrap_err()
                .to_string()
                .rsplit_once(": ")
                .unwrap()
                .1
                .to_owned()
        };
        assert_eq!(message("b", &[4]), "tensor `b` has shape [2, 2], expected [4]");
        assert!(tensors.floats("d", &[1]).unwrap_err().to_string().contains("is of type I8"));
        assert_eq!(message("e", &[1]), "tensor `e` is missing");
    }

    #[test]
    fn refuses_what_is_damaged() {
        assert!(error("{}x", &[]).contains("can't be understood"));
        assert!(error("[]", &[]).contains("can't be understood"));
        let tensor = |shape: &str, offsets: &str| {
            format!(r#"{{"a":{{"dtype":"F32","shape":{shape},"data_offsets":{offsets}}}}}"#)
        };
        assert!(error(&tensor("[1]", "[0,8]"), &[0; 8]).contains("`a` has 8 bytes"));
        assert!(error(&tensor("[1]", "[0,4]"), &[0; 3]).contains("`a` is at 0..4 of 3 bytes"));
        assert!(error(&tensor("[1]", "[8,4]"), &[0; 9]).contains("`a` is at 8..4"));
        let huge = format!("[{0},{0}]", usize::MAX);
        assert!(error(&tensor(&huge, "[0,4]"), &[0; 4]).contains("another number"));
        assert!(error(&tensor("[-1]", "[0,4]"), &[0; 4]).contains("can't be understood"));
        let twice = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
            "b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}"#;
        assert!(error(twice, &[0; 8]).contains("`b` overlaps `a`"));
        let nan = open(&tensor("[1]", "[0,4]"), &f32::NAN.to_le_bytes()).unwrap();
        assert!(nan.floats("a", &[1]).unwrap_err().to_string().contains("no finite number"));

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m");
        for bytes in [&[0u8; 4][..], &[0xff; 20], &[200, 0, 0, 0, 0, 0, 0, 0, b'{']] {
            fs::write(&path, bytes).unwrap();
            assert!(Tensors::open(&path).is_err());
        }
        assert!(Tensors::open(&folder.path().join("none")).is_err());
    }
}
