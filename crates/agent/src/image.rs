//! Pictures for models: from a file's bytes to what is sent, within limits. Pure.

use std::sync::Arc;

use super::{clean::clean, tools::hash_of};
use elophanto_base::{
    image::{Bare, ImageError, bare},
    one_line::one_line,
};
use elophanto_models::llm::{Image, Message};

/// Bytes of a picture's file: no provider takes more than 5 MiB of it in base64.
pub const MAX_IMAGE_BYTES: u64 = (5 << 20) / 4 * 3;
/// Pixels of a side: providers refuse larger ones.
const MAX_SIDE: u32 = 8_000;
/// Pictures that are shown in one prompt, and bytes of them together. Older ones are only named.
const SHOWN: (usize, usize) = (20, 20 << 20);
/// Characters of a path.
const PATH_CHARS: usize = 200;

/// Why a file is not shown as a picture.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotShown {
    #[error(transparent)]
    Image(#[from] ImageError),
    #[error(
        "it has {0} bytes, over the cap of {MAX_IMAGE_BYTES} (3.7 MB): make it smaller, or save it as JPEG"
    )]
    TooManyBytes(u64),
    #[error(
        "it is {0} x {1} pixels, over the cap of {MAX_SIDE} a side: scale it down, or cut out what matters"
    )]
    TooManyPixels(u32, u32),
}

/// The picture in a file, without what is written beside it (place, device, texts).
///
/// # Errors
/// When it is none, is damaged, or is too large.
pub fn image(path: &str, bytes: &[u8]) -> Result<Image, NotShown> {
    let count = bytes.len() as u64;
    if count > MAX_IMAGE_BYTES {
        return Err(NotShown::TooManyBytes(count));
    }
    let Bare { format, size, bytes: data } = bare(bytes)?;
    if size.width.max(size.height) > MAX_SIDE {
        return Err(NotShown::TooManyPixels(size.width, size.height));
    }
    Ok(Image {
        path: one_line(&clean(path, 4 * PATH_CHARS), PATH_CHARS).replace('`', "'"),
        hash: hash_of(bytes),
        bytes: count,
        format,
        size,
        is_changed: false,
        data: Some(Arc::from(data)),
    })
}

/// Leaves as many of the newest pictures in a conversation as a prompt holds; none where the model
/// takes none.
pub(super) fn keep_newest(messages: &mut [Message], takes_images: bool) {
    let (mut count, mut bytes) = (0, 0);
    for message in messages.iter_mut().rev() {
        let Message::Image(image) = message else { continue };
        let Some(data) = &image.data else { continue };
        count += 1;
        bytes += data.len();
        if !takes_images || count > SHOWN.0 || bytes > SHOWN.1 {
            image.data = None;
        }
    }
}

/// Pictures of a kept conversation whose files are to be read again, the newest first.
pub(super) fn missing(messages: &mut [Message]) -> impl Iterator<Item = &mut Image> {
    let images = messages.iter_mut().rev().filter_map(|message| match message {
        Message::Image(image) => Some(image),
        _ => None,
    });
    images.take(SHOWN.0).filter(|image| image.data.is_none())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A PNG of these pixels, in as many bytes as are wanted.
    pub(crate) fn png(width: u32, height: u32, filling: usize) -> Vec<u8> {
        let chunk = |kind: &[u8; 4], data: &[u8]| {
            [&(data.len() as u32).to_be_bytes()[..], kind, data, &[0; 4]].concat()
        };
        let head = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 6, 0, 0, 0]].concat();
        let parts = [
            chunk(b"IHDR", &head),
            chunk(b"tEXt", b"Author\0Ada of 59 N 18 E"),
            chunk(b"IDAT", &vec![7; filling]),
            b"\0\0\0\0IEND\xae\x42\x60\x82".to_vec(),
        ];
        [&b"\x89PNG\r\n\x1a\n"[..], &parts.concat()].concat()
    }

    #[test]
    fn what_is_shown_is_within_limits() {
        let shown = image("docs/a\u{7}`b.png", &png(640, 480, 9)).unwrap();
        assert_eq!(shown.path, "docs/a'b.png");
        assert_eq!((shown.size.width, shown.size.height), (640, 480));
        assert!(!String::from_utf8_lossy(shown.data.as_ref().unwrap()).contains("Ada"));
        for (bytes, says) in [
            (b"# Otters".to_vec(), "it is no PNG, JPEG, GIF or WebP image"),
            (png(1, 1, 0)[..40].to_vec(), "the PNG image is damaged or cut off"),
            (
                png(8_001, 1, 0),
                "it is 8001 x 1 pixels, over the cap of 8000 a side: scale it down, or cut out what \
                 matters",
            ),
            (
                vec![0; MAX_IMAGE_BYTES as usize + 1],
                "it has 3932161 bytes, over the cap of 3932160 (3.7 MB): make it smaller, or save it \
                 as JPEG",
            ),
        ] {
            assert_eq!(image("a.png", &bytes).unwrap_err().to_string(), says);
        }
    }

    #[test]
    fn the_newest_pictures_stay() {
        let one = |filling| Message::Image(image("a.png", &png(9, 9, filling)).unwrap());
        let shown = |messages: &[Message]| -> String {
            let mark = |message: &Message| match message {
                Message::Image(image) if image.data.is_some() => '1',
                Message::Image(_) => '0',
                _ => '-',
            };
            messages.iter().map(mark).collect()
        };
        for (mut messages, takes, expected) in [
            (vec![Message::user("a"), one(9)], true, "-1".to_owned()),
            (vec![Message::user("a"), one(9)], false, "-0".to_owned()),
            (vec![one(9); 22], true, format!("00{}", "1".repeat(20))),
            (vec![one(3_900_000); 6], true, "011111".to_owned()),
        ] {
            keep_newest(&mut messages, takes);
            assert_eq!(shown(&messages), expected);
        }
        let mut messages = vec![one(9), Message::user("a"), one(9)];
        keep_newest(&mut messages, false);
        assert_eq!(missing(&mut messages).count(), 2);
    }
}
