//! Pictures as files: what they are by their first bytes, how large they are, and the same picture
//! without what is written beside it: places, times, devices, names, other pictures. Pure.
//!
//! Nothing is decoded: parts of a file are kept or left out. What is kept is listed, so that a kind of
//! part that nobody knows is left out too, as is whatever stands behind the picture's end.

mod gif;
mod jpeg;
mod png;
#[cfg(test)]
mod tests;
mod webp;

crate::named! {
    /// What a picture's file is.
    pub enum Format, name {
        Png = "PNG",
        Jpeg = "JPEG",
        Gif = "GIF",
        WebP = "WebP",
    }
}

/// Pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

/// A picture without what is written beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bare {
    pub format: Format,
    pub size: Size,
    pub bytes: Vec<u8>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    #[error("it is no PNG, JPEG, GIF or WebP image")]
    Unknown,
    #[error("the {0} image is damaged or cut off")]
    Damaged(Format),
}

impl Format {
    /// By the first bytes of a file (12 suffice), whatever its name.
    pub fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(Self::Png),
            [0xff, 0xd8, 0xff, ..] => Some(Self::Jpeg),
            [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(Self::Gif),
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some(Self::WebP),
            _ => None,
        }
    }

    /// As HTTP names it.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::WebP => "image/webp",
        }
    }
}

/// The picture in a file, without what is written beside it.
///
/// # Errors
/// When it is none, or its parts do not follow each other up to its end.
pub fn bare(bytes: &[u8]) -> Result<Bare, ImageError> {
    let format = Format::of(bytes).ok_or(ImageError::Unknown)?;
    let kept = match format {
        Format::Png => png::kept(bytes),
        Format::Jpeg => jpeg::kept(bytes),
        Format::Gif => gif::kept(bytes),
        Format::WebP => webp::kept(bytes),
    };
    let (size, bytes) = kept
        .filter(|(size, _)| size.width > 0 && size.height > 0)
        .ok_or(ImageError::Damaged(format))?;
    Ok(Bare { format, size, bytes })
}
