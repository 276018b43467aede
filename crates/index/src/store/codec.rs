//! The little-endian byte format of our local files: writing, and reading that never panics.

use twox_hash::XxHash3_64;

/// What is read of bytes.
pub type Result<T, E = Malformed> = std::result::Result<T, E>;

/// The bytes end before the value does, or hold what no writer wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// Checksum against accidents (torn writes, flipped bits), not against forgery: what it guards is
/// derived and local.
pub fn checksum(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Appends values to a buffer.
#[derive(Default)]
pub struct Writer {
    pub bytes: Vec<u8>,
}

impl Writer {
    pub fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub fn i64(&mut self, value: i64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub fn varint(&mut self, value: u64) {
        varint(&mut self.bytes, value);
    }

    /// Length, then the bytes.
    pub fn block(&mut self, bytes: &[u8]) {
        self.varint(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }
}

/// LEB128: seven bits a byte, low bits first.
pub fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value as u8) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

impl Writer {
    /// Begins a file of this format.
    pub fn begin(magic: &[u8; 8]) -> Self {
        Self { bytes: magic.to_vec() }
    }

    /// The bytes of the file, its checksum at the end.
    pub fn seal(mut self) -> Vec<u8> {
        let sum = checksum(&self.bytes);
        self.u64(sum);
        self.bytes
    }
}

/// What a file of this format holds.
///
/// # Errors
/// [`Malformed`] for anything but the bytes of [`Writer::seal`] after [`Writer::begin`].
pub fn unseal<'b>(magic: &[u8; 8], bytes: &'b [u8]) -> Result<Reader<'b>> {
    let (body, sum) = bytes.split_last_chunk::<8>().ok_or(Malformed)?;
    if checksum(body) != u64::from_le_bytes(*sum) {
        return Err(Malformed);
    }
    let mut reader = Reader::new(body);
    if reader.take(8)? != magic {
        return Err(Malformed);
    }
    Ok(reader)
}

/// Takes values off the front of a slice.
#[derive(Clone)]
pub struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    pub fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn take(&mut self, count: usize) -> Result<&'b [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(Malformed)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or(Malformed)?;
        self.rest = rest;
        Ok(*taken)
    }

    pub fn u8(&mut self) -> Result<u8> {
        self.array::<1>().map(|[byte]| byte)
    }

    pub fn u32(&mut self) -> Result<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn i64(&mut self) -> Result<i64> {
        self.array().map(i64::from_le_bytes)
    }

    /// Passes over so many varints.
    #[inline]
    pub fn skip_varints(&mut self, count: u32) -> Result<()> {
        for _ in 0..count {
            let last = self.rest.iter().take(10).position(|byte| *byte < 0x80).ok_or(Malformed)?;
            self.rest = &self.rest[last + 1..];
        }
        Ok(())
    }

    #[inline]
    pub fn varint(&mut self) -> Result<u64> {
        // Most distances and counts are small.
        if let Some((&byte, rest)) = self.rest.split_first()
            && byte < 0x80
        {
            self.rest = rest;
            return Ok(u64::from(byte));
        }
        let mut value = 0u64;
        for (index, &byte) in self.rest.iter().enumerate().take(10) {
            value |= u64::from(byte & 0x7f) << (7 * index);
            if byte < 0x80 {
                self.rest = &self.rest[index + 1..];
                return Ok(value);
            }
        }
        Err(Malformed)
    }

    pub fn size(&mut self) -> Result<usize> {
        usize::try_from(self.varint()?).map_err(|_| Malformed)
    }

    pub fn block(&mut self) -> Result<&'b [u8]> {
        let length = self.size()?;
        self.take(length)
    }

    pub fn text(&mut self) -> Result<&'b str> {
        std::str::from_utf8(self.block()?).map_err(|_| Malformed)
    }
}

/// The `index`th little-endian `u32` of an array of them.
pub fn u32_at(bytes: &[u8], index: usize) -> Result<u32> {
    let start = index.checked_mul(4).ok_or(Malformed)?;
    let four = bytes.get(start..start + 4).ok_or(Malformed)?;
    four.try_into().map(u32::from_le_bytes).map_err(|_| Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(numbers: Vec<u64>, block: Vec<u8>) {
            let mut writer = Writer::default();
            for &number in &numbers {
                writer.varint(number);
                writer.u64(number);
            }
            writer.block(&block);
            let mut reader = Reader::new(&writer.bytes);
            for &number in &numbers {
                prop_assert_eq!(reader.varint(), Ok(number));
                prop_assert_eq!(reader.u64(), Ok(number));
            }
            prop_assert_eq!(reader.block(), Ok(&block[..]));
            prop_assert!(reader.is_empty());
        }

        #[test]
        fn garbage_is_refused_or_read_but_never_panics(bytes: Vec<u8>) {
            let mut reader = Reader::new(&bytes);
            while reader.varint().is_ok() && reader.block().is_ok() && !reader.is_empty() {}
        }
    }
}
